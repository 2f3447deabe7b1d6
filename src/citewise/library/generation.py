"""The next generation while it is being written: rows appended, replaced and deleted, then one
atomic switch.
"""

import bisect
import contextlib
import datetime
import itertools
from collections.abc import Iterator, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import numpy as np

from citewise.arrays import Rows
from citewise.library import manifest as manifests
from citewise.library.changes import can_change
from citewise.library.derived_tables import derive, derive_changes
from citewise.library.embeddings.writing import EmbeddingWriter, files_of
from citewise.library.entries import BATCH, Entries
from citewise.library.evidence.segment import EvidenceSegment, EvidenceWriter
from citewise.library.evidence.sentences import Sentences
from citewise.library.files import checksum, link_folder, sync, walk
from citewise.library.folder import LibraryFolder
from citewise.library.lexical import LexicalWriter
from citewise.library.manifest import FileEntry, Manifest, SegmentEntry, VectorSetEntry
from citewise.library.own_files import GENERATION, KINDS, delete_embeddings, delete_own
from citewise.library.segment import Segment, SegmentWriter
from citewise.library.segments import Segments, first_joined
from citewise.library.vocabulary import VocabularyWriter
from citewise.protocols import FIELDS, WordModel
from citewise.text.tokens import TermNumbering
from citewise.types import Paper

_NO_MODELS: Mapping[str, WordModel] = MappingProxyType({})


