"""The only writer of a library: adds, merges, removes, compacts; each change is a new generation, visible at once."""

import contextlib
import dataclasses
import datetime
import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from citewise.errors import MissingData
from citewise.library import manifest as manifests
from citewise.library.entry import Entry, keys_of
from citewise.library.files import checksum, delete, link_folder, sync, walk
from citewise.library.lexical import LexicalWriter
from citewise.library.library import Library
from citewise.library.lock import writer_lock
from citewise.library.manifest import FileEntry, Manifest, SegmentEntry
from citewise.library.segment import Segment, SegmentWriter
from citewise.library.tables import Tables
from citewise.library.versions import merge, plainly_different, same_work
from citewise.library.vocabulary import VocabularyWriter
from citewise.library.waiting import Waiting
from citewise.protocols import FIELDS
from citewise.report import Place, Report
from citewise.text import Terms
from citewise.types import Paper, Rows

BATCH = 1_000
"""Papers analysed at once: enough to amortise the calls, few enough to stay in the cache."""

_SMALL = 50_000
"""Segments of fewer rows are joined with their neighbours as they accumulate."""

_MOST_COMPARED = 50
"""A title that more papers share ("Introduction to the special issue") is compared with so many of them."""

_OUR_NAME = re.compile(r"\d{6,}(-joined|-waiting)?")
"""What a generation's folders are called; whatever else is in a library's folder is its owner's."""

Entries = Iterable[tuple[Entry, Place]]


def add(path: Path | str, entries: Entries, report: Report | None = None, keep_versions: bool = False) -> Library:
    """Create or extend a library; with `keep_versions`, equal titles alone do not merge papers."""
    with _writing(Path(path)) as writer:
        writer.add(entries, report or Report(), keep_versions)
        writer.commit()
    return Library(path)


def remove(path: Path | str, keys: Iterable[str]) -> Library:
    """Remove papers by any of their ids; if one is unknown, nothing is removed."""
    names = list(keys)
    with _writing(Path(path), must_exist=True) as writer:
        rows = writer.library_rows(names)
        unknown = [name for name, row in zip(names, rows.tolist(), strict=True) if row < 0]
        if unknown:
            raise MissingData(f"{path}: no paper {unknown[0]!r}" + (f" (nor {len(unknown) - 1} others)"
                              if len(unknown) > 1 else "") + "; nothing was removed")
        writer.delete(sorted(set(rows.tolist())))
        writer.commit()
    return Library(path)


def compact(path: Path | str) -> Library:
    """Rewrite a library without what was removed, in one segment; rows are numbered anew."""
    with _writing(Path(path), must_exist=True, from_scratch=True) as writer:
        writer.copy_all()
        writer.commit()
    return Library(path)


@contextlib.contextmanager
def _writing(path: Path, must_exist: bool = False, from_scratch: bool = False) -> Iterator["_Generation"]:
    if must_exist:
        manifests.load(path)
    with writer_lock(path):
        old = Library(path) if (path / manifests.NAME).exists() else None
        _collect_garbage(path, old.manifest if old is not None else None)
        generation = _Generation(path, old, from_scratch)
        try:
            yield generation
        except BaseException:
            generation.abandon()
            raise


