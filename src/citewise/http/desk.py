"""What all routes share: the served library, the pool of threads, the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from fastapi import Request
from fastapi.responses import Response

from citewise.http.jobs import Jobs
from citewise.http.metrics import Metrics
from citewise.http.pool import Pool
from citewise.http.problems import Problem
from citewise.http.served import ServedLibrary
from citewise.http.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts of a server that routes work with."""

    settings: Settings
    served: ServedLibrary
    pool: Pool
    jobs: Jobs
    metrics: Metrics

    async def run(self, work: Callable[[], T]) -> T:
        """Return what some blocking work returns, done in a thread of the pool."""
        return await self.pool.run(work)

    def check_k(self, k: int) -> None:
        """Raise Problem 422 where a client wants too many papers."""
        if k > self.settings.limits.k:
            raise Problem(422, "bad_input", f"k is at most {self.settings.limits.k}, not {k}")

    def check_ids(self, *lists: list[str]) -> None:
        """Raise Problem 422 where a client names too many papers."""
        most = self.settings.limits.ids
        if sum(map(len, lists)) > most:
            raise Problem(422, "bad_input", f"at most {most:,} ids can be sent at once")


def desk_of(request: Request) -> Desk:
    """Return the parts of the server that got a request."""
    desk: Desk = request.app.state.desk
    return desk


def as_json(value: Any, status: int = 200) -> Response:
    """Return a value as a JSON response."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")
