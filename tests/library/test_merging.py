"""Merging whatever the order in which records come: which papers there are, their ids and their
references.
"""

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from libraries import papers_of
from properties import examples

Works = set[tuple[frozenset[str], frozenset[str]]]
"""Each paper as all of its ids and all of its references."""


def works(library: Path) -> Works:
    """Return the papers of a library."""
    return {
        (frozenset((paper.id, *paper.ids)), frozenset(paper.references))
        for paper in papers_of(LibraryFolder(library))
    }


def added(records: list[Paper], sizes: list[int]) -> Works:
    """Add records in calls of the given sizes, the rest in a last one."""
    stream = iter(records)
    with tempfile.TemporaryDirectory() as folder:
        for size in [*sizes, len(records)]:
            citewise.add(list(itertools.islice(stream, size)), folder)
        assert citewise.verify(folder).sound
        return works(Path(folder))


RECORDS = [
    Paper(
        "arxiv:1706.03762",
        "Attention is all you need",
        year=2017,
        authors=("A. Vaswani",),
        references=("r1",),
    ),
    Paper(
        "doi:10.5555/1",
        "Attention is all you need",
        year=2018,
        authors=("A. Vaswani",),
        references=("r2",),
    ),
    Paper(
        "own-1",
        "Attention is all you need",
        ids=("s2:1",),
        authors=("Vaswani, A.",),
        references=("r1", "r3"),
    ),
    Paper(
        "s2:1", "Attention Is All You Need!", ids=("pmid:7",), year=2017, authors=("A. Vaswani",)
    ),
    Paper("x1", "Waggle dances of the honey bee", ids=("doi:10.5555/2",), references=("own-1",)),
    Paper("x2", "Waggle dances of the honey bee", ids=("doi:10.5555/2",), references=("r9",)),
    Paper("y1", "Introduction", authors=("A. Vaswani",)),
    Paper("y2", "Introduction", authors=("A. Vaswani",)),
]
"""Four records of one work (all with the same title and author), two with one DOI, and two of two
works.
"""

EXPECTED: Works = {
    (
        frozenset({"arxiv:1706.03762", "doi:10.5555/1", "own-1", "s2:1", "pmid:7"}),
        frozenset({"r1", "r2", "r3"}),
    ),
    (frozenset({"x1", "x2", "doi:10.5555/2"}), frozenset({"own-1", "r9"})),
    (frozenset({"y1"}), frozenset()),
    (frozenset({"y2"}), frozenset()),
}


@pytest.mark.slow
@given(st.permutations(RECORDS), st.lists(st.integers(0, 4), max_size=3))
@examples(25)
def test_the_order_of_records_makes_no_difference(records: list[Paper], sizes: list[int]) -> None:
    assert added(records, sizes) == EXPECTED


A_KEY_EACH = [
    Paper("arxiv:1706.03762", "Attention is all you need", authors=("A",)),
    Paper("doi:10.5555/1", "The Transformer: attention and nothing else", authors=("A",)),
    Paper(
        "own-1",
        "Attention is all you need",
        ids=("arxiv:1706.03762", "doi:10.5555/1"),
        authors=("A",),
    ),
]
"""The third says that the first two are one work."""


@pytest.mark.slow
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize("sizes", [[], [1, 1]], ids=["one call", "a call each"])
def test_a_record_that_joins_two_papers(order: tuple[int, ...], sizes: list[int]) -> None:
    everything = frozenset({"arxiv:1706.03762", "doi:10.5555/1", "own-1"})
    assert added([A_KEY_EACH[number] for number in order], sizes) == {(everything, frozenset())}


CLAIMS = [
    Paper(
        "own-1",
        "Deep residual learning for images",
        ids=("doi:10.1000/a",),
        authors=("Kaiming He",),
    ),
    Paper(
        "own-2", "Quantum computing with trapped ions", ids=("doi:10.1000/a",), authors=("Bob Ray",)
    ),
]
"""Two plainly different works that claim one DOI."""


def test_a_claim_that_was_given_up_stays_given_up(tmp_path: Path) -> None:
    citewise.add(CLAIMS, tmp_path)
    assert citewise.open(tmp_path)["own-2"].ids == ()
    before = works(tmp_path)
    report = citewise.add(CLAIMS, tmp_path)
    assert works(tmp_path) == before
    assert (report.updated, report.unchanged) == (0, 2)


def test_no_key_belongs_to_two_papers(tmp_path: Path) -> None:
    for _ in range(2):
        citewise.add(CLAIMS, tmp_path)
    owners = [key for keys, _ in works(tmp_path) for key in keys]
    assert len(owners) == len(set(owners))


def test_a_patch_that_waits_for_a_paper_that_merges(tmp_path: Path) -> None:
    """The DOI of the patch becomes known only by a record that is merged with a paper that is there
    already.
    """
    citewise.add([Paper("arxiv:1706.03762", "Attention is all you need", authors=("A",))], tmp_path)
    report = citewise.add(
        [
            Paper("doi:10.5555/1", "", "The abstract."),
            Paper("own-1", "Attention is all you need", ids=("arxiv:1706.03762", "doi:10.5555/1")),
        ],
        tmp_path,
    )
    assert citewise.open(tmp_path)["doi:10.5555/1"].abstract == "The abstract."
    assert not report.total("skipped")


def test_a_patch_with_two_ids_waits_under_both(tmp_path: Path) -> None:
    citewise.add(
        [
            Paper("s2:9", "", "The abstract.", ids=("doi:10.5555/1",)),
            Paper("doi:10.5555/1", "Attention is all you need"),
        ],
        tmp_path,
    )
    library = citewise.open(tmp_path)
    assert library["doi:10.5555/1"].abstract == "The abstract."
    assert library["s2:9"] == library["doi:10.5555/1"]


@pytest.mark.parametrize("authors", [("—",), ("?", "-"), (",",)])
def test_authors_without_letters_are_not_shared(tmp_path: Path, authors: tuple[str, ...]) -> None:
    citewise.add(
        [
            Paper("a", "Attention is all you need", authors=authors),
            Paper("b", "Attention is all you need", authors=authors),
        ],
        tmp_path,
    )
    assert len(citewise.open(tmp_path)) == 2


def test_the_same_two_records_again_change_nothing(tmp_path: Path) -> None:
    """Two exports that spell one paper differently, read every night."""
    records = [
        Paper(
            "doi:10.5555/1",
            "Attention is all you need",
            "One abstract.",
            2017,
            ("A. Vaswani",),
            "NeurIPS",
        ),
        Paper(
            "doi:10.5555/1",
            "Attention is all you need.",
            "Another one.",
            2018,
            ("Vaswani, A.",),
            "NIPS",
        ),
    ]
    citewise.add(records, tmp_path)
    before = works(tmp_path)
    citewise.add(records, tmp_path)
    assert works(tmp_path) == before, "each renews the other, and the last wins again"


@pytest.mark.slow
def test_a_paper_that_claims_the_ids_of_many_others(tmp_path: Path) -> None:
    names = [f"doi:10.1000/{number}" for number in range(1_200)]
    others = [
        Paper(name, f"on{number} the{number} bees{number}", authors=(f"N{number}",))
        for number, name in enumerate(names)
    ]
    report = citewise.add(
        [*others, Paper("greedy", "Something else", ids=tuple(names), authors=("Zed",))], tmp_path
    )
    assert report.added == len(others) + 1
    assert report.counts["repaired", "duplicate_key"] == len(names)
    assert citewise.open(tmp_path)["greedy"].ids == ()
