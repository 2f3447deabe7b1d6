"""Imports as jobs: each a process of its own, whose state is a file that every worker can read."""

import contextlib
import re
import secrets
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from citewise.http.problems import Problem, overloaded
from citewise.http.processes import is_alive
from citewise.http.settings import Settings

_ID = re.compile(r"[0-9a-f]{16}")
_KEPT = 50
"""Finished jobs whose state can still be asked for."""

FINISHED = ("done", "failed")


class Jobs:
    """The imports of a server; they wait for one another, since a library has one writer."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = Path(settings.state) / "jobs"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._processes: list[subprocess.Popen[bytes]] = []

    def new_folder(self) -> Path:
        """Return a folder for the files of a new job; Problem 503 where too many wait already."""
        self._tidy()
        if self.unfinished() + self._arriving() >= self._settings.limits.jobs:
            raise overloaded()
        folder = self._folder / secrets.token_hex(8)
        (folder / "files").mkdir(parents=True)
        return folder

    def start(self, folder: Path, sample: bool) -> str:
        """Start a job over the files in its folder; return its id."""
        name = folder.name
        write_state(folder, {"job": name, "state": "waiting", "stage": "waiting"})
        order = {"library": self._settings.library, "sample": sample}
        order["limits"] = msgspec.to_builtins(self._settings.limits)
        (folder / "order.json").write_bytes(msgspec.json.encode(order))

        process = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", "citewise.http.importing", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        replace(folder / "process", str(process.pid).encode())
        self._processes.append(process)
        threading.Thread(target=self._wait, args=(process, folder), daemon=True).start()
        return name

    def _wait(self, process: "subprocess.Popen[bytes]", folder: Path) -> None:
        process.wait()
        self._processes.remove(process)
        with contextlib.suppress(FileNotFoundError):  # a request settled it, and it was tidied away
            self._settle(folder)

    def state(self, job: str) -> dict[str, Any]:
        """Return the state of a job; Problem 404 where there is none of that id."""
        folder = self._folder / job
        if not _ID.fullmatch(job) or not (folder / "state.json").exists():
            raise Problem(404, "missing_data", "there is no such import")
        state = read_state(folder)
        if state["state"] not in FINISHED and not _is_running(folder):
            return self._settle(folder)
        return state

    def unfinished(self) -> int:
        """Return how many jobs wait or run."""
        started = [each.name for each in self._folder.iterdir() if (each / "process").exists()]
        return sum(self._is_unfinished(job) for job in started)

    def _is_unfinished(self, job: str) -> bool:
        try:
            return self.state(job)["state"] not in FINISHED
        except (Problem, FileNotFoundError):  # another worker has tidied it away
            return False

    def _arriving(self) -> int:
        """Return how many uploads are on their way: folders that no process reads yet."""
        oldest = time.time() - self._settings.limits.body_seconds
        waiting = [each for each in self._folder.iterdir() if not (each / "process").exists()]
        return sum(_modified(each) > oldest for each in waiting)

    def close(self) -> None:
        """Stop the jobs of this process; the library stays as it was."""
        for process in [*self._processes]:
            process.terminate()

    def _settle(self, folder: Path) -> dict[str, Any]:
        """Return the last state of a job whose process has ended; its files are removed."""
        shutil.rmtree(folder / "files", ignore_errors=True)
        state = read_state(folder)
        if state["state"] not in FINISHED:
            stopped = Problem(
                503, "internal_error", "the import was stopped; the library is as it was"
            )
            state |= {"state": "failed", "stage": "failed", "error": stopped.document()}
            write_state(folder, state)
        return state

    def _tidy(self) -> None:
        """Forget the oldest jobs."""
        with contextlib.suppress(OSError):  # another worker does the same
            folders = sorted(self._folder.iterdir(), key=lambda each: each.stat().st_mtime)
            for folder in folders[:-_KEPT]:
                if read_state(folder)["state"] in FINISHED:
                    shutil.rmtree(folder, ignore_errors=True)


def write_state(folder: Path, state: dict[str, Any]) -> None:
    """Replace the state of a job, whole; two threads or processes may do so at once."""
    whole = {"done": 0, "total": 0, **state}
    replace(folder / "state.json", msgspec.json.encode(whole))


def replace(file: Path, content: bytes) -> None:
    """Write a file so that nobody reads a part of it."""
    fresh = file.with_suffix(f".{secrets.token_hex(8)}")
    fresh.write_bytes(content)
    fresh.replace(file)


def _modified(folder: Path) -> float:
    """Return when a folder was changed last, in seconds; 0 where it is gone."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def read_state(folder: Path) -> dict[str, Any]:
    """Return the state of a job."""
    state: dict[str, Any] = msgspec.json.decode((folder / "state.json").read_bytes())
    return state


def _is_running(folder: Path) -> bool:
    """Return whether the process of a job is there; one that was just started counts."""
    try:
        return is_alive(int((folder / "process").read_text()))
    except FileNotFoundError:
        return True