class _Generation:
    """The next generation while it is being written."""

    def __init__(self, path: Path, old: Library | None, from_scratch: bool) -> None:
        self._path, self._old = path, old
        self._kept = None if from_scratch else old
        self._number = old.manifest.generation + 1 if old is not None else 1
        self._name = f"{self._number:06d}"
        self._vocabulary = VocabularyWriter(old.vocabulary if old is not None else None)
        self._terms = Terms(self._vocabulary.number)
        self._base = self._kept.manifest.rows if self._kept is not None else 0
        self._deleted: set[int] = set()
        self._pending: list[Entry] = []
        self._seen: dict[int, int] = {}
        self._titles: dict[int, int] = {}
        self._more_titled: dict[int, list[int]] = {}
        self._segment = SegmentWriter(path / "segments" / self._name)
        self._waiting = Waiting(path / "segments" / f"{self._name}-waiting")
        self._lexical_folder = path / "lexical" / self._name
        if self._kept is not None:
            link_folder(path / "lexical" / self._kept.manifest.lexical, self._lexical_folder)
        self._lexical = LexicalWriter(self._lexical_folder)

    # Adding

    def add(self, entries: Entries, report: Report, keep_versions: bool) -> None:
        """Add papers in batches, merging each with the paper that it is a version of."""
        stream = iter(entries)
        while batch := list(itertools.islice(stream, BATCH)):
            held = self._held_rows([entry for entry, _ in batch])
            for (entry, place), rows in zip(batch, held, strict=True):
                self._add(entry, rows, place, report, keep_versions)
            self._flush()
        for patch, place in self._waiting.rest():
            report.note("skipped", "no_title", place, patch.id)
        self._waiting.close()

    def _held_rows(self, entries: list[Entry]) -> list[list[int]]:
        """Return the rows of the old generation that the entries' keys name, looked up all at once."""
        if self._kept is None:
            return [[]] * len(entries)
        rows = self._kept.tables.keys.find(np.array([name for entry in entries for name in entry.keys], np.uint64))
        found = iter(rows.tolist())
        return [list(itertools.islice(found, len(entry.keys))) for entry in entries]

    def _add(self, entry: Entry, held: list[int], place: Place, report: Report, keep_versions: bool) -> None:
        entry, row, reason = self._same_paper(entry, held, place, report)
        if row is None and entry.title and not keep_versions:
            row, reason = self._same_title(entry), "same_title"
        if row is None:
            if not entry.paper.title:
                self._waiting.put(entry.keys[0], entry.paper, place)
                return
            self._append(self._patched(entry))
            report.added += 1
            return
        old = self._paper(row)
        merged = merge(old, entry.paper)
        if merged == old:
            report.unchanged += 1
            return
        if entry.paper.title:
            report.note("merged", reason, place, entry.paper.id, f"with {old.id}")
        report.updated += 1
        self._supersede(row, Entry.of(merged))

    def _patched(self, entry: Entry) -> Entry:
        """Return a new paper with the patches that were waiting for it."""
        patches = self._waiting.take(entry.keys)
        return Entry.of(functools.reduce(merge, patches, entry.paper)) if patches else entry

    def _same_paper(self, entry: Entry, held: list[int], place: Place,
                    report: Report) -> tuple[Entry, int | None, str]:
        """Return the row of the paper that shares a key; a key that belongs to a plainly different work is given up."""
        old_rows = held or [-1] * len(entry.keys)
        for name, key, old_row in zip(keys_of(entry.paper), entry.keys, old_rows, strict=True):
            row = self._seen.get(key, old_row)
            if row < 0 or row in self._deleted:
                continue
            if not plainly_different(self._paper(row), entry.paper, name):
                return entry, row, "same_key"
            report.note("repaired", "duplicate_key", place, name, f"taken by {self._paper(row).id}")
            renamed = Entry.of(_without(entry.paper, name))
            return self._same_paper(renamed, self._held_rows([renamed])[0], place, report)
        return entry, None, ""

    def _same_title(self, entry: Entry) -> int | None:
        for row in itertools.islice(self._titled(entry.title), _MOST_COMPARED):
            if row not in self._deleted and same_work(self._paper(row), entry.paper):
                return row
        return None

    def _titled(self, title: int) -> Iterator[int]:
        """Yield the rows with a title: those of this import, the newest first, then those of the old generation."""
        yield from reversed(self._more_titled.get(title, ()))
        if title in self._titles:
            yield self._titles[title]
        if self._kept is not None:
            yield from self._kept.tables.titles.find_all(title)

    def _paper(self, row: int) -> Paper:
        if row < self._base and self._kept is not None:
            return self._kept.papers([row])[0]
        if row >= self._base + self._segment.rows:
            return self._pending[row - self._base - self._segment.rows].paper
        return self._segment.records.read(row - self._base)

    def _append(self, entry: Entry) -> None:
        row = self._base + self._segment.rows + len(self._pending)
        self._pending.append(entry)
        self._remember(entry, row)

    def _remember(self, entry: Entry, row: int) -> None:
        for key in entry.keys:
            self._seen[key] = row
        if entry.title and self._titles.setdefault(entry.title, row) != row:
            self._more_titled.setdefault(entry.title, []).append(row)

    def _supersede(self, row: int, entry: Entry) -> None:
        """Put a new record in the place of an old one."""
        waiting = row - self._base - self._segment.rows
        if waiting >= 0:
            self._pending[waiting] = entry
            self._remember(entry, row)
        else:
            self.delete([row])
            self._append(entry)

    def _flush(self) -> None:
        if not self._pending:
            return
        first = self._base + self._segment.rows
        years = [entry.paper.year or 0 for entry in self._pending]
        self._lexical.add(first, years, self._segment.extend(self._pending, self._terms))
        self._pending = []

    # Removing, compacting

    def library_rows(self, keys: list[str]) -> Rows:
        """Return the rows of keys in the generation that is being replaced."""
        return self._kept.rows_of(keys) if self._kept is not None else np.full(len(keys), -1, np.int64)

    def delete(self, rows: list[int]) -> None:
        """Mark rows as gone."""
        self._deleted.update(rows)
        self._lexical.remove(rows)

    def copy_all(self) -> None:
        """Copy every living paper of the old generation, in order, in batches."""
        old = self._old
        if old is None:
            return
        for entry, segment in zip(old.manifest.segments, old.segments, strict=True):
            local = old.rows - entry.first_row
            local = local[(local >= 0) & (local < entry.rows)]
            for start in range(0, local.size, BATCH):
                rows = local[start: start + BATCH]
                years = segment.array("years")[rows].tolist()
                first = self._segment.rows
                self._lexical.add(first, years, self._segment.copy(segment, rows))

    # Committing

    def commit(self) -> None:
        """Finish all files, make them durable, and switch the manifest; the old generation's files are then removed."""
        self._flush()
        self._segment.close()
        self._lexical.close()
        changed = bool(self._segment.rows or self._deleted or self._kept is None)
        if not changed:
            self.abandon()
            return
        entries, segments = self._joined_segments()
        old_deleted = self._kept.tables.deleted.tolist() if self._kept is not None else []
        deleted = np.array(sorted({*old_deleted, *self._deleted}), np.int64)
        tables = self._path / "tables" / self._name
        Tables.build(segments, deleted).save(tables)
        self._vocabulary.save(tables)
        rows = sum(entry.rows for entry in entries)
        manifest = Manifest(
            generation=self._number, papers=rows - deleted.size, rows=rows, segments=tuple(entries),
            tables=self._name, lexical=self._name, lengths=_lengths(segments, deleted),
            files=self._file_entries(entries),
            written=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
        manifests.save(self._path, manifest)
        _collect_garbage(self._path, manifest)

    def abandon(self) -> None:
        """Remove what was written; the library stays as it was."""
        self._segment.abandon()
        self._waiting.close()
        for kind in ("segments", "lexical", "tables"):
            for leftover in (self._path / kind).glob(f"{self._name}*"):
                delete(leftover)
            with contextlib.suppress(OSError):  # other generations are in it
                (self._path / kind).rmdir()

    def _joined_segments(self) -> tuple[list[SegmentEntry], list[Segment]]:
        """Return the segments of the new generation, small ones at the end joined so that there are never many."""
        entries = list(self._kept.manifest.segments) if self._kept is not None else []
        segments = list(self._kept.segments) if self._kept is not None else []
        if self._segment.rows:
            entries.append(SegmentEntry(self._name, self._base, self._segment.rows))
            segments.append(Segment(self._segment.folder, self._segment.rows))
        else:
            delete(self._segment.folder)
        tail = len(segments) - 1
        while tail > 0 and segments[tail - 1].rows <= min(_SMALL, 2 * sum(each.rows for each in segments[tail:])):
            tail -= 1
        if 0 <= tail < len(segments) - 1:
            joined = _join(segments[tail:], self._path / "segments" / f"{self._name}-joined")
            entries[tail:] = [SegmentEntry(joined.folder.name, entries[tail].first_row, joined.rows)]
            segments[tail:] = [joined]
        return entries, segments

    def _file_entries(self, entries: list[SegmentEntry]) -> dict[str, FileEntry]:
        """Return the sizes and checksums of all files of the generation; new files are made durable on the way."""
        known = dict(self._kept.manifest.files) if self._kept is not None else {}
        known |= {name.replace(self._kept.manifest.lexical, self._name): entry for name, entry in known.items()
                  if self._kept is not None and name.startswith("lexical/")
                  and not name.endswith(".json")}  # hard links
        folders = [Path("segments") / entry.name for entry in entries]
        folders += [Path("tables") / self._name, Path("lexical") / self._name]
        files = {}
        for folder in folders:
            for file in walk(self._path / folder):
                name = file.relative_to(self._path).as_posix()
                if file.suffix == ".lock":
                    continue
                if name not in known:
                    sync(file)
                files[name] = known.get(name) or FileEntry(file.stat().st_size, checksum(file))
            sync(self._path / folder)
        return files


def _without(paper: Paper, key: str) -> Paper:
    """Return the paper without a key; if that was its own id, with a number behind it."""
    if key != paper.id:
        return dataclasses.replace(paper, ids=tuple(name for name in paper.ids if name != key))
    stem, mark, number = key.rpartition("~")
    return dataclasses.replace(paper, id=f"{stem}~{int(number) + 1}" if mark and number.isdigit() else f"{key}~2")


def _join(segments: list[Segment], folder: Path) -> Segment:
    writer = SegmentWriter(folder)
    for segment in segments:
        for start in range(0, segment.rows, BATCH):
            writer.copy(segment, np.arange(start, min(start + BATCH, segment.rows)))
    writer.close()
    return Segment(folder, writer.rows)


def _lengths(segments: list[Segment], deleted: Rows) -> dict[str, int]:
    totals = {}
    for field in FIELDS:
        lengths = np.concatenate([np.zeros(0, np.uint32), *(part.array(f"{field}.lengths") for part in segments)])
        totals[field] = int(lengths.sum(dtype=np.int64)) - int(lengths[deleted].sum(dtype=np.int64))
    return totals


def _collect_garbage(path: Path, manifest: Manifest | None) -> None:
    """Remove the folders that the current generation does not use."""
    used = {f"segments/{entry.name}" for entry in manifest.segments} if manifest else set()
    used |= {f"tables/{manifest.tables}", f"lexical/{manifest.lexical}"} if manifest else set()
    for kind in ("segments", "tables", "lexical"):
        for folder in (path / kind).glob("*"):
            if f"{kind}/{folder.name}" not in used and _OUR_NAME.fullmatch(folder.name):
                delete(folder)
