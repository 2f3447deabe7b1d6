"""Adding papers that were made in Python, removing papers, and what a description then counts."""

from pathlib import Path

import pytest

import citewise
from citewise.errors import MissingData
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from corpora import GOLDEN, GOLDEN_CITATIONS


def test_removing_an_unknown_paper_changes_nothing(library: Path) -> None:
    before = LibraryFolder(library).manifest
    with pytest.raises(MissingData, match=r"'nobody' \(nor 1 others\); nothing was removed"):
        citewise.remove(library, ["own-7", "nobody", "nowhere"])
    assert LibraryFolder(library).manifest == before
    assert citewise.verify(library).sound


def test_removing_by_two_ids_of_one_paper(library: Path) -> None:
    citewise.remove(library, ["own-7", "https://doi.org/10.1000/pesticide", "PMID:107"])
    reader = citewise.open(library)
    assert len(reader) == 7 and "own-7" not in reader and "pmid:107" not in reader
    found = [each.paper.id for each in reader.recommend("honey bees pesticides", k=100)]
    assert found and "own-7" not in found


def test_a_description_counts_right(golden_library: Path) -> None:
    about = citewise.open(golden_library).describe()
    assert about.papers == 8
    assert (about.with_abstract, about.with_year, about.with_references) == (7, 7, 6)
    assert about.citations == sum(len(cited) for cited in GOLDEN_CITATIONS.values()) == 8
    assert about.years == {0: 1, 1967: 1, 1985: 1, 2011: 1, 2012: 1, 2015: 1, 2018: 1, 2019: 1}
    assert (about.generation, about.segments, about.deleted) == (1, 1, 0)
    assert about.bytes_on_disk > 0


# Papers made in Python


@pytest.mark.parametrize(
    ("paper", "reason"),
    [
        (Paper("a", "A paper from the far future", year=50_000), "bad_year"),
        (Paper("a", "A paper before the common era", year=-5), "bad_year"),
        (Paper("a", "A paper with half a \ud800 letter"), "control_characters"),
    ],
    ids=["far future", "before the common era", "half a letter"],
)
def test_papers_made_in_python_are_repaired_as_any_other(
    tmp_path: Path, paper: Paper, reason: str
) -> None:
    report = citewise.add([GOLDEN[0], paper], tmp_path)
    assert report.counts["repaired", reason] == 1
    assert citewise.verify(tmp_path).sound
    assert len(citewise.open(tmp_path)) == 2


def test_a_paper_made_in_python_without_an_id_is_known_by_its_title(tmp_path: Path) -> None:
    citewise.add([Paper("", "A paper without an id")], tmp_path)
    assert citewise.open(tmp_path)["title:apaperwithoutanid"].title == "A paper without an id"


def test_papers_made_in_python_may_spell_their_ids_in_any_way(tmp_path: Path) -> None:
    citewise.add(
        [
            Paper("https://doi.org/10.1000/ABC", "On bees", ids=("arXiv:1101.00001v2",)),
            Paper("b", "Another about ants", references=("10.1000/ABC",)),
        ],
        tmp_path,
    )
    library = citewise.open(tmp_path)
    assert library["10.1000/abc"].title == library["arxiv:1101.00001"].title == "On bees"
    assert library.describe().citations == 1
