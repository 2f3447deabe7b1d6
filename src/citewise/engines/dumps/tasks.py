"""A task of a build: it writes one folder, which is there completely or not at all.

So a build that was killed goes on where it was: a folder that is there is not written again, and
what was half written has another name.
"""

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from citewise.library.files import sync, walk
from citewise.library.process_memory import uncollected

_FRESH = ".new"


class Task(Protocol):
    """Something to do for a build, in any process that sees the same folders."""

    @property
    def folder(self) -> Path:
        """Where its result goes."""
        ...

    def write(self, folder: Path) -> None:
        """Write the result into a new and empty folder."""
        ...


class Workers(Protocol):
    """What does tasks: processes of this machine, or the nodes of a cluster."""

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Do tasks in any order; yield as each is done. The first error ends all."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


def run(task: Task) -> None:
    """Do a task, unless its folder is there."""
    if task.folder.exists():
        return

    # a name of its own: a worker whose build was killed may still be writing
    fresh = task.folder.with_name(
        f"{task.folder.name}.{os.getpid()}-{secrets.token_hex(4)}{_FRESH}"
    )
    fresh.mkdir(parents=True)
    try:
        with uncollected():
            task.write(fresh)
        for file in walk(fresh):
            sync(file)
        _rename(fresh, task.folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _rename(fresh: Path, folder: Path) -> None:
    """Give a folder its name; where another worker was first, its result stays."""
    try:
        fresh.rename(folder)
    except OSError:
        if not folder.exists():
            raise
        shutil.rmtree(fresh)
    sync(folder.parent)


def remove_half_written(folder: Path) -> None:
    """Remove what killed workers left below a folder."""
    for each in folder.glob(f"*{_FRESH}"):
        shutil.rmtree(each, ignore_errors=True)
