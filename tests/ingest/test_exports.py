"""Exports of reference managers and databases: each format is recognised by its own module only,
and says the same of the same two references.
"""

import io
import json
import time
from pathlib import Path

import pytest

from citewise.errors import BadInput
from citewise.ingest import FORMATS, Reading, read
from citewise.ingest.report import Report
from citewise.ingest.source import open_source
from citewise.types import Paper
from ingest.json_sources import papers_in
from ingest.samples import CROSSREF_OTHER, CROSSREF_WORK, SAMPLES

FALLBACKS = {"csl", "jsonl"}
"""Formats that come last, as they also detect what others read more of."""
MODULES = {"csl-json": ("csl", "crossref"), "crossref-json": ("crossref",)}
MODULES |= {"bibtex": ("bibtex",), "biblatex": ("bibtex",), "ris": ("ris",), "enw": ("enw",)}
MODULES |= {"nbib": ("pubmed",), "csv": ("csv",), "wos-tagged": ("wos",)}
MODULES |= {"endnote-xml": ("endnote-xml",), "zotero-rdf": ("zotero-rdf",)}


def papers(folder: Path, content: str | bytes, report: Report | None = None) -> list[Paper]:
    file = folder / "export"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [*papers_in(file, report=report)]


def claiming(path: Path) -> list[str]:
    """Return the formats that detect a file."""
    source = open_source(str(path))
    head = source.head()
    source.close()
    return [name for name, module in FORMATS.items() if module.detects(head)]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_says_the_same(tmp_path: Path, name: str) -> None:
    report = Report()
    bees, wasps = papers(tmp_path, SAMPLES[name][1], report)

    assert (bees.title, bees.year, bees.id) == ("Dances of bees", 2019, "doi:10.1000/bees.1")
    assert bees.authors == ("Anna Meyer", "Jo Ito")
    assert bees.abstract in ("Bees dance for food.", 'Bees dance for "food".')
    assert bees.venue.lower() in ("journal of bees", "")
    assert bees.kind in ("article", "")
    assert bees.date in ("", "2019-05-03")
    assert (wasps.title, wasps.year, wasps.authors) == ("Nests of wasps", 1998, ("Li Wei",))
    assert not report.total("skipped"), report.counts


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_claimed_by_its_own_format_only(tmp_path: Path, name: str) -> None:
    format, text = SAMPLES[name]
    (tmp_path / "export").write_text(text)
    found = claiming(tmp_path / "export")
    assert found[0] == format
    assert set(found) <= {format, *FALLBACKS}


@pytest.mark.parametrize("name", ["crossref", "wos", "wos, tabs", "scopus csv", "scopus"])
def test_cited_works_with_a_doi_become_references(tmp_path: Path, name: str) -> None:
    bees, *_ = papers(tmp_path, SAMPLES[name][1])
    assert bees.references == ("doi:10.1000/wasps.2",)


def test_real_files_are_claimed_by_one_format(shared: Path) -> None:
    wrong = {}
    for line in (shared / "bibliographies" / "index.jsonl").read_text().splitlines():
        entry = json.loads(line)
        found = claiming(shared / "bibliographies" / entry["path"])
        if not found or found[0] not in MODULES[entry["format"]] or len(set(found) - FALLBACKS) > 1:
            wrong[entry["path"]] = found
    assert not wrong


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["bibtex", "ris", "enw", "csl", "scopus csv", "endnote-xml"])
def test_encodings_with_and_without_a_mark(tmp_path: Path, name: str, encoding: str) -> None:
    text = SAMPLES[name][1].lstrip("\ufeff").replace("Jo", "Jö")
    bees, _ = papers(tmp_path, text.encode(encoding))
    assert bees.authors == ("Anna Meyer", "Jö Ito")


@pytest.mark.parametrize("name", ["bibtex", "ris", "enw", "pubmed", "wos", "other csv", "csl"])
@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_line_ends(tmp_path: Path, name: str, end: str) -> None:
    found = papers(tmp_path, SAMPLES[name][1].replace("\n", end).encode())
    assert [paper.title for paper in found] == ["Dances of bees", "Nests of wasps"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "advice"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "this PDF is damaged or not whole"),
        (b"PK\x03\x04" + b"\x00" * 26 + b"[Content_Types].xml", "reference manager"),
        (b"PK\x03\x04" + b"\x00" * 26 + b"library.bib", "unpack"),
        (b"SQLite format 3\x00" + b"\x00" * 50, "Zotero"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"<!DOCTYPE html><html></html>", "web page"),
    ],
)
def test_what_cannot_be_read_gets_advice(tmp_path: Path, content: bytes, advice: str) -> None:
    file = tmp_path / "given"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=advice):
        list(read([file], Report()))

    (tmp_path / "other.ris").write_text(SAMPLES["ris"][1])
    report = Report()
    assert len(list(read([tmp_path], report))) == 2
    (event,) = report.examples["skipped", "not_readable"]
    assert advice in event.detail


def test_one_odd_record_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"type": ["a"]}')
    (tmp_path / "b.json").write_text(json.dumps(CROSSREF_WORK | {"type": ["a"], "title": {}}))
    (tmp_path / "c.ris").write_text(SAMPLES["ris"][1])
    report = Report()
    assert len(list(read([tmp_path], report))) == 3
    assert ("skipped", "reader_failed") not in report.counts


