"""How long something may take."""

import sys

_TRACED = 4
"""Times longer that lines take while coverage looks at each of them."""


def allowed(seconds: float) -> float:
    """Return the seconds of processor time that something may take, more under `make cover`."""
    return seconds * (_TRACED if sys.gettrace() else 1)
