"""The process of an import: `python -m citewise.http.importing FOLDER`."""

import shutil
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import filelock
import msgspec

from citewise import api
from citewise.errors import CitewiseError, MissingData
from citewise.http.jobs import write_state
from citewise.http.problems import Problem, problem_of
from citewise.http.settings import Limits
from citewise.http.unpacking import check_sizes, unpack
from citewise.ingest import Reading
from citewise.ingest.report import Event, Report

_EVERY = 0.2
"""Seconds between two writings of the state."""

_MOST_EVENTS = 500
"""Events of each kind that a report lists; all are counted."""


class Order(msgspec.Struct, frozen=True):
    """What a job is to do."""

    library: str
    sample: bool
    limits: Limits


@dataclass(slots=True)
class Job:
    """Writes down how far an import is."""

    folder: Path
    total: int = 0
    done: int = 0
    stage: str = "reading"
    _sizes: dict[str, int] = field(default_factory=dict)
    _written: float = 0.0
    _events: dict[str, list[Event]] = field(default_factory=dict)

    @property
    def files(self) -> Path:
        """The folder with the files of the job."""
        return self.folder / "files"

    def progress(self, reading: Reading) -> None:
        """Note how far a file was read."""
        self._sizes[reading.file] = reading.done
        self.done = min(sum(self._sizes.values()), self.total)
        finished = self.done >= self.total
        self.stage = "building the library" if finished else f"reading {self.named(reading.file)}"
        if finished or time.monotonic() - self._written > _EVERY:
            self.write("running")

    def note(self, event: Event) -> None:
        """Remember an event."""
        kept = self._events.setdefault(event.action, [])
        if len(kept) < _MOST_EVENTS:
            kept.append(event)

    def write(self, state: str, **more: Any) -> None:
        """Write the state down."""
        self._written = time.monotonic()
        about = {"job": self.folder.name, "state": state, "stage": self.stage}
        write_state(self.folder, {**about, "done": self.done, "total": self.total, **more})

    def report(self, report: Report) -> dict[str, Any]:
        """Return what the import did, as a JSON object."""
        counts: Counter[str] = Counter()
        for (action, _), count in report.counts.items():
            counts[action] += count
        return {
            "read": report.read,
            "added": report.added,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "sentences": report.sentences,
            "merged": counts["merged"],
            "repaired": counts["repaired"],
            "skipped": self._listed("skipped"),
            "repairs": self._listed("repaired"),
            "counts": dict(counts),
        }

    def _listed(self, action: str) -> list[dict[str, Any]]:
        events = (asdict(event) for event in self._events.get(action, []))
        return [{**each, "file": self.named(each["file"])} for each in events]

    def named(self, file: str) -> str:
        """Return a file's name as the user knows it."""
        return file.removeprefix(f"{self.files}/")


def main() -> None:
    """Do the job in the folder that the command line names."""
    folder = Path(sys.argv[1]).resolve()
    order = msgspec.json.decode((folder / "order.json").read_bytes(), type=Order)
    job, report = Job(folder), Report()
    report.listener = job.note
    try:
        job.stage = "waiting"
        with filelock.FileLock(folder.parent / "import.lock"):
            _import(job, order, report)
    except Problem as problem:
        _fail(job, problem, report)
    except CitewiseError as error:
        _fail(job, problem_of(error, str(job.files)), report)
    except Exception as error:
        detail = f"the import failed ({type(error).__name__}); the library is as it was"
        _fail(job, Problem(500, "internal_error", detail), report)
    finally:
        shutil.rmtree(job.files, ignore_errors=True)


def _import(job: Job, order: Order, report: Report) -> None:
    job.stage = "unpacking"
    job.write("running")
    if order.sample:
        job.stage = "building the library"
        api.build_sample(order.library, report=report)
    else:
        unpack(job.files, order.limits)
        check_sizes(job.files, order.limits)
        sources = sorted(each for each in job.files.rglob("*") if each.is_file())
        job.total = sum(each.stat().st_size for each in sources)
        api.index([job.files], order.library, report=report, progress=job.progress)

    if not report.imported:
        raise MissingData("no paper and no citing sentence was found in these files")
    job.stage, job.done = "done", job.total
    job.write("done", report=job.report(report))


def _fail(job: Job, problem: Problem, report: Report) -> None:
    job.stage = "failed"
    job.write("failed", report=job.report(report), error=problem.document())


if __name__ == "__main__":
    main()
