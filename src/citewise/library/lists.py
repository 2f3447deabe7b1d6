"""Lists of different lengths held end to end: some of them, and several together."""

from collections.abc import Sequence

import numpy as np

from citewise.protocols import Ragged
from citewise.types import Rows


def flat_index(starts: Rows, ends: Rows) -> tuple[Rows, Rows]:
    """Return the positions that the ranges starts[i]:ends[i] cover, end to end, and where each range begins therein."""
    lengths = ends - starts
    begins = np.concatenate(([0], np.cumsum(lengths)))
    index = np.repeat(starts - begins[:-1], lengths)
    index += np.arange(begins[-1])
    return index, begins


def take(lists: Ragged, places: Rows) -> Ragged:
    """Return the lists at some places, in that order."""
    index, begins = flat_index(lists.starts[places], lists.starts[places + 1])
    return Ragged(lists.values[index], begins)


def join(parts: Sequence[Ragged]) -> Ragged:
    """Return the lists of all parts, end to end."""
    lengths = np.concatenate([part.lengths for part in parts])
    return Ragged(np.concatenate([part.values for part in parts]), np.concatenate(([0], np.cumsum(lengths))))
