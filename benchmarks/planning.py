"""How the time of an answer grows with papers and shards, measured and as a model, and what a
cluster of a given size needs by that model.

    python benchmarks/planning.py cut PAPERS:SHARDS ...        libraries of growth.py
    python benchmarks/planning.py measure PAPERS:SHARDS ...    cut where they are not, and removed
    python benchmarks/planning.py fit                          the model, its error, and a plan

This machine has two cores, so shards cannot answer at once here. What each shard takes for its part
of a trip is measured one after the other, with what packs and unpacks messages; on machines of
their own, a trip takes as long as the slowest of them. That, the trips' time on the wire and the
coordinator's own work make an answer. Faults, queues and other networks are not part of it.
"""

import json
import math
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from citewise.api import Library
from citewise.engines.ray.sockets import Listener, connect, ready
from citewise.engines.ray.wire import packed, unpacked
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.manifest import COORDINATOR, ShardsManifest, folder_name, is_shards
from citewise.engines.shards.stores import ShardedStores
from citewise.engines.shards.transport import Call, LocalTransport
from citewise.types import Query
from growth import folder_of
from measuring import RESULTS, own_memory, save
from protocol import WORK, saved_queries

SYSTEMS = ("bm25", "best")
QUERIES, ROUNDS, K = 60, 3, 20
GIGABIT = 1e9 / 8
"""Bytes a second of a network of one gigabit."""
NETWORK = 10 * GIGABIT
NODES, TRIPS = 64, 6_400
"""Round trips that are measured, and to how many nodes."""
LATENCY = 0.0002
"""Seconds of a round trip between two machines of one data centre, beside what is measured here."""


Trip = tuple[str, int, int]
"""What tells a trip from others of an answer: what was asked, how many bytes that was, and a number
where that is the same. Two threads ask, so trips come in any order.
"""


@dataclass
class Spent:
    """Seconds of one answer, by where they would be spent, and what travelled."""

    shards: dict[Trip, dict[int, float]] = field(default_factory=dict)
    """For each trip, what each shard took."""
    messages: float = 0.0
    """The coordinator's packing and unpacking."""
    asked: list[tuple[float, float]] = field(default_factory=list)
    """When the transport was asked, and when it had answered; two threads may ask at a time."""
    bytes: int = 0


