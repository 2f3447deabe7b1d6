"""Builds for tests: workers in this process, dumps with versions and damage, and comparisons with
`citewise index`.
"""

import contextlib
import os
import random
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import citewise
from citewise.embed.word_models import word_models
from citewise.engines.dumps.building import BuildSettings, build_shards
from citewise.engines.dumps.tasks import Task, run
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.manifest import ShardsManifest
from citewise.ingest.report import Report
from citewise.library.manifest import FileEntry
from corpora import random_papers
from openalex_dumps import Numbers, work

AUTHORS = ("Ada Muster", "Bo Beispiel", "Cy Ejemplo", "Di Esempio", "Ed Przykład")


class InThisProcess:
    """`Workers` that do one task after the other, here."""

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        for task in tasks:
            run(task)
            yield

    def close(self) -> None:
        pass


def built(
    sources: Sequence[Path], output: Path, shards: int = 3, report: Report | None = None
) -> ShardsManifest:
    """Build shards in this process, with vectors."""
    settings = BuildSettings(shards, models=word_models)
    return build_shards(sources, output, settings, InThisProcess(), report)


def indexed(sources: Sequence[Path], folder: Path, shards: int = 3) -> Report:
    """Make the same by `citewise index`: a library, and shards of it once it is compacted."""
    report = citewise.index(sources, folder / "library")
    cut(folder / "library", shards, folder / "as-indexed")
    citewise.compact(folder / "library")
    cut(folder / "library", shards, folder / "cut")
    return report


def contents(shards: Path) -> dict[str, FileEntry]:
    """Return the files of shards with their checksums; the inverted index is written by several
    threads, and differs from time to time.
    """
    files = manifests.load(shards).files
    return {name: entry for name, entry in files.items() if "/lexical/" not in name}


def works(count: int, seed: int = 5) -> list[dict[str, Any] | bytes]:
    """Return works of OpenAlex: plain ones, versions of one another in every way, broken ones."""
    dice, numbers = random.Random(seed), Numbers()
    found: list[dict[str, Any] | bytes] = []
    for position, paper in enumerate(random_papers(count, seed)):
        record = {
            "id": paper.id,
            "title": f"{paper.title} {position % (count // 2)} of many",
            "abstract": paper.abstract,
            "year": paper.year,
            "authors": dice.sample(AUTHORS, 2),
            "references": paper.references,
        }
        made = work(record, numbers, doi=f"10.1234/{position}")
        found.append(made)
        while dice.random() < 0.15:
            found.insert(dice.randrange(len(found)), _version(made, dice))
    for broken in (b"{broken", b"[1, 2]", b'{"id": "https://openalex.org/A77"}'):
        found.insert(dice.randrange(len(found)), broken)
    return found


def _version(made: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Return a version of a work: renewed, with its DOI, with that of another as well, with its
    title only, or without a title.
    """
    other = f"https://openalex.org/W{dice.randrange(5_000_000, 9_000_000)}"
    arxiv = {"landing_page_url": f"https://arxiv.org/abs/1801.{dice.randrange(10_000, 10_050)}"}
    versions: list[dict[str, Any]] = [
        {"abstract_inverted_index": {"renewed": [0], "bees": [1, 2]}},
        {"id": other, "title": f"{made['title']} again"},
        {"id": other, "locations": [arxiv]},
        {"id": other, "doi": None, "locations": [arxiv]},
        {"title": None, "referenced_works": ["https://openalex.org/W1000003"]},
    ]
    return {**made, **dice.choice(versions)}


class Killed:
    """`Workers` that kill this process once they have written a task's result, before it gets its
    name: the first task of a step, or of several its second.
    """

    def __init__(self, step: str) -> None:
        self._step = step

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        deadly = [task for task in tasks if _step(task) == self._step][:2]
        for task in tasks:
            if task in deadly[-1:]:
                fresh = task.folder.with_name(f"{task.folder.name}.1-1.new")
                fresh.mkdir(parents=True)
                task.write(fresh)
                os.kill(os.getpid(), signal.SIGKILL)
            run(task)
            yield

    def close(self) -> None:
        pass


def _step(task: Task) -> str:
    return "shards" if task.folder.name.startswith("shard-") else task.folder.parent.name


def _die(*given: object, **options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def build_and_die(source: Path, output: Path, step: str) -> None:
    """Build shards, and kill this process in a step."""
    save = manifests.save

    def save_or_die(folder: Path, manifest: ShardsManifest) -> None:
        if folder == output:  # the generation's folder has its name, and is not current yet
            _die()
        save(folder, manifest)

    with contextlib.ExitStack() as stack:
        if step == "manifest":
            stack.enter_context(mock.patch.object(manifests, "save", save_or_die))
        if step == "removal":
            stack.enter_context(mock.patch("shutil.rmtree", _die))
        build_shards([source], output, BuildSettings(3, models=word_models), Killed(step))
