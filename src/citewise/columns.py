"""Columns at some positions, each taken when it is first read: an answer reads few of its many
signals, and of the candidates that a ranker puts into order only the best.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from citewise.arrays import Column


class TakenColumns(Mapping[str, Column]):
    """The columns of a mapping, at the positions `at`, in that order."""

    __slots__ = ("_at", "_columns", "_taken")

    def __init__(self, columns: Mapping[str, Column], at: NDArray[Any]) -> None:
        self._columns, self._at = columns, at
        self._taken: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._taken:
            self._taken[name] = self._columns[name].take(self._at)
        return self._taken[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def at(self, index: NDArray[Any] | slice) -> "TakenColumns":
        """Return the columns at some of these positions."""
        return TakenColumns(self._columns, self._at[index])


def taken(columns: Mapping[str, Column], at: NDArray[Any]) -> TakenColumns:
    """Return columns at some positions, in that order."""
    return columns.at(at) if isinstance(columns, TakenColumns) else TakenColumns(columns, at)


def sliced(columns: Mapping[str, Column], part: slice) -> Mapping[str, Column]:
    """Return a part of each column."""
    if isinstance(columns, TakenColumns):
        return columns.at(part)
    return {name: column[part] for name, column in columns.items()}
