"""A library cut into three shards, in this process and on three Ray nodes of this machine, beside
the library itself: the same answers, the time of one, and what faults do.

    python benchmarks/cluster.py cut NAME=LIBRARY ...     cuts libraries into benchmarks/work
    python benchmarks/cluster.py equality cs=LIBRARY scisummnet=LIBRARY [QUERIES]
    python benchmarks/cluster.py latency cs=LIBRARY [QUERIES]
    python benchmarks/cluster.py faults scisummnet=LIBRARY [TIMES]

Drafts are papers of 2021 of the library that have references there, asked as of their year;
sentences are those of the library, asked as of theirs.
"""

import os
import random
import signal
import statistics
import sys
import threading
import time
from pathlib import Path

import numpy as np

import citewise
from citewise.api import Library
from citewise.engines.ray import cluster
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.local_nodes import end_node, known_nodes, start_node
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.manifest import is_shards
from citewise.errors import CitewiseError
from citewise.types import Query
from measuring import save
from protocol import WORK

ADDRESS = Address("127.0.0.2", 6410, "library")
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
    """Time `best` in turns: the library, its shards in this process, and on a cluster."""
    ((name, where),) = libraries.items()
    folder = shards_of(name, where)
    cluster.up(folder, ADDRESS, NODES)
    try:
        one = citewise.open(where)
        contestants = {
            "one library": one,
            "shards in one process": citewise.open(folder),
            "shards on three Ray nodes": citewise.open(str(ADDRESS)),
        }
        queries = drafts(one, count)
        taken = timed(contestants, queries)
        remote = contestants["shards on three Ray nodes"]
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
            "ms, median": {each: round(1000 * value, 1) for each, value in medians.items()},
            "ms, 95th percentile": {
                each: round(1000 * float(np.percentile(times, 95)), 1)
                for each, times in taken.items()
            },
            "times the library": {
                each: round(value / medians["one library"], 2) for each, value in medians.items()
            },
            "a query on the cluster": traffic,
            "the same answers through Ray": same,
            "MB resident a node, with shards open": memory,
        },
    )


def timed(contestants: dict[str, Library], queries: list[Query]) -> dict[str, list[float]]:
    """Return how long each answer took, asked in turns; the first few are not counted."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for library in contestants.values():
        for query in queries[:5]:
            library.answer(query, 20, "best")
    for _ in range(ROUNDS):
        for query in queries:
            for name, library in contestants.items():
                start = time.perf_counter()
                library.answer(query, 20, "best")
                taken[name].append(time.perf_counter() - start)
    return taken


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


def faults(libraries: dict[str, str], times: int) -> None:
    """Kill workers and nodes, and switch generations, while queries are asked; count what a client
    sees.
    """
    ((name, where),) = libraries.items()
    folder = WORK / f"{name}-fault-shards"
    cut(where, SHARDS, folder)
    cluster.up(folder, ADDRESS, NODES)
    try:
        whole = citewise.open(where)
        queries = sentences(whole, 12)
        expected = [answered(whole, query) for query in queries]
        found = {}
        for fault, make, count in (
            ("worker killed", kill_worker, times),
            ("generation switched", lambda: switch(where, folder), max(times // 5, 1)),
            ("node killed, and another started", kill_node, max(times // 5, 1)),
        ):
            found[fault] = under_load(make, count, queries, expected)
            print(fault, found[fault], flush=True)
    finally:
        cluster.down(ADDRESS)
    save("cluster-faults", {"library": name, "system": "evidence", "faults": found})


def answered(library: Library, query: Query) -> list[tuple[int, float]]:
    ranking = library.recommender("evidence").rank(query, 20)
    return [
        (row, round(score, 9))
        for row, score in zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True)
    ]


def under_load(make, times: int, queries: list[Query], expected: list) -> dict:
    """Make a fault several times while a client asks; return what it saw."""
    taken, wrong, refused, stop = [], 0, [], threading.Event()

    def ask() -> None:
        nonlocal wrong
        while not stop.is_set():
            library = citewise.open(str(ADDRESS))
            for query, right in zip(queries, expected, strict=True):
                start = time.perf_counter()
                try:
                    wrong += answered(library, query) != right
                except CitewiseError as error:
                    refused.append(str(error))
                taken.append(time.perf_counter() - start)

    wait_whole()
    asking = threading.Thread(target=ask)
    asking.start()
    recovered = []
    for _ in range(times):
        make()
        recovered.append(wait_whole())
    stop.set()
    asking.join()
    return {
        "times": times,
        "answers": len(taken),
        "wrong answers": wrong,
        "errors": len(refused),
        "an error": refused[:1],
        "slowest answer, s": round(max(taken), 2),
        "median answer, s": round(statistics.median(taken), 3),
        "until every shard had two replicas again, s, median": round(
            statistics.median(recovered), 2
        ),
        "slowest": round(max(recovered), 2),
    }


def wait_whole() -> float:
    """Wait until three nodes live and every shard is open twice; return how long that took."""
    start = time.perf_counter()
    time.sleep(0.5)
    while not whole(cluster.status(ADDRESS)):
        time.sleep(0.1)
    return time.perf_counter() - start


def whole(state: ClusterState) -> bool:
    living = [node for node in state.nodes.values() if node is not None]
    open_ones = [shard for node in living for shard in node.generations.get(state.generation, [])]
    alive = all(Path(f"/proc/{node.process}").exists() for node in living)
    return alive and len(living) == NODES and len(open_ones) >= 2 * SHARDS and not state.problems


def kill_worker() -> None:
    state = cluster.status(ADDRESS)
    node = random.choice([node for node in state.nodes.values() if node is not None])
    os.kill(node.process, signal.SIGKILL)


def kill_node() -> None:
    nodes = known_nodes(ADDRESS)
    end_node(nodes.processes[-1], signal.SIGKILL)
    start_node(ADDRESS, f"127.0.0.{len(nodes.processes) + 2}")


def switch(where: str, folder: Path) -> None:
    cut(where, SHARDS, folder)
    cluster.switch(ADDRESS)


def main() -> None:
    verb, *given = sys.argv[1:]
    libraries = dict(each.split("=", 1) for each in given if "=" in each)
    (count,) = [int(each) for each in given if "=" not in each] or [0]
    if verb == "cut":
        for name, where in libraries.items():
            print(shards_of(name, where))
    elif verb == "equality":
        equality(libraries, count or 250)
    elif verb == "latency":
        latency(libraries, count or 40)
    else:
        faults(libraries, count or 50)


if __name__ == "__main__":
    main()
