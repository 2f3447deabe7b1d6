"""Columns of numbers that grow on disk while a task writes them."""

from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged


class ColumnWriter:
    """Appends to arrays in files, with nothing of them in memory; `read_array` reads them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, IO[bytes]] = {}
        self._ends: dict[str, int] = {}

    def append(self, name: str, values: NDArray[Any], dtype: str) -> None:
        """Append values to a column."""
        if name not in self._files:
            self._files[name] = (self._folder / name).open("wb")
        self._files[name].write(np.ascontiguousarray(values, dtype).data)

    def append_lists(self, name: str, lists: Ragged) -> None:
        """Append lists of hashes: the values, and where each list ends."""
        end = self._ends.get(name, 0)
        if name not in self._ends:
            self.append(f"{name}.starts", np.zeros(1), "<i8")
        self.append(f"{name}.values", lists.values, "<u8")
        self.append(f"{name}.starts", lists.starts[1:] - lists.starts[0] + end, "<i8")
        self._ends[name] = end + lists.values.size

    def close(self) -> None:
        """Finish all files."""
        for file in self._files.values():
            file.close()
