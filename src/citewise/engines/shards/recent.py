"""Keeps the last answers of shards: the stages of one query ask for the same rows again."""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Rows
from citewise.engines.shards.scatter import Answer

_BATCHES = 8
"""Batches that are remembered."""

_LARGEST = 20_000
"""Rows of a batch that is remembered: larger ones are not part of a query."""


class _Batch(NamedTuple):
    """Answers for some rows, by position; `order` sorts the rows."""

    rows: Rows
    order: Rows
    value: Any


class RecentRows:
    """The last batches of answers of one kind; a generation never changes, so none is ever wrong.

    `take` returns the answers at some positions of a batch. Threads may share it.
    """

    def __init__(self, take: Callable[[Any, Rows], Any]) -> None:
        self._take, self._batches = take, deque[_Batch](maxlen=_BATCHES)

    def answered(self, rows: Rows, ask: Callable[[Rows], Any]) -> list[Answer]:
        """Return answers for all rows; `ask` is called for those that are not remembered."""
        unknown, answers = np.arange(rows.size), []
        for batch in [*self._batches] if rows.size else ():
            at, has = _found(batch, rows[unknown])
            if at.size:
                answers.append(Answer(unknown[has], self._take(batch.value, at)))
                unknown = unknown[~has]
            if not unknown.size:
                break
        if unknown.size:
            value = ask(rows[unknown])
            answers.append(Answer(unknown, value))
            self.remember(rows[unknown], value)
        return answers

    def remember(self, rows: Rows, value: Any) -> None:
        """Keep the answers for some rows."""
        if 0 < rows.size <= _LARGEST:
            order = np.argsort(rows, kind="stable")
            self._batches.appendleft(_Batch(rows[order], order, value))


def _found(batch: _Batch, rows: Rows) -> tuple[Rows, Mask]:
    """Return where a batch has those of some rows that it has, and which these are."""
    at = np.minimum(np.searchsorted(batch.rows, rows), batch.rows.size - 1)
    has = batch.rows[at] == rows
    return batch.order[at[has]], has


class RecentQuestions:
    """The last answers, by the arrays that were asked about."""

    def __init__(self) -> None:
        self._answers = deque[tuple[tuple[NDArray[Any], ...], dict[str, Any]]](maxlen=_BATCHES)

    def answer(
        self, asked: tuple[NDArray[Any], ...], field: str, ask: Callable[[], dict[str, Any]]
    ) -> Any:
        """Return the answer for a field; `ask` returns those of one or more fields."""
        for known, fields in [*self._answers]:
            if field in fields and all(map(np.array_equal, known, asked)):
                return fields[field]
        fields = ask()
        self._answers.appendleft((tuple(each.copy() for each in asked), fields))
        return fields[field]
