"""Runs a function in a thread beside its caller: an answer's parts that do not wait for each other
use two cores, since numpy and the engines compute without Python's lock.
"""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Beside(Generic[Result]):
    """A call that runs beside its caller until `result` is asked for; with a single core, it runs
    then.

    A thread of its own, not one of a pool: a pool's threads would be gone in a forked process.
    """

    def __init__(self, function: Callable[[], Result]) -> None:
        """Start the call."""
        self._function, self._found, self._error = function, list[Result](), list[BaseException]()
        self._thread = threading.Thread(target=self._run, daemon=True) if _cores() > 1 else None
        if self._thread is not None:
            self._thread.start()

    def _run(self) -> None:
        try:
            self._found.append(self._function())
        except BaseException as error:  # it is raised where the result is asked for
            self._error.append(error)

    def result(self) -> Result:
        """Return what the function returned, or raise what it raised."""
        if self._thread is not None:
            self._thread.join()
        else:
            self._run()
        if self._error:
            raise self._error[0]
        return self._found[0]
