"""The fifth step: papers with their terms, part by part; terms have numbers of the part."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from citewise.arrays import Mask, Rows
from citewise.engines.dumps.changes import Changes, Part
from citewise.engines.dumps.merging import MERGED
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.reading import STEP, KeptFile
from citewise.library.entries import Entries
from citewise.library.files import read_array
from citewise.library.records import RecordReader, decode, decode_texts
from citewise.library.segment import Segment, SegmentWriter
from citewise.library.tables import Lookup
from citewise.library.vocabulary import VocabularyWriter
from citewise.protocols import FIELDS
from citewise.text.tokens import TermNumbering

PARTS = "parts"


class Merged(NamedTuple):
    """The rows of a merging task, and the papers that are not as they were read."""

    deleted: Mask
    numbers: Rows
    records: RecordReader

    @classmethod
    def of(cls, folder: Path) -> "Merged":
        """Open the result of a task."""
        return cls(
            read_array(folder / "deleted", np.bool_),
            read_array(folder / "numbers", np.int64),
            RecordReader(folder),
        )


@dataclass(frozen=True, slots=True)
class WritePart:
    """Writes the papers of some files, in the order in which one library would have them."""

    build: Build
    number: int
    part: Part

    @property
    def folder(self) -> Path:
        """Where the part is."""
        return self.build.place(PARTS, self.number)

    def write(self, folder: Path) -> None:
        """Write a segment, its vocabulary, and lookups by the hashes of ids and of references."""
        vocabulary = VocabularyWriter(None)
        terms = TermNumbering(vocabulary.numbers)
        segment = SegmentWriter(folder / "segment")
        for entries, deleted in self._batches():
            if deleted.any():  # a library has their words, too, and numbers by first occurrence
                _number_terms(entries, terms)
            if not deleted.all():
                segment.extend(entries.take(np.flatnonzero(~deleted)), terms)
        segment.close()
        vocabulary.save(folder)

        written = Segment(folder / "segment", segment.rows)
        for name, column in (("keys", "hashes"), ("references", "keys")):
            owners = np.repeat(np.arange(written.rows), np.diff(written.starts(name)))
            Lookup.of(written.values(name, column), owners).save(folder, name)

    def _batches(self) -> Iterator[tuple[Entries, Mask]]:
        """Yield the papers of each batch of each file, and which of them are deleted later."""
        merged = functools.cache(lambda task: Merged.of(self.build.place(MERGED, task)))
        for number in range(*self.part.files):
            kept = KeptFile(self.build.place(STEP, number))
            changes, first = Changes(self.build, number), 0
            for end in kept.ends.tolist():
                here = changes.between(first, end)
                origin = _Origin(
                    np.arange(first, end),
                    changes.positions[here] - first,
                    changes.tasks[here],
                    changes.rows[here],
                )
                yield origin.papers(kept, merged)
                first = end


class _Origin(NamedTuple):
    """Where the papers of a batch are: those at `matched` are rows of merging tasks, or none."""

    positions: Rows
    """In the file."""
    matched: Rows
    """Positions in the batch."""
    tasks: Rows
    rows: Rows

    def papers(
        self, kept: KeptFile, merged: "functools._lru_cache_wrapper[Merged]"
    ) -> tuple[Entries, Mask]:
        """Return the papers, and which of them are deleted later."""
        deleted = np.zeros(self.positions.size, np.bool_)
        present = np.ones(self.positions.size, np.bool_)
        present[self.matched[self.tasks < 0]] = False

        changed: dict[int, bytes] = {}
        for position, task, row in zip(
            self.matched.tolist(), self.tasks.tolist(), self.rows.tolist(), strict=True
        ):
            if task < 0:
                continue
            deleted[position] = merged(task).deleted[row]
            if (number := int(merged(task).numbers[row])) >= 0:
                changed[position] = merged(task).records.raw(np.array([number]))[0]

        return self._joined(kept, changed, present), deleted[present]

    def _joined(self, kept: KeptFile, changed: dict[int, bytes], present: Mask) -> Entries:
        """Return the papers in order: as they were read, or as they were merged."""
        as_read = present.copy()
        as_read[list(changed)] = False
        entries = kept.entries(self.positions[as_read])
        if not changed:
            return entries

        both = Entries.join([entries, Entries.of([decode(each) for each in changed.values()])])
        where = np.append(np.flatnonzero(as_read), list(changed))
        return both.take(np.argsort(where))


def _number_terms(entries: Entries, terms: TermNumbering) -> None:
    """Give the terms of papers numbers, as `SegmentWriter.extend` would."""
    texts = [decode_texts(content) for content in entries.contents]
    for field in FIELDS:
        terms.numbers([getattr(each, field) for each in texts])
