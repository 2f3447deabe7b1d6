"""Tables in two levels: those of all rows at some time, and what has changed since.

What is written for a change costs what changed; the tables below it, of millions of rows, stay.
`changes.py` says what has changed.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, flat_index, is_in_sorted
from citewise.library.files import read_array, write_array
from citewise.library.segment import FREQUENCIES
from citewise.library.tables import Adjacency, Hashes, Lookup, Tables


@dataclass(frozen=True, slots=True)
class ChangedLists:
    """The lists of some rows of one direction of the graph, in place of those below."""

    rows: Rows
    """Whose lists these are, sorted."""
    lists: Adjacency

    @classmethod
    def load(cls, folder: Path, name: str) -> "ChangedLists":
        """Read saved lists."""
        rows = read_array(folder / f"{name}.changed", np.int64)
        return cls(rows, Adjacency.load(folder, name))

    def save(self, folder: Path, name: str) -> None:
        """Write as three arrays."""
        write_array(folder / f"{name}.changed", self.rows, np.int64)
        self.lists.save(folder, name)


@dataclass(frozen=True, slots=True)
class ChangedCounts:
    """By how much the document frequencies of some terms have changed."""

    terms: NDArray[np.uint32]
    """Sorted."""
    added: NDArray[np.int32]

    @classmethod
    def load(cls, folder: Path, name: str) -> "ChangedCounts":
        """Read saved changes."""
        terms = read_array(folder / f"{name}.terms", np.uint32)
        return cls(terms, read_array(folder / f"{name}.added", np.int32))

    def save(self, folder: Path, name: str) -> None:
        """Write as two arrays."""
        write_array(folder / f"{name}.terms", self.terms, np.uint32)
        write_array(folder / f"{name}.added", self.added, np.int32)

    def of(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the change of each term."""
        found, asked = np.zeros(terms.size, np.int64), terms.astype(np.uint32)
        known = is_in_sorted(asked, self.terms)
        found[known] = self.added[np.searchsorted(self.terms, asked[known])]
        return found


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed since the tables below were written."""

    deleted: Rows
    """Every row that is deleted, sorted: before that and since."""
    keys: Lookup
    """Of new rows, like `titles` and `authors`."""
    titles: Lookup
    authors: Lookup
    references: ChangedLists
    citers: ChangedLists
    frequencies: dict[str, ChangedCounts]

    @classmethod
    def load(cls, folder: Path) -> "Changes":
        """Read saved changes."""
        return cls(
            deleted=read_array(folder / "deleted", np.int64),
            keys=Lookup.load(folder, "keys"),
            titles=Lookup.load(folder, "titles"),
            authors=Lookup.load(folder, "authors"),
            references=ChangedLists.load(folder, "references"),
            citers=ChangedLists.load(folder, "citers"),
            frequencies={name: ChangedCounts.load(folder, name) for name in FREQUENCIES},
        )

    def save(self, folder: Path) -> None:
        """Write all changes into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        write_array(folder / "deleted", self.deleted, np.int64)
        self.keys.save(folder, "keys")
        self.titles.save(folder, "titles")
        self.authors.save(folder, "authors")
        self.references.save(folder, "references")
        self.citers.save(folder, "citers")
        for name, counts in self.frequencies.items():
            counts.save(folder, name)


