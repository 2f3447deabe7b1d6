"""The writers that crash.py kills: processes of their own that change libraries.

Run as a program, this module starts them.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import msgspec

import citewise
from citewise.library.writer import embed
from citewise.types import CitationGroup, CitingSentence, Paper
from word_models import StemModel

VECTORS = "stems"
"""The set of papers' vectors that the writer makes."""


class Job(msgspec.Struct):
    """One change of a library, and what it is made with."""

    operation: str
    library: str
    papers: list[Paper] = []
    ids: list[str] = []
    sources: list[str] = []


def sentences_of(papers: Iterable[Paper]) -> list[CitingSentence]:
    """Return one sentence a paper, which cites the first two references of that paper."""
    return [
        CitingSentence(
            paper.id,
            f"Paper {paper.id} speaks of it [REF].",
            (CitationGroup(20 + len(paper.id), 25 + len(paper.id), paper.references[:2]),),
            year=paper.year,
        )
        for paper in papers
        if paper.references
    ]


def work(job: Job) -> None:
    """Do a job in this process."""
    if job.operation in ("create", "index"):
        citewise.index(job.sources, job.library)
    elif job.operation == "add":
        citewise.add([*job.papers, *sentences_of(job.papers)], job.library)
    elif job.operation == "remove":
        citewise.remove(job.library, job.ids)
    elif job.operation == "compact":
        citewise.compact(job.library)
    elif job.operation == "embed":
        embed(job.library, VECTORS, StemModel())
    else:
        raise ValueError(job.operation)


class Writer:
    """A process that does jobs; it is gone when the block ends."""

    def __init__(self, server: "Writers", jobs: list[Job]) -> None:
        self._server = server
        self._code: int | None = None
        self._file = server.folder / "jobs.json"
        self._file.write_bytes(msgspec.json.encode(jobs))

    def __enter__(self) -> "Writer":
        self._pid = int(self._server.asked(str(self._file)))
        return self

    def __exit__(self, *error: object) -> None:
        if self.wait(0) is None:
            self.kill()
            self.wait()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.kill(self._pid, signal.SIGKILL)

    def wait(self, seconds: float | None = None) -> int | None:
        """Return the exit code, negative after a signal; None where it still works after these
        seconds.
        """
        if self._code is None and self._server.has_line(seconds):
            self._code = int(self._server.line())
        return self._code


class Writers:
    """Starts writers by forking a process that has imported the package: imports take a second."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._log = folder, folder / "writers.log"

    def __enter__(self) -> "Writers":
        command = [sys.executable, str(Path(__file__).resolve())]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0
            )
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    def writer(self, jobs: list[Job]) -> Writer:
        """Return a writer that begins with the jobs when its block begins."""
        return Writer(self, jobs)

    def asked(self, line: str) -> str:
        """Send a line; return the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        return self.line()

    def has_line(self, seconds: float | None) -> bool:
        """Whether a line comes within some seconds; without a limit, wait for it."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def line(self) -> str:
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise RuntimeError(f"no writer could be started: {self.errors()}")
        return line.decode()

    def errors(self) -> str:
        """Return what the writers wrote to their standard error."""
        return self._log.read_text()


def _serve() -> None:
    """For each line, which names a file of jobs: fork a writer, print its process, then its exit
    code.
    """
    for file in iter(sys.stdin.readline, ""):
        if not (writer := os.fork()):
            _write(Path(file.rstrip("\n")))
        _print(str(writer))
        _print(str(os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1])))


def _write(file: Path) -> NoReturn:
    """Do the jobs of a file, and end."""
    code = 1
    try:
        for job in msgspec.json.decode(file.read_bytes(), type=list[Job]):
            work(job)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _serve()
