"""Which papers a scope includes: the same by row and by search."""

from collections.abc import Iterable

import numpy as np
import pytest

from citewise.library.folder import LibraryFolder
from citewise.types import Scope
from corpora import GOLDEN


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), range(8)),
        (Scope(year=2012), [0, 1, 2, 3]),
        (Scope(since=2015), [4, 5, 6]),
        (Scope(hidden=(0, 7)), range(1, 7)),
        (Scope(unseen=(0, 7)), range(8)),
        (Scope(within=(3, 5)), [3, 5]),
        (Scope(within=()), []),
        (Scope(year=2012, since=1980, hidden=(1,), within=(0, 1, 2, 4)), [2]),
    ],
)
def test_papers_in_scope(
    golden_stores: LibraryFolder, scope: Scope, expected: Iterable[int]
) -> None:
    papers = golden_stores.papers
    assert np.flatnonzero(papers.in_scope(papers.rows, scope)).tolist() == list(expected)

    everything = " ".join(f"{paper.title} {paper.abstract}" for paper in GOLDEN)
    terms, counts = golden_stores.terms.of(everything)
    found = golden_stores.lexical.search(terms, counts, 8, scope)
    assert sorted(found.tolist()) == list(expected)
