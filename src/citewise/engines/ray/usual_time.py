"""How long nodes usually take: who takes far longer is not waited for where another has the same
shards.
"""

from collections import deque

_KNOWN, _ENOUGH = 100, 20
"""Answers that are remembered, and how many are needed to call a time usual."""

_TIMES, _LEAST, _MOST = 4.0, 0.3, 5.0
"""A node may take this many times the longest of the last answers, within these seconds."""


class UsualTime:
    """The times of the last answers; threads may share it."""

    def __init__(self) -> None:
        self._last = deque[float](maxlen=_KNOWN)

    def note(self, seconds: float) -> None:
        """Note that nodes have answered."""
        self._last.append(seconds)

    @property
    def longest(self) -> float:
        """Return the seconds after which an answer is unusually late."""
        known = [*self._last]
        if len(known) < _ENOUGH:
            return _MOST
        return min(max(_TIMES * max(known), _LEAST), _MOST)
