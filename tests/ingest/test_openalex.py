"""OpenAlex works: what each field becomes, and what hostile ones do not do."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from citewise.ingest import openalex
from citewise.ingest.json_stream import ObjectScanner
from citewise.ingest.report import Report
from ingest.json_sources import (
    COMPRESSORS,
    WRONG,
    clean,
    detected,
    json_objects,
    lines,
    papers_in,
    raw,
    source,
)

WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/PeerJ.4375",
    "title": "A made-up study of open things",
    "display_name": "A made-up study of open things",
    "publication_year": 2018,
    "publication_date": "2018-02-13",
    "ids": {
        "openalex": "https://openalex.org/W2741809807",
        "doi": "https://doi.org/10.7717/peerj.4375",
        "mag": "2741809807",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/29456894",
        "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/5815332",
    },
    "language": "en",
    "primary_location": {
        "is_oa": True,
        "landing_page_url": "https://doi.org/10.7717/peerj.4375",
        "source": {
            "id": "https://openalex.org/S1983995261",
            "display_name": "PeerJ",
            "type": "journal",
        },
    },
    "locations": [
        {"landing_page_url": "https://doi.org/10.7717/peerj.4375"},
        {"landing_page_url": None},
        {"landing_page_url": "http://arxiv.org/abs/1802.01234v2"},
    ],
    "type": "article",
    "type_crossref": "journal-article",
    "authorships": [
        {
            "author_position": "first",
            "author": {"id": "https://openalex.org/A1", "display_name": "Ada Muster"},
        },
        {
            "author_position": "last",
            "author": {"id": "https://openalex.org/A2", "display_name": "Béla Példa"},
        },
    ],
    "biblio": {"volume": "6", "issue": "2", "first_page": "e4375", "last_page": "e4390"},
    "primary_topic": {"id": "https://openalex.org/T1", "display_name": "Bibliometrics"},
    "topics": [{"display_name": "Bibliometrics"}, {"display_name": "Data sharing"}],
    "concepts": [{"display_name": "Citation", "level": 2, "score": 0.8}],
    "referenced_works": ["https://openalex.org/W1560783210", "https://openalex.org/W1724212071"],
    "abstract_inverted_index": {"Open": [0], "things": [1, 4], "help": [2], "other": [3]},
}


def test_every_field() -> None:
    (paper,), report = clean(openalex, WORK)
    assert paper.id == "openalex:W2741809807"
    assert paper.title == "A made-up study of open things"
    assert paper.abstract == "Open things help other things"
    assert (paper.year, paper.date) == (2018, "2018-02-13")
    assert paper.authors == ("Ada Muster", "Béla Példa")
    assert paper.venue == "PeerJ"
    assert set(paper.ids) == {
        "doi:10.7717/peerj.4375",
        "pmid:29456894",
        "pmcid:PMC5815332",
        "mag:2741809807",
        "arxiv:1802.01234",
    }
    assert paper.references == ("openalex:W1560783210", "openalex:W1724212071")
    assert paper.fields == ("Bibliometrics", "Data sharing", "Citation")
    assert paper.kind == "article"
    assert paper.details == {"volume": "6", "number": "2", "pages": "e4375-e4390"}
    assert not report.counts


def test_minimal_work() -> None:
    (paper,), report = clean(
        openalex, {"id": "https://openalex.org/W12345", "title": "T", "publication_year": 1999}
    )
    assert (paper.id, paper.title, paper.year) == ("openalex:W12345", "T", 1999)
    assert (paper.abstract, paper.references, paper.details) == ("", (), {})
    assert not report.counts


def test_display_name_and_host_venue_of_older_snapshots() -> None:
    (paper,), _ = clean(
        openalex,
        {
            "id": "https://openalex.org/W12345",
            "display_name": "Old",
            "title": None,
            "host_venue": {"display_name": "Journal of Old"},
            "type": "journal-article",
        },
    )
    assert (paper.title, paper.venue, paper.kind) == ("Old", "Journal of Old", "article")


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"type": "book-chapter"}, "chapter"),
        ({"type": "dissertation"}, "thesis"),
        ({"type": "preprint"}, "preprint"),
        ({"type": "review"}, "article"),
        ({"type": "paratext"}, ""),
        ({"type": None}, ""),
        ({"type": ["article"]}, ""),
        ({"type": "article", "type_crossref": "proceedings-article"}, "inproceedings"),
        (
            {"type": "article", "primary_location": {"source": {"type": "conference"}}},
            "inproceedings",
        ),
        ({"type": "book-chapter", "type_crossref": "proceedings-article"}, "chapter"),
    ],
)
def test_kind(members: dict[str, object], kind: str) -> None:
    (paper,), _ = clean(openalex, {"id": "https://openalex.org/W12345", "title": "T", **members})
    assert paper.kind == kind


@pytest.mark.parametrize(
    ("biblio", "pages"),
    [
        ({"first_page": "12", "last_page": "12"}, "12"),
        ({"first_page": "12", "last_page": None}, "12"),
        ({"first_page": None, "last_page": None}, None),
    ],
)
def test_pages(biblio: dict[str, str | None], pages: str | None) -> None:
    (paper,), _ = clean(
        openalex, {"id": "https://openalex.org/W12345", "title": "T", "biblio": biblio}
    )
    assert paper.details.get("pages") == pages


@pytest.mark.parametrize(
    ("index", "abstract"),
    [
        ({"a": [0], "b": [10**12]}, "a"),
        ({"a": [0], "b": [-1]}, "a"),
        ({"a": [0], "b": "1"}, "a"),
        ({"a": [0], "b": [True, None, 1.5, "2", [3]]}, "a"),
        ({"a": {"b": 1}}, ""),
        ("text", ""),
        ([["a", 0]], ""),
        (7, ""),
    ],
)
def test_absurd_index_is_reported_and_repaired(index: object, abstract: str) -> None:
    (paper,), report = clean(openalex, {**WORK, "abstract_inverted_index": index})
    assert paper.abstract == abstract
    assert report.counts["repaired", "bad_abstract_index"] == 1


@pytest.mark.slow
def test_absurd_index_does_not_eat_memory() -> None:
    data = lines({**WORK, "abstract_inverted_index": {"x" * 1_000_000: list(range(50_000))}})
    tracemalloc.start()
    try:
        ((_, record),) = openalex.records(source(data), Report())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(record["abstract"]) < openalex.MOST_WORDS * (openalex.LONGEST_WORD + 1)
    assert (
        peak < 40_000_000
    )  # the line itself is 1.5 MB; unbounded, the abstract alone would be 50 GB


def test_gaps_in_an_index_are_closed() -> None:
    (paper,), report = clean(
        openalex, {**WORK, "abstract_inverted_index": {"one": [3], "two": [9]}}
    )
    assert paper.abstract == "one two"
    assert not report.counts


def test_api_page_on_one_line() -> None:
    page = {
        "meta": {"count": 2, "page": 1},
        "results": [WORK, {**WORK, "id": "https://openalex.org/W99999"}, None, 3],
    }
    papers, report = clean(openalex, page)
    assert [paper.id for paper in papers] == ["openalex:W2741809807", "openalex:W99999"]
    assert report.counts == {("skipped", "not_an_object"): 2}


@pytest.mark.parametrize("indent", [None, 1])
def test_an_abstract_with_the_name_of_a_page_is_no_page(indent: int | None) -> None:
    """The API's pages are in an array named `results`, and so are the positions of that word."""
    works = [
        {
            **WORK,
            "id": f"{WORK['id']}{end}",
            "abstract_inverted_index": {"our": [0], "results": [1]},
        }
        for end in (1, 2)
    ]
    data = "\n".join(json.dumps(each, indent=indent) for each in works).encode()
    assert detected(data)[0] == "openalex"
    report = Report()
    found = [record["abstract"] for _, record in openalex.records(source(data), report)]
    assert found == ["our results"] * 2 and not report.counts

    page = json.dumps({"results": works}, indent=indent).encode()
    assert len(list(openalex.records(source(page), report))) == 2 and not report.counts


