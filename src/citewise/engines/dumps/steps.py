"""The steps of a build, in order: each is some tasks, and once it is done it stays so."""

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from citewise.engines.dumps.changes import CHANGES, CollectChanges, parts_of
from citewise.engines.dumps.events import KEPT, counts_of
from citewise.engines.dumps.links import LINKS, ResolveReferences
from citewise.engines.dumps.matching import (
    GROUPED,
    IN_MEMORY,
    SHARED,
    FindShared,
    GroupRecords,
    merging_tasks,
    ranges,
)
from citewise.engines.dumps.merging import MERGED, MergeVersions
from citewise.engines.dumps.parts import PARTS, WritePart
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.reading import STEP as READ
from citewise.engines.dumps.reading import ReadFile
from citewise.engines.dumps.shards import (
    CENTROIDS,
    FINISHED,
    FindCentroids,
    FinishShard,
    MakeNothing,
    WriteShard,
)
from citewise.engines.dumps.tasks import Task, Workers, remove_half_written
from citewise.engines.dumps.words import WORDS, NumberWords
from citewise.engines.shards.generations import unfinished
from citewise.library.files import replace

SHARDS = "shards"

Progress = Callable[[str, int, int | None], None]
"""Called with what is done, how many tasks of it are done, and how many there are."""

Step = tuple[str, str, Callable[[Build], Sequence[Task]]]
"""A step's name, what it does in words, and its tasks."""


def _reading(build: Build) -> list[Task]:
    return [ReadFile(build, number) for number in range(len(build.plan.files))]


def _shared(build: Build) -> list[Task]:
    counts = (counts_of(build.place(READ, file)) for file in range(len(build.plan.files)))
    hashes = sum(each.keys + each.records for each in counts)
    bounds = ranges(math.ceil((hashes + 1) / IN_MEMORY))
    return [FindShared(build, number, each) for number, each in enumerate(bounds)]


def _grouping(build: Build) -> list[Task]:
    return [GroupRecords(build, len(_shared(build)))]


def _merging(build: Build) -> list[Task]:
    return [MergeVersions(build, number) for number in range(merging_tasks(build))]


def _collecting(build: Build) -> list[Task]:
    return [CollectChanges(build)]


def _writing_parts(build: Build) -> list[Task]:
    return [WritePart(build, number, part) for number, part in enumerate(parts_of(build))]


def _numbering(build: Build) -> list[Task]:
    return [NumberWords(build, len(parts_of(build))), MakeNothing(build)]


def _linking(build: Build) -> list[Task]:
    parts = tuple(parts_of(build))
    sizes = (
        (build.place(PARTS, number) / f"{name}.hashes").stat().st_size // 8
        for number in range(len(parts))
        for name in ("keys", "references")
    )
    bounds = ranges(math.ceil((sum(sizes) + 1) / IN_MEMORY))
    return [ResolveReferences(build, number, each, parts) for number, each in enumerate(bounds)]


def _writing_shards(build: Build) -> list[Task]:
    parts, links = tuple(parts_of(build)), len(_linking(build))
    return [WriteShard(build, shard, parts, links) for shard in range(build.plan.shards)]


def _centroids(build: Build) -> list[Task]:
    return [FindCentroids(build)]


def _finishing(build: Build) -> list[Task]:
    return [FinishShard(build, shard) for shard in range(build.plan.shards)]


PAPERS: tuple[Step, ...] = (
    (READ, "reading", _reading),
    (SHARED, "finding versions", _shared),
    (GROUPED, "grouping versions", _grouping),
    (MERGED, "merging versions", _merging),
    (CHANGES, "collecting papers", _collecting),
)
"""Up to here it is decided which papers there are."""

FILES: tuple[Step, ...] = (
    (PARTS, "counting terms", _writing_parts),
    (WORDS, "numbering terms", _numbering),
    (LINKS, "resolving references", _linking),
    (SHARDS, "writing shards", _writing_shards),
    (CENTROIDS, "finding centroids", _centroids),
    (FINISHED, "finishing shards", _finishing),
)
"""From here on files are written for those papers."""

_USED_UP = {PARTS: (READ, SHARED, MERGED)}
"""After a step: those whose files nobody needs any more."""


def take(steps: Sequence[Step], build: Build, workers: Workers, progress: Progress) -> None:
    """Take some steps; what is done already stays."""
    for name, label, tasks in steps:
        mark = build.work / f"{name}.done"
        if not mark.exists():
            _take(label, tasks(build), workers, progress)
            replace(mark, b"")
        for used_up in _USED_UP.get(name, ()):
            _discard(build.work / used_up)


def _take(label: str, tasks: Sequence[Task], workers: Workers, progress: Progress) -> None:
    for folder in {task.folder.parent for task in tasks}:
        remove_half_written(folder)
    pending = [task for task in tasks if not task.folder.exists()]
    done = len(tasks) - len(pending)
    progress(label, done, len(tasks))
    for _ in workers.run(pending):
        done += 1
        progress(label, done, len(tasks))


def _discard(folder: Path) -> None:
    """Remove the files of a step's tasks, but for what they have reported."""
    for task in folder.glob("*"):
        for each in task.iterdir() if task.is_dir() else ():
            if each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            elif each.name not in KEPT:
                each.unlink(missing_ok=True)


def forget_shards(build: Build) -> None:
    """Forget the steps whose results are in the output, where somebody has removed that."""
    if unfinished(Path(build.plan.output), build.plan.generation).exists():
        return
    for name in (SHARDS, CENTROIDS, FINISHED):
        (build.work / f"{name}.done").unlink(missing_ok=True)
        shutil.rmtree(build.work / name, ignore_errors=True)
