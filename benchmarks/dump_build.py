"""Shards from a dump in OpenAlex's layout: `citewise build` with two workers beside `citewise
index` and `citewise shard`, on the same cores; then a build that is killed and goes on.

The library is compacted before it is cut, as the guide says; that time is not counted.

    python benchmarks/dump_build.py                 (300,000 works, some ten minutes)
    python benchmarks/dump_build.py 5000000         (hours)
"""

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from build import processor_time
from growth import resampled
from measuring import ROOT, run_watched, save
from protocol import WORK, records

sys.path.insert(0, str(ROOT / "tests"))

from citewise.engines.shards import manifest as manifests
from openalex_dumps import Numbers, work, write_lines

WORKS = 300_000
A_FILE = 20_000
SHARDS = 3
WORKERS = 2


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else WORKS
    folder = WORK / "dump-build"
    shutil.rmtree(folder, ignore_errors=True)
    dump = write_dump(folder / "works", count)

    library, shards = folder / "library", folder / "cut"
    index = measured("index", dump, "--library", library)
    index["library MB"] = size(library)
    measured("compact", "--library", library)
    cut = measured("shard", "--library", library, "--shards", SHARDS, "--output", shards)
    cut["shards MB"] = size(shards)
    shutil.rmtree(library)
    build = measured(*build_command(dump, folder / "built"), beside=folder / "built.work")
    build["shards MB"] = size(folder / "built")

    seconds = index["seconds"] + cut["seconds"]
    processor = index["processor seconds"] + cut["processor seconds"]
    save(
        "dump_build",
        {
            "corpus": "cs, resampled above 315,077, in OpenAlex's layout",
            "works": count,
            "files": len(list(dump.rglob("*.gz"))),
            "dump MB": size(dump),
            "workers": WORKERS,
            "shards": SHARDS,
            "load, mean of 15 minutes": round(os.getloadavg()[2], 1),
            "index": index,
            "shard": cut,
            "build": build,
            "works a second": {
                "index and shard": round(count / seconds),
                "build": round(count / build["seconds"]),
            },
            "works a processor second": {
                "index and shard": round(count / processor),
                "build": round(count / build["processor seconds"]),
            },
            "same files as index and shard": contents(folder / "built") == contents(shards),
            "killed": killed(dump, folder, build["seconds"]),
        },
    )
    shutil.rmtree(folder)


def write_dump(folder: Path, count: int) -> Path:
    """Write resampled papers as works of OpenAlex, some thousands a file."""
    papers = list(records("cs"))
    random.Random(1).shuffle(papers)
    numbers, made = Numbers(), resampled(papers, count)
    for number in range(-(-count // A_FILE)):
        some = [work(record, numbers) for record in itertools.islice(made, A_FILE)]
        day = folder / f"updated_date=2025-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
        write_lines(day / f"part_{number // 336:03d}.gz", some)
    return folder


def build_command(dump: Path, output: Path) -> list[object]:
    """Return the arguments of a build."""
    return ["build", dump, "--output", output, "--shards", SHARDS, "--workers", WORKERS]


def measured(*arguments: object, beside: Path | None = None) -> dict:
    """Run a command; return its seconds, processor seconds and peak memory, and how large the
    folder of its work was at most.
    """
    largest, done = [0], threading.Event()

    def watch() -> None:
        while beside is not None and not done.wait(2):
            largest[0] = max(largest[0], size(beside))

    watching = threading.Thread(target=watch)
    watching.start()
    before = processor_time()
    seconds, memory = run_watched([sys.executable, "-m", "citewise", *map(str, arguments)])
    done.set()
    watching.join()
    return {
        "seconds": round(seconds, 1),
        "processor seconds": round(processor_time() - before, 1),
        "peak memory of all processes, MB": memory,
        **({"largest work folder, MB": largest[0]} if beside is not None else {}),
    }


def killed(dump: Path, folder: Path, seconds: float) -> dict:
    """Kill a build three times, after a quarter of its time each; return what finishing it took,
    and whether the shards are the same.
    """
    output, before = folder / "killed", processor_time()
    command = [sys.executable, "-m", "citewise", *map(str, build_command(dump, output))]
    for _ in range(3):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(seconds / 4)
        process.send_signal(signal.SIGKILL)
        process.wait()
    last = measured(*build_command(dump, output))
    return {
        "kills": 3,
        "each after, seconds": round(seconds / 4, 1),
        "last run, seconds": last["seconds"],
        "processor seconds of the last run": last["processor seconds"],
        "processor seconds of all runs that were waited for": round(processor_time() - before, 1),
        "same files": contents(output) == contents(folder / "built"),
    }


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
