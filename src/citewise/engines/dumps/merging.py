"""The third step: records that may be versions of one work are merged, by the rules of `citewise
index` and in the same order.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from citewise.arrays import Rows
from citewise.engines.dumps.events import Counts, reporting, save_counts
from citewise.engines.dumps.matching import merged_by
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.reading import PLACE, STEP, KeptFile
from citewise.library.entries import Batch, Entries
from citewise.library.evidence.sentences import Sentences
from citewise.library.files import write_array
from citewise.library.folder import LibraryFolder
from citewise.library.intake import Intake
from citewise.library.records import RecordWriter, decode
from citewise.types import Paper

MERGED = "merged"
_POSITION = (1 << PLACE) - 1


@dataclass(frozen=True, slots=True)
class MergeVersions:
    """Merges some of the records that may be versions of one work."""

    build: Build
    number: int

    @property
    def folder(self) -> Path:
        """Where the merged papers are."""
        return self.build.place(MERGED, self.number)

    def write(self, folder: Path) -> None:
        """Write which records have become rows, and the papers that differ from their records."""
        rows, plan = MergedRows(folder), self.build.plan
        with reporting(folder) as report:
            places = merged_by(self.build, self.number)
            Intake(rows, report, plan.keep_versions).take(_one_by_one(self.build, places, rows))
        rows.save()
        counts = Counts(
            added=report.added,
            updated=report.updated,
            unchanged=report.unchanged,
            records=places.size,
        )
        save_counts(folder, counts)


def _one_by_one(build: Build, places: Rows, rows: "MergedRows") -> Iterator[Batch]:
    """Yield each record as a batch of its own, and let `rows` know where it is from."""
    kept = functools.cache(lambda number: KeptFile(build.place(STEP, number)))
    for place in places.tolist():
        file, position = place >> PLACE, place & _POSITION
        source: KeptFile = kept(file)
        batch = int(np.searchsorted(source.ends, position, "right"))
        entries = source.entries(np.array([position]))
        rows.here, rows.batch, rows.given = place, (file, batch), entries.contents[0]
        yield Batch(entries, build.plan.files[file].path, [int(source.lines[position])])


class MergedRows:
    """The rows that a library would get from some of its records (`library.growing.Growing`).

    A row has the place of the record that made it. As in a library, a paper that is merged with a
    record of a later batch gets a new row there, and its old one is deleted.
    """

    kept: LibraryFolder | None = None

    def __init__(self, folder: Path) -> None:
        self.path, self.scratch = folder, folder / "scratch"
        self.here, self.batch, self.given = 0, (0, 0), b""
        """The place, the batch and the content of the record that is taken."""
        self._places: list[int] = []
        self._batches: list[tuple[int, int]] = []
        self._contents: list[bytes] = []
        self._as_read: list[bool] = []
        self._deleted: set[int] = set()

    def paper(self, row: int) -> Paper:
        """Return the paper at a row."""
        return decode(self._contents[row])

    def has(self, row: int) -> bool:
        """Return whether a row has not been deleted."""
        return row not in self._deleted

    def new_titles(self) -> Iterator[tuple[int, str]]:
        """Yield nothing: titles that are merely similar would need all papers."""
        return iter(())

    def append(self, entries: Entries) -> Rows:
        """Add the paper of the record that is taken."""
        (content,) = entries.contents
        self._places.append(self.here)
        self._batches.append(self.batch)
        self._contents.append(content)
        self._as_read.append(content == self.given)
        return np.array([len(self._places) - 1])

    def replace(self, row: int, entry: Entries) -> Rows:
        """Put a new record in place of an old one; return its row, which is a new one if the old
        record is of an earlier batch.
        """
        if self._batches[row] != self.batch:
            self.delete([row])
            return self.append(entry)
        self._contents[row], self._as_read[row] = entry.contents[0], False
        return np.array([row])

    def delete(self, rows: list[int]) -> None:
        """Mark rows as deleted."""
        self._deleted.update(rows)

    def append_sentences(self, sentences: Sentences) -> None:
        """Refuse citing sentences, which no file of a build yields."""
        raise NotImplementedError

    def flush(self) -> None:
        """Do nothing: where a batch ends is known from its records."""

    def save(self) -> None:
        """Write the rows: their places, which are deleted, and where the paper of each is; -1 for
        one that is as it was read.
        """
        deleted = np.zeros(len(self._places), np.bool_)
        deleted[list(self._deleted)] = True
        changed = ~np.array(self._as_read, np.bool_)
        numbers = np.where(changed, np.cumsum(changed) - 1, -1)
        write_array(self.path / "places", np.array(self._places), np.int64)
        write_array(self.path / "deleted", deleted, np.bool_)
        write_array(self.path / "numbers", numbers, np.int64)

        records = RecordWriter(self.path)
        records.extend([self._contents[row] for row in np.flatnonzero(changed).tolist()])
        records.close()
