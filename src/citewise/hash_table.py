"""A table from 64-bit hashes to numbers, asked and filled in bulk."""

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_FIRST_SIZE = 1 << 16


class HashTable:
    """Open addressing with linear probing, never more than half full; 0 is no hash."""

    def __init__(self) -> None:
        self._allocate(_FIRST_SIZE)

    def find(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the number of each hash, -1 where there is none."""
        return self._numbers[self._probe(hashes)]

    def put(self, hashes: Hashes, numbers: NDArray[np.int64]) -> None:
        """Set the numbers of distinct hashes."""
        if 2 * (self._most_used + hashes.size) > self._size:
            used = self._keys != 0
            kept, theirs = self._keys[used], self._numbers[used]
            self._allocate(1 << (4 * (kept.size + hashes.size)).bit_length())
            self._place(kept, theirs)
        self._place(hashes, numbers)

    def _place(self, hashes: Hashes, numbers: NDArray[np.int64]) -> None:
        self._most_used += hashes.size
        while hashes.size:
            slots = self._probe(hashes)
            self._keys[slots] = hashes  # of several hashes that meet in a slot, one stays
            placed = self._keys[slots] == hashes
            self._numbers[slots[placed]] = numbers[placed]
            hashes, numbers = hashes[~placed], numbers[~placed]

    def _probe(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return each hash's slot, or the empty one where it belongs."""
        mask = self._size - 1
        slots = (hashes >> np.uint64(40)).view(np.int64) & mask
        astray = _astray(self._keys[slots], hashes)
        while astray.size:
            slots[astray] = (slots[astray] + 1) & mask
            astray = astray[_astray(self._keys[slots[astray]], hashes[astray])]
        return slots

    def _allocate(self, size: int) -> None:
        self._size, self._most_used = size, 0
        self._keys: Hashes = np.zeros(size, np.uint64)
        self._numbers = np.full(size, -1, np.int64)


def _astray(found: Hashes, sought: Hashes) -> NDArray[np.intp]:
    """Return the places whose slot holds another hash."""
    others: NDArray[np.intp] = np.flatnonzero(found != sought)  # most often few
    astray: NDArray[np.intp] = others[found[others] != 0]
    return astray