def test_a_reader_that_fails_is_reported_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(record: object) -> object:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("citewise.ingest.pubmed._record", failing)
    (tmp_path / "a.nbib").write_text(SAMPLES["pubmed"][1])
    (tmp_path / "b.ris").write_text(SAMPLES["ris"][1])
    report = Report()
    assert len(list(read([tmp_path], report))) == 2
    (event,) = report.examples["skipped", "reader_failed"]
    assert (event.file, event.detail) == (
        str(tmp_path / "a.nbib"),
        "ZeroDivisionError: on purpose",
    )


def test_a_lack_of_memory_ends_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(record: object) -> object:
        raise MemoryError

    monkeypatch.setattr("citewise.ingest.pubmed._record", full)
    (tmp_path / "a.nbib").write_text(SAMPLES["pubmed"][1])
    with pytest.raises(MemoryError):
        list(read([tmp_path], Report()))


def test_a_file_that_cannot_be_opened_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.ris").write_text(SAMPLES["ris"][1])
    (tmp_path / "b.ris").write_text(SAMPLES["ris"][1])
    real = open

    def guarded(path: str, mode: str) -> io.BufferedReader:
        if path.endswith("a.ris"):
            raise PermissionError(13, "Permission denied")
        return real(path, mode)  # type: ignore[return-value]

    monkeypatch.setattr("citewise.ingest.source.open", guarded, raising=False)
    report = Report()
    assert len(list(read([tmp_path], report, progress=_ignore))) == 2
    assert report.counts == {("skipped", "cannot_be_opened"): 1}


def _ignore(reading: Reading) -> None:
    pass


@pytest.mark.slow
def test_a_page_larger_than_a_record_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewise.ingest.source.LONGEST_RECORD", 20_000)
    monkeypatch.setattr("citewise.ingest.json_stream.LONGEST_RECORD", 20_000)
    works = [CROSSREF_OTHER | {"DOI": f"10.1000/{number}"} for number in range(300)]
    page = {"status": "ok", "message": {"facets": {}, "items": works, "query": {"a": [{}]}}}
    for indent in (None, 2):
        report = Report()
        found = papers(tmp_path, json.dumps(page, indent=indent), report)
        assert len(found) == 300
        assert not report.counts


def test_a_quote_that_is_not_closed_takes_no_row_with_it(tmp_path: Path) -> None:
    rows = [f"Title {number} of a paper,A{number} B,2001" for number in range(600)]
    rows[3] = '"Title 3 of a paper,A3 B,2001'
    report = Report()
    found = papers(tmp_path, "Title,Authors,Year\n" + "\n".join(rows), report)
    assert [paper.title for paper in found] == [f"Title {n} of a paper" for n in range(600)]
    assert report.counts == {("repaired", "broken_line"): 1}


def test_huge_cells_and_nul_characters(tmp_path: Path) -> None:
    abstract = "bees " * 60_000
    text = f'Title,Authors,Abstract\n"Be\x00es and wasps","A B","{abstract}"\nNests,C D,\n'
    report = Report()
    first, second = papers(tmp_path, text, report)
    assert (first.title, second.title) == ("Be es and wasps", "Nests")
    assert ("repaired", "abstract_cut") in report.counts


BOMB = '<!DOCTYPE x [<!ENTITY a "bees"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("name", ["endnote-xml, old", "zotero-rdf"])
def test_entities_are_refused(tmp_path: Path, name: str) -> None:
    report = Report()
    text = BOMB + SAMPLES[name][1].replace("Dances", "&b;")
    assert papers(tmp_path, text, report) == []
    assert [*report.counts] == [("skipped", "xml_entities")]


def test_xml_with_forbidden_characters_and_bare_ampersands(tmp_path: Path) -> None:
    text = SAMPLES["endnote-xml, old"][1].replace("Dances of", "Dances &#x1;\x02& of")
    report = Report()
    assert papers(tmp_path, text, report)[0].title == "Dances & of bees"
    assert [*report.counts] == [("repaired", "bare_ampersand")]


def test_xml_that_is_cut_off_gives_what_came_before(tmp_path: Path) -> None:
    text = SAMPLES["endnote-xml"][1]
    report = Report()
    found = papers(tmp_path, text[: text.index("Nests")], report)
    assert found[0].title == "Dances of bees"
    assert report.counts["skipped", "malformed_xml"] == 1


def test_an_equals_sign_in_a_name_is_no_part_of_it(tmp_path: Path) -> None:
    text = "@misc{k, title={Bees}, author={Meyer, A = B and family=Gogh, given=Vincent}}"
    (paper,) = papers(tmp_path, text)
    assert paper.authors == ("A = B Meyer", "Vincent Gogh")


def test_a_file_of_empty_lines_is_recognised_at_once(tmp_path: Path) -> None:
    start = time.process_time()
    for content in (b"\n" * 65_000, b"Scopus" + b"\n" * 65_000, b"%0 " + b"\n\t" * 30_000):
        for module in FORMATS.values():
            module.detects(content)
    assert time.process_time() - start < 5
