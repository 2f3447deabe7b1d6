"""Asks shards for what they have of a batch, and puts their answers together in the batch's order.

rows of the library   7 2 4      shard 0 of 2 gets 1 2, shard 1 gets 3
positions             0 1 2      their answers belong to positions 1 2 and 0
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, flat_index
from citewise.beside import Beside
from citewise.engines.shards.common_trips import CommonTrips
from citewise.engines.shards.transport import Call, Transport


class Answer(NamedTuple):
    """A shard's answer for some positions of a batch."""

    positions: Rows
    value: Any


class Scatter:
    """Sends calls to all shards, or to those that have some of a batch."""

    def __init__(self, transport: Transport, shards: int) -> None:
        self._transport, self.shards = transport, shards
        self._own = threading.local()

    @property
    def transport(self) -> Transport:
        """What brings calls to the shards: in a function of `together`, trips that it shares."""
        transport: Transport = getattr(self._own, "transport", self._transport)
        return transport

    def together(self, first: Callable[[], Any], *others: Callable[[], Any]) -> list[Any]:
        """Return what functions return, each in a thread; what they ask shares round trips."""
        trips = CommonTrips(self.transport, 1 + len(others))
        begun = [Beside(partial(self._run, each, trips), always=True) for each in (first, *others)]
        for each in begun:
            each.wait()
        return [each.result() for each in begun]

    def _run(self, function: Callable[[], Any], trips: CommonTrips) -> Any:
        self._own.transport = trips
        try:
            return function()
        finally:
            trips.end()

    def all(self, method: str, *arguments: Any) -> list[Any]:
        """Return every shard's answer to the same question."""
        return self.ask([(shard, method, arguments) for shard in range(self.shards)])

    def ask(self, calls: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        """Return the answers to calls, each of a shard, a method and its arguments."""
        return self.transport.ask([Call(*each) for each in calls]) if calls else []

    def by_row(
        self, method: str, rows: Rows, *arguments: Any, before: tuple[Any, ...] = ()
    ) -> list[Answer]:
        """Ask each shard about its own rows of a batch, which replace the first argument."""
        return self._dealt(method, rows, rows // self.shards, before, arguments)

    def by_number(self, method: str, numbers: Rows, *arguments: Any) -> list[Answer]:
        """Ask each shard about its numbers of a batch, which stay the library's."""
        return self._dealt(method, numbers, numbers, (), arguments)

    def _dealt(
        self,
        method: str,
        dealt: Rows,
        sent: Rows,
        before: tuple[Any, ...],
        arguments: tuple[Any, ...],
    ) -> list[Answer]:
        parts = self.split(dealt)
        answers = self.ask(
            [(shard, method, (*before, sent[positions], *arguments)) for shard, positions in parts]
        )
        return [
            Answer(positions, answer) for (_, positions), answer in zip(parts, answers, strict=True)
        ]

    def split(self, rows: Rows) -> list[tuple[int, Rows]]:
        """Return each shard that has some of the rows, and their positions."""
        if not rows.size:
            return []
        owners = rows % self.shards
        parts = ((shard, np.flatnonzero(owners == shard)) for shard in range(self.shards))
        return [(shard, positions) for shard, positions in parts if positions.size]


def gathered_list(answers: Sequence[Answer], count: int) -> list[Any]:
    """Return the items of lists in the batch's order."""
    found: list[Any] = [None] * count
    for positions, values in answers:
        for position, value in zip(positions.tolist(), values, strict=True):
            found[position] = value
    return found


def gathered(answers: Sequence[Answer], empty: NDArray[Any]) -> NDArray[Any]:
    """Return the values of arrays in the batch's order; `empty` is what replaces them, and has
    their type.
    """
    for positions, values in answers:
        empty[positions] = values
    return empty


def gathered_lists(
    answers: Sequence[Answer], count: int, columns: Sequence[Sequence[NDArray[Any]]] = ()
) -> tuple[Ragged, list[NDArray[Any]]]:
    """Return ragged lists in the batch's order, empty ones where none is given, and further columns
    of their values, given by answer.
    """
    if not answers:
        nothing = np.zeros(0, np.int64)
        return Ragged(nothing, np.zeros(count + 1, np.int64)), [nothing for _ in columns]

    if len(answers) == 1 and answers[0].positions.size == count:  # in the batch's order already
        return answers[0].value, [column[0] for column in columns]

    lengths = np.zeros(count, np.int64)
    for positions, lists in answers:
        lengths[positions] = lists.lengths
    starts = np.concatenate(([0], np.cumsum(lengths)))

    into = [flat_index(starts[positions], starts[positions + 1])[0] for positions, _ in answers]
    values = _placed([lists.values for _, lists in answers], into)
    return Ragged(values, starts), [_placed(column, into) for column in columns]


def _placed(parts: Sequence[NDArray[Any]], into: Sequence[Rows]) -> NDArray[Any]:
    """Return an array that has the values of each part at its places."""
    dtype = np.result_type(*parts)
    whole = np.empty(sum(each.size for each in into), dtype)
    for part, places in zip(parts, into, strict=True):
        whole[places] = part
    return whole
