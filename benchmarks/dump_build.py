"""Shards from a dump in OpenAlex's layout: `citewise build` with two workers, and on a cluster of
two Ray nodes of this machine, beside `citewise index` and `citewise shard` on the same cores; then
a build on the cluster whose processes are killed, and that goes on.

The library is compacted before it is cut, as the guide says; that time is not counted.

    python benchmarks/dump_build.py                          (300,000 works, some ten minutes)
    python benchmarks/dump_build.py 5000000 --steps index cluster killed   (an hour)
"""

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from build import processor_time
from growth import resampled
from measuring import COMMIT, RESULTS, ROOT, run_watched, save, tree_memory
from protocol import WORK, records

sys.path.insert(0, str(ROOT / "tests"))

from citewise.engines.ray.addresses import Address
from citewise.engines.ray.local_nodes import end_node, start_node, start_nodes, stop_nodes
from citewise.engines.shards import manifest as manifests
from openalex_dumps import Numbers, work, write_lines

WORKS = 300_000
A_FILE = 20_000
SHARDS = 3
WORKERS = 2
ADDRESS = Address("127.0.0.2", 6430)
KILLS = 3
KEPT = "--keep-versions"
"""Every other paper that is resampled keeps its title: as versions, half of them would be merged,
which no real dump has.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("works", nargs="?", type=int, default=WORKS)
    parser.add_argument("--steps", nargs="+", choices=[*STEPS], help="only these; files are kept")
    given = parser.parse_args()

    folder = WORK / f"dump-build-{given.works}"
    dump = write_dump(folder / "works", given.works)
    about = {"files": len(list(dump.rglob("*.gz"))), "dump MB": size(dump)}
    for step in given.steps or STEPS:
        load = os.getloadavg()[0]
        found = STEPS[step](dump, folder)
        keep(given.works, about | {step: found | {"load before": round(load, 1)}})
    if not given.steps:
        shutil.rmtree(folder)


def keep(works: int, measured: dict) -> None:
    """Add figures to those of a dump in the result file."""
    file = RESULTS / "dump_build.json"
    before = json.loads(file.read_text())["dumps"] if file.exists() else []
    dumps = {each["works"]: each for each in before}
    dumps[works] = {"works": works} | dumps.get(works, {}) | {"commit": COMMIT} | measured
    save(
        "dump_build",
        {
            "corpus": "cs, resampled above 315,077, in OpenAlex's layout",
            "workers": WORKERS,
            "shards": SHARDS,
            "dumps": [dumps[each] for each in sorted(dumps)],
        },
    )


def write_dump(folder: Path, count: int) -> Path:
    """Write resampled papers as works of OpenAlex, some thousands a file, unless they are there."""
    if folder.exists():
        return folder
    papers = list(records("cs"))
    random.Random(1).shuffle(papers)
    numbers, made = Numbers(), resampled(papers, count)
    unfinished = folder.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    for number in range(-(-count // A_FILE)):
        some = [work(record, numbers) for record in itertools.islice(made, A_FILE)]
        day = unfinished / f"updated_date=2025-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
        write_lines(day / f"part_{number // 336:03d}.gz", some)
    return unfinished.rename(folder)


def index(dump: Path, folder: Path) -> dict:
    """Measure `citewise index` alone."""
    library = folder / "library"
    shutil.rmtree(library, ignore_errors=True)
    found = measured("index", dump, "--library", library, KEPT)
    return found | {"library MB": size(library)}


def shard(dump: Path, folder: Path) -> dict:
    """Measure `citewise shard` of that library."""
    library, shards = folder / "library", folder / "cut"
    measured("compact", "--library", library)
    found = measured("shard", "--library", library, "--shards", SHARDS, "--output", shards)
    shutil.rmtree(library)
    return found | {"shards MB": size(shards)}


def build(dump: Path, folder: Path) -> dict:
    """Measure a build by processes of this machine."""
    return built(dump, folder / "built", "--workers", WORKERS) | {
        "the same files as cut": same(folder / "built", folder / "cut")
    }


def cluster(dump: Path, folder: Path) -> dict:
    """Measure a build on a cluster; the processor time of Ray's nodes is not known, and memory is
    that of the nodes, with Ray's own processes.
    """
    with nodes() as (processes, _):
        where = ("--address", ADDRESS.cluster)
        found = built(dump, folder / "clustered", *where, nodes=processes)
    del found["processor seconds"]
    others = [each for each in ("cut", "built") if (folder / each).exists()]
    for other in others:
        found[f"the same files as {other}"] = same(folder / "clustered", folder / other)
    return found


def killed(dump: Path, folder: Path) -> dict:
    """Kill a build on a cluster three times, and in the run after that a node with all its
    processes; return what all runs took together, and whether the shards are the same.
    """
    known = json.loads((RESULTS / "dump_build.json").read_text())["dumps"]
    (whole,) = (
        each["cluster"]["seconds"] for each in known if folder.name.endswith(f"-{each['works']}")
    )
    after = whole / (KILLS + 1)
    output, start = folder / "killed", time.perf_counter()
    command = [*building(dump, output), "--address", ADDRESS.cluster]
    with nodes() as (_, kill_node):
        for _ in range(KILLS):
            process = begun(command)
            time.sleep(after)
            process.send_signal(signal.SIGKILL)
            process.wait()
        last = time.perf_counter()
        process = begun(command)
        kill_node(after)
        code = process.wait()
    end = time.perf_counter()
    return {
        "kills of the build": KILLS,
        "each after, seconds": round(after, 1),
        "kills of a node": 1,
        "ended with code": code,
        "last run, seconds": round(end - last, 1),
        "all runs, seconds": round(end - start, 1),
        "the same files as clustered": same(output, folder / "clustered"),
    }


STEPS: dict[str, Callable[[Path, Path], dict]] = {
    each.__name__: each for each in (index, shard, build, cluster, killed)
}


@contextmanager
def nodes() -> Iterator[tuple[tuple[int, ...], Callable[[float], None]]]:
    """Start two nodes of Ray with one core each; gives their processes, and what kills the second
    one and starts another.
    """
    started = start_nodes(ADDRESS, WORKERS)

    def kill(after: float) -> None:
        time.sleep(after)
        end_node(started.processes[-1], signal.SIGKILL)
        start_node(ADDRESS, f"127.0.0.{2 + WORKERS}")

    try:
        yield started.processes, kill
    finally:
        stop_nodes(ADDRESS)


def building(dump: Path, output: Path) -> list[object]:
    """Return the command that builds shards."""
    return ["build", dump, "--output", output, "--shards", SHARDS, KEPT]


def begun(command: list[object]) -> subprocess.Popen[bytes]:
    """Start a command of citewise."""
    return subprocess.Popen(
        [sys.executable, "-m", "citewise", *map(str, command)], stderr=subprocess.DEVNULL
    )


def built(dump: Path, output: Path, *where: object, nodes: Sequence[int] = ()) -> dict:
    """Measure a build into a folder."""
    shutil.rmtree(output, ignore_errors=True)
    found = measured(
        *building(dump, output),
        *where,
        beside=output.with_name(f"{output.name}.work"),
        nodes=nodes,
    )
    return found | {"shards MB": size(output)}


def measured(*arguments: object, beside: Path | None = None, nodes: Sequence[int] = ()) -> dict:
    """Run a command; return its seconds, processor seconds and peak memory, or that of Ray's nodes
    that work for it, and how large the folder of its work was at most.
    """
    largest, by_nodes, done = [0], [0], threading.Event()

    def watch() -> None:
        while beside is not None and not done.wait(2):
            largest[0] = max(largest[0], size(beside))
            by_nodes[0] = max(by_nodes[0], sum(map(tree_memory, nodes)))

    watching = threading.Thread(target=watch)
    watching.start()
    before = processor_time()
    seconds, memory = run_watched([sys.executable, "-m", "citewise", *map(str, arguments)])
    done.set()
    watching.join()
    return {
        "seconds": round(seconds, 1),
        "processor seconds": round(processor_time() - before, 1),
        "peak memory of all processes, MB": by_nodes[0] or memory,
        **({"largest work folder, MB": largest[0]} if beside is not None else {}),
    }


def same(shards: Path, others: Path) -> bool:
    """Return whether two folders of shards have the same files, but for the inverted index."""
    return contents(shards) == contents(others)


def contents(shards: Path) -> dict[str, object]:
    """Return the files of shards with their checksums, without the inverted index."""
    files = manifests.load(shards).files
    return {name: each for name, each in files.items() if "/lexical/" not in name}


def size(folder: Path) -> int:
    """Return the size of all files below a folder in MB; those that vanish meanwhile do not
    count.
    """
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118
            except OSError:
                continue
    return total // 1_000_000


if __name__ == "__main__":
    main()
