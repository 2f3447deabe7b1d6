"""The fourth step: which records became rows, of all files, and how files are put together into
parts of some size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from citewise.arrays import Rows
from citewise.engines.dumps.events import counts_of
from citewise.engines.dumps.matching import GROUPED, merging_tasks
from citewise.engines.dumps.merging import MERGED
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.reading import PLACE, STEP
from citewise.library.files import read_array, write_array

CHANGES = "changes"

_PART = 200_000
"""Papers of a part, at least: few parts are quick to read from."""

_COLUMNS = {"places": np.int64, "tasks": np.int32, "rows": np.int64}


class Part(msgspec.Struct, frozen=True):
    """Some consecutive files, and the rows of their papers."""

    files: tuple[int, int]
    """The first, and the one behind the last."""
    first_row: int
    rows: int


@dataclass(frozen=True, slots=True)
class CollectChanges:
    """Puts the results of all merging tasks together."""

    build: Build

    @property
    def folder(self) -> Path:
        """Where the changes are."""
        return self.build.place(CHANGES)

    def write(self, folder: Path) -> None:
        """Write what became of each record that might match others, sorted by place: the task that
        merged it, -1 where it is no row, and the row of that task.
        """
        found = read_array(self.build.place(GROUPED) / "places", np.int64)
        places: Rows = np.sort(found)
        tasks, rows = np.full(places.size, -1, np.int32), np.full(places.size, -1, np.int64)
        living = np.zeros(places.size, np.int64)
        for task in range(merging_tasks(self.build)):
            merged = self.build.place(MERGED, task)
            own = read_array(merged / "places", np.int64)
            at = np.searchsorted(places, own)
            tasks[at], rows[at] = task, np.arange(own.size)
            living[at] = ~read_array(merged / "deleted", np.bool_)

        for name, values in (("places", places), ("tasks", tasks), ("rows", rows)):
            write_array(folder / name, values, _COLUMNS[name])
        parts = list(_parts(self._papers(places, living)))
        (folder / "parts.json").write_bytes(msgspec.json.encode(parts))

    def _papers(self, places: Rows, living: Rows) -> list[int]:
        """Return how many papers each file has in the end."""
        count = len(self.build.plan.files)
        bounds = np.searchsorted(places, np.arange(count + 1) << PLACE)
        records = [counts_of(self.build.place(STEP, number)).records for number in range(count)]
        sums = np.append(0, np.cumsum(living))[bounds]
        papers: list[int] = (np.array(records) - np.diff(bounds) + np.diff(sums)).tolist()
        return papers


def _parts(papers: list[int]) -> Iterator[Part]:
    """Yield parts of consecutive files, given the number of papers of each file."""
    first, row, rows = 0, 0, 0
    for number, count in enumerate(papers, 1):
        rows += count
        if rows >= _PART or number == len(papers):
            yield Part((first, number), row, rows)
            first, row, rows = number, row + rows, 0


def parts_of(build: Build) -> list[Part]:
    """Return the parts of a build."""
    content = (build.place(CHANGES) / "parts.json").read_bytes()
    return msgspec.json.decode(content, type=list[Part])


class Changes:
    """What became of the records of a file that might match others."""

    def __init__(self, build: Build, file: int) -> None:
        folder = build.place(CHANGES)
        columns = [read_array(folder / name, dtype) for name, dtype in _COLUMNS.items()]
        bounds = np.searchsorted(columns[0], np.array([file, file + 1]) << PLACE)
        places, self.tasks, self.rows = (np.array(each[slice(*bounds)]) for each in columns)
        self.positions: Rows = places - (file << PLACE)
        """Of the records in the file, sorted."""

    def between(self, first: int, last: int) -> slice:
        """Return which of the changes are those of the positions from one up to another."""
        return slice(*np.searchsorted(self.positions, [first, last]).tolist())
