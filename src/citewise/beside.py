"""Runs a function in a thread beside its caller, which pays where either is an engine's long search
without Python's lock.
"""

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Beside(Generic[Result]):
    """A call that runs beside its caller until `result` is asked for; with a single core, it runs
    then, unless `always`.

    A thread of its own, not one of a pool: a pool's threads would be gone in a forked process.
    """

    def __init__(self, function: Callable[[], Result], always: bool = False) -> None:
        """Start the call."""
        self._function, self._found, self._error = function, list[Result](), list[BaseException]()
        threaded = always or _cores() > 1
        self._thread = threading.Thread(target=self._run, daemon=True) if threaded else None
        if self._thread is not None:
            self._thread.start()

    def _run(self) -> None:
        try:
            self._found.append(self._function())
        except BaseException as error:  # it is raised where the result is asked for
            self._error.append(error)

    def wait(self) -> None:
        """Wait until the function has ended, whatever it returned or raised."""
        if self._thread is not None:
            self._thread.join()
        elif not (self._found or self._error):
            self._run()

    def result(self) -> Result:
        """Return what the function returned, or raise what it raised."""
        self.wait()
        if self._error:
            raise self._error[0]
        return self._found[0]


def together(first: Callable[[], Any], *others: Callable[[], Any]) -> list[Any]:
    """Return what functions return that need nothing of each other; they run in turn.

    Two threads of many short numpy calls would wait for Python's lock some hundred times an answer,
    which takes longer than they save.
    """
    return [each() for each in (first, *others)]
