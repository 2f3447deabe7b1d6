"""Arrays that every stage works with: rows, columns, lists of different lengths, lookup tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Positions of papers in a library."""

Column = NDArray[np.float64]
"""One number for each of some papers."""

Hashes = NDArray[np.uint64]
"""64-bit hashes; 0 is never the hash of anything."""

Mask = NDArray[np.bool_]
"""True or false for each of some papers."""

_FIRST_SIZE = 1 << 16
"""Slots of an empty hash table."""

_UPPER = 40
"""The first bit of a hash that chooses its slot; a lower one where a table has more slots than the
bits above it can tell apart.
"""

_SMALL_TABLE, _TABLE_A_ROW = 1 << 20, 32
"""A table over all rows up to the highest has at most this many entries, or this many for each row
that is in it; beyond that, rows are hashed or sorted, which costs what the rows at hand cost.
"""

_MOST_SHORT = 1 << 15
"""Positions below this are 16-bit numbers."""

_PART = 500_000
"""Rows of a library that are asked for together."""

_FEW = 16
"""Rows with which each of some others is compared."""

_SPREADER = 0x9E3779B97F4A7C15
"""An odd number: its products modulo 2 ** 64 with different numbers are different, and their upper
bits are well spread.
"""


def summed(positions: Rows, weights: Column, count: int) -> Column:
    """Return for each position 0..count-1 the sum of the weights that belong to it."""
    # bincount of an empty array has integer type
    return np.bincount(positions, weights, count).astype(np.float64, copy=False)


def highest(positions: Rows, values: Column, count: int) -> Column:
    """Return for each position 0..count-1 the largest of its values, at least 0."""
    largest = np.zeros(count)
    np.maximum.at(largest, positions, values)
    return largest


