"""The order of hits with nearly equal scores: the engine adds 32-bit floats, in an order that
depends on its segments, so the last bits of a score differ from one library to another that has the
same papers.

rank      1        2        3        4        5
score  9.31042  9.30017  9.30016  9.30016  9.29801
                |---- compared exactly ----|
"""

from collections.abc import Callable

import numpy as np

from citewise.arrays import Column, Mask, Rows

_NEAR = 2e-6
"""Scores that differ by less than this share may be in the wrong order. In `cs`, the engine's
scores are within 4.3e-7 of the exact ones (200,000 hits), so two in the wrong order differ by less
than 0.9e-6, and by as much again where another index has them in the right order. In a library from
which papers were removed the engine counts these until it is compacted, and is further off.
"""


def nearly_equal(higher: Column, lower: Column) -> Mask:
    """Return for each pair of scores whether the exact ones may be in another order."""
    return lower > higher * (1 - _NEAR)


def in_exact_order(rows: Rows, scores: Column, exact: Callable[[Rows], Column]) -> Rows:
    """Return hits, given best first, with near ties by their exact scores, and equal ones by row.

    `exact` returns the exact scores of some of the rows.
    """
    near = nearly_equal(scores[:-1], scores[1:])  # hit i and hit i + 1
    if not near.any():
        return rows
    groups = np.cumsum(np.concatenate(([True], ~near)))
    among = np.flatnonzero(np.append(near, False) | np.append(False, near))

    # Only these few are sorted. Hits of a group follow each other, so it stays at its ranks.
    tied = rows[among]
    ordered = rows.copy()
    ordered[among] = tied[np.lexsort((tied, -exact(tied), groups[among]))]
    return ordered
