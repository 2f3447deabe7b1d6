"""The writer that crash.py kills: a process of its own that changes libraries.

Run as a program, it prints "ready" when imports are done, and "done" after each job.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

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


@contextlib.contextmanager
def writer(jobs: list[Job], folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Give a process that begins with the jobs now; it is gone afterwards."""
    file = folder / "jobs.json"
    file.write_bytes(msgspec.json.encode(jobs))

    command = [sys.executable, str(Path(__file__).resolve()), str(file)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise RuntimeError(f"the writer did not start: {error_output(process)}")
            yield process
        finally:
            process.kill()


def error_output(process: "subprocess.Popen[str]") -> str:
    """Return what a process wrote to its standard error."""
    return process.stderr.read() if process.stderr else ""


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _main() -> None:
    """Do the jobs of the file that the command line names."""
    jobs = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=list[Job])
    _print("ready")
    for job in jobs:
        work(job)
        _print("done")


if __name__ == "__main__":
    _main()
