"""Takes papers into a generation: new ones are appended, versions of a work that is there are merged with it."""

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from citewise.hash_table import Hashes, HashTable
from citewise.ids import digests
from citewise.library.cited_papers import nearly_same
from citewise.library.entries import Batch, Entries, keys_of
from citewise.library.generation import Generation
from citewise.library.sentences import Sentences
from citewise.library.tables import Lookup
from citewise.library.versions import merge, plainly_different, same_work, share_author
from citewise.library.waiting import Waiting
from citewise.report import Place, Report
from citewise.types import Paper, Rows

_MOST_COMPARED = 50
"""A title that more papers share ("Introduction to the special issue") is compared with so many of them."""


class Intake:
    """Remembers by which hashes this import's papers are found; those of the library are asked of its tables.

    Papers that share no key and no title with another are taken together; the others one by one, in order.
    """

    def __init__(self, generation: Generation, report: Report, keep_versions: bool) -> None:
        self._generation, self._report, self._keep_versions = generation, report, keep_versions
        self._seen, self._titles, self._sentences = HashTable(), HashTable(), HashTable()
        self._light: set[int] = set()
        self._more_titled: dict[int, list[int]] = {}
        self._waiting = Waiting(generation.scratch)

    def take(self, batches: Iterable[Batch]) -> None:
        """Add papers; patches that no paper claimed by the end are skipped."""
        try:
            for batch in batches:
                self._take_all(batch)
                if batch.sentences is not None:
                    self._take_sentences(batch.sentences)
                self._generation.flush()
            for patch, place in self._waiting.rest():
                self._report.note("skipped", "no_title", place, patch.id)
            if not self._keep_versions:
                self._unite()
        finally:
            self._waiting.close()

    def _unite(self) -> None:
        """Merge light papers with those whose titles are nearly the same."""
        kept = self._generation.kept
        if not self._light and not (kept is not None and kept.manifest.light):
            return
        moved: dict[int, int] = {}
        for row, light in nearly_same(self._generation, self._light):
            target = moved.get(row, row)
            if self._generation.holds(target) and self._generation.holds(light):
                one, other = self._generation.paper(target), self._generation.paper(light)
                merged = Entries.of([merge(one, other)])
                self._generation.delete([light])
                moved[row] = int(self._generation.replace(target, merged)[0])
                place = Place(str(self._generation.path), 0)
                self._report.note("merged", "similar_reference", place, other.id, f"with {one.id}")

    def _take_sentences(self, sentences: Sentences) -> None:
        """Add the sentences that are new; what they cite, and who cites, may come later."""
        new = self._sentences.find(sentences.identities) < 0
        if self._generation.kept is not None:
            new &= self._generation.kept.evidence.tables.identities.find(sentences.identities) < 0
        _, first = np.unique(sentences.identities, return_index=True)
        places = np.sort(first[new[first]])
        if places.size:
            added = sentences.take(places)
            self._sentences.put(added.identities, np.zeros(places.size, np.int64))
            self._generation.append_sentences(added)
        self._report.sentences += int(places.size)
        self._report.known_sentences += len(sentences) - int(places.size)

    def _take_all(self, batch: Batch) -> None:
        entries, met = batch.entries, self._met(batch.entries)
        done = 0
        while done < len(entries):
            alone = np.flatnonzero(met[done:])[:1] + done
            end = int(alone[0]) if alone.size else len(entries)
            if end > done:
                self._append(entries.take(np.arange(done, end)))
            if alone.size and self._take(entries.take(alone), batch.place(end)):
                met[end + 1:] = self._met(entries.take(np.arange(end + 1, len(entries))))
            done = end + 1

    def _met(self, entries: Entries) -> NDArray[np.bool_]:
        """Whether each paper may meet another (a key or title is not new, patches wait) or has no title to speak of."""
        if not self._waiting.empty:
            return np.ones(len(entries), np.bool_)
        kept = self._generation.kept.tables if self._generation.kept is not None else None
        met: NDArray[np.bool_] = entries.titles == 0
        owners = np.repeat(np.arange(len(entries)), entries.keys.lengths)
        met[owners[_known(entries.keys.values, self._seen, kept.keys if kept else None)]] = True
        if not self._keep_versions:
            met |= _known(entries.titles, self._titles, kept.titles if kept else None)
        return met

    def _append(self, entries: Entries) -> None:
        rows = self._generation.append(entries)
        self._light.update(rows[entries.light].tolist())
        self._remember(entries, rows)
        self._report.added += len(entries)

    def _take(self, entry: Entries, place: Place) -> bool:
        """Add a paper with the patches that wait for it, merge it, or let it wait where it is a patch itself.

        Return whether that may concern papers that met nobody: it was given a new key, or is the first patch.
        """
        paper = whole = entry.paper(0)
        if paper.title and (patches := self._waiting.take(entry.keys.values.tolist())):
            whole = functools.reduce(merge, patches, paper)
        named, rows = self._same_key(whole, place)
        reason = "same_key"
        if not rows and named.title and not self._keep_versions:
            rows, reason = self._same_title(named, int(entry.titles[0])), "same_title"
        if rows:
            self._merge(named, rows, reason, place)
        elif named.title:
            self._append(entry if named is paper else Entries.of([named]))
        else:
            first = self._waiting.empty
            self._waiting.put(entry.keys.values.tolist(), named, place)
            return first
        return named is not whole

    def _merge(self, paper: Paper, rows: list[int], reason: str, place: Place) -> None:
        """Make one paper of a record and the papers that it is a version of; it may be what shows two to be one."""
        first, *others = (self._generation.paper(row) for row in rows)
        merged = merge(functools.reduce(merge, others, first), paper)
        if merged == first:
            self._report.unchanged += 1
            return
        if paper.title:
            self._report.note("merged", reason, place, paper.id, f"with {first.id}")
        self._report.updated += 1
        if others:
            self._generation.delete(rows[1:])
        renewed = Entries.of([merged])
        row = self._generation.replace(rows[0], renewed)
        self._light.update(row[renewed.light].tolist())
        self._remember(renewed, row)

    def _same_key(self, paper: Paper, place: Place) -> tuple[Paper, list[int]]:
        """Return the rows of the papers that share a key; a key of a plainly different work is given up."""
        rows, taken = self._sharing(paper)
        while taken:
            self._report.note("repaired", "duplicate_key", place, taken[0], f"taken by {taken[1]}")
            paper = _without(paper, taken[0])
            rows, taken = self._sharing(paper)
        return paper, rows

    def _sharing(self, paper: Paper) -> tuple[list[int], tuple[str, str] | None]:
        """Return the rows that share a key, and the first key of a plainly different work with that work's id."""
        rows: dict[int, None] = {}
        names = keys_of(paper)
        for name, row in zip(names, self._rows(names), strict=True):
            if row < 0 or row in rows or not self._generation.holds(row):
                continue
            held = self._generation.paper(row)
            if plainly_different(held, paper, name):
                return [], (name, held.id)
            rows[row] = None
        return list(rows), None

    def _rows(self, names: tuple[str, ...]) -> list[int]:
        """Return the rows that keys name, -1 for none: of this import, else of the old generation."""
        hashes = digests(names)
        rows = self._seen.find(hashes)
        if self._generation.kept is not None:
            rows = np.where(rows >= 0, rows, self._generation.kept.tables.keys.find(hashes))
        found: list[int] = rows.tolist()
        return found

    def _same_title(self, paper: Paper, title: int) -> list[int]:
        """Return the row of the same work; one that shares an author is preferred to one that has none."""
        found: list[int] = []
        for row in itertools.islice(self._titled(title), _MOST_COMPARED if title else 0):
            if self._generation.holds(row) and same_work(held := self._generation.paper(row), paper):
                if share_author(held, paper):
                    return [row]
                found.append(row)
        return found[:1]

    def _titled(self, title: int) -> Iterator[int]:
        """Yield the rows with a title: those of this import, the newest first, then those of the old generation."""
        yield from reversed(self._more_titled.get(title, ()))
        first = int(self._titles.find(np.array([title], np.uint64))[0])
        if first >= 0:
            yield first
        if self._generation.kept is not None:
            yield from self._generation.kept.tables.titles.find_all(title)

    def _remember(self, entries: Entries, rows: Rows) -> None:
        self._seen.put(entries.keys.values, np.repeat(rows, entries.keys.lengths))
        if self._keep_versions:
            return
        titled = entries.titles != 0
        titles, rows = entries.titles[titled], rows[titled]
        known = self._titles.find(titles)
        for title, row in zip(titles[known >= 0].tolist(), rows[known >= 0].tolist(), strict=True):
            if self._titles.find(np.array([title], np.uint64))[0] != row:
                self._more_titled.setdefault(title, []).append(row)
        self._titles.put(titles[known < 0], rows[known < 0])


def _known(hashes: Hashes, seen: HashTable, kept: Lookup | None) -> NDArray[np.bool_]:
    """Whether each hash was seen, is held by the old generation, or is here twice."""
    _, places, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    known = (counts > 1)[places] | (seen.find(hashes) >= 0)
    return known if kept is None else known | (kept.find(hashes) >= 0)


def _without(paper: Paper, key: str) -> Paper:
    """Return the paper without a key; if that was its own id, with a number behind it."""
    if key != paper.id:
        return dataclasses.replace(paper, ids=tuple(name for name in paper.ids if name != key))
    stem, mark, number = key.rpartition("~")
    return dataclasses.replace(paper, id=f"{stem}~{int(number) + 1}" if mark and number.isdigit() else f"{key}~2")
