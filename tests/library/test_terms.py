"""The terms of texts and of papers; counts of all papers are compared in test_folder.py."""

import numpy as np

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
