"""How benchmarks measure and save: rounds in turns, memory of processes, and result files that
name the commit.
"""

import atexit
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def commit_of(folder: Path) -> str:
    """Return the commit of a checkout, with a mark where its source differs from the commit."""
    changed = _git(folder, "status", "--porcelain", "src")
    return _git(folder, "rev-parse", "--short", "HEAD") + ("+changes" if changed else "")


COMMIT = commit_of(ROOT)
"""The measured commit, as it was when the run began."""


def save(name: str, result: dict) -> None:
    """Write a result with the commit and the machine that it was measured on."""
    RESULTS.mkdir(exist_ok=True)
    whole = {
        "commit": COMMIT,
        "command": "python " + " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "machine": {
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
        },
        **result,
    }

    (RESULTS / f"{name}.json").write_text(json.dumps(whole, indent=1) + "\n")
    print(json.dumps(whole, indent=1))


def peak_memory(pid: int | str = "self") -> int:
    """Return a process's peak resident memory in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def own_memory(pid: int | str = "self") -> int:
    """Return a process's resident memory in MB without the files that it maps, which the system can
    drop and read again.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) // 1024
    return 0


def run_watched(command: list[str]) -> tuple[float, int]:
    """Run a command; return its seconds and the peak resident memory in MB of it and its children
    together.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, tree_memory(process.pid))
        time.sleep(0.1)

    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with code {process.returncode}")
    return time.perf_counter() - start, peak


def tree_memory(pid: int) -> int:
    """Return the resident memory of a process and its descendants in MB."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20 + sum(
        tree_memory(int(child)) for child in children
    )


def in_fresh_process(script: str, *arguments: str, megabytes: int = 0) -> dict:
    """Run a script of this folder in a process of its own; return the JSON that it prints last.

    With `megabytes`, it gets no more memory than that, counting what it reads of files.
    """
    command = [sys.executable, str(ROOT / "benchmarks" / script), *arguments]
    if megabytes:
        group = limited(megabytes)
        command = ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"), *command]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = json.loads(output.strip().splitlines()[-1])
    return found | {"peak MB, files read included": _peak(group)} if megabytes else found


def limited(megabytes: int) -> Path:
    """Make a control group of Linux with this much memory, which needs root; a process joins it by
    writing its number into the file `cgroup.procs` there.
    """
    groups = Path("/sys/fs/cgroup")
    older = (groups / "memory").is_dir()  # control groups of version 1
    group = (groups / "memory" if older else groups) / f"citewise-{os.getpid()}"
    group.mkdir(exist_ok=True)
    file = "memory.limit_in_bytes" if older else "memory.max"
    (group / file).write_text(str(megabytes * 1_000_000))
    atexit.register(group.rmdir)
    return group


def _peak(group: Path) -> int:
    """Return the most megabytes that a control group had."""
    older = group / "memory.max_usage_in_bytes"
    return int((older if older.exists() else group / "memory.peak").read_text()) // 10**6


def forget(folder: Path) -> None:
    """Drop the files of a folder from the system's page cache, where nobody maps them: who reads
    them next is charged for the memory.
    """
    os.sync()
    for file in filter(Path.is_file, folder.rglob("*")):
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def median_ms(function: Callable[..., Any], asked: Sequence[tuple]) -> Callable[[], float]:
    """Return what calls a function with each of some arguments, and returns the median time."""

    def once() -> float:
        taken = []
        for arguments in asked:
            start = time.perf_counter()
            function(*arguments)
            taken.append((time.perf_counter() - start) * 1000)
        return statistics.median(taken)

    return once


def interleaved(rounds: int, **contestants: Callable[[], float]) -> dict[str, list[float]]:
    """Call each contestant once a round, in turns; return what each returned, round by round."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            taken[name].append(contestant())
    return taken
