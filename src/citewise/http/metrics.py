"""Count requests for Prometheus; worker processes share their counters by mapped files."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.http.processes import is_alive

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the latency histogram, in seconds."""

STATUSES = (
    *(200, 202, 204, 206, 303, 304, 307, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 416),
    *(422, 499, 500, 501, 503),
)
"""Statuses that are counted one by one; 499 stands for a client that went away, and any other
status is counted as 500.
"""

_OTHER = "other"
_COLUMNS = len(STATUSES) + len(BUCKETS) + 2
"""Of each route: a count for each status, each bucket and beyond, and the sum of seconds."""


class Metrics:
    """Counters of one process in a file that the other processes read.

    A file has a line of columns for each route, then one with the requests in flight.
    """

    def __init__(self, folder: Path, routes: Sequence[str]) -> None:
        """`routes` are the paths of the application, the same in every process."""
        self._folder = folder
        self._routes = [*routes, _OTHER]
        self._lines = {route: line for line, route in enumerate(self._routes)}
        self._shape = (len(self._routes) + 1, _COLUMNS)
        folder.mkdir(parents=True, exist_ok=True)
        self._own = np.memmap(folder / f"{os.getpid()}.counters", np.float64, "w+", 0, self._shape)

    def begin(self) -> None:
        """Count a request that has come."""
        self._own[-1, 0] += 1

    def end(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        line = self._lines.get(route, self._lines[_OTHER])
        known = STATUSES.index(status) if status in STATUSES else STATUSES.index(500)
        self._own[-1, 0] -= 1
        self._own[line, known] += 1
        self._own[line, len(STATUSES) + int(np.searchsorted(BUCKETS, seconds))] += 1
        self._own[line, -1] += seconds

    def text(self, gauges: dict[str, float]) -> str:
        """Return all counters, and further gauges, as Prometheus reads them."""
        total, in_flight = self._total()
        lines = [
            "# HELP citewise_requests_total Requests that were answered.",
            "# TYPE citewise_requests_total counter",
            *self._counts(total),
            "# HELP citewise_request_seconds How long requests took.",
            "# TYPE citewise_request_seconds histogram",
            *self._histograms(total),
            "# HELP citewise_requests_in_flight Requests that are being answered.",
            "# TYPE citewise_requests_in_flight gauge",
            f"citewise_requests_in_flight {in_flight:g}",
        ]
        for name, value in gauges.items():
            lines += [f"# TYPE citewise_{name} gauge", f"citewise_{name} {value:g}"]
        return "\n".join([*lines, ""])

    def _total(self) -> tuple[NDArray[np.float64], float]:
        """Return the sum of every process's counters; of dead ones, nothing is in flight."""
        total, in_flight = np.zeros(self._shape), 0.0
        for file in sorted(self._folder.glob("*.counters")):
            with contextlib.suppress(OSError, ValueError):  # a process is just making its file
                counters = np.fromfile(file, np.float64).reshape(self._shape)
                total += counters
                in_flight += counters[-1, 0] if is_alive(int(file.stem)) else 0.0
        return total, in_flight

    def _counts(self, total: NDArray[np.float64]) -> Iterator[str]:
        for line, route in enumerate(self._routes):
            for column, status in enumerate(STATUSES):
                if total[line, column]:
                    count = total[line, column]
                    labels = f'route="{route}",status="{status}"'
                    yield f"citewise_requests_total{{{labels}}} {count:.0f}"

    def _histograms(self, total: NDArray[np.float64]) -> Iterator[str]:
        bounds = [*(f"{bound:g}" for bound in BUCKETS), "+Inf"]
        for line, route in enumerate(self._routes):
            upto = np.cumsum(total[line, len(STATUSES) : -1])
            if upto[-1]:
                for bound, count in zip(bounds, upto.tolist(), strict=True):
                    labels = f'route="{route}",le="{bound}"'
                    yield f"citewise_request_seconds_bucket{{{labels}}} {count:.0f}"
                seconds = float(total[line, -1])
                yield f'citewise_request_seconds_sum{{route="{route}"}} {seconds:.6f}'
                yield f'citewise_request_seconds_count{{route="{route}"}} {upto[-1]:.0f}'
