"""Where rows stand among others."""

import numpy as np

from citewise.types import Rows


class Places:
    """Finds where rows stand among given ones by a table of all rows: faster than a search from some hundreds on."""

    def __init__(self, rows: Rows) -> None:
        self._end = int(rows.max(initial=-1)) + 1
        self._table = np.full(self._end + 1, -1, np.int32)
        self._table[rows] = np.arange(rows.size, dtype=np.int32)

    def of(self, rows: Rows) -> Rows:
        """Return the place of each row, -1 where it is absent."""
        return self._table[np.minimum(rows, self._end)].astype(np.int64)
