"""A library that stays open for long: a new generation is opened when there is one."""

import logging
import threading
import time
from pathlib import Path

from citewise import api
from citewise.api import Library
from citewise.errors import CitewiseError

log = logging.getLogger(__name__)

_State = tuple[int, ...]

_RETRY_SECONDS = 5.0
"""Time between attempts to open a changed library that could not be opened."""


class LiveLibrary:
    """The newest generation of a library; calls that have begun keep the one that they got."""

    def __init__(self, where: str) -> None:
        """Open the library at a folder or address; raises where it cannot be opened."""
        self._where, self._lock = where, threading.Lock()
        self._state = self._seen()
        self._library = api.open(where)
        self._failed: tuple[_State, float] | None = None

    def library(self) -> Library:
        """Return the library, opened again if it has changed on disk; where that fails, as it was
        before.
        """
        with self._lock:
            state = self._seen()
            if state != self._state and self._worth_trying(state):
                try:
                    self._library, self._state = api.open(self._where), state
                except (CitewiseError, OSError) as error:
                    self._failed = (state, time.monotonic())
                    log.warning(
                        "the changed library cannot be opened, the old one answers: %s", error
                    )
            return self._library

    def _worth_trying(self, state: _State) -> bool:
        """Return whether a state was not tried before, or some time ago: it may be readable now,
        as when a copy is finished or permissions are given.
        """
        if self._failed is None or self._failed[0] != state:
            return True
        return time.monotonic() - self._failed[1] >= _RETRY_SECONDS

    def _seen(self) -> _State:
        """Return what changes with the library's generations, models and vectors."""
        if "://" in self._where:
            return ()
        folder = Path(self._where)
        return tuple(
            map(_changed, (folder / "manifest.json", folder / "models", folder / "vectors"))
        )


def _changed(path: Path) -> int:
    """Return when a file or folder was changed, in nanoseconds; 0 where it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