@pytest.mark.slow
def test_a_page_is_known_wherever_a_piece_ends() -> None:
    """What is behind the bracket decides, and may come with the next piece."""
    work = json.dumps({**WORK, "abstract_inverted_index": {"results": [1]}}).encode()
    for text, count in ((b'{"results": [\n ' + work + b"," + work + b"]}", 2), (work, 1)):
        for cut in range(len(text)):
            scanner = ObjectScanner("results")
            found = [*scanner.feed(text[:cut]), *scanner.feed(text[cut:]), *scanner.feed(b"", True)]
            assert [part for _, part, _ in found] == [work] * count


def test_other_entities_are_skipped() -> None:
    papers, report = clean(
        openalex, {"id": "https://openalex.org/A5023888391", "display_name": "Ada Muster"}
    )
    assert not papers
    assert report.counts == {("skipped", "not_a_work"): 1}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WORK))
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_wrong_types(name: str, value: object) -> None:
    papers, _ = clean(openalex, {**WORK, name: value})
    assert len(papers) == 1 or name == "id"


def test_broken_lines_are_reported_and_stop_nothing() -> None:
    data = (
        lines(WORK)[:-9]
        + b"\n[1, 2]\nnull\n"
        + lines({**WORK, "id": "https://openalex.org/W99999"})
    )
    report = Report()
    assert [line for line, _ in openalex.records(source(data), report)] == [4]
    assert report.total("skipped") == 4


@given(
    json_objects(
        {*WORK, "results", "author", "source", "display_name", "first_page", "landing_page_url"}
    )
)
def test_nothing_raises(record: dict[str, Any]) -> None:
    clean(openalex, record)


@pytest.mark.slow
@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_compressed(tmp_path: Path, compressor: str) -> None:
    path = tmp_path / "part_000"
    path.write_bytes(
        COMPRESSORS[compressor](
            lines(*[{**WORK, "id": f"https://openalex.org/W{n}"} for n in range(10_000, 10_300)])
        )
    )
    report = Report()
    papers = papers_in(path, report=report)
    assert len(papers) == report.read == 300
    assert papers[-1].id == "openalex:W10299"


def test_detection() -> None:
    assert detected(lines(WORK))[0] == "openalex"
    assert detected(lines({"meta": {}, "results": [WORK]})) == ["openalex"]
    assert "openalex" not in detected(
        lines({"id": "https://openalex.org/W12345", "title": "T", "abstract": "A"})
    )
    assert "openalex" not in detected(
        lines({"id": "https://openalex.org/A5023888391", "display_name": "A"})
    )
    assert "openalex" not in detected(b"") + detected(b"\xff\xfe\x00") + detected(
        b"@article{W2741809807,}"
    )


def test_detection_of_a_line_longer_than_the_head() -> None:
    work = json.dumps({**WORK, "locations": [WORK["locations"][0]] * 2_000}).encode()
    page = json.dumps({"meta": {"count": 1}, "results": [WORK] * 100}).encode()
    for line in (work, page):
        assert len(line) > 65_536
        assert detected(line[:65_536])[0] == "openalex"
        assert detected(line[:2_000])[0] == "openalex"


def test_raw_record_keeps_references_as_given() -> None:
    ((_, record),), _ = raw(openalex, WORK)
    assert record["references"] == WORK["referenced_works"]
