"""A library cut into three shards, in this process and on three Ray nodes of this machine, beside
the library itself: the same answers, and the time of one (cluster_faults.py: what faults do).

    python benchmarks/cluster.py cut NAME=LIBRARY ...     cuts libraries into benchmarks/work
    python benchmarks/cluster.py equality cs=LIBRARY scisummnet=LIBRARY [QUERIES]
    python benchmarks/cluster.py latency cs=LIBRARY [QUERIES]

Drafts are papers of 2021 of the library that have references there, asked as of their year;
sentences are those of the library, asked as of theirs.
"""

import contextlib
import http.client
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

import citewise
from citewise.api import Library
from citewise.engines.ray import cluster
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.directory import ClusterState, Service
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.manifest import is_shards
from citewise.http.on_nodes import HttpNode
from citewise.http.settings import Settings
from citewise.types import Query
from measuring import save
from protocol import WORK

ADDRESS = Address("127.0.0.2", 6410, "library")
HTTP = Settings(str(ADDRESS), state="", port=8410)
SHARDS, NODES, K, ROUNDS = 3, 3, 100, 3
TOLERANCE = 1e-9
DRAFTS = ("bm25", "navigation", "best")
SENTENCES = ("bm25", "evidence")


def shards_of(name: str, library: str) -> Path:
    """Return the shards of a library; they are cut where they are not there."""
    folder = WORK / f"{name}-shards"
    if not is_shards(folder):
        cut(library, SHARDS, folder)
    return folder


def drafts(library: Library, count: int) -> list[Query]:
    """Return drafts: papers of 2021 with at least five references, evenly spread."""
    stores = library.stores
    rows = stores.papers.rows
    citing = stores.graph.references(rows).lengths >= 5
    rows = rows[(stores.papers.years(rows) == 2021) & citing]
    chosen = rows[np.linspace(0, rows.size - 1, count).astype(int)]
    return [
        Query(each.title, each.abstract, each.id, each.year) for each in stores.papers.read(chosen)
    ]


def sentences(library: Library, count: int) -> list[Query]:
    """Return citing sentences, evenly spread."""
    evidence = library.stores.evidence
    numbers = evidence.sentence_table().numbers
    chosen = numbers[np.linspace(0, numbers.size - 1, count).astype(int)]
    found = evidence.sentences(chosen)
    return [Query(sentence=each.text, id=each.citing, year=each.year) for each in found]


def compared(one: Library, other: Library, system: str, queries: list[Query]) -> dict:
    """Return for how many queries two libraries give the same rows with the same scores."""
    same, top, worst, apart = 0, 0, 0.0, 0
    for query in queries:
        expected, found = (each.recommender(system).rank(query, K) for each in (one, other))
        scores = dict(zip(expected.rows.tolist(), expected.scores.tolist(), strict=True))
        differences = [
            abs(scores.get(row, np.inf) - score)
            for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)
        ]
        shared = [each for each in differences if np.isfinite(each)]
        equal = expected.rows.tolist() == found.rows.tolist()
        same += equal and max(shared, default=0.0) <= TOLERANCE
        top += expected.rows[:20].tolist() == found.rows[:20].tolist()
        apart += len(differences) - len(shared)
        worst = max(worst, *shared, 0.0)
    return {
        "queries": len(queries),
        f"the same {K} rows and scores to {TOLERANCE}": same,
        "the same first 20 in order": top,
        "rows that only one of both has": apart,
        "largest difference of a score": worst,
    }


def equality(libraries: dict[str, str], count: int) -> None:
    """Compare shards in this process with the library."""
    found = {}
    for name, where in libraries.items():
        one, other = citewise.open(where), citewise.open(shards_of(name, where))
        asked = [("drafts", DRAFTS, drafts), ("sentences", SENTENCES, sentences)]
        for kind, systems, make in asked:
            if kind == ("sentences" if one.stores.evidence.counts().sentences else "drafts"):
                queries = make(one, count)
                for system in systems:
                    found[f"{name} {system}"] = compared(one, other, system, queries)
                    print(name, system, found[f"{name} {system}"], flush=True)
    save(f"cluster-equality-{'-'.join(libraries)}", {"shards": SHARDS, "k": K, "compared": found})