class MeasuredTransport:
    """Asks shards of this process one after the other, through messages as on a cluster."""

    def __init__(self, inner: LocalTransport) -> None:
        self._inner, self.spent = inner, Spent()

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Return the answer to each call."""
        begun, spent = time.perf_counter(), self.spent
        found: dict[int, Any] = {}
        trip: dict[int, float] = {}
        asked_for, size = " ".join(sorted({call.method for call in calls})), 0
        numbered = sorted(enumerate(calls), key=lambda each: each[1].shard)
        for shard, group in groupby(numbered, key=lambda each: each[1].shard):
            positions, asked = zip(*group, strict=True)
            start = time.perf_counter()
            message = packed([tuple(call) for call in asked])
            sent = time.perf_counter()
            answer = packed(self._inner.ask([Call(*each) for each in unpacked(message)]))
            answered = time.perf_counter()
            found |= zip(positions, unpacked(answer), strict=True)
            spent.messages += time.perf_counter() - answered + sent - start
            spent.bytes += len(message) + len(answer)
            size += len(message)
            trip[shard] = answered - sent
        number = sum(each[:2] == (asked_for, size) for each in spent.shards)
        spent.shards[asked_for, size, number] = trip
        spent.asked.append((begun, time.perf_counter()))
        return [found[position] for position in range(len(calls))]


def measured(size: int, shards: int) -> dict:
    """Cut a library of growth.py, and return what its answers take."""
    folder = shards_of(size, shards)
    manifest = manifests.load(folder)
    transport = MeasuredTransport(LocalTransport(folder, manifest))
    library = Library(ShardedStores(folder, manifest, transport, str(folder)))
    found = {
        "papers": size,
        "shards": shards,
        "MB of all shards": manifest.bytes_on_disk // 10**6,
        "MB of the coordinator's tables": _size(
            folder / folder_name(manifest.generation) / COORDINATOR
        ),
        **{system: answers(library, transport, system) for system in SYSTEMS},
        "MB not mapped, all shards and the coordinator": own_memory(),
        "bytes a paper": bytes_a_paper(manifest),
    }
    shutil.rmtree(folder)
    return found


def shards_of(size: int, shards: int) -> Path:
    """Return shards of a library of growth.py; they are cut unless they are there."""
    folder = WORK / f"planning-{size}-{shards}"
    if not is_shards(folder):
        shutil.rmtree(folder, ignore_errors=True)
        cut(folder_of(size), shards, folder)
    return folder


def bytes_a_paper(manifest: ShardsManifest) -> dict[str, float]:
    """Return how much of a paper is in each part of a shard."""
    parts = dict.fromkeys(PARTS.values(), 0)
    for name, entry in manifest.files.items():
        folder, *path = name.split("/")
        if folder != COORDINATOR:
            parts[PARTS["records" if path[-1].startswith("records.") else path[0]]] += entry.size
    return {part: round(size / manifest.papers, 1) for part, size in parts.items()}


def answers(library: Library, transport: MeasuredTransport, system: str) -> dict:
    """Return what an answer of a system takes, in the median over the queries.

    Each query is asked in several rounds, and each part's smallest time counts: the slowest of many
    shards would be the one during which this machine did something else.
    """
    asked = saved_queries("cs", 2022, least=5)[:QUERIES]
    rounds: list[list[tuple[float, Spent]]] = []
    for _ in range(1 + ROUNDS):
        rounds.append([])
        for each in asked:
            transport.spent = spent = Spent()
            start = time.perf_counter()
            library.answer(Query(each.title, each.abstract, each.id, each.year), K, system)
            rounds[-1].append((time.perf_counter() - start - covered(spent.asked), spent))

    parts: dict[str, list[float]] = {}
    for same in zip(*rounds[1:], strict=True):  # the first round warms up
        trips = best_of([spent.shards for _, spent in same])
        for name, value in {
            "coordinator ms": min(seconds for seconds, _ in same) * 1000,
            "messages ms": min(each.messages for _, each in same) * 1000,
            "slowest shard ms": sum(max(trip.values()) for trip in trips.values()) * 1000,
            "all shards ms": sum(sum(trip.values()) for trip in trips.values()) * 1000,
            "trips": len(trips),
            "kB": same[0][1].bytes / 1000,
        }.items():
            parts.setdefault(name, []).append(value)
    return {name: round(statistics.median(values), 2) for name, values in parts.items()}


def covered(spans: list[tuple[float, float]]) -> float:
    """Return the length of what spans of time cover together."""
    total, end = 0.0, 0.0
    for start, stop in sorted(spans):
        total += max(stop - max(start, end), 0.0)
        end = max(end, stop)
    return total


def best_of(rounds: list[dict[Trip, dict[int, float]]]) -> dict[Trip, dict[int, float]]:
    """Return the smallest time of each shard in each trip, of the rounds that went as the quickest
    one did: threads that share trips do not always meet in the same ones.
    """
    quickest = min(rounds, key=lambda trips: sum(sum(trip.values()) for trip in trips.values()))
    alike = [
        trips
        for trips in rounds
        if {trip: each.keys() for trip, each in trips.items()}
        == {trip: each.keys() for trip, each in quickest.items()}
    ]
    return {
        trip: {shard: min(trips[trip][shard] for trips in alike) for shard in each}
        for trip, each in quickest.items()
    }


def trip_ms() -> tuple[float, float]:
    """Return the milliseconds of a round trip to one node on a connection of this machine, 10 kB
    each way, and what each further node costs the client's processor.
    """
    (taken, alone), (_, many) = (_trips(count) for count in (1, NODES))
    return taken, round((many - alone) / (NODES - 1), 4)


def _trips(nodes: int) -> tuple[float, float]:
    """Return the milliseconds of a trip to some nodes, and those of the client's processor."""
    listeners = [Listener("127.0.0.1", lambda question: question) for _ in range(nodes)]
    connections = {
        str(number): (connect(each.endpoint, time.monotonic() + 10), time.monotonic() + 600)
        for number, each in enumerate(listeners)
    }
    taken, processor = [], []
    for _ in range(TRIPS // nodes):
        start, used = time.perf_counter(), time.thread_time()
        for connection, _ in connections.values():
            connection.send(bytes(10_000))
        for name in ready(connections):
            connections[name][0].receive()
        taken.append(time.perf_counter() - start)
        processor.append(time.thread_time() - used)
    for each in (*(connection for connection, _ in connections.values()), *listeners):
        each.close()
    return tuple(round(statistics.median(each) * 1000, 3) for each in (taken, processor))


PARTS = {
    "records": "papers, compressed",
    "segment": "forward index and columns",
    "lexical": "inverted index",
    "tables": "graph and lookups",
    "embeddings": "vectors and their lists",
    "evidence": "citing sentences",
}
"""The folders of a shard, and the files of its papers."""
RESIDENT = ("inverted index", "graph and lookups", "vectors and their lists")
"""Parts that every answer reads at many places: they should be in memory."""

Terms = dict[str, Callable[[float, float], float]]
"""The terms of a model, as functions of papers and shards."""

MODELS: dict[str, Terms] = {
    "coordinator ms": {
        "1": lambda papers, shards: 1.0,
        "shards": lambda papers, shards: shards,
        "million papers": lambda papers, shards: papers / 1e6,
    },
    "messages ms": {
        "1": lambda papers, shards: 1.0,
        "shards": lambda papers, shards: shards,
    },
    "slowest shard ms": {
        "1": lambda papers, shards: 1.0,
        "root of million papers a shard": lambda papers, shards: (papers / shards / 1e6) ** 0.5,
        "million papers a shard": lambda papers, shards: papers / shards / 1e6,
        "1 / shards": lambda papers, shards: 1 / shards,
    },
    "all shards ms": {
        "1": lambda papers, shards: 1.0,
        "shards": lambda papers, shards: shards,
        "root of million papers x shards": lambda papers, shards: (papers * shards / 1e6) ** 0.5,
        "million papers": lambda papers, shards: papers / 1e6,
    },
    "kB": {
        "1": lambda papers, shards: 1.0,
        "shards": lambda papers, shards: shards,
    },
}
"""What is fitted: parts of an answer, each a sum of terms whose factors are not below zero."""
MEMORY: Terms = {
    "1": lambda papers, shards: 1.0,
    "shards": lambda papers, shards: shards,
    "million papers": lambda papers, shards: papers / 1e6,
}
"""The same for the memory of all shards and a coordinator that is not mapped from files."""


def fitted(rows: list[dict], system: str, part: str) -> dict[str, float]:
    """Return the factors of a part's terms, by the rows in which it is known."""
    known = [row for row in rows if row[system][part] is not None]
    return factors_of(MODELS[part], known, [row[system][part] for row in known])


def factors_of(terms: Terms, rows: list[dict], values: list[float]) -> dict[str, float]:
    """Return the factors of some terms, by least squares of relative errors."""
    matrix = np.array(
        [[term(row["papers"], row["shards"]) for term in terms.values()] for row in rows]
    )
    factors, _ = nnls(matrix / np.array(values)[:, None], np.ones(len(values)))
    return dict(zip(terms, (round(float(each), 4) for each in factors), strict=True))


def not_mapped(rows: list[dict]) -> dict[str, float]:
    """Return the factors of the memory that is not mapped from files, in MB."""
    return factors_of(
        MEMORY, rows, [row["MB not mapped, all shards and the coordinator"] for row in rows]
    )


def predicted(factors: dict[str, float], part: str, papers: float, shards: float) -> float:
    """Return a part of an answer's time by the model, in ms."""
    return sum(factor * MODELS[part][name](papers, shards) for name, factor in factors.items())


def latency(row: dict, shards: int, trip: tuple[float, float]) -> float:
    """Return the milliseconds of an answer with each shard on a machine of its own; without the
    coordinator's where these are not known.
    """
    first, further = trip
    each = first + LATENCY * 1000 + further * (shards - 1)
    wire = row["trips"] * each + row["kB"] * 1000 / NETWORK * 1000
    return (row["coordinator ms"] or 0.0) + row["messages ms"] + row["slowest shard ms"] + wire


def modelled(rows: list[dict], system: str, papers: float, shards: float) -> dict:
    """Return an answer's parts by a model that is fitted to some measurements."""
    trips = statistics.median(row[system]["trips"] for row in rows)
    return {"trips": trips} | {
        part: predicted(fitted(rows, system, part), part, papers, shards) for part in MODELS
    }


def fit(measured_rows: list[dict], trip: tuple[float, float]) -> dict:
    """Return the model of each system, and its error for each measurement that it was not fitted
    to.
    """
    found = {}
    for system in SYSTEMS:
        errors = []
        for row in measured_rows:
            others = [each for each in measured_rows if each is not row]
            errors.append(_error(row, others, system, trip))
        # what a plan needs: from smaller libraries to the largest
        largest = max(row["papers"] for row in measured_rows)
        smaller = [row for row in measured_rows if row["papers"] < largest]
        ahead = [
            _error(row, smaller, system, trip) for row in measured_rows if row["papers"] == largest
        ]
        found[system] = {
            "factors": {part: fitted(measured_rows, system, part) for part in MODELS},
            "error of each measurement, left out": [round(each, 3) for each in errors],
            "median absolute error": round(statistics.median(map(abs, errors)), 3),
            "largest absolute error": round(max(map(abs, errors)), 3),
            "errors at the most papers, fitted to fewer": [round(each, 3) for each in ahead],
        }
    return found


def _error(row: dict, others: list[dict], system: str, trip: tuple[float, float]) -> float:
    """Return by what share a model of other measurements is too high for one."""
    shards = row["shards"]
    model = modelled(others, system, row["papers"], shards)
    if row[system]["coordinator ms"] is None:
        model |= {"coordinator ms": None}
    guess = latency(model, shards, trip)
    return guess / latency(row[system], shards, trip) - 1


PLANNED = ((1_000_000, 1), (20_000_000, 8), (50_000_000, 16), (200_000_000, 64), (200_000_000, 128))
"""Papers and shards that a plan is shown for."""
CORES, DATA_GB = 8, 48
"""Of each machine of a plan: cores, and memory that is left for data, of 64 GB."""
PRICE = 0.5
"""What such a machine costs an hour, in any currency: an assumption, to be replaced by your own."""
REPLICAS = 2


def plan(rows: list[dict], trip: tuple[float, float]) -> list[dict]:
    """Return what a cluster of a given size is expected to do and need, a shard of each on its own
    core.
    """
    disk = statistics.median(row["MB of all shards"] / row["papers"] for row in rows) * 1e6
    resident = statistics.median(
        sum(row["bytes a paper"][part] for part in RESIDENT) for row in rows
    )
    # how it is divided between shards and coordinators is not known: each replica is given all
    resident += not_mapped(rows)["million papers"]
    found = []
    for papers, shards in PLANNED:
        planned = {"papers": papers, "shards": shards}
        for system in SYSTEMS:
            parts = modelled(rows, system, papers, shards)
            processor = (
                parts["coordinator ms"]
                + parts["messages ms"]
                + parts["all shards ms"]
                + parts["trips"] * trip[1] * shards
            )
            planned |= {
                f"{system}: ms an answer": round(latency(parts, shards, trip)),
                f"{system}: processor ms an answer": round(processor),
                f"{system}: answers a second and core": round(1000 / processor, 2),
            }
        in_memory = papers * resident / 1e9 * REPLICAS
        # memory for the data, and a core for each shard of one copy
        machines = max(math.ceil(in_memory / DATA_GB), math.ceil(shards / CORES), REPLICAS)
        found.append(
            planned
            | {
                f"GB on disk, {REPLICAS} replicas": round(papers * disk / 1e9 * REPLICAS),
                f"GB in memory, {REPLICAS} replicas": round(in_memory),
                f"machines of {CORES} cores and 64 GB": machines,
                f"a month, at {PRICE} an hour and machine": round(machines * PRICE * 730),
            }
        )
    return found


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) // 10**6


