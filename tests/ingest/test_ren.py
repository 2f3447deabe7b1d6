"""Ren's DBLP and PubMed: a folder of the layout that we made, whole, odd and hostile."""

from collections import Counter
from pathlib import Path

import pytest

import citewise
from citewise.evaluate import (
    Settings,
    Split,
    SplitSettings,
    parse_measures,
    score_sets,
    training_set,
)
from citewise.ingest.report import Report
from command_line import Run

FILES = {
    "papers.txt": "1\t7\t1999\tBees dance\n2\t7\t2001\tAnts dig\n3\t8\t2004\tBees and ants\n",
    "abstracts.txt": "1\tThey dance on combs.\n2\t\n3\tBees dance and ants dig.\n",
    "paper_paper.txt": "3\t1\n3\t2\n2\t1\n",
    "paper_author.txt": "3\tAnn Bee\n1\tCy Dee\n3\tEve Fox\n",
    "paper_venue.txt": "1\tAnnals of Bees\n",
    "paper_keyphrases.txt": "1\twaggle dance (12)\tcomb\t\n3\tweb 2.0\n",
}


def folder(path: Path, **changed: bytes) -> Path:
    """Write the files, with other content where it is given by their names without `.txt`."""
    path.mkdir()
    for name, text in FILES.items():
        (path / name).write_bytes(changed.get(name.removesuffix(".txt"), text.encode()))
    return path


def indexed(source: Path, library: Path) -> tuple[citewise.Library, Report]:
    report = Report()
    citewise.index([source], library, format="ren", report=report)
    return citewise.open(library), report


def test_the_files_of_a_folder_become_papers(tmp_path: Path) -> None:
    library, report = indexed(folder(tmp_path / "dblp"), tmp_path / "library")
    assert not report.total("skipped"), report.counts
    bees, both = library["1"], library["3"]
    assert (bees.title, bees.year, bees.venue) == ("Bees dance", 1999, "Annals of Bees")
    assert bees.key_phrases == ("waggle dance", "comb") and both.key_phrases == ("web 2.0",)
    assert both.authors == ("Ann Bee", "Eve Fox") and both.references == ("1", "2")
    assert both.abstract == "Bees dance and ants dig." and library["2"].abstract == ""


def test_it_is_never_taken_for_something_else(tmp_path: Path) -> None:
    folder(tmp_path / "dblp")
    with pytest.raises(citewise.CitewiseError):
        citewise.index([tmp_path / "dblp" / "paper_paper.txt"], tmp_path / "library")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "reason", "line"),
    [
        ({"paper_paper": b"3\t1\nthree\t1\n3\n"}, "malformed_row", 2),
        ({"abstracts": b"1\tThey dance.\n-5\tx\n"}, "malformed_row", 2),
        (
            {"papers": b"1\t7\t1999\tBees dance\n99999999999999999999\t1\t2\tx\n"},
            "malformed_row",
            2,
        ),
        ({"papers": FILES["papers.txt"].encode() + b"4\t1\n"}, "no_title", 4),
        ({"paper_author": b"77\tNobody\n"}, "no_title", 1),
    ],
)
def test_odd_lines_are_counted_and_named(
    tmp_path: Path, changed: dict[str, bytes], reason: str, line: int
) -> None:
    _, report = indexed(folder(tmp_path / "dblp", **changed), tmp_path / "library")
    events = report.examples["skipped", reason]
    named = [(Path(event.file).name, event.line) for event in events]
    assert (f"{next(iter(changed))}.txt", line) in named


def test_bytes_that_are_no_text_and_files_of_other_names(tmp_path: Path) -> None:
    source = folder(tmp_path / "dblp", abstracts=b"1\t\xff\xfe\x00 caf\xe9\n\x00\x01\n3\tok\n")
    (source / "readme.md").write_text("1\tnot data\n")
    library, report = indexed(source, tmp_path / "library")
    assert library["3"].abstract == "ok" and len(library) == 3
    assert report.counts["skipped", "unknown_format"] == 1


@pytest.mark.slow
def test_candidates_are_the_training_papers(tmp_path: Path, run: Run) -> None:
    source = folder(
        tmp_path / "dblp",
        papers=b"1\t7\t1999\tBees dance\n2\t7\t2001\tAnts dig\n3\t8\t2004\tBees and ants\n"
        b"4\t8\t2005\tBees and ants again\n5\t1\t2000\tAnts and bees\n",
        abstracts=b"3\tBees dance.\n4\tAnts dig.\n5\tBees.\n",
        paper_paper=b"3\t1\n3\t2\n4\t1\n4\t3\n5\t1\n",
    )
    library, _ = indexed(source, tmp_path / "library")
    stores = library.stores
    split = Split.make(stores, SplitSettings(test=(2005, 2005), dev=(2004, 2004)), guard=False)
    made = training_set(stores, split, split.questions(stores))
    names = [paper.id for paper in stores.papers.read(made.rows)]
    assert names == ["1", "5"], "2 is younger than the youngest training paper"
    (question,) = made.questions
    assert [each.id for each in stores.papers.read(list(question.gold))] == ["1"], "not 3, of dev"

    settings = Settings(parse_measures("R@5"))
    (found,) = score_sets(stores, ["bm25"], [made], tmp_path / "sets", settings)
    assert (found.papers, found.queries) == (2, 1)
    assert found.values["bm25"]["R@5"].value == 1, "paper 1 shares the word bees"

    split.save(tmp_path / "split.json")
    code, out, _ = run(
        *("pools", "large", "--library", tmp_path / "library", "--training-papers"),
        *("--split", tmp_path / "split.json", "--folder", tmp_path / "sets", "--measures", "R@5"),
    )
    assert code == 0 and "training papers" in out
    code, _, messages = run("pools", "large", "--library", tmp_path / "library", "--folder", "x")
    assert code == 2 and "name the sets" in messages


def test_reasons_are_documented() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "data-formats.md"
    assert Counter(page.read_text().split())["`malformed_row`"] >= 1
