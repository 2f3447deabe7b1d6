"""Run blocking work in a bounded number of threads, with a bounded queue and a time limit."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from citewise.http.problems import Problem, overloaded
from citewise.http.settings import Limits

T = TypeVar("T")


class Pool:
    """Threads for the library's work; what they cannot take soon is refused at once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.threads, "citewise")
        self._lock = threading.Lock()
        self.pending = 0
        """Requests that wait or are being answered, those included whose client gave up."""

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns; Problem 503 where there is no room or no time for it."""
        with self._lock:
            if self.pending >= self._limits.threads + self._limits.queue:
                raise overloaded()
            self.pending += 1

        future = self._threads.submit(work)
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._limits.seconds)
        except TimeoutError:
            raise Problem(
                503,
                "timeout",
                f"no answer within {self._limits.seconds:g} seconds; ask for less, or try again",
                {"Retry-After": "5"},
            ) from None

    def _done(self, future: Future[Any]) -> None:
        with self._lock:
            self.pending -= 1

    def close(self) -> None:
        """Drop what waits; what runs is finished by its thread."""
        self._threads.shutdown(wait=False, cancel_futures=True)
