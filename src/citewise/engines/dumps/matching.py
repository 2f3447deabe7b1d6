"""The second step: which records may be versions of one work, since they share an id or a title.

Whether they are is decided by the rules of `citewise index`, which compare a record only with those
that share an id or a title with it. So records that are linked by these, over any number of others,
are merged together, and groups of such records apart from one another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes, Rows
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.reading import PLACE, STEP, KeptFile
from citewise.library.files import read_array, write_array
from citewise.library.tables import Lookup

SHARED, GROUPED = "shared", "grouped"

IN_MEMORY = 4_000_000
"""Hashes that one task has in memory at once, about."""

_MOST_MERGED = 50_000
"""Records that one task merges, about; those that are linked stay together."""


def ranges(count: int) -> list[tuple[int, int]]:
    """Return the least and the most hash of each of `count` equal ranges of hashes."""
    bounds = [(number << 64) // count for number in range(count + 1)]
    return [(bounds[number], bounds[number + 1] - 1) for number in range(count)]


def within(lookup: Lookup, bounds: tuple[int, int]) -> tuple[Hashes, Rows]:
    """Return the hashes of a lookup between two, sorted, and their numbers."""
    first = np.searchsorted(lookup.hashes, np.uint64(bounds[0]), "left")
    last = np.searchsorted(lookup.hashes, np.uint64(bounds[1]), "right")
    return np.array(lookup.hashes[first:last]), lookup.numbers[first:last].astype(np.int64)


@dataclass(frozen=True, slots=True)
class FindShared:
    """Finds the records that share an id or a title, of one range of hashes."""

    build: Build
    number: int
    bounds: tuple[int, int]

    @property
    def folder(self) -> Path:
        """Where the pairs of records are."""
        return self.build.place(SHARED, self.number)

    def write(self, folder: Path) -> None:
        """Write pairs of places of records that share something."""
        names = ["by_key"] if self.build.plan.keep_versions else ["by_key", "by_title"]
        pairs = [self._pairs(name) for name in names]
        write_array(folder / "pairs", np.concatenate(pairs), np.int64)

    def _pairs(self, name: str) -> NDArray[np.int64]:
        """Return each record with the next one that has the same hash, as rows of two places."""
        hashes, places = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for number in range(len(self.build.plan.files)):
            kept = Lookup.load(self.build.place(STEP, number), name)
            found, positions = within(kept, self.bounds)
            hashes.append(found)
            places.append(number << PLACE | positions)

        every, where = np.concatenate(hashes), np.concatenate(places)
        order = np.argsort(every, kind="stable")
        same = np.flatnonzero(np.diff(every[order]) == 0)
        return np.stack([where[order[same]], where[order[same + 1]]], axis=1)


@dataclass(frozen=True, slots=True)
class GroupRecords:
    """Puts the records that are linked into groups, and groups into tasks of some size."""

    build: Build
    shared: int
    """How many tasks have looked for shared ids and titles."""

    @property
    def folder(self) -> Path:
        """Where the groups are."""
        return self.build.place(GROUPED)

    def write(self, folder: Path) -> None:
        """Write the places of all records that may match others, task by task."""
        pairs = np.concatenate(
            [
                read_array(self.build.place(SHARED, number) / "pairs", np.int64).reshape(-1, 2)
                for number in range(self.shared)
            ]
        )
        alone = np.concatenate([np.zeros(0, np.int64), *self._without_title()])
        places, ends = np.unique(np.append(pairs.ravel(), alone), return_inverse=True)

        labels = linked(ends[: pairs.size].reshape(-1, 2), places.size)
        tasks = _tasks(labels)
        order = np.argsort(tasks, kind="stable")
        write_array(folder / "places", places[order], np.int64)
        count = int(tasks.max(initial=-1)) + 1
        write_array(folder / "starts", np.searchsorted(tasks[order], range(count + 1)), np.int64)

    def _without_title(self) -> Iterator[Rows]:
        """Yield the places of records without a title: they wait for a paper, or are reported."""
        for number in range(len(self.build.plan.files)):
            titles = KeptFile(self.build.place(STEP, number)).titles
            yield number << PLACE | np.flatnonzero(titles == 0)


def linked(pairs: NDArray[np.int64], count: int) -> Rows:
    """Return for each of `count` numbers the lowest one that pairs link it with.

    pairs  (1, 2) (2, 4)      count 5      labels  0 1 1 3 1
    """
    labels = np.arange(count)
    one, other = pairs.T
    while (labels[one] != labels[other]).any():
        # the label of either end's label becomes the lower of the two, then every label its own
        lower = np.minimum(labels[one], labels[other])
        np.minimum.at(labels, labels[one], lower)
        np.minimum.at(labels, labels[other], lower)
        while (labels[labels] != labels).any():
            labels = labels[labels]
    return labels


def _tasks(labels: Rows) -> Rows:
    """Return the task of each record: groups in the order of their first records."""
    firsts, groups, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if not firsts.size:
        return np.zeros(0, np.int64)
    before = np.cumsum(sizes) - sizes
    tasks: Rows = np.unique(before // _MOST_MERGED, return_inverse=True)[1]
    return tasks[groups]


def merged_by(build: Build, number: int) -> Rows:
    """Return the places of the records that a task merges, sorted."""
    starts = read_array(build.place(GROUPED) / "starts", np.int64)
    places = read_array(build.place(GROUPED) / "places", np.int64)
    return np.array(places[starts[number] : starts[number + 1]])


def merging_tasks(build: Build) -> int:
    """Return how many tasks there are to merge records."""
    return int(read_array(build.place(GROUPED) / "starts", np.int64).size) - 1
