"""What clients of a cluster see while parts of it fail: three Ray nodes on loopback addresses of
this machine, two clients that ask all the time, one fault after the other.

    python benchmarks/cluster_faults.py scisummnet=LIBRARY [TIMES [SECONDS]] [FAULT ...]

Each fault is made TIMES (50) times, or until SECONDS (150) are over, and each time full service is
waited for. Answers are compared with those of the library itself, for sentences of it to which the
shards in this process answer the same. Results of faults that are not named are kept.
"""

import contextlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import citewise
from citewise.api import Library
from citewise.engines.ray import cluster
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.local_nodes import end_node, known_nodes, start_node
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.manifest import folder_name, shard_name
from citewise.errors import CitewiseError, Unavailable
from citewise.types import Query
from cluster import children_named, sentences
from measuring import RESULTS, save
from protocol import WORK

ADDRESS = Address("127.0.0.2", 6420, "library")
SHARDS, NODES, CLIENTS, QUERIES = 3, 3, 2, 12
STOPPED = 3.0
"""Seconds for which a slow node does nothing."""
PATIENCE = 5.0
"""Seconds after which these clients give a shard up; usually it is 20."""
LOST = "records.zst"


@dataclass
class Cluster:
    """The cluster that faults are made on."""

    library: str
    folder: Path
    next_host: int = NODES + 2

    @property
    def state(self) -> ClusterState:
        return cluster.status(ADDRESS)

    def workers(self, shard: int | None = None) -> list[int]:
        """Return the processes that have a shard open, or all."""
        state = self.state
        nodes = [node for node in state.nodes.values() if node is not None]
        return [
            node.process
            for node in nodes
            if shard is None or shard in node.generations.get(state.generation, [])
        ]


@dataclass
class Seen:
    """What clients saw."""

    times: list[float] = field(default_factory=list)
    wrong: int = 0
    documented: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def killed(*processes: int) -> None:
    """Kill processes, and wait until they are gone."""
    for process in processes:
        os.kill(process, signal.SIGKILL)
    while any(Path(f"/proc/{process}").exists() for process in processes):
        time.sleep(0.02)


def worker_killed(on: Cluster) -> None:
    killed(random.choice(on.workers()))


def node_killed(on: Cluster) -> None:
    """Kill all processes of a node, and start another one."""
    nodes = known_nodes(ADDRESS)
    assert nodes is not None
    end_node(nodes.processes[-1], signal.SIGKILL)
    start_node(ADDRESS, f"127.0.0.{on.next_host}")
    on.next_host += 1


def node_slow(on: Cluster) -> None:
    process = random.choice(on.workers())
    os.kill(process, signal.SIGSTOP)
    time.sleep(STOPPED)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


def file_lost(on: Cluster) -> None:
    """Take a file of a shard away, and kill a worker that had it open; wait until that is named, or
    until other nodes that have it open have taken over.
    """
    with missing_file(on, shard := random.randrange(SHARDS)):
        killed(random.choice(on.workers(shard)))
        wait(on, lambda state: is_named(state) or is_whole(state))


def no_replica(on: Cluster) -> None:
    """Take a file of a shard away, and kill all workers that had it open."""
    with missing_file(on, shard := random.randrange(SHARDS)):
        killed(*on.workers(shard))
        wait(on, is_named)
        time.sleep(2.0)


@contextlib.contextmanager
def missing_file(on: Cluster, shard: int) -> Iterator[None]:
    part = on.folder / folder_name(on.state.generation) / shard_name(shard)
    shutil.move(part / "segment" / LOST, part / "lost")
    try:
        yield
    finally:
        shutil.move(part / "lost", part / "segment" / LOST)


def is_named(state: ClusterState) -> bool:
    """Return whether the missing file is among the problems that `cluster status` shows."""
    return any(LOST in each for each in state.problems)


def generation_switched(on: Cluster) -> None:
    cut(on.library, SHARDS, on.folder)
    cluster.switch(ADDRESS)


def directory_killed(on: Cluster) -> None:
    (process,) = children_named("Directory")
    killed(process)


FAULTS: dict[str, Callable[[Cluster], None]] = {
    f"node stopped for {STOPPED:.0f} s": node_slow,
    "generation switched": generation_switched,
    "directory killed": directory_killed,
    "worker killed": worker_killed,
    "file of a shard lost, and a worker killed that had it open": file_lost,
    "file of a shard lost, and all workers killed that had it open": no_replica,
    "node killed, and another started": node_killed,
}