def spread(rows: Rows, limit: int) -> Rows:
    """Return at most `limit` of some rows, evenly spread over them."""
    return rows[:: max(1, -(-rows.size // limit))]


def in_parts(rows: Rows) -> Iterator[Rows]:
    """Yield all rows, half a million at a time: what a store returns for all rows of a large
    library need not be in memory at once.
    """
    return (rows[start : start + _PART] for start in range(0, rows.size, _PART))


def top(scores: Column, limit: int) -> Rows:
    """Return the positions of the `limit` highest scores above 0, best first.

    Equal scores are sorted by position.
    """
    positions = np.flatnonzero(scores > 0)

    # Sort only the scores that can be among the best: those from the limit-th highest up, which
    # partition puts at index size - limit.
    if positions.size > limit:
        lowest = np.partition(scores[positions], positions.size - limit)[positions.size - limit]
        positions = positions[scores[positions] >= lowest]

    return positions[np.argsort(-scores[positions], kind="stable")][:limit]


def by_score(scores: Column, rows: Rows) -> Rows:
    """Return the positions by falling score, equal scores by row."""
    order = np.argsort(-scores)
    ordered = scores.take(order)

    # Few scores are equal: only their positions are sorted again, by score and row.
    #   scores  9 7 7 4 4      same  0 1 0 1      equal  1 2 3 4
    same = np.append(False, ordered[1:] == ordered[:-1])
    equal = np.flatnonzero(same | np.append(same[1:], False))
    tied = order.take(equal)
    order[equal] = tied.take(np.lexsort((rows.take(tied), -scores.take(tied))))
    return order


def distinct(rows: Rows) -> Rows:
    """Return the distinct rows, sorted; faster than np.unique for thousands of them."""
    end = int(rows.max(initial=-1)) + 1
    if not _is_small(end, rows.size):
        ordered = np.sort(rows)
        first: Rows = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        return first

    present = np.zeros(end, np.bool_)
    present[rows] = True
    return np.flatnonzero(present)


def is_among(rows: Rows, others: Sequence[int] | Rows) -> Mask:
    """Return for each row whether it is one of some others; faster than np.isin for a few of them,
    and for thousands.
    """
    if not len(others):
        return np.zeros(rows.size, np.bool_)
    if len(others) > _FEW:
        return _is_in_table(rows, np.asarray(others, np.int64))

    found: Mask = rows == others[0]
    for row in others[1:]:
        found |= rows == row
    return found


def _is_in_table(rows: Rows, others: Rows) -> Mask:
    """Return for each row whether it is one of the others: by a table over all rows up to the
    highest of them, where that is small; its last entry stands for every row above.
    """
    end = int(others.max()) + 1
    if not _is_small(end, rows.size + others.size) or min(rows.min(initial=0), others.min()) < 0:
        return np.isin(rows, others)

    table = np.zeros(end + 1, np.bool_)
    table[others] = True
    return table.take(np.minimum(rows, end))


def is_in_sorted(values: NDArray[Any], few: NDArray[Any]) -> Mask:
    """Return for each value whether it is among some that are sorted; costs what the values cost,
    where np.isin sorts both.
    """
    if not few.size:
        return np.zeros(values.size, np.bool_)
    places = np.minimum(np.searchsorted(few, values), few.size - 1)
    found: Mask = few[places] == values
    return found


def _is_small(end: int, count: int) -> bool:
    """Whether a table over the rows up to `end` is cheap beside the `count` rows at hand."""
    return end <= max(_SMALL_TABLE, _TABLE_A_ROW * count)


class RowIndex:
    """Finds the positions of rows in an array of distinct rows.

    rows   3 1      table  -1 1 -1 0 -1    (row 1 is at position 1, row 3 at position 0)

    The table is over all rows up to the highest; where that is many times the number of rows, it
    is hashed. Both are faster than a binary search from some hundreds of rows on.
    """

    def __init__(self, rows: Rows) -> None:
        # The last entry of the table stands for every row above the highest.
        self._end = int(rows.max(initial=-1)) + 1
        self._hashed: HashTable | None = None
        if not _is_small(self._end, rows.size):
            self._hashed = HashTable(4 * rows.size)
            self._hashed.put(_row_hashes(rows), np.arange(rows.size))
            return

        # the smaller its numbers, the sooner it is made, and the more of it is in the cache
        dtype = np.int16 if rows.size < _MOST_SHORT else np.int32
        self._table = np.full(self._end + 1, -1, dtype)
        self._table[rows] = np.arange(rows.size, dtype=dtype)

    def of(self, rows: Rows) -> Rows:
        """Return the position of each row, -1 where it is absent."""
        if self._hashed is not None:
            return self._hashed.find(_row_hashes(rows))
        return self._table.take(np.minimum(rows, self._end)).astype(np.int64)


def _row_hashes(rows: Rows) -> Hashes:
    """Return a hash of each row from 0 up: another one for another row, and never 0."""
    return (rows + 1).view(np.uint64) * np.uint64(_SPREADER)


@dataclass(frozen=True, slots=True)
class Ragged:
    """Lists of different lengths, end to end: list i is values[starts[i]:starts[i + 1]]."""

    values: NDArray[Any]
    starts: Rows

    def __len__(self) -> int:
        return self.starts.size - 1

    def __getitem__(self, position: int) -> NDArray[Any]:
        return self.values[self.starts[position] : self.starts[position + 1]]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield each list."""
        return (self[position] for position in range(len(self)))

    @property
    def lengths(self) -> Rows:
        """Return the length of each list."""
        return np.diff(self.starts)

    @property
    def owners(self) -> Rows:
        """Return for each value the position of its list: 0 0 2 for lists of lengths 2, 0, 1."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @classmethod
    def of(cls, lists: Sequence[NDArray[Any]]) -> "Ragged":
        """Return the lists that some arrays of rows are, one list an array."""
        starts = np.concatenate(([0], np.cumsum([each.size for each in lists]))).astype(np.int64)
        return cls(np.concatenate([np.zeros(0, np.int64), *lists]), starts)

    def kept(self, keep: Mask) -> "Ragged":
        """Return the lists with only the values that `keep` marks."""
        dropped = np.flatnonzero(~keep)
        if not dropped.size:
            return self
        # a start moves back by the number of values before it that are dropped, often a few;
        # positions are several times faster than a mask
        starts = self.starts - np.searchsorted(dropped, self.starts)
        return Ragged(self.values.take(np.flatnonzero(keep)), starts)

    def take(self, positions: Rows) -> "Ragged":
        """Return the lists at some positions, in that order."""
        index, begins = flat_index(self.starts[positions], self.starts[positions + 1])
        return Ragged(self.values[index], begins)

    @classmethod
    def join(cls, parts: "Sequence[Ragged]") -> "Ragged":
        """Return the lists of all parts, one part after the other."""
        lengths = np.concatenate([part.lengths for part in parts])
        values = np.concatenate([part.values for part in parts])
        return cls(values, np.concatenate(([0], np.cumsum(lengths))))


def flat_index(starts: Rows, ends: Rows) -> tuple[Rows, Rows]:
    """Return the indexes that the ranges starts[i]:ends[i] cover, and where each range begins.

    For ranges 2:4 and 7:10 that is [2 3 7 8 9] and [0 2 5]; the last begin is the total length.
    """
    lengths = ends - starts
    begins = np.concatenate(([0], np.cumsum(lengths)))

    # 2 3 7 8 9  =  2 2 5 5 5  +  0 1 2 3 4
    index = np.repeat(starts - begins[:-1], lengths)
    index += np.arange(begins[-1])
    return index, begins


class HashTable:
    """A table from 64-bit hashes to numbers, read and filled in bulk.

    Open addressing with linear probing, never more than half full.
    """

    def __init__(self, size: int = _FIRST_SIZE) -> None:
        """`size` is the least number of slots; the table grows by itself."""
        self._allocate(1 << max(size - 1, 1).bit_length())

    def find(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the number of each hash, -1 where there is none."""
        return self._numbers[self._probe(hashes)]

    def put(self, hashes: Hashes, numbers: NDArray[np.int64]) -> None:
        """Set the numbers of distinct hashes."""
        if 2 * (self._used + hashes.size) > self._size:
            used = self._keys != 0
            old_keys, old_numbers = self._keys[used], self._numbers[used]
            self._allocate(1 << (4 * (old_keys.size + hashes.size)).bit_length())
            self._insert(old_keys, old_numbers)

        self._insert(hashes, numbers)

    def _insert(self, hashes: Hashes, numbers: NDArray[np.int64]) -> None:
        """Put new hashes into free slots.

        Of several hashes that go to the same slot, the last one written stays; the others are
        tried again.
        """
        self._used += hashes.size
        while hashes.size:
            slots = self._probe(hashes)
            self._keys[slots] = hashes
            stored = self._keys[slots] == hashes
            self._numbers[slots[stored]] = numbers[stored]

            hashes, numbers = hashes[~stored], numbers[~stored]

    def _probe(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the slot of each hash: its own, or the empty one where it would go."""
        # The size is a power of 2, so `& mask` is the remainder modulo the size. Of the upper bits,
        # the lower ones choose the slot: hashes that are sorted are spread all the same.
        mask = self._size - 1
        upper = hashes >> np.uint64(min(_UPPER, 64 - mask.bit_length()))
        slots = upper.view(np.int64) & mask

        occupied = _by_others(self._keys[slots], hashes)
        while occupied.size:
            slots[occupied] = (slots[occupied] + 1) & mask
            occupied = occupied[_by_others(self._keys[slots[occupied]], hashes[occupied])]
        return slots

    def _allocate(self, size: int) -> None:
        self._size, self._used = size, 0
        self._keys: Hashes = np.zeros(size, np.uint64)
        self._numbers = np.full(size, -1, np.int64)


def _by_others(keys: Hashes, hashes: Hashes) -> NDArray[np.intp]:
    """Return the positions whose slot is taken by another hash (a key of 0 is an empty slot)."""
    different: NDArray[np.intp] = np.flatnonzero(keys != hashes)  # few, most of the time
    occupied: NDArray[np.intp] = different[keys[different] != 0]
    return occupied