class Generation:
    """A generation being written: rows of the old one stay, new rows follow behind them.

    `kept` is the old generation where its rows stay, None where all is written from scratch.
    """

    def __init__(
        self,
        path: Path,
        old: LibraryFolder | None,
        from_scratch: bool = False,
        models: Mapping[str, WordModel] = _NO_MODELS,
    ) -> None:
        """`models` embed papers: those of the sets of vectors that the library has, and for a new
        library all.
        """
        self.path, self._old = path, old
        self.kept = None if from_scratch else old
        self._number = _next_number(path, old.manifest.generation if old is not None else 0)
        self._name = f"{self._number:06d}"

        self._vocabulary = VocabularyWriter(old.vocabulary if old is not None else None)
        self._terms = TermNumbering(self._vocabulary.numbers)
        self._base = self.kept.manifest.rows if self.kept is not None else 0

        self._deleted: set[int] = set()
        self._light = old is not None and old.manifest.light
        self._forgotten = np.zeros(0, np.int64)
        self._evidence: EvidenceWriter | None = None
        self._pending: list[Entries] = []
        self._replaced: dict[int, Entries] = {}
        self._dropped: list[int] = []
        self._rows = self._base

        sets = old.vectors.sets if old is not None else None
        self.embeddings = EmbeddingWriter(path, self._name, sets, models)
        self._segment = SegmentWriter(path / "segments" / self._name)
        self.scratch = path / "segments" / f"{self._name}-scratch"

        lexical = path / "lexical" / self._name
        if self.kept is not None:
            link_folder(path / "lexical" / self.kept.manifest.lexical, lexical)
        self._lexical = LexicalWriter(lexical)

    def paper(self, row: int) -> Paper:
        """Return the paper at a row, old or new."""
        if row < self._base and self.kept is not None:
            return self.kept.papers.read([row])[0]
        if row < self._flushed:
            return self._segment.records.read(row - self._base)
        if row in self._replaced:
            return self._replaced[row].paper(0)

        # ends[i] is the row behind the last of pending part i
        ends = list(itertools.accumulate(map(len, self._pending), initial=self._flushed))[1:]
        part = bisect.bisect_right(ends, row)
        return self._pending[part].paper(row - ends[part] + len(self._pending[part]))

    def find(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key among the papers that were there before, -1 where none has
        it.
        """
        if self.kept is None:
            return np.full(len(keys), -1)
        return self.kept.papers.find(keys)

    def has(self, row: int) -> bool:
        """Return whether a row has not been deleted in this generation."""
        return row not in self._deleted

    def new_titles(self) -> Iterator[tuple[int, str]]:
        """Yield the rows of this generation that are new and not deleted, with their titles."""
        self.flush()
        for row, texts in enumerate(self._segment.records.texts(), self._base):
            if self.has(row):
                yield row, texts.title

    def append(self, entries: Entries) -> Rows:
        """Add papers behind the last; return their rows."""
        self._pending.append(entries)
        self._light |= bool(entries.light.any())
        self._rows += len(entries)
        return np.arange(self._rows - len(entries), self._rows)

    def replace(self, row: int, entry: Entries) -> Rows:
        """Put a new record in place of an old one; return its row, which is a new one if the old
        record is on disk already.
        """
        if row >= self._flushed:
            self._replaced[row] = entry
            return np.array([row])
        self.delete([row])
        return self.append(entry)

    def delete(self, rows: list[int]) -> None:
        """Mark rows as deleted; those that are pending are written all the same, so that the rows
        of a batch do not depend on what is deleted within it.
        """
        self._deleted.update(rows)
        self._lexical.remove([row for row in rows if row < self._flushed])
        self._dropped += [row for row in rows if row >= self._flushed]

    def remove(self, rows: list[int]) -> None:
        """Mark rows of the old generation as deleted, with the sentences of their papers."""
        if self.kept is not None:
            self._forgotten = np.union1d(self._forgotten, self._sentences_by(self.kept, rows))
        self.delete(rows)

    @staticmethod
    def _sentences_by(library: LibraryFolder, rows: list[int]) -> Rows:
        """Return the numbers of the sentences of some papers."""
        table = library.evidence.sentence_table()
        return table.numbers[np.isin(table.citing, rows)]

    @property
    def empty(self) -> bool:
        """Whether neither this generation nor the one before has anything."""
        return self._old is None and not self._rows and self._evidence is None

    def append_sentences(self, sentences: Sentences) -> None:
        """Add citing sentences behind the last."""
        self._evidence_writer().extend(sentences, self._terms)

    def _evidence_writer(self) -> EvidenceWriter:
        if self._evidence is None:
            self._evidence = EvidenceWriter(self.path / "evidence" / self._name)
        return self._evidence

    def flush(self) -> None:
        """Write the papers that are pending."""
        if not self._pending:
            return

        first, entries = self._flushed, Entries.join([*self._pending, *self._replaced.values()])
        if self._replaced:
            # the replacements follow behind the pending entries: point the replaced rows at them
            positions = np.arange(self._rows - first)
            replaced = np.array([*self._replaced]) - first
            positions[replaced] = positions.size + np.arange(len(self._replaced))
            entries = entries.take(positions)

        self._lexical.add(first, entries.years.tolist(), self._segment.extend(entries, self._terms))
        self._lexical.remove(self._dropped)
        self._pending, self._replaced, self._dropped = [], {}, []

    @property
    def _flushed(self) -> int:
        return self._base + self._segment.rows

    def copy_all(self) -> None:
        """Copy every paper and sentence of the old generation that was not deleted, in order."""
        old = self._old
        if old is None:
            return

        for entry, segment in zip(old.manifest.segments, old.segments, strict=True):
            local = old.papers.rows - entry.first_row
            local = local[(local >= 0) & (local < entry.rows)]
            for start in range(0, local.size, BATCH):
                rows = local[start : start + BATCH]
                years = segment.array("years")[rows].tolist()
                first = self._segment.rows
                self._lexical.add(first, years, self._segment.copy(segment, rows))

        firsts = itertools.accumulate(map(len, old.evidence.segments), initial=0)
        for evidence, first in zip(old.evidence.segments, firsts, strict=False):
            local = np.setdiff1d(np.arange(len(evidence)), old.evidence.tables.deleted - first)
            self._evidence_writer().copy(evidence, local)

    def commit(self) -> None:
        """Finish all files, make them durable, and switch the manifest; then remove the old
        generation's files.
        """
        self.flush()
        self._segment.close()
        if self._evidence is not None:
            self._evidence.close()

        if not (
            self._segment.rows
            or self._deleted
            or self._evidence
            or self.embeddings.changed
            or self.kept is None
        ):
            self._lexical.close()
            self.abandon()
            return

        before = self.kept.tables.deleted if self.kept is not None else np.zeros(0, np.int64)
        deleted = np.union1d(before, np.array([*self._deleted], np.int64))
        with ThreadPoolExecutor(1) as beside:  # the lexical engine finishes in threads of its own
            finishing = beside.submit(self._lexical.close)
            entries, segments = self._joined_segments()
            evidence = self._joined_evidence()

            tables = self._write_tables(segments, deleted, evidence)
            vectors = self._write_embeddings(segments)

            finishing.result()

        rows = sum(entry.rows for entry in entries)
        manifest = Manifest(
            generation=self._number,
            papers=rows - deleted.size,
            rows=rows,
            segments=tuple(entries),
            tables=tables[0],
            changes="".join(tables[1:]),
            lexical=self._name,
            lengths=self._lengths(segments, deleted),
            light=self._light,
            evidence=tuple(segment.folder.name for segment in evidence),
            files=self._file_entries(
                [f"segments/{entry.name}" for entry in entries]
                + [f"evidence/{segment.folder.name}" for segment in evidence]
                + [f"tables/{name}" for name in tables],
                files_of(vectors),
            ),
            vectors=vectors,
            format=_format(tables, vectors, evidence),
            written=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )

        manifests.save(self.path, manifest)
        collect_garbage(self.path, manifest)

    def abandon(self) -> None:
        """Remove what was written; the library stays as it was."""
        self._segment.abandon()
        if self._evidence is not None:
            self._evidence.abandon()
        for kind in KINDS:
            for ending in ("", "-joined", "-scratch"):
                delete_own(kind, self.path / kind / f"{self._name}{ending}")
            with contextlib.suppress(OSError):  # other generations are in it
                (self.path / kind).rmdir()
        delete_embeddings(self.path, self._old.manifest.files if self._old is not None else ())

    def _joined_segments(self) -> tuple[list[SegmentEntry], list[Segment]]:
        """Return the segments of the new generation with their entries; small ones at the end are
        joined, so that there are never many.
        """
        entries = list(self.kept.manifest.segments) if self.kept is not None else []
        segments = list(self.kept.segments) if self.kept is not None else []
        if self._segment.rows:
            entries.append(SegmentEntry(self._name, self._base, self._segment.rows))
            segments.append(Segment(self._segment.folder, self._segment.rows))
        else:
            delete_own("segments", self._segment.folder)

        tail = first_joined([segment.rows for segment in segments])
        if 0 <= tail < len(segments) - 1:
            joined = _join(segments[tail:], self.path / "segments" / f"{self._name}-joined")
            entries[tail:] = [
                SegmentEntry(joined.folder.name, entries[tail].first_row, joined.rows)
            ]
            segments[tail:] = [joined]

        return entries, segments

    def _joined_evidence(self) -> list[EvidenceSegment]:
        """Return the evidence segments of the new generation, small ones at the end joined."""
        segments = list(self.kept.evidence.segments) if self.kept is not None else []
        if self._evidence is not None:
            segments.append(EvidenceSegment(self._evidence.folder))

        tail = first_joined([len(segment) for segment in segments])
        if 0 <= tail < len(segments) - 1:
            writer = EvidenceWriter(self.path / "evidence" / f"{self._name}-joined")
            for segment in segments[tail:]:
                writer.copy(segment, np.arange(len(segment)))
            writer.close()
            segments[tail:] = [EvidenceSegment(writer.folder)]

        return segments

    def _write_tables(
        self, segments: list[Segment], deleted: Rows, evidence: list[EvidenceSegment]
    ) -> tuple[str, ...]:
        """Write the tables: all of them, or what has changed since older ones were written, or
        nothing. Return the folders that have them, the lower level first.
        """
        kept, rows = self.kept, sum(segment.rows for segment in segments)
        sentences = self._deleted_sentences()
        if kept is not None and not (
            self._segment.rows or self._deleted or self._evidence or self._forgotten.size
        ):
            return kept.manifest.table_folders

        folder = self.path / "tables" / self._name
        if kept is None or not can_change(kept.tables.base, rows, deleted):
            folders: tuple[str, ...] = (self._name,)
            tables, evidence_tables = derive(segments, deleted, evidence, sentences)
            tables.save(folder)
            self._vocabulary.save(folder)
        else:
            folders = (kept.manifest.tables, self._name)
            base = (kept.tables.base, self.path / "tables" / folders[0])
            changes, evidence_tables = derive_changes(base, segments, deleted, evidence, sentences)
            changes.save(folder)
            self._vocabulary.save(folder, kept.vocabulary.below())

        if evidence:
            evidence_tables.save(folder)
        return folders

    def _lengths(self, segments: list[Segment], deleted: Rows) -> dict[str, int]:
        """Return the number of terms in each field of all papers that are not deleted."""
        old, every = self.kept, Segments(segments)
        before = old.tables.deleted if old is not None else np.zeros(0, np.int64)
        new = np.arange(self._base, every.rows)
        gone = np.setdiff1d(deleted, before, assume_unique=True)
        return {
            field: (old.manifest.lengths[field] if old is not None else 0)
            + _length(every, field, new)
            - _length(every, field, gone)
            for field in FIELDS
        }

    def _write_embeddings(self, segments: list[Segment]) -> dict[str, VectorSetEntry]:
        """Write the vectors of papers; return the sets of the new generation."""
        taken = self._old.papers.rows if self._old is not None and self.kept is None else None
        return self.embeddings.write(
            Segments(segments),
            lambda terms: [self._vocabulary.word(term) for term in terms.tolist()],
            taken,
        )

    def _deleted_sentences(self) -> Rows:
        """Return the sentences that are deleted, sorted."""
        if self.kept is None:
            return self._forgotten
        return np.union1d(self._forgotten, self.kept.evidence.tables.deleted)

    def _file_entries(self, folders: list[str], vectors: list[str]) -> dict[str, FileEntry]:
        """Return the sizes and checksums of all files of the generation: those in some folders,
        the lexical index and vectors; new files are made durable.
        """
        known = dict(self.kept.manifest.files) if self.kept is not None else {}
        known |= {  # files of the lexical index that are hard links to the old generation's
            name.replace(self.kept.manifest.lexical, self._name): entry
            for name, entry in known.items()
            if self.kept is not None and name.startswith("lexical/") and not name.endswith(".json")
        }

        folders = [*folders, f"lexical/{self._name}"]
        every = [file for folder in folders for file in walk(self.path / folder)]
        every += [self.path / name for name in vectors]
        files = {}
        for file in every:
            name = file.relative_to(self.path).as_posix()
            if file.suffix == ".lock":
                continue
            if name not in known:
                sync(file)
            files[name] = known.get(name) or FileEntry(file.stat().st_size, checksum(file))

        for parent in sorted({file.parent for file in every}):
            sync(parent)
        return files


def _join(segments: list[Segment], folder: Path) -> Segment:
    writer = SegmentWriter(folder)
    for segment in segments:
        for start in range(0, segment.rows, BATCH):
            writer.copy(segment, np.arange(start, min(start + BATCH, segment.rows)))
    writer.close()
    return Segment(folder, writer.rows)


def _next_number(library: Path, number: int) -> int:
    """Return the number of the generation after another; one is left out where files that are not
    ours keep a folder of that number from being removed.
    """
    number += 1
    taken = any((library / kind / f"{number:06d}").exists() for kind in KINDS)
    return _next_number(library, number) if taken else number


def _format(tables: Sized, vectors: Sized, evidence: Sized) -> int:
    """Return the first format that has all that a library has; `manifest.FORMAT` is the last."""
    if len(tables) > 1:
        return 4
    return 3 if len(vectors) else 2 if len(evidence) else 1


def _length(segments: Segments, field: str, rows: Rows) -> int:
    """Return the number of terms in a field of some papers."""
    return sum(
        int(segment.array(f"{field}.lengths")[local].sum(dtype=np.int64))
        for segment, _, local in segments.split(rows)
    )


def collect_garbage(path: Path, manifest: Manifest | None) -> None:
    """Remove what the current generation does not use: older generations, and the files of a writer
    that was killed.
    """
    used = {f"segments/{entry.name}" for entry in manifest.segments} if manifest else set()
    used |= {f"tables/{name}" for name in manifest.table_folders} if manifest else set()
    used |= {f"lexical/{manifest.lexical}"} if manifest else set()
    used |= {f"evidence/{name}" for name in manifest.evidence} if manifest else set()

    for kind in KINDS:
        for folder in (path / kind).glob("*"):
            if f"{kind}/{folder.name}" not in used and GENERATION.fullmatch(folder.name):
                delete_own(kind, folder)
    delete_embeddings(path, manifest.files if manifest else ())
