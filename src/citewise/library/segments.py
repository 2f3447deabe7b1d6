"""The segments of a generation as one run of rows."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.library.segment import Segment

_SMALL = 50_000
"""Runs of fewer rows (or sentences) are joined with their neighbours as they accumulate."""


class Segments:
    """Splits rows of the library by the segment that has them."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = list(segments)
        self._firsts = np.cumsum([0, *(segment.rows for segment in segments)])
        years = (segment.array("years") for segment in segments)
        self.years: NDArray[np.int16] = np.concatenate([np.zeros(0, np.int16), *years])
        """The year of each row, 0 where unknown."""

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def __len__(self) -> int:
        return len(self._segments)

    def __getitem__(self, number: int) -> Segment:
        return self._segments[number]

    @property
    def rows(self) -> int:
        """The number of rows, those of deleted papers included."""
        return int(self._firsts[-1])

    def split(self, rows: Rows) -> list[tuple[Segment, Rows, Rows]]:
        """Return (segment, positions in `rows`, rows within the segment) of each segment that has
        any of the rows.
        """
        if len(self._segments) == 1:
            return [(self._segments[0], np.arange(rows.size), rows)]

        # a row belongs to the last segment whose first row is not above it
        owners = np.searchsorted(self._firsts, rows, "right") - 1
        parts = []

        for owner in np.unique(owners).tolist():
            here = np.flatnonzero(owners == owner)
            parts.append((self._segments[owner], here, rows[here] - self._firsts[owner]))
        return parts


def first_joined(sizes: Sequence[int]) -> int:
    """Return the position of the first of some runs that is joined with all behind it, so that
    there are never many.
    """
    tail = len(sizes) - 1
    while tail > 0 and sizes[tail - 1] <= min(_SMALL, 2 * sum(sizes[tail:])):
        tail -= 1
    return tail
