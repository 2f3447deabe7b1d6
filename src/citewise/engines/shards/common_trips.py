"""Round trips that several functions share: what they ask at the same time travels together.

function A   ask 1 .. ask 2 .. end          trip 1 has A's and B's first question,
function B   ask 1 .. ask 2 .. ask 3        trip 2 their second ones, trip 3 what B asks alone
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from citewise.engines.shards.transport import Call, Transport


@dataclass(slots=True)
class _Question:
    """What one function waits for."""

    calls: Sequence[Call]
    answers: list[Any] = field(default_factory=list)
    error: Exception | None = None
    done: bool = False


class CommonTrips:
    """`Transport` for functions in threads of their own: calls are sent once every function that
    has not ended waits for an answer.
    """

    def __init__(self, transport: Transport, functions: int) -> None:
        self._transport, self._running = transport, functions
        self._waiting: list[_Question] = []
        self._changed = threading.Condition()

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Return the answer to each call, once all others have asked or ended as well."""
        question = _Question(calls)
        with self._changed:
            self._waiting.append(question)
            self._one_less()
            self._changed.wait_for(lambda: question.done)
        if question.error is not None:
            raise question.error
        return question.answers

    def end(self) -> None:
        """Note that a function has ended: nobody waits for it any more."""
        with self._changed:
            self._one_less()

    def _one_less(self) -> None:
        self._running -= 1
        if self._running == 0 and self._waiting:
            self._send()

    def _send(self) -> None:
        """Bring all questions to the shards, while everybody waits."""
        waiting, self._waiting = self._waiting, []
        try:
            answers = self._transport.ask([call for each in waiting for call in each.calls])
        except Exception as error:
            for each in waiting:
                each.error = error
        else:
            following = iter(answers)
            for each in waiting:
                each.answers = [next(following) for _ in each.calls]

        for each in waiting:
            each.done = True
        self._running += len(waiting)
        self._changed.notify_all()