def under_load(
    on: Cluster, make: Callable[[Cluster], None], bounds: tuple[int, float], asked: list
) -> dict:
    """Make a fault several times while clients ask; return what they saw."""
    seen, stop = Seen(), threading.Event()
    clients = [
        threading.Thread(target=ask, args=(asked[at:] + asked[:at], seen, stop))
        for at in range(CLIENTS)
    ]
    wait(on, is_whole)
    for each in clients:
        each.start()

    recovered, end, stuck = [], time.monotonic() + bounds[1], ""
    try:
        while len(recovered) < bounds[0] and time.monotonic() < end:
            make(on)
            recovered.append(wait(on, is_whole))
    except TimeoutError as error:
        stuck = str(error)
    finally:
        stop.set()
        for each in clients:
            each.join()
    return counted(seen, recovered) | ({"stuck": stuck} if stuck else {})


def counted(seen: Seen, recovered: list[float]) -> dict:
    return {
        "times": len(recovered),
        "questions": len(seen.times),
        "wrong answers": seen.wrong,
        "`unavailable`": len(seen.documented),
        "other errors": len(seen.others),
        "for example": sorted({*map(shortened, seen.documented + seen.others)})[:4],
        "median answer, s": round(statistics.median(seen.times), 3),
        "slowest answer, s": round(max(seen.times), 2),
        "full service after, s, median": round(statistics.median(recovered), 2),
        "full service after, s, slowest": round(max(recovered), 2),
    }


def shortened(message: str) -> str:
    """Return an error without the names of nodes, and its beginning only."""
    return re.sub(r"library-[0-9a-f]{12}", "NODE", message)[:200]


def ask(asked: list, seen: Seen, stop: threading.Event) -> None:
    """Ask until it is enough; a new generation is opened when there is one, as `serve` does."""
    library: Library | None = None
    for query, right in itertools.cycle(asked):
        if stop.is_set():
            return
        start = time.perf_counter()
        try:
            library = renewed(library)
            seen.wrong += answered(library, query) != right
        except Unavailable as error:
            seen.documented.append(str(error))
        except Exception as error:
            seen.others.append(f"{type(error).__name__}: {error}")
        seen.times.append(time.perf_counter() - start)


def renewed(library: Library | None) -> Library:
    """Return the library of the cluster, opened again if it has a newer generation."""
    if library is not None:
        generation = library.stores.info.generation
        with contextlib.suppress(Unavailable):  # the open one may answer all the same
            generation = library.stores.newest_generation()  # type: ignore[attr-defined]
        if generation == library.stores.info.generation:
            return library
    opened = citewise.open(str(ADDRESS))
    opened.stores.transport.patience = PATIENCE  # type: ignore[attr-defined]
    return opened


def answered(library: Library, query: Query) -> list[tuple[int, float]]:
    ranking = library.recommender("evidence").rank(query, 20)
    found = zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True)
    return [(row, round(score, 9)) for row, score in found]


def questions(library: str, folder: Path) -> list[tuple[Query, list[tuple[int, float]]]]:
    """Return sentences with the library's answers, where the shards here agree."""
    whole, shards = citewise.open(library), citewise.open(folder)
    candidates = sentences(whole, 3 * QUERIES)
    found = [(query, answered(whole, query)) for query in candidates]
    return [each for each in found if answered(shards, each[0]) == each[1]][:QUERIES]


def wait(on: Cluster, reached: Callable[[ClusterState], bool], seconds: float = 120.0) -> float:
    """Wait for a state of the cluster; return how long that took."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        with contextlib.suppress(CitewiseError):
            if reached(on.state):
                return time.monotonic() - start
        time.sleep(0.1)
    raise TimeoutError(f"the cluster did not come back within {seconds:.0f} s: {on.state}")


def is_whole(state: ClusterState) -> bool:
    """Return whether all nodes live, and every shard is open twice."""
    living = [node for node in state.nodes.values() if node is not None]
    open_ones = [shard for node in living for shard in node.generations.get(state.generation, [])]
    alive = all(Path(f"/proc/{node.process}").exists() for node in living)
    return alive and len(living) == NODES and len(open_ones) >= 2 * SHARDS and not state.problems


def main() -> None:
    (name, library), *given = [each.split("=", 1) for each in sys.argv[1:2]] + sys.argv[2:]
    numbers = [int(each) for each in given if each.isdigit()]
    times, seconds = [*numbers, *(50, 150)[len(numbers) :]]
    chosen = [each for each in FAULTS if each in given] or [*FAULTS]

    file = RESULTS / "cluster-faults.json"
    found = json.loads(file.read_text())["faults"] if file.exists() and len(chosen) < 7 else {}
    folder = WORK / f"{name}-fault-shards"
    shutil.rmtree(folder, ignore_errors=True)
    cut(library, SHARDS, folder)
    on, asked = Cluster(library, folder), questions(library, folder)
    cluster.up(folder, ADDRESS, NODES)
    try:
        for fault in chosen:
            found[fault] = under_load(on, FAULTS[fault], (times, seconds), asked)
            about = {"library": name, "system": "evidence", "clients": CLIENTS}
            save("cluster-faults", {**about, "queries": len(asked), "faults": found})
    finally:
        cluster.down(ADDRESS)


if __name__ == "__main__":
    main()