@dataclass(frozen=True, slots=True)
class LevelledLookup:
    """A lookup of older rows without those that are gone, and one of new rows, which are higher."""

    below: Lookup
    gone: Rows
    above: Lookup

    def find(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the first number of each hash, -1 where there is none."""
        found = self.below.find(hashes)
        lost = np.flatnonzero(is_in_sorted(found, self.gone))
        places = np.searchsorted(self.below.hashes, hashes[lost])
        while lost.size:  # the next place may have the same hash, with another row
            found[lost], places = -1, places + 1
            inside = places < self.below.hashes.size
            lost, places = lost[inside], places[inside]
            same = self.below.hashes[places] == hashes[lost]
            lost, places = lost[same], places[same]
            found[lost] = self.below.numbers[places]
            gone = is_in_sorted(found[lost], self.gone)
            lost, places = lost[gone], places[gone]

        missing = np.flatnonzero(found < 0)
        found[missing] = self.above.find(hashes[missing])
        return found

    def find_all(self, value: int) -> list[int]:
        """Return every number of a hash."""
        return [int(number) for number in self.between(value, value)]

    def between(self, least: int, most: int) -> NDArray[np.int64]:
        """Return every number of the hashes between two, both included."""
        below = self.below.between(least, most)
        kept = below[~is_in_sorted(below, self.gone)]
        return np.append(kept, self.above.between(least, most))

    @property
    def whole(self) -> Lookup:
        """The same in one level."""
        kept = ~is_in_sorted(self.below.numbers, self.gone)
        return Lookup.of(
            np.append(self.below.hashes[kept], self.above.hashes),
            np.append(self.below.numbers[kept], self.above.numbers),
        )


@dataclass(frozen=True, slots=True)
class LevelledLists:
    """One direction of the graph, in which some rows have other lists than below."""

    below: Adjacency
    changed: ChangedLists

    def lists(self, rows: Rows) -> Ragged:
        """Return the lists of some rows."""
        known = is_in_sorted(rows, self.changed.rows)
        places = np.searchsorted(self.changed.rows, rows[known])
        older = ~known & (rows < self.below.starts.size - 1)
        if older.all():
            return self.below.lists(rows)

        parts = [
            (older, self.below.lists(rows[older])),
            (known, self.changed.lists.lists(places)),
        ]
        lengths = np.zeros(rows.size, np.int64)
        for mask, lists in parts:
            lengths[mask] = lists.lengths

        starts = np.concatenate(([0], np.cumsum(lengths)))
        values = np.empty(starts[-1], np.int64)
        for mask, lists in parts:
            values[flat_index(starts[:-1][mask], starts[1:][mask])[0]] = lists.values
        return Ragged(values, starts)

    def whole(self, rows: int) -> Adjacency:
        """Return the lists of all rows, in one level."""
        every = self.lists(np.arange(rows))
        return Adjacency(every.starts, every.values.astype(np.uint32))


def gone_since(base: Tables, deleted: Rows) -> Rows:
    """Return the rows of tables that were deleted after these were written."""
    gone = np.setdiff1d(deleted, base.deleted, assume_unique=True)
    return gone[gone < base.rows]


class LevelledTables:
    """All tables of a generation, in two levels; the same attributes as `Tables`.

    `rows` is the number of rows, those of deleted papers included.
    """

    def __init__(self, base: Tables, changes: Changes, rows: int) -> None:
        self.base, self.rows, self.deleted = base, rows, changes.deleted
        gone = gone_since(base, changes.deleted)
        self.keys = LevelledLookup(base.keys, gone, changes.keys)
        self.titles = LevelledLookup(base.titles, gone, changes.titles)
        self.authors = LevelledLookup(base.authors, gone, changes.authors)
        self.references = LevelledLists(base.references, changes.references)
        self.citers = LevelledLists(base.citers, changes.citers)
        self._frequencies = changes.frequencies

    def document_frequencies(self, field: str, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of papers with each term in a field."""
        return self.base.document_frequencies(field, terms) + self._frequencies[field].of(terms)

    @cached_property
    def whole(self) -> Tables:
        """The same tables in one level, for those who need all of them at once."""
        return Tables(
            deleted=self.deleted,
            keys=self.keys.whole,
            titles=self.titles.whole,
            authors=self.authors.whole,
            references=self.references.whole(self.rows),
            citers=self.citers.whole(self.rows),
            frequencies={name: self._whole_frequencies(name) for name in FREQUENCIES},
        )

    def _whole_frequencies(self, field: str) -> NDArray[np.uint32]:
        last = int(self._frequencies[field].terms.max(initial=0))
        terms = np.arange(max(self.base.frequencies[field].size, last + 1))
        return self.document_frequencies(field, terms).astype(np.uint32)
