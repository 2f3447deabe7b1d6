"""The server under load, on the library of 315,000 papers: requests a second, latencies, what it
does beyond its capacity, its own cost, and its memory over many requests.

    python benchmarks/serve.py [SECONDS] [REQUESTS] [LIBRARY]

SECONDS (20) is the length of each load, REQUESTS (100,000) how many cheap ones memory is watched
over; LIBRARY is a folder with the papers of `../shared/data/cs`. Needs `wrk`, and asks on 127.0.0.1
only.
"""

import contextlib
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import citewise
from citewise.drafts.query import DraftOptions
from measuring import ROOT, save

LIBRARY = Path(sys.argv[3]) if len(sys.argv) > 3 else ROOT / "benchmarks" / "work" / "cs-library"
CONNECTIONS = (1, 4, 16, 64)
QUERIES, K = 60, 20

SCRIPT = """
local bodies = {%s}
local next = 0
function request()
  next = next %% #bodies + 1
  return wrk.format("POST", "/v1/recommend", {["Content-Type"] = "application/json"}, bodies[next])
end
%s"""
CHEAP = """
local paths = {"/v1/search?q=ranking", "/v1/systems", "/v1/papers/none", "/v1/library", "/healthz"}
local next = 0
function request()
  next = next % #paths + 1
  return wrk.format("GET", paths[next])
end
"""
DONE = """
function done(summary, latency, requests)
  io.write(string.format('{"requests": %d, "seconds": %.3f, "refused": %d, "broken": %d, ',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
  io.write(string.format('"p50": %.1f, "p95": %.1f, "p99": %.1f}\\n', latency:percentile(50) / 1e3,
    latency:percentile(95) / 1e3, latency:percentile(99) / 1e3))
end
"""


