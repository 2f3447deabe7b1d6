"""Takes papers into a generation: new ones are appended, versions of a work that is there are merged with it."""

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from citewise.library.entry import Entry, keys_of
from citewise.library.generation import BATCH, Generation
from citewise.library.versions import merge, plainly_different, same_work
from citewise.library.waiting import Waiting
from citewise.report import Place, Report
from citewise.types import Paper

_MOST_COMPARED = 50
"""A title that more papers share ("Introduction to the special issue") is compared with so many of them."""

Entries = Iterable[tuple[Entry, Place]]


class Intake:
    """Remembers by which hashes this import's papers are found; those of the library are asked of its tables."""

    def __init__(self, generation: Generation, report: Report, keep_versions: bool) -> None:
        self._generation, self._report, self._keep_versions = generation, report, keep_versions
        self._seen: dict[int, int] = {}
        self._titles: dict[int, int] = {}
        self._more_titled: dict[int, list[int]] = {}
        self._waiting = Waiting(generation.scratch)

    def take(self, entries: Entries) -> None:
        """Add papers in batches; patches that no paper claimed by the end are skipped."""
        try:
            stream = iter(entries)
            while batch := list(itertools.islice(stream, BATCH)):
                held = self._held_rows([entry for entry, _ in batch])
                for (entry, place), rows in zip(batch, held, strict=True):
                    self._take(entry, rows, place)
                self._generation.flush()
            for patch, place in self._waiting.rest():
                self._report.note("skipped", "no_title", place, patch.id)
        finally:
            self._waiting.close()

    def _held_rows(self, entries: list[Entry]) -> list[list[int]]:
        """Return the rows of the old generation that the entries' keys name (-1: none), looked up all at once."""
        kept = self._generation.kept
        if kept is None:
            return [[-1] * len(entry.keys) for entry in entries]
        rows = kept.tables.keys.find(np.array([name for entry in entries for name in entry.keys], np.uint64))
        found = iter(rows.tolist())
        return [list(itertools.islice(found, len(entry.keys))) for entry in entries]

    def _take(self, entry: Entry, held: list[int], place: Place) -> None:
        """Add a paper with the patches that wait for it, merge it, or let it wait where it is a patch itself."""
        if entry.paper.title and (patches := self._waiting.take(entry.keys)):
            entry = Entry.of(functools.reduce(merge, patches, entry.paper))
            held = self._held_rows([entry])[0]
        entry, rows = self._same_key(entry, held, place)
        reason = "same_key"
        if not rows and entry.title and not self._keep_versions:
            rows, reason = self._same_title(entry), "same_title"
        if rows:
            self._merge(entry, rows, reason, place)
        elif entry.paper.title:
            self._remember(entry, self._generation.append(entry))
            self._report.added += 1
        else:
            self._waiting.put(entry.keys, entry.paper, place)

    def _merge(self, entry: Entry, rows: list[int], reason: str, place: Place) -> None:
        """Make one paper of a record and the papers that it is a version of; it may be what shows two to be one."""
        first, *others = (self._generation.paper(row) for row in rows)
        merged = merge(functools.reduce(merge, others, first), entry.paper)
        if merged == first:
            self._report.unchanged += 1
            return
        if entry.paper.title:
            self._report.note("merged", reason, place, entry.paper.id, f"with {first.id}")
        self._report.updated += 1
        if others:
            self._generation.delete(rows[1:])
        renewed = Entry.of(merged)
        self._remember(renewed, self._generation.replace(rows[0], renewed))

    def _same_key(self, entry: Entry, held: list[int], place: Place) -> tuple[Entry, list[int]]:
        """Return the rows of the papers that share a key; a key of a plainly different work is given up."""
        rows: dict[int, None] = {}
        for name, key, old_row in zip(keys_of(entry.paper), entry.keys, held, strict=True):
            row = self._seen.get(key, old_row)
            if row < 0 or row in rows or not self._generation.holds(row):
                continue
            if plainly_different(self._generation.paper(row), entry.paper, name):
                taken = self._generation.paper(row).id
                self._report.note("repaired", "duplicate_key", place, name, f"taken by {taken}")
                renamed = Entry.of(_without(entry.paper, name))
                return self._same_key(renamed, self._held_rows([renamed])[0], place)
            rows[row] = None
        return entry, list(rows)

    def _same_title(self, entry: Entry) -> list[int]:
        for row in itertools.islice(self._titled(entry.title), _MOST_COMPARED):
            if self._generation.holds(row) and same_work(self._generation.paper(row), entry.paper):
                return [row]
        return []

    def _titled(self, title: int) -> Iterator[int]:
        """Yield the rows with a title: those of this import, the newest first, then those of the old generation."""
        yield from reversed(self._more_titled.get(title, ()))
        if title in self._titles:
            yield self._titles[title]
        if self._generation.kept is not None:
            yield from self._generation.kept.tables.titles.find_all(title)

    def _remember(self, entry: Entry, row: int) -> None:
        for key in entry.keys:
            self._seen[key] = row
        if entry.title and self._titles.setdefault(entry.title, row) != row:
            self._more_titled.setdefault(entry.title, []).append(row)


def _without(paper: Paper, key: str) -> Paper:
    """Return the paper without a key; if that was its own id, with a number behind it."""
    if key != paper.id:
        return dataclasses.replace(paper, ids=tuple(name for name in paper.ids if name != key))
    stem, mark, number = key.rpartition("~")
    return dataclasses.replace(paper, id=f"{stem}~{int(number) + 1}" if mark and number.isdigit() else f"{key}~2")