def main() -> None:
    file = RESULTS / "planning.json"
    rows = json.loads(file.read_text())["rows"] if file.exists() else []
    if sys.argv[1:2] == ["cut"]:
        for each in sys.argv[2:]:
            shards_of(*map(int, each.split(":")))
        return
    if sys.argv[1:2] == ["measure"]:
        for each in sys.argv[2:]:
            papers, shards = map(int, each.split(":"))
            others = [row for row in rows if (row["papers"], row["shards"]) != (papers, shards)]
            rows = [*others, measured(papers, shards)]
            rows.sort(key=lambda row: (row["papers"], row["shards"]))
            save("planning", {"corpus": "cs, resampled above 315,077", "rows": rows})
        return
    trip = trip_ms()
    save(
        "planning",
        {
            "corpus": "cs, resampled above 315,077",
            "rows": rows,
            "ms of a round trip, 10 kB each way, on this machine": trip[0],
            "ms of the client's processor for each further node of a trip": trip[1],
            "MB that are not mapped, by papers and shards": not_mapped(rows),
            "assumed": {
                "network, Gbit/s": round(NETWORK / GIGABIT),
                "further ms of a round trip": LATENCY * 1000,
            },
            "model": fit(rows, trip),
            "plan": plan(rows, trip),
        },
    )


if __name__ == "__main__":
    main()
