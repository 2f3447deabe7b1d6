"""Vectors as 8-bit numbers: how they are rounded, read back and multiplied.

component = code * scale        codes -127..127; a row without a vector is all -128
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Mask, Rows

Codes = NDArray[np.int8]
Floats = NDArray[np.float32]

MISSING = -128
"""The code of a row without a vector, in every component."""

_LARGEST = 127
_CHUNK = 512
"""Rows that are multiplied at once: few enough to stay in the cache. Each is multiplied alone: for
a product of matrices of 1,024 rows OpenBLAS starts a thread a core, which wait for work by
spinning, and answers of `best` took 1.7 times the processor time.
"""

_COUNTED = 65_536
"""Rows of which it is looked up at once whether they are vectors."""

_DEVIATIONS = 6.0
"""The largest component that is not cut, in multiples of the root mean square of a unit vector's
components. Few vectors have a larger one; a smaller limit would cut those of models whose first
components are the largest, as in LSA.
"""

_EXACT_BITS = 17
"""Bits that a query's component and the number of components share, so that a sum of products with
codes is a whole number below 2 ** 24: 32-bit floats add these without rounding.
"""


def scale_of(size: int) -> float:
    """Return what a code of 1 stands for: the same for all vectors of a size, so that papers get
    the same codes whenever they are added.
    """
    return min(1.0, _DEVIATIONS / math.sqrt(size)) / _LARGEST


def coded(vectors: Floats, scale: float) -> Codes:
    """Return the codes of vectors, as rows; a vector of NaN becomes a row without one."""
    known = ~np.isnan(vectors[:, 0])
    codes = np.full(vectors.shape, MISSING, np.int8)
    rounded = np.rint(vectors[known] / np.float32(scale))
    codes[known] = np.clip(rounded, -_LARGEST, _LARGEST).astype(np.int8)
    return codes


def decoded(codes: Codes, scale: float) -> Floats:
    """Return the vectors of codes, as rows; NaN for a row without a vector."""
    vectors = codes.astype(np.float32) * np.float32(scale)
    vectors[~has_vector(codes)] = np.nan
    return vectors


def has_vector(codes: Codes) -> Mask:
    """Return for each row whether it is a vector."""
    present: Mask = codes[:, 0] != MISSING
    return present


class Runs:
    """Arrays of consecutive rows, read as one array."""

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self.arrays = list(arrays)
        self._firsts = np.cumsum([0, *map(len, arrays)])

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def take(self, rows: Rows) -> NDArray[Any]:
        """Return some rows, in that order."""
        if len(self.arrays) == 1:
            return self.arrays[0].take(rows, axis=0)

        taken = np.zeros((rows.size, *self.arrays[0].shape[1:]), self.arrays[0].dtype)
        owners = np.searchsorted(self._firsts, rows, "right") - 1
        for owner, array in enumerate(self.arrays):
            here = np.flatnonzero(owners == owner)
            taken[here] = array.take(rows[here] - self._firsts[owner], axis=0)
        return taken

    def chunks(self, chunk: int, start: int = 0) -> Iterator[NDArray[Any]]:
        """Yield all rows from `start` on, at most `chunk` at a time."""
        for first, array in zip(self._firsts.tolist(), self.arrays, strict=False):
            for begin in range(max(start - first, 0), len(array), chunk):
                yield array[begin : begin + chunk]


def rows_with_vector(codes: Runs) -> Rows:
    """Return the rows that are vectors, sorted."""
    chunks = map(has_vector, codes.chunks(_COUNTED))
    return np.flatnonzero(np.concatenate([np.zeros(0, np.bool_), *chunks]))


class Probe:
    """A query's vector, ready to be multiplied with codes.

    The vector is split into two parts of whole numbers, v = (high + low / 2**b) / 2**b, so that
    every sum is exact: equal codes have equal cosines, wherever they stand and whatever the
    machine adds first.
    """

    def __init__(self, vector: Floats, scale: float) -> None:
        bits = _EXACT_BITS - math.ceil(math.log2(max(vector.size, 2)))
        step = 2.0**bits
        high = np.rint(vector.astype(np.float64) * step)
        low = np.rint((vector * step - high) * step)

        self._parts = np.stack([high, low]).astype(np.float32)
        self._factors = scale / np.array([step, step * step])
        self.known = bool(np.isfinite(vector).all())

    def cosines(self, codes: Runs, rows: Rows) -> Column:
        """Return the product with each of some rows of codes, NaN where a row has no vector."""
        if not self.known:
            return np.full(rows.size, np.nan)

        floats = np.empty((min(rows.size, _CHUNK), self._parts.shape[1]), np.float32)
        sums = np.empty((2, rows.size), np.float32)
        present = np.empty(rows.size, np.bool_)
        for start in range(0, rows.size, _CHUNK):
            some, part = codes.take(rows[start : start + _CHUNK]), slice(start, start + _CHUNK)
            chunk = floats[: len(some)]  # the same memory for every chunk, which is in the cache
            chunk[:] = some
            np.vecdot(chunk, self._parts[0], out=sums[0, part])
            np.vecdot(chunk, self._parts[1], out=sums[1, part])
            np.not_equal(some[:, 0], MISSING, out=present[part])

        products: Column = sums[0] * self._factors[0] + sums[1] * self._factors[1]
        products[~present] = np.nan
        return products