def latency(libraries: dict[str, str], count: int) -> None:
    """Time `best` in turns: the library, its shards in this process, on a cluster, and by HTTP from
    a node of the cluster.
    """
    ((name, where),) = libraries.items()
    folder = shards_of(name, where)
    load = [os.getloadavg()[0]]
    state = cluster.up(folder, ADDRESS, NODES, service=Service(HttpNode, (HTTP,)))
    try:
        one, remote = citewise.open(where), citewise.open(str(ADDRESS))
        nodes = [node.process for node in state.nodes.values() if node is not None]
        contestants = {
            "one library": (answering(one), []),
            "shards in one process": (answering(citewise.open(folder)), []),
            "shards on three Ray nodes": (answering(remote), nodes),
            "the same by HTTP from a node": (
                by_http(sorted(state.services.values())[0]),
                [*nodes, *children_named("HttpNode")],
            ),
        }
        queries = drafts(one, count)
        taken, processor = timed(contestants, queries)
        load.append(os.getloadavg()[0])
        traffic = traffic_of(remote, queries)
        same = compared(one, remote, "best", queries[:20])
        memory = memory_of(cluster.status(ADDRESS))
    finally:
        cluster.down(ADDRESS)

    medians = {each: statistics.median(times) for each, times in taken.items()}
    save(
        "cluster-latency",
        {
            "library": name,
            "queries": len(queries),
            "rounds": ROUNDS,
            "system": "best, top 20 with their papers",
            "load of the machine, before and after": [round(each, 1) for each in load],
            "OMP_NUM_THREADS here": os.environ.get("OMP_NUM_THREADS", "not set"),
            "ms, median": {each: round(1000 * value, 1) for each, value in medians.items()},
            "ms, 95th percentile": {
                each: round(1000 * float(np.percentile(times, 95)), 1)
                for each, times in taken.items()
            },
            "times the library": {
                each: round(value / medians["one library"], 2) for each, value in medians.items()
            },
            "processor ms a query": processor,
            "processor time, times the library": {
                each: round(value / processor["one library"], 2)
                for each, value in processor.items()
            },
            "a query on the cluster": traffic,
            "the same answers through Ray": same,
            "MB resident a node, with shards open": memory,
        },
    )


def answering(library: Library) -> Callable[[Query], object]:
    return lambda query: library.answer(query, 20, "best")


def by_http(address: str) -> Callable[[Query], object]:
    """Return what asks a server, on one connection."""
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=120)

    def ask(query: Query) -> object:
        draft = {"title": query.title, "abstract": query.abstract, "year": query.year}
        asked = {**draft, "hidden": [query.id], "k": 20, "system": "best"}
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/recommend", json.dumps(asked), headers)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return json.loads(content)

    return ask


def children_named(word: str) -> list[int]:
    """Return the processes of Ray's actors of a class: Ray shows it in their titles."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if file.read_bytes().startswith(f"ray::{word}".encode()):
                found.append(int(file.parent.name))
    return found


def processor_time(process: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(
    contestants: dict[str, tuple[Callable[[Query], object], list[int]]], queries: list[Query]
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Return how long each answer took, asked in turns, and the processor time of one in ms: of
    this process, and of others that take part. The first few are not counted.
    """
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    used = dict.fromkeys(contestants, 0.0)
    for ask, _ in contestants.values():
        for query in queries[:5]:
            ask(query)
    for _ in range(ROUNDS):
        for query in queries:
            for name, (ask, processes) in contestants.items():
                before = time.process_time() + sum(map(processor_time, processes))
                start = time.perf_counter()
                ask(query)
                taken[name].append(time.perf_counter() - start)
                used[name] += time.process_time() + sum(map(processor_time, processes)) - before
    count = len(queries) * ROUNDS
    return taken, {name: round(1000 * each / count, 1) for name, each in used.items()}


def traffic_of(library: Library, queries: list[Query]) -> dict:
    """Return the round trips and bytes of a query, in the mean."""
    transport = library.stores.transport  # type: ignore[attr-defined]
    before = vars_of(transport.traffic)
    for query in queries:
        library.answer(query, 20, "best")
    after = vars_of(transport.traffic)
    mean = {name: (after[name] - before[name]) / len(queries) for name in after}
    return {
        "round trips": round(mean["trips"], 1),
        "messages": round(mean["messages"], 1),
        "kB sent": round(mean["sent"] / 1000, 1),
        "kB received": round(mean["received"] / 1000, 1),
    }


def vars_of(traffic: object) -> dict[str, int]:
    names = ("trips", "messages", "sent", "received", "retries")
    return {name: getattr(traffic, name) for name in names}


def memory_of(state: ClusterState) -> list[int]:
    return [node.memory // 10**6 for node in state.nodes.values() if node is not None]


def main() -> None:
    verb, *given = sys.argv[1:]
    libraries = dict(each.split("=", 1) for each in given if "=" in each)
    (count,) = [int(each) for each in given if "=" not in each] or [0]
    if verb == "cut":
        for name, where in libraries.items():
            print(shards_of(name, where))
    elif verb == "equality":
        equality(libraries, count or 250)
    else:
        latency(libraries, count or 40)


if __name__ == "__main__":
    main()
