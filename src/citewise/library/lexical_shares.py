"""What searches over segments and over shards have in common: how deep to search each, terms
weighed by the library's statistics, and the best hits of all.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.protocols import TermStatistics
from citewise.scoring.bm25 import idf

_SPARE_DEVIATIONS = 4.0


def share_of(k: int, share: float) -> int:
    """Return how many of the k best papers are in a part with a share of all papers at most, but
    for rare cases: where papers come to parts by chance, hardly ever are there more than the share
    of k and four times the root of that.
    """
    expected = k * share
    return min(k, math.ceil(expected + _SPARE_DEVIATIONS * math.sqrt(expected)))


def with_idf_of_all(weights: Column, papers: int, frequencies: NDArray[np.int64]) -> Column:
    """Return what to boost terms by in a part with that number of papers, and with that frequency
    of each term: the engine multiplies a term by its idf in the part, and `weights` have the idf in
    the library.
    """
    found: Column = weights / idf(TermStatistics(papers, frequencies, 1.0))
    return found


def best_of(parts: Sequence[tuple[Rows, Column]], k: int) -> tuple[Rows, Column]:
    """Return the k best hits of all parts with their scores, best first, equal ones by row."""
    rows = np.concatenate([rows for rows, _ in parts])
    scores = np.concatenate([scores for _, scores in parts])
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]
