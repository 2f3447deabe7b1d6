"""Builds shards from dumps: thousands of files, on this machine's cores or on a cluster.

Nothing has all records in memory, and a build that was killed goes on where it was.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import filelock

from citewise.engines.dumps.changes import parts_of
from citewise.engines.dumps.events import counts_of, replay
from citewise.engines.dumps.finishing import finish, finished_before
from citewise.engines.dumps.matching import merging_tasks
from citewise.engines.dumps.merging import MERGED
from citewise.engines.dumps.plan import Build, Plan, SourceFile, begin, known_plan, no_models
from citewise.engines.dumps.reading import STEP as READ
from citewise.engines.dumps.steps import FILES, PAPERS, Progress, forget_shards, take
from citewise.engines.dumps.tasks import Workers
from citewise.engines.shards.generations import (
    check_shards,
    next_generation,
    only_writer,
    remove_unfinished,
    unfinished,
)
from citewise.engines.shards.manifest import ShardsManifest
from citewise.errors import BadInput, LibraryBusy, MissingData
from citewise.ingest import note_library
from citewise.ingest.report import Report
from citewise.ingest.source import find
from citewise.protocols import WordModel


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """How shards are made; `models` is a function of a module, which every worker can import."""

    shards: int
    work: Path | None = None
    """Where files are kept until the build is done; None for a folder beside the output."""
    format: str = ""
    keep_versions: bool = False
    models: Callable[[], Mapping[str, WordModel]] = no_models
    """Returns the word models that embed papers, by the names of the sets of vectors."""


def build_shards(
    sources: Iterable[str | Path],
    output: Path | str,
    settings: BuildSettings,
    workers: Workers,
    report: Report | None = None,
    progress: Progress = lambda what, done, total: None,
) -> ShardsManifest:
    """Make a new generation of shards from files and folders; where a build with the same arguments
    was killed, go on with it.

    The papers and their rows are those of a library that `citewise index` makes of the same sources
    and that is compacted then.
    """
    check_shards(settings.shards)
    report = report if report is not None else Report()
    folder = Path(output).resolve()
    work = Path(settings.work or f"{folder}.work").resolve()
    with only_writer(folder), _locked(work):
        plan = _planned(sources, folder, work, settings, report)
        build = Build(plan, work, settings.models)
        try:
            take(PAPERS, build, workers, progress)
        except BadInput:  # the only file is none of papers: the next try has other arguments
            _abandon(build)
            raise
        _tell(build, report)
        if not any(part.rows for part in parts_of(build)):
            _abandon(build)
            raise MissingData("no paper was found in the sources; no shards were made")

        written = finished_before(build)
        if written is None:
            forget_shards(build)
            take(FILES, build, workers, progress)
            written = finish(build)
    shutil.rmtree(work, ignore_errors=True)
    return written


def _abandon(build: Build) -> None:
    """Remove what was made; the shards before stay."""
    output = Path(build.plan.output)
    remove_unfinished(output, build.plan.generation)
    with contextlib.suppress(OSError):  # it has shards
        output.rmdir()
    shutil.rmtree(build.work)


@contextlib.contextmanager
def _locked(work: Path) -> Iterator[None]:
    """Keep the folder of the work to this process."""
    _check_own(work)
    work.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(work / "build.lock", timeout=0):
            yield
    except filelock.Timeout:
        raise LibraryBusy(
            f"{work}: another process is building here; try again when it is done"
        ) from None


def _check_own(work: Path) -> None:
    """Raise BadInput where a folder has other files in it: the work's folder is removed at the
    end.
    """
    if not work.is_dir() or (work / "build.lock").exists():
        return
    if others := sorted(file.name for file in work.iterdir()):
        raise BadInput(
            f"{work}: this folder has other files in it ({', '.join(others[:3])}); name a new or "
            "an empty folder with --work"
        )


def _planned(
    sources: Iterable[str | Path], output: Path, work: Path, settings: BuildSettings, report: Report
) -> Plan:
    """Return the plan of a build, which is written unless the build goes on."""
    before = known_plan(work)
    plan = Plan(
        files=tuple(_files(sources, report)),
        output=str(output),
        shards=settings.shards,
        generation=before.generation if before else next_generation(output),
        format=settings.format,
        keep_versions=settings.keep_versions,
        vectors=settings.models is not no_models,
    )
    if before is None:
        remove_unfinished(output, plan.generation)
        unfinished(output, plan.generation).mkdir(parents=True)
    begin(work, plan, before)
    return plan


def _files(sources: Iterable[str | Path], report: Report) -> Iterator[SourceFile]:
    """Yield the files of the sources, in the order in which `citewise index` reads them."""
    given = (str(each) if str(each) == "-" else str(Path(each).resolve()) for each in sources)
    for path in find(given, partial(note_library, report)):
        if not Path(path).is_file():
            raise BadInput(
                f"{path}: a build is read by several processes and may be read again, so it takes "
                "files only; write this into a file first"
            )
        yield SourceFile.of(path)


def _tell(build: Build, report: Report) -> None:
    """Report what became of all records: by file, then by task of merging."""
    read = [build.place(READ, number) for number in range(len(build.plan.files))]
    merged = [build.place(MERGED, number) for number in range(merging_tasks(build))]
    for folder in (*read, *merged):
        replay(folder, report)
    report.added += sum(counts_of(folder).records for folder in read)
    report.added -= sum(counts_of(folder).records for folder in merged)
