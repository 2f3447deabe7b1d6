"""The terms of texts and of papers; counts of all papers are compared in test_folder.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.library import terms as term_store
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from libraries import new_folder, store


def test_terms_of_a_text(golden_stores: LibraryFolder) -> None:
    terms = golden_stores.terms
    numbers, counts = terms.of("Bees, BEE and xyzzy: the dance of bees")
    assert dict(zip(terms.words(numbers), counts.tolist(), strict=True)) == {"bee": 3, "danc": 1}
    assert terms.of("xyzzy")[0].size == 0
    assert terms.of("")[0].size == 0


def test_in_no_papers_nothing_matches() -> None:
    papers = [Paper(f"p{number}", f"Honey bees and the number {number}") for number in range(12)]
    with new_folder() as path:
        library = store(path, papers[:10], papers[10:])
        assert len(library.segments) == 2
        terms, _ = library.terms.of("honey bees")
        found = library.terms.matches(np.zeros(0, np.int64), terms, "title")
        assert found.rows.size == found.columns.size == found.counts.size == 0


@given(
    asked=st.sets(st.integers(0, 40) | st.integers(0, 2**30), max_size=20),
    more=st.integers(1, 40) | st.integers(1, 2**20),
)
def test_terms_by_their_lower_bits(asked: set[int], more: int) -> None:
    terms, end = np.array(sorted(asked), np.int64), max(asked, default=0) + more
    table, mask = term_store._by_lower_bits(terms, end)
    assert table[terms & int(mask)].tolist() == list(range(1, terms.size + 1))
    assert np.count_nonzero(table) == terms.size
    assert table.size >= end or end > 2**20, "each term has its own place, unless they are too many"


def test_a_term_with_the_lower_bits_of_another_does_not_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(term_store, "_LEAST_BITS", 4)
    monkeypatch.setattr(term_store, "_MOST_BITS", 4)
    words = " ".join(f"word{number}x" for number in range(2**4 + 10))
    with new_folder() as path:
        terms = store(path, [Paper("all", words)]).terms
        assert terms.words(np.array([0, 2**4])), "the terms 0 and 16 have equal lower bits"

        found = terms.matches(np.zeros(1, np.int64), np.zeros(1, np.int64), "title")
        assert found.counts.tolist() == [1]


def test_a_term_that_the_library_does_not_have_matches_nothing() -> None:
    with new_folder() as path:
        terms = store(path, [Paper("one", "bees")]).terms
        for unknown in (2**18, 2**20, 2**29):  # with the lower bits of the term 0
            found = terms.matches(np.zeros(1, np.int64), np.array([unknown]), "title")
            assert not found.counts.size
