"""Runs inside a checkout's environment: reads a JSON command a line, answers a JSON line.

It uses only what the old and the new checkout both have, and times its own calls, so that the time
in the pipe is not counted.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import citewise
from citewise.types import Query

_recommenders: dict[str, Any] = {}


def package() -> str:
    """Return the file that the package was imported from."""
    return str(citewise.__file__)


def open_library(name: str, folder: str, system: str) -> None:
    """Open a library with a system, under a name for the queries to come."""
    _recommenders[name] = citewise.open(folder).recommender(system)


def rank(name: str, query: dict[str, Any], k: int) -> dict[str, Any]:
    """Return the seconds that a query takes, and the rows that were found."""
    hidden = tuple(query.pop("hidden", ()))
    asked = Query(**query, hidden=hidden)

    start = time.perf_counter()
    ranking = _recommenders[name].rank(asked, k)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "rows": ranking.rows.tolist()}


COMMANDS: dict[str, Callable[..., Any]] = {
    "package": package,
    "open": open_library,
    "rank": rank,
}

for line in sys.stdin:
    command = json.loads(line)
    print(json.dumps({"answer": COMMANDS[command.pop("do")](**command)}), flush=True)
