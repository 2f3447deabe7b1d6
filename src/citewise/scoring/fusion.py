"""Fuse the rankings of several retrievers into one."""

from collections.abc import Callable, Sequence

import numpy as np

from citewise.arrays import Column, Rows, summed

_RRF = 60.0
"""The constant of reciprocal rank fusion, as in the paper."""

_NEAR_THE_TOP = 10.0
"""The same where two orders of the same candidates are fused: a smaller one, since the first ten
answers matter most. The row of rank 10 counts half as much as the first.
"""


def reciprocal_rank(ranks: Rows) -> Column:
    """Return 1 / (60 + rank) of each rank, which starts at 1 (Cormack, Clarke, Buettcher 2009)."""
    return 1 / (_RRF + ranks)


def rrf(lists: Sequence[Rows]) -> tuple[Rows, Column]:
    """Return the distinct rows of ranked lists, sorted by row, with their fused scores.

    Reciprocal rank fusion: a row's score is the sum over the lists of 1 / (60 + rank).
    """
    # rows[positions] are all lists end to end
    rows, positions = np.unique(np.concatenate(lists), return_inverse=True)
    votes = np.concatenate([reciprocal_rank(1 + np.arange(each.size)) for each in lists])
    return rows, summed(positions, votes, rows.size)


def interleaved(lists: Sequence[Rows]) -> tuple[Rows, Column]:
    """Return the distinct rows of ranked lists, sorted by row, scored 1 / their best rank."""
    rows, positions = np.unique(np.concatenate(lists), return_inverse=True)
    best = np.full(rows.size, np.inf)
    np.minimum.at(best, positions, np.concatenate([1.0 + np.arange(each.size) for each in lists]))
    return rows, 1 / best


def nearness(scores: Column, rows: Rows) -> Column:
    """Return 1 / (1 + rank / 10) of each row, ranks from 0; equal scores in the order of rows."""
    ranks = np.empty(rows.size)
    ranks[np.lexsort((rows, -scores))] = np.arange(rows.size)
    return 1 / (1 + ranks / _NEAR_THE_TOP)


Fusion = Callable[[Sequence[Rows]], tuple[Rows, Column]]
"""From ranked lists to distinct rows, sorted, with a score each."""

FUSIONS: dict[str, Fusion] = {"rrf": rrf, "best-rank": interleaved}
"""The fusions by the names that systems use."""
