"""The first step: every file of the dump is read once, and its records are kept as columns."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from citewise.arrays import Ragged, Rows
from citewise.engines.dumps.columns import ColumnWriter
from citewise.engines.dumps.events import Counts, reporting, save_counts
from citewise.engines.dumps.plan import Build
from citewise.ingest import Record, read
from citewise.ingest.report import Report, SourceLocation
from citewise.library.entries import Batch, Entries, batches
from citewise.library.files import read_array
from citewise.library.records import RecordReader, RecordWriter
from citewise.library.tables import Lookup
from citewise.types import Paper

STEP = "read"

PLACE = 32
"""A record's place is file << 32 | position in the file: sorted, places are in the order in which
one library would be given the records.
"""

_LISTS = ("keys", "references", "authors")


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Reads one file."""

    build: Build
    number: int

    @property
    def folder(self) -> Path:
        """Where its records are kept."""
        return self.build.place(STEP, self.number)

    def write(self, folder: Path) -> None:
        """Read, clean and hash the records of the file."""
        plan = self.build.plan
        path, every = plan.files[self.number].path, [file.path for file in plan.files]
        writer = _Writer(folder)
        with reporting(folder) as report:
            for batch in batches(_papers(path, report, plan.format, every)):
                writer.extend(batch)
        keys = writer.close()
        save_counts(folder, Counts(read=report.read, records=writer.records, keys=keys))


def _papers(
    path: str, report: Report, format: str, among: list[str]
) -> Iterator[tuple[Record, SourceLocation]]:
    """Yield the papers of a file; citing sentences are reported."""
    for record, location in read([path], report, format, among=among):
        if isinstance(record, Paper):
            yield record, location
        else:
            report.note("skipped", "sentence_not_built", location, record.citing)


class _Writer:
    """Writes the records of a file, batch by batch."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.records = folder, 0
        self._contents, self._columns = RecordWriter(folder), ColumnWriter(folder)
        self._write(Entries.of([]), [])

    def extend(self, batch: Batch) -> None:
        """Add the papers of a batch; batches stay apart, since rows depend on them."""
        self._write(batch.entries, batch.lines)
        self._columns.append("batches", np.array([self.records]), "<i8")

    def _write(self, entries: Entries, lines: list[int]) -> None:
        self._contents.extend(entries.contents)
        self._columns.append("years", entries.years, "<i2")
        self._columns.append("titles", entries.titles, "<u8")
        self._columns.append("light", entries.light, "?")
        self._columns.append("lines", np.array(lines), "<i8")
        for name in _LISTS:
            self._columns.append_lists(name, getattr(entries, name))
        self._columns.append("batches", np.zeros(0), "<i8")
        self.records += len(entries)

    def close(self) -> int:
        """Finish all files, with lookups from hashes of keys and titles to positions; return the
        number of keys.
        """
        self._contents.close()
        self._columns.close()
        kept = KeptFile(self._folder)
        keys = kept.lists("keys")
        Lookup.of(keys.values, keys.owners).save(self._folder, "by_key")
        titled = np.flatnonzero(kept.titles)
        Lookup.of(kept.titles[titled], titled).save(self._folder, "by_title")
        return int(keys.values.size)


class KeptFile:
    """The records of a file that was read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.years = read_array(folder / "years", "<i2")
        self.titles = read_array(folder / "titles", "<u8")
        self.lines = read_array(folder / "lines", "<i8")
        self.ends: Rows = read_array(folder / "batches", "<i8")
        """Where each batch ends."""
        self._light = read_array(folder / "light", "?")
        self.lists = functools.cache(self._lists)

    @functools.cached_property
    def records(self) -> RecordReader:
        """The encoded papers."""
        return RecordReader(self._folder)

    def _lists(self, name: str) -> Ragged:
        return Ragged(
            read_array(self._folder / f"{name}.values", "<u8"),
            read_array(self._folder / f"{name}.starts", "<i8"),
        )

    def lookup(self, name: str) -> Lookup:
        """Return the lookup from hashes of keys or titles to positions."""
        return Lookup.load(self._folder, name)

    def entries(self, positions: Rows) -> Entries:
        """Return the records at some positions."""
        keys, references, authors = (self.lists(name).take(positions) for name in _LISTS)
        return Entries(
            self.records.raw(positions),
            self.years[positions],
            self.titles[positions],
            keys,
            references,
            authors,
            self._light[positions],
        )
