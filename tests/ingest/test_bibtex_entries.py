"""What entries take from other entries and from other files of the same import."""

import json
from pathlib import Path

import pytest

from citewise import ingest
from citewise.ingest.report import Report
from citewise.types import Paper

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "bibliographies"
INDEX = SHARED / "index.jsonl"


def papers_of(
    folder: Path, files: dict[str, str], report: Report | None = None
) -> dict[str, Paper]:
    """Return the papers of some files, read in one call, by their citation keys."""
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [folder / name for name in files]
    read = ingest.read(paths, report or Report())
    return {
        record.ids[-1].removeprefix("bib:"): record
        for record, _ in read
        if isinstance(record, Paper)
    }


@pytest.mark.parametrize("order", [("strings.bib", "refs.bib"), ("refs.bib", "strings.bib")])
def test_macros_of_another_file(tmp_path: Path, order: tuple[str, str]) -> None:
    texts = {
        "strings.bib": '@string{nips = "Neural Information Processing Systems"}',
        "refs.bib": "@inproceedings{k, title={T}, booktitle=nips, year=2001}",
    }
    report = Report()
    found = papers_of(tmp_path, {name: texts[name] for name in order}, report)
    assert found["k"].venue == "Neural Information Processing Systems"
    assert not report.total("repaired")


def test_a_macro_that_is_defined_below_its_use(tmp_path: Path) -> None:
    text = "@article{k, title={T}, journal=jml}\n@string{jml = {Journal of ML}}"
    assert papers_of(tmp_path, {"a.bib": text})["k"].venue == "Journal of ML"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_parent_in_another_file(tmp_path: Path, order: tuple[int, int]) -> None:
    texts = [
        "@inproceedings{c, title={Child}, crossref={P}}",
        "@proceedings{P, title={Proceedings of X}, editor={One, A.}, year=1999, doi={10.1000/p}}",
    ]
    child = papers_of(tmp_path, {f"{n}.bib": texts[n] for n in order})["c"]
    assert (child.venue, child.year, child.details["editor"]) == (
        "Proceedings of X",
        1999,
        "One, A.",
    )
    assert not any(key.startswith("doi:") for key in (child.id, *child.ids))


def test_biblatex_inheritance(tmp_path: Path) -> None:
    text = """
@xdata{pub, publisher={Springer}, location={Berlin}}
@mvcollection{mv, title={The Work}, date={1990}}
@collection{col, title={The Volume}, volume={2}, crossref={mv}, editor={Ed, A.}}
@incollection{ch, title={The Chapter}, author={Au, B.}, crossref={col}, xdata={pub}}
@periodical{per, title={The Journal}, date={2001}}
@article{art, title={The Article}, crossref={per}}
"""
    report = Report()
    found = papers_of(tmp_path, {"a.bib": text}, report)
    assert (
        found["ch"].details.items()
        >= {
            "booktitle": "The Volume",
            "maintitle": "The Work",
            "publisher": "Springer",
            "location": "Berlin",
            "volume": "2",
        }.items()
    )
    assert (found["ch"].venue, found["ch"].year) == ("The Volume", 1990)
    assert (found["art"].venue, found["art"].year) == ("The Journal", 2001)
    assert found["col"].details["maintitle"] == "The Work"
    assert report.counts["skipped", "not_a_paper"] == 1  # the xdata


def test_circular_references_end(tmp_path: Path) -> None:
    text = "@book{a, title={A}, crossref={b}}\n@book{b, title={B}, crossref={a}, year=2001}"
    assert papers_of(tmp_path, {"a.bib": text})["a"].year == 2001


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(
        "\n\n@misc{a, title={A}}\n\n\n @misc{b,\n\n title={B}} @misc{c, title={C}}"
    )
    lines = [location.line for _, location in ingest.read([tmp_path / "a.bib"], Report())]
    assert lines == [3, 6, 8]


FILES = [
    each
    for each in map(json.loads, INDEX.read_text().splitlines() if INDEX.exists() else ())
    if each["format"] in ("bibtex", "biblatex")
]


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="needs the shared real bibliographies, which are not there")
def test_every_entry_of_every_real_file_is_added_or_named() -> None:
    for each in FILES:
        report = Report()
        added = sum(1 for _ in ingest.read([SHARED / each["path"]], report))
        assert added + report.total("skipped") == each["entries"], each["path"]
