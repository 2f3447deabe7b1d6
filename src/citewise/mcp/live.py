"""A library that stays open for long: a new generation is opened when there is one."""

import logging
import threading
from pathlib import Path

from citewise import api
from citewise.api import Library
from citewise.errors import CitewiseError

log = logging.getLogger(__name__)

_State = tuple[int, ...]


class LiveLibrary:
    """The newest generation of a library; calls that have begun keep the one that they got."""

    def __init__(self, where: str) -> None:
        """Open the library at a folder or address; raises where it cannot be opened."""
        self._where, self._lock = where, threading.Lock()
        self._state = self._seen()
        self._library = api.open(where)

    def library(self) -> Library:
        """Return the library, opened again if it has changed on disk; where that fails, as it was
        before.
        """
        with self._lock:
            state = self._seen()
            if state != self._state:
                try:
                    self._library = api.open(self._where)
                except (CitewiseError, OSError) as error:
                    log.warning(
                        "the changed library cannot be opened, the old one answers: %s", error
                    )
                self._state = state
            return self._library

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
