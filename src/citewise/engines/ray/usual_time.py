"""How long nodes usually take: who takes far longer is not waited for where another has the same
shards.
"""

from collections import deque

_KNOWN, _ENOUGH = 100, 20
"""Answers that are remembered, and how many are needed to call a time usual."""

_TIMES, _LEAST, _MOST = 3.0, 0.3, 2.0
"""A node may take this many times what 9 of 10 answers took, within these seconds."""

_UNKNOWN = 2.0
"""Seconds that a node may take while no time is usual yet."""


class UsualTime:
    """The times of the last answers; threads may share it."""

    def __init__(self) -> None:
        self._last = deque[float](maxlen=_KNOWN)

    def add(self, seconds: float) -> None:
        """Note how long nodes took."""
        self._last.append(seconds)

    @property
    def longest(self) -> float:
        """Return the seconds after which an answer is unusually late."""
        known = sorted(self._last.copy())
        if len(known) < _ENOUGH:
            return _UNKNOWN
        return min(max(_TIMES * known[len(known) * 9 // 10], _LEAST), _MOST)
