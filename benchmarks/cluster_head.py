"""What a client sees of the death of a cluster's head: three Ray nodes on loopback addresses of
this machine, a client in a process of its own that asks all the time; the head is killed with all
that runs on its node, and after some time the cluster is started again.

    python benchmarks/cluster_head.py scisummnet=LIBRARY [TIMES [SECONDS]]

The head is away for SECONDS (90). Answers are compared with those of the library itself.
"""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import citewise
from citewise.engines.ray import cluster
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.local_nodes import end_node, known_nodes, stop_nodes
from citewise.engines.shards.cutting import cut
from citewise.errors import Unavailable
from cluster_faults import NODES, SHARDS, answered, questions
from measuring import COMMIT, RESULTS, ROOT, save
from protocol import WORK

ADDRESS = Address("127.0.0.2", 6440, "library")


def client(library: str, folder: str) -> None:
    """Ask for ever; print a line when a question is asked, and one when it is answered: when that
    was, how long it took, and what the answer was.
    """
    asked = questions(library, Path(folder))
    opened = citewise.open(str(ADDRESS))
    while True:
        for query, right in asked:
            start = time.time()
            print(json.dumps([start]), flush=True)
            try:
                found = "right" if answered(opened, query) == right else "wrong"
            except Unavailable as error:
                found = f"unavailable: {error}"
            print(json.dumps([start, time.time() - start, found]), flush=True)
            time.sleep(0.1)


def up(library: str, folder: str) -> None:
    """Start the cluster; print how long that took, and whether it answers as the library does."""
    start = time.monotonic()
    cluster.up(Path(folder), ADDRESS, NODES)
    taken = time.monotonic() - start
    opened, asked = citewise.open(str(ADDRESS)), questions(library, Path(folder))
    right = all(answered(opened, query) == found for query, found in asked)
    print(json.dumps([taken, right]))


def one(library: str, folder: Path, seconds: float) -> dict:
    """Kill the head once; return what the client saw, and how soon the cluster was back."""
    started(library, folder)
    log = WORK / "cluster-head.jsonl"
    with log.open("w") as output:
        command = [sys.executable, __file__, "client", library, str(folder)]
        asking = subprocess.Popen(command, stdout=output, cwd=ROOT, stderr=subprocess.DEVNULL)
        while log.read_text().count("right") < 5:
            time.sleep(0.2)
        nodes = known_nodes(ADDRESS)
        assert nodes is not None
        killed = time.time()
        end_node(nodes.processes[0], signal.SIGKILL)
        time.sleep(seconds)
        lived, ended = asking.poll() is None, time.time()
        asking.kill()
        asking.wait()

    lines = [json.loads(line) for line in log.read_text().splitlines()]
    after = [each for each in lines if len(each) > 1 and each[0] + each[1] >= killed]
    (last_asked,) = lines[-1][:1]
    seconds_again, right = started(library, folder)
    stop_nodes(ADDRESS)
    return {
        "answers": len(after),
        "longest without an answer at the end, s": round(ended - last_asked, 2),
        "wrong": sum(found == "wrong" for *_, found in after),
        "`unavailable`": sum(found.startswith("unavailable") for *_, found in after),
        "slowest, s": round(max(taken for _, taken, _ in after), 2),
        "last right answer after, s": round(
            max(start - killed for start, _, found in after if found == "right"), 1
        ),
        "client lived": lived,
        "full service after starting again, s": round(seconds_again, 1),
        "right after that": right,
    }


def started(library: str, folder: Path) -> tuple[float, bool]:
    """Start the cluster by a process of its own, since one that has joined it ends when another
    head answers there.
    """
    command = [sys.executable, __file__, "up", library, str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    seconds, right = json.loads(done.stdout.splitlines()[-1])
    return seconds, right


def main() -> None:
    if sys.argv[1] in ("client", "up"):
        {"client": client, "up": up}[sys.argv[1]](*sys.argv[2:])
        return

    name, library = sys.argv[1].split("=", 1)
    times, seconds = [*map(int, sys.argv[2:]), *(5, 90)[len(sys.argv) - 2 :]]
    folder = WORK / f"{name}-head-shards"
    shutil.rmtree(folder, ignore_errors=True)
    cut(library, SHARDS, folder)
    found = []
    for _ in range(times):
        found.append(one(library, folder, seconds))
        keep(name, seconds, found)


def keep(name: str, seconds: int, found: list[dict]) -> None:
    """Write what was seen so far, in place of an earlier run with a head that was away as long."""
    file = RESULTS / "cluster-head.json"
    runs = json.loads(file.read_text())["runs"] if file.exists() else []
    others = [run for run in runs if run["seconds without a head"] != seconds]
    run = {"commit": COMMIT, "seconds without a head": seconds, "each": found}
    runs = sorted([*others, run], key=lambda each: each["seconds without a head"])
    save("cluster-head", {"library": name, "system": "evidence", "runs": runs})


if __name__ == "__main__":
    main()