@dataclass(frozen=True)
class Server:
    """A server that runs in processes of its own."""

    process: int
    port: int

    def load(self, script: Path, connections: int, seconds: int) -> dict:
        """Ask with some connections for some seconds; return what wrk saw."""
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s"]
        command += ["-s", str(script), f"http://127.0.0.1:{self.port}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seen = json.loads(done.stdout.strip().splitlines()[-1])
        answered = seen["requests"] - seen["refused"]
        return {
            "answers a second": round(answered / seen["seconds"], 2),
            "refused a second": round(seen["refused"] / seen["seconds"], 1),
            "connections broken": seen["broken"],
            **{f"{name} ms": seen[name] for name in ("p50", "p95", "p99")},
        }

    def memory(self) -> float:
        """Return the megabytes that its processes have for themselves."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        return sum(map(_own_memory, [self.process, *map(int, children)]))


def _own_memory(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1024


@contextlib.contextmanager
def serving(library: Path, *options: str) -> Iterator[Server]:
    """Run `citewise serve` on a free port."""
    command = [sys.executable, "-m", "citewise", "serve", "--no-browser", "--port", "0"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([*command, "--library", str(library), *options], stderr=log)
        try:
            yield Server(process.pid, _port(log, process))
        finally:
            process.terminate()
            process.wait(60)


def _port(log, process: subprocess.Popen) -> int:
    while process.poll() is None:
        log.seek(0)
        found = re.search(r"citewise is at http://127\.0\.0\.1:(\d+)", log.read())
        if found:
            return int(found[1])
        time.sleep(0.2)
    sys.exit("the server did not start")


def bodies(library: citewise.Library) -> list[dict]:
    """Return titles and abstracts of papers with references, as drafts of their years."""
    rows = library.stores.papers.rows
    cites = rows[library.stores.graph.references(rows).lengths >= 10]
    chosen = np.random.default_rng(7).choice(cites, QUERIES, replace=False)
    papers = library.stores.papers.read(chosen)
    return [
        {"title": each.title, "abstract": each.abstract, "year": each.year, "k": K}
        for each in papers
    ]


def own_cost(library: citewise.Library, server: Server, asked: list[dict]) -> dict:
    """Return the median milliseconds of the library and of the server for the same drafts, in
    turns, and the median of their differences.
    """
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    here, there, differences = [], [], []
    for turn in range(3):
        for body in asked[:20]:
            begun = time.perf_counter()
            given = {name: body[name] for name in ("title", "abstract", "year")}
            expected = library.answer(library.query(None, DraftOptions(**given)), K).to("json")
            halfway = time.perf_counter()
            connection.request(
                "POST", "/v1/recommend", json.dumps(body), {"Content-Type": "application/json"}
            )
            found = connection.getresponse().read().decode()
            ended = time.perf_counter()
            assert found == expected, "the same answer"
            if turn:  # the first warms both up
                here.append(1000 * (halfway - begun))
                there.append(1000 * (ended - halfway))
                differences.append(there[-1] - here[-1])
    return {
        "library ms": round(statistics.median(here), 2),
        "server ms": round(statistics.median(there), 2),
        "difference ms": round(statistics.median(differences), 2),
        "cheapest difference of the fastest quarter ms": round(
            statistics.quantiles(there, n=4)[0] - statistics.quantiles(here, n=4)[0], 2
        ),
    }


def beyond_capacity(script: Path, asked: list[dict], seconds: int) -> dict:
    """Ask a server with little room by 64 connections; return what they saw, and how long the next
    request takes.
    """
    with serving(LIBRARY, "--workers", "2", "--threads", "1", "--queue", "2") as server:
        server.load(script, 2, 4)
        seen = server.load(script, 64, seconds)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        begun = time.perf_counter()
        connection.request(
            "POST", "/v1/recommend", json.dumps(asked[0]), {"Content-Type": "application/json"}
        )
        after = connection.getresponse()
        after.read()
        return {
            "connections": 64,
            "room for requests": 6,
            **seen,
            "next request": {
                "status": after.status,
                "ms": round(1000 * (time.perf_counter() - begun), 1),
            },
        }


def memory(requests: int) -> dict:
    """Return the memory of a server's processes over many cheap requests."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(LIBRARY, "--workers", "2") as server,
    ):
        script = Path(folder) / "cheap.lua"
        script.write_text(CHEAP + DONE)
        answered, steps = 0.0, []
        server.load(script, 8, 3)
        while answered < requests:
            begun = time.perf_counter()
            seen = server.load(script, 8, 10)
            rate = seen["answers a second"] + seen["refused a second"]  # a 404 counts as refused
            answered += rate * (time.perf_counter() - begun)
            steps.append({"requests": round(answered), "MB": round(server.memory(), 1)})
    return {"requests": round(answered), "own memory": steps}


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    requests = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    library = citewise.open(LIBRARY)
    asked = bodies(library)
    busy = os.getloadavg()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "recommend.lua"
        quoted = ", ".join(f"[==[{json.dumps(body)}]==]" for body in asked)
        script.write_text(SCRIPT % (quoted, DONE))

        with serving(LIBRARY) as server:
            cost = own_cost(library, server, asked)
            one_process = {str(each): server.load(script, each, seconds) for each in (1, 16)}
        with serving(LIBRARY, "--workers", "2", "--queue", "64") as server:
            server.load(script, 4, 5)
            two = {str(each): server.load(script, each, seconds) for each in CONNECTIONS}
        refused = beyond_capacity(script, asked, seconds)

    rates = {each: seen["answers a second"] for each, seen in two.items()}
    save(
        "serve",
        {
            "papers": len(library),
            "load of the machine before": [round(each, 1) for each in busy],
            "tool": "wrk",
            "seconds each": seconds,
            "own cost of the server": cost,
            "one process, by connections": one_process,
            "two processes, by connections": two,
            "sixteen connections against one": round(rates["16"] / rates["1"], 2),
            "beyond capacity": refused,
            "memory": memory(requests),
        },
    )


if __name__ == "__main__":
    main()
