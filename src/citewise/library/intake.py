"""Adds papers to a generation: new ones are appended, versions of a known work are merged."""

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes, HashTable, Rows
from citewise.ingest.report import Report, SourceLocation
from citewise.library.entries import Batch, Entries
from citewise.library.evidence.sentences import Sentences
from citewise.library.growing import Growing
from citewise.library.pending_patches import PendingPatches
from citewise.library.similar_references import nearly_same
from citewise.library.tables import RowsByHash
from citewise.library.versions import merge, plainly_different, same_work, share_author
from citewise.text.ids import digests, keys_of
from citewise.types import Paper

_MOST_COMPARED = 50
"""At most this many papers with one title are compared: some titles ("Introduction to the special
issue") are those of thousands.
"""


class Intake:
    """Adds the records of one import to a generation.

    It remembers the hashes of this import's papers; those of the library are in its tables. Papers
    that share no key and no title with another are added together, the others one by one, in order.
    """

    def __init__(self, generation: Growing, report: Report, keep_versions: bool) -> None:
        self._generation, self._report, self._keep_versions = generation, report, keep_versions
        self._seen, self._titles, self._sentences = HashTable(), HashTable(), HashTable()
        self._light: set[int] = set()
        self._more_titled: dict[int, list[int]] = {}
        self._pending = PendingPatches(generation.scratch)

    def take(self, batches: Iterable[Batch]) -> None:
        """Add papers; patches that no paper claimed by the end are skipped."""
        try:
            for batch in batches:
                self._take_all(batch)
                if batch.sentences is not None:
                    self._take_sentences(batch.sentences)
                self._generation.flush()

            for patch, location in self._pending.rest():
                self._report.note("skipped", "no_title", location, patch.id)

            if not self._keep_versions:
                self._unite()
        finally:
            self._pending.close()

    def _unite(self) -> None:
        """Merge light papers with those whose titles are nearly the same."""
        kept = self._generation.kept
        if not self._light and not (kept is not None and kept.manifest.light):
            return

        moved: dict[int, int] = {}
        for row, light in nearly_same(self._generation, self._light):
            target = moved.get(row, row)
            if self._generation.has(target) and self._generation.has(light):
                one, other = self._generation.paper(target), self._generation.paper(light)
                merged = Entries.of([merge(one, other)])
                self._generation.delete([light])
                moved[row] = int(self._generation.replace(target, merged)[0])

                location = SourceLocation(str(self._generation.path), 0)
                detail = f"with {one.id}"
                self._report.note("merged", "similar_reference", location, other.id, detail)

    def _take_sentences(self, sentences: Sentences) -> None:
        """Add the sentences that are new; their papers and those that they cite may come later."""
        new = self._sentences.find(sentences.identities) < 0
        if self._generation.kept is not None:
            new &= self._generation.kept.evidence.tables.identities.find(sentences.identities) < 0

        _, first = np.unique(sentences.identities, return_index=True)
        positions = np.sort(first[new[first]])
        if positions.size:
            added = sentences.take(positions)
            self._sentences.put(added.identities, np.zeros(positions.size, np.int64))
            self._generation.append_sentences(added)

        self._report.sentences += int(positions.size)
        self._report.known_sentences += len(sentences) - int(positions.size)

    def _take_all(self, batch: Batch) -> None:
        """Add the papers of a batch: those that match no other together, the rest one by one."""
        entries, may_match = batch.entries, self._may_match(batch.entries)

        done = 0
        while done < len(entries):
            alone = np.flatnonzero(may_match[done:])[:1] + done
            end = int(alone[0]) if alone.size else len(entries)
            if end > done:
                self._append(entries.take(np.arange(done, end)))

            if alone.size and self._take(entries.take(alone), batch.location(end)):
                rest = entries.take(np.arange(end + 1, len(entries)))
                may_match[end + 1 :] = self._may_match(rest)
            done = end + 1

    def _may_match(self, entries: Entries) -> NDArray[np.bool_]:
        """Return for each paper whether it must be looked at alone: it has a key or title that is
        known already, it has no title, or patches are pending.
        """
        if not self._pending.empty:
            return np.ones(len(entries), np.bool_)

        kept = self._generation.kept.tables if self._generation.kept is not None else None
        may_match: NDArray[np.bool_] = entries.titles == 0
        known = _known(entries.keys.values, self._seen, kept.keys if kept else None)
        may_match[entries.keys.owners[known]] = True
        if not self._keep_versions:
            may_match |= _known(entries.titles, self._titles, kept.titles if kept else None)
        return may_match

    def _append(self, entries: Entries) -> None:
        rows = self._generation.append(entries)
        self._light.update(rows[entries.light].tolist())
        self._remember(entries, rows)
        self._report.added += len(entries)

    def _take(self, entry: Entries, location: SourceLocation) -> bool:
        """Add a paper with its pending patches, or merge it, or keep it pending where it is a patch
        itself.

        Return whether papers that matched no other may match now: this one was given a new key, or
        is the first patch.
        """
        paper = whole = entry.paper(0)
        if paper.title and (patches := self._pending.take(entry.keys.values.tolist())):
            whole = functools.reduce(merge, patches, paper)

        named, rows = self._same_key(whole, location)
        reason = "same_key"
        if not rows and named.title and not self._keep_versions:
            rows, reason = self._same_title(named, int(entry.titles[0])), "same_title"

        if rows:
            self._merge(named, rows, reason, location)
        elif named.title:
            self._append(entry if named is paper else Entries.of([named]))
        else:
            first = self._pending.empty
            self._pending.put(entry.keys.values.tolist(), named, location)
            return first
        return named is not whole

    def _merge(self, paper: Paper, rows: list[int], reason: str, location: SourceLocation) -> None:
        """Merge a record with the papers that it is a version of; those become one paper."""
        first, *others = (self._generation.paper(row) for row in rows)
        merged = merge(functools.reduce(merge, others, first), paper)
        if merged == first:
            self._report.unchanged += 1
            return

        if paper.title:
            self._report.note("merged", reason, location, paper.id, f"with {first.id}")
        self._report.updated += 1
        if others:
            self._generation.delete(rows[1:])

        renewed = Entries.of([merged])
        row = self._generation.replace(rows[0], renewed)
        self._light.update(row[renewed.light].tolist())
        self._remember(renewed, row)

    def _same_key(self, paper: Paper, location: SourceLocation) -> tuple[Paper, list[int]]:
        """Return the record and the rows of the papers that share a key with it; a key that belongs
        to a plainly different work is removed from the record.
        """
        rows, taken = self._sharing(paper)
        while taken:
            self._report.note(
                "repaired", "duplicate_key", location, taken[0], f"taken by {taken[1]}"
            )
            paper = _without(paper, taken[0])
            rows, taken = self._sharing(paper)
        return paper, rows

    def _sharing(self, paper: Paper) -> tuple[list[int], tuple[str, str] | None]:
        """Return the rows that share a key with a paper, and None; or no rows, and a key that
        belongs to a plainly different work with that work's id.
        """
        rows: dict[int, None] = {}
        names = keys_of(paper)
        for name, row in zip(names, self._rows(names), strict=True):
            if row < 0 or row in rows or not self._generation.has(row):
                continue
            known = self._generation.paper(row)
            if plainly_different(known, paper, name):
                return [], (name, known.id)
            rows[row] = None

        return list(rows), None

    def _rows(self, names: tuple[str, ...]) -> list[int]:
        """Return the row of each key, -1 for none: of this import, else of the old generation."""
        hashes = digests(names)
        rows = self._seen.find(hashes)
        if self._generation.kept is not None:
            rows = np.where(rows >= 0, rows, self._generation.kept.tables.keys.find(hashes))
        numbers: list[int] = rows.tolist()
        return numbers

    def _same_title(self, paper: Paper, title: int) -> list[int]:
        """Return the row of the same work under a title, or nothing; one that shares an author is
        preferred to one that has none.
        """
        matches: list[int] = []
        for row in itertools.islice(self._titled(title), _MOST_COMPARED if title else 0):
            if not self._generation.has(row):
                continue
            known = self._generation.paper(row)
            if same_work(known, paper):
                if share_author(known, paper):
                    return [row]
                matches.append(row)
        return matches[:1]

    def _titled(self, title: int) -> Iterator[int]:
        """Yield the rows with a title: those of this import, the newest first, then those of the
        old generation.
        """
        yield from reversed(self._more_titled.get(title, ()))

        first = int(self._titles.find(np.array([title], np.uint64))[0])
        if first >= 0:
            yield first

        if self._generation.kept is not None:
            yield from self._generation.kept.tables.titles.find_all(title)

    def _remember(self, entries: Entries, rows: Rows) -> None:
        """Keep the hashes of keys and titles of new rows."""
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


def _known(hashes: Hashes, seen: HashTable, kept: RowsByHash | None) -> NDArray[np.bool_]:
    """Return whether each hash was seen, is in the old generation, or is here twice."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    known = (counts > 1)[inverse] | (seen.find(hashes) >= 0)
    return known if kept is None else known | (kept.find(hashes) >= 0)


def _without(paper: Paper, key: str) -> Paper:
    """Return the paper without a key; if that is its id, the id gets a number at its end."""
    if key != paper.id:
        return dataclasses.replace(paper, ids=tuple(name for name in paper.ids if name != key))
    stem, mark, number = key.rpartition("~")
    return dataclasses.replace(
        paper, id=f"{stem}~{int(number) + 1}" if mark and number.isdigit() else f"{key}~2"
    )
