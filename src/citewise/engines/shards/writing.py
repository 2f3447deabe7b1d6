"""Writes the papers of a shard and the tables of coordinators, from whatever has the papers: a
library that is cut, or the parts of a build.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from citewise.arrays import Ragged, Rows
from citewise.engines.shards.manifest import COORDINATOR
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.files import checksum, sync, walk, write_array
from citewise.library.lexical import LexicalWriter
from citewise.library.manifest import FileEntry
from citewise.library.segment import PER_ROW, Segment, SegmentWriter
from citewise.library.segments import Segments
from citewise.library.tables import Adjacency, Lookup, Tables
from citewise.protocols import FIELDS

_BATCH = 4_096
"""Papers that are copied at once."""

_PADDING = (1 << 30) - 1
"""The term of documents that are there for the mean length only; no vocabulary is that large."""

_FEWEST_INDEXED = 1 << 16
"""A shard's index has at least this many documents, or as many as the library: so its mean length
is the library's to within 1e-5 terms.
"""


class ShardSource(Protocol):
    """What shards are written from: all papers, and the graph over them."""

    @property
    def segments(self) -> Segments:
        """The papers, with the term numbers of the whole library."""
        ...

    @property
    def deleted(self) -> Rows:
        """Rows whose papers were deleted, sorted."""
        ...

    @property
    def lengths(self) -> Mapping[str, int]:
        """Terms in all papers that were not deleted, by field."""
        ...

    def graph(self, rows: Rows) -> tuple[Adjacency, Adjacency]:
        """Return the references and the citers of some rows; the rows in them are the library's."""
        ...


class PaperWriter:
    """Writes the papers of one shard: row r of the library is row r // S of shard r % S."""

    def __init__(self, source: ShardSource, shard: int, shards: int, folder: Path) -> None:
        self._source, self._folder = source, folder
        self.rows: Rows = np.arange(shard, source.segments.rows, shards)
        deleted = source.deleted
        self.deleted: Rows = deleted[deleted % shards == shard] // shards

    def write(self) -> int:
        """Write papers, indexes and tables; return the documents of the inverted index."""
        segment, indexed = self._write_papers()
        references, citers = self._source.graph(self.rows)
        own = Tables.build([segment], self.deleted)
        own = replace(own, references=references, citers=citers, dangling=None)
        own.save(self._folder / "tables")
        return indexed

    def _write_papers(self) -> tuple[Segment, int]:
        """Write papers, forward index and inverted index; return the documents of the latter."""
        segment = SegmentWriter(self._folder / "segment")
        lexical = LexicalWriter(self._folder / "lexical")
        alive = np.ones(self.rows.size, np.bool_)
        alive[self.deleted] = False

        papers, terms = 0, 0
        for start in range(0, self.rows.size, _BATCH):
            rows, first = self.rows[start : start + _BATCH], segment.rows
            fields = self._copy(segment, rows)
            years = self._source.segments.years[rows]
            for run in _runs(np.flatnonzero(alive[start : start + _BATCH])):
                texts = [field.take(run) for field in fields]
                lexical.add(first + int(run[0]), years[run].tolist(), texts)
                papers += run.size
                terms += sum(text.values.size for text in texts)

        segment.close()
        documents, padding = self._padding(papers, terms)
        empty = np.zeros(documents - papers + 1, np.int64)
        if documents > papers:
            empty[1:] = padding  # the first document has all of the padding, the others are empty
            text = Ragged(np.full(padding, _PADDING), empty)
            lexical.add(self.rows.size, [0] * (documents - papers), [text])
        lexical.close()
        return Segment(self._folder / "segment", self.rows.size), documents

    def _copy(self, segment: SegmentWriter, rows: Rows) -> list[Ragged]:
        """Copy papers, which are sorted by row; return each field's terms."""
        parts = [segment.copy(part, local) for part, _, local in self._source.segments.split(rows)]
        return [Ragged.join([part[field] for part in parts]) for field in range(len(FIELDS))]

    def _padding(self, papers: int, terms: int) -> tuple[int, int]:
        """Return how many documents the index needs, and how many terms the added ones have, for
        its mean length to be the library's.
        """
        every = self._source.segments.rows - self._source.deleted.size
        mean = sum(self._source.lengths.values()) / max(every, 1)
        if not papers or not mean:
            return papers, 0

        fewest = min(every, _FEWEST_INDEXED)
        documents = max(papers, math.ceil(terms / mean - 1e-9), fewest)
        if documents == papers and round(documents * mean) > terms:
            documents += 1  # the padding needs a document, which counts as well
        return documents, max(round(documents * mean) - terms, 0)


def _runs(positions: Rows) -> Iterator[Rows]:
    """Yield the runs of consecutive numbers among sorted ones."""
    breaks = np.flatnonzero(np.diff(positions) != 1) + 1
    runs: Sequence[Rows] = np.split(positions, breaks)
    yield from (run for run in runs if run.size)


def write_columns(segments: Segments, folder: Path) -> None:
    """Write what coordinators have of every row: years, and lengths of fields."""
    for name in ("years", *(f"{field}.lengths" for field in FIELDS)):
        columns = [segment.array(name) for segment in segments]
        whole = np.concatenate([np.zeros(0, PER_ROW[name]), *columns])
        write_array(folder / name, whole, PER_ROW[name])


def write_sentence_table(tables: EvidenceTables, folder: Path) -> None:
    """Write what coordinators have of evidence: all that is said of sentences, no citations."""
    replace(
        tables,
        identities=Lookup(np.zeros(0, np.uint64), np.zeros(0, np.uint32)),
        numbers=tables.numbers[:0],
        starts=np.zeros(1, np.int64),
        rows=tables.rows[:0],
        sentences=tables.sentences[:0],
        uses=tables.uses[:0],
        by_cited_starts=np.zeros(1, np.int64),
        by_cited=tables.by_cited[:0],
    ).save(folder)


def file_entries(folder: Path) -> dict[str, FileEntry]:
    """Return the sizes and checksums of all files below a folder, which are made durable.

    Models are left out: they may be replaced, and have a checksum of their own.
    """
    files = {}
    for file in walk(folder):
        sync(file)
        name = file.relative_to(folder).as_posix()
        if file.suffix != ".lock" and not name.startswith(f"{COORDINATOR}/models/"):
            files[name] = FileEntry(file.stat().st_size, checksum(file))
    for parent in {file.parent for file in walk(folder)}:
        sync(parent)
    return files
