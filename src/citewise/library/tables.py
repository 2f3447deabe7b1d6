"""Tables over all segments of a generation: rows by key, the citation graph, document frequencies.

Every table is computed from the segments, the set of deleted rows and what citing sentences cite.
So a reference to a paper that is not in the library resolves by itself when that paper is added,
and dangles again when it is removed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, flat_index
from citewise.library.files import read_array, write_array
from citewise.library.segment import FREQUENCIES, Segment, total_of

_SHIFT = 32
_LOW = 0xFFFFFFFF
"""The lower half of a packed pair: first << 32 | second."""

Hashes = NDArray[np.uint64]
Edges = NDArray[np.int64]
"""Citations, as source << 32 | target."""


class RowsByHash(Protocol):
    """Rows (or other numbers) by 64-bit hashes; `Lookup` says what each method returns."""

    def find(self, hashes: Hashes) -> NDArray[np.int64]: ...
    def find_all(self, value: int) -> list[int]: ...
    def between(self, least: int, most: int) -> NDArray[np.int64]: ...


@dataclass(frozen=True, slots=True)
class Lookup:
    """64-bit hashes, sorted, with a row (or another number) for each."""

    hashes: Hashes
    numbers: NDArray[np.uint32]

    @classmethod
    def of(cls, hashes: Hashes, numbers: NDArray[Any]) -> "Lookup":
        """Sort pairs by hash; of equal hashes the one given first comes first."""
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], numbers[order].astype(np.uint32))

    @classmethod
    def load(cls, folder: Path, name: str) -> "Lookup":
        """Read a saved lookup."""
        return cls(
            read_array(folder / f"{name}.hashes", np.uint64),
            read_array(folder / f"{name}.numbers", np.uint32),
        )

    def save(self, folder: Path, name: str) -> None:
        """Write as two arrays."""
        write_array(folder / f"{name}.hashes", self.hashes, np.uint64)
        write_array(folder / f"{name}.numbers", self.numbers, np.uint32)

    def find(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the first number of each hash, -1 where there is none."""
        if not self.hashes.size:
            return np.full(hashes.size, -1, np.int64)

        # where a hash would be inserted is where it is, if it is there
        positions = np.minimum(np.searchsorted(self.hashes, hashes), self.hashes.size - 1)
        return np.where(
            self.hashes[positions] == hashes, self.numbers[positions].astype(np.int64), -1
        )

    def find_all(self, value: int) -> list[int]:
        """Return every number of a hash."""
        return [int(number) for number in self.between(value, value)]

    def between(self, least: int, most: int) -> NDArray[np.int64]:
        """Return every number of the hashes between two, both included."""
        first = int(np.searchsorted(self.hashes, np.uint64(least), "left"))
        last = int(np.searchsorted(self.hashes, np.uint64(most), "right"))
        return self.numbers[first:last].astype(np.int64)


NOTHING = Lookup(np.zeros(0, np.uint64), np.zeros(0, np.uint32))


@dataclass(frozen=True, slots=True)
class Adjacency:
    """One direction of the citation graph: for each row a sorted list of rows."""

    starts: Rows
    values: NDArray[np.uint32]

    @classmethod
    def of(cls, edges: Edges, rows: int) -> "Adjacency":
        """Build from distinct edges, sorted."""
        return cls.of_rows(edges, np.arange(rows, dtype=np.int64))

    @classmethod
    def of_rows(cls, edges: Edges, rows: Rows) -> "Adjacency":
        """Build the lists of some rows, sorted, from the distinct edges of these rows, sorted."""
        # the edges of row r are those from r << 32 up to (r + 1) << 32
        starts = np.append(np.searchsorted(edges, rows << _SHIFT), edges.size)
        return cls(starts, (edges & _LOW).astype(np.uint32))

    @classmethod
    def load(cls, folder: Path, name: str) -> "Adjacency":
        """Read a saved direction."""
        return cls(
            read_array(folder / f"{name}.starts", np.int64),
            read_array(folder / f"{name}.rows", np.uint32),
        )

    def save(self, folder: Path, name: str) -> None:
        """Write as two arrays."""
        write_array(folder / f"{name}.starts", self.starts, np.int64)
        write_array(folder / f"{name}.rows", self.values, np.uint32)

    @property
    def edges(self) -> Edges:
        """Return all edges, sorted."""
        return (
            np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts)) << _SHIFT | self.values
        )

    def lists(self, rows: Rows) -> Ragged:
        """Return the lists of some rows."""
        index, begins = flat_index(self.starts[rows], self.starts[rows + 1])
        return Ragged(self.values.take(index).astype(np.int64), begins)


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables of a generation."""

    deleted: Rows
    keys: Lookup
    titles: Lookup
    authors: Lookup
    references: Adjacency
    citers: Adjacency
    frequencies: dict[str, NDArray[np.uint32]]
    dangling: Lookup | None = None
    """References to papers that are not in the library, with the citing rows; None in tables that
    are never added to, and in those that an older citewise wrote.
    """

    @classmethod
    def build(cls, segments: Sequence[Segment], deleted: Rows) -> "Tables":
        """Compute the tables from the segments and the deleted rows (sorted)."""
        rows = sum(segment.rows for segment in segments)
        alive = np.ones(rows, np.bool_)
        alive[deleted] = False

        keys = _lookup(segments, "keys", "hashes", alive)
        edges, dangling = _citations(segments, keys, alive)

        return cls(
            deleted=deleted,
            keys=keys,
            titles=_title_lookup(segments, alive),
            authors=_lookup(segments, "authors", "numbers", alive),
            references=Adjacency.of(edges, rows),
            citers=Adjacency.of(reversed_edges(edges), rows),
            frequencies={name: _frequencies(segments, deleted, name) for name in FREQUENCIES},
            dangling=dangling,
        )

    @property
    def rows(self) -> int:
        """The number of rows, those of deleted papers included."""
        return self.references.starts.size - 1

    @property
    def base(self) -> "Tables":
        """The tables of the lower level: these are the only ones."""
        return self

    @property
    def whole(self) -> "Tables":
        """The tables in one level, as they are."""
        return self

    def document_frequencies(self, field: str, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of papers with each term in a field."""
        table = self.frequencies[field]
        if terms.size and terms.max() < table.size:
            return table[terms].astype(np.int64)
        frequencies, known = np.zeros(terms.size, np.int64), terms < table.size
        frequencies[known] = table[terms[known]]
        return frequencies

    def with_citations(self, edges: Edges) -> "Tables":
        """Return the tables with further citations; those in the graph already are not repeated."""
        united, rows = np.union1d(self.references.edges, edges), self.references.starts.size - 1
        return replace(
            self,
            references=Adjacency.of(united, rows),
            citers=Adjacency.of(reversed_edges(united), rows),
        )

    @classmethod
    def load(cls, folder: Path) -> "Tables":
        """Read saved tables, memory-mapped."""
        return cls(
            deleted=read_array(folder / "deleted", np.int64),
            keys=Lookup.load(folder, "keys"),
            titles=Lookup.load(folder, "titles"),
            authors=_written_lookup(folder, "authors") or NOTHING,
            references=Adjacency.load(folder, "references"),
            citers=Adjacency.load(folder, "citers"),
            frequencies={
                name: read_array(folder / f"{name}.frequencies", np.uint32) for name in FREQUENCIES
            },
            dangling=_written_lookup(folder, "dangling"),
        )

    def save(self, folder: Path) -> None:
        """Write all tables into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        write_array(folder / "deleted", self.deleted, np.int64)
        self.keys.save(folder, "keys")
        self.titles.save(folder, "titles")
        self.authors.save(folder, "authors")
        self.references.save(folder, "references")
        self.citers.save(folder, "citers")
        for name, counted in self.frequencies.items():
            write_array(folder / f"{name}.frequencies", counted, np.uint32)
        if self.dangling is not None:
            self.dangling.save(folder, "dangling")


def _owners(segments: Sequence[Segment], name: str) -> Rows:
    """Return the row that each entry of a list array belongs to, over all segments."""
    owners, first = [np.zeros(0, np.int64)], 0
    for segment in segments:
        rows = np.arange(first, first + segment.rows)
        owners.append(np.repeat(rows, np.diff(segment.starts(name))))
        first += segment.rows
    return np.concatenate(owners)


def _values(segments: Sequence[Segment], name: str, column: str) -> Hashes:
    """Return a column of a list array over all segments, end to end."""
    return np.concatenate(
        [np.zeros(0, np.uint64), *(segment.values(name, column) for segment in segments)]
    )


def _lookup(
    segments: Sequence[Segment], name: str, column: str, alive: NDArray[np.bool_]
) -> Lookup:
    """Return a lookup from the values of a list array to their rows, without zeros."""
    rows, values = _owners(segments, name), _values(segments, name, column)
    kept = alive[rows] & (values != 0)
    return Lookup.of(values[kept], rows[kept])


def _written_lookup(folder: Path, name: str) -> Lookup | None:
    """Read a lookup that older versions of citewise did not write; None where it is absent."""
    return Lookup.load(folder, name) if (folder / f"{name}.hashes").exists() else None


def _title_lookup(segments: Sequence[Segment], alive: NDArray[np.bool_]) -> Lookup:
    """Return a lookup from the hashes of titles to their rows."""
    hashes = np.concatenate(
        [np.zeros(0, np.uint64), *(segment.array("titles") for segment in segments)]
    )
    kept = np.flatnonzero(alive & (hashes != 0))
    return Lookup.of(hashes[kept], kept)


def _citations(
    segments: Sequence[Segment], keys: Lookup, alive: NDArray[np.bool_]
) -> tuple[Edges, Lookup]:
    """Return the distinct citations within the library, sorted, and the references that lead to no
    paper of it.
    """
    sources, hashes = _owners(segments, "references"), _values(segments, "references", "keys")
    targets = keys.find(hashes)
    lost = np.flatnonzero((targets < 0) & alive[sources])
    kept = np.flatnonzero((targets >= 0) & (targets != sources) & alive[sources])
    edges = sources[kept] << _SHIFT | targets[kept]
    return distinct_edges(edges), Lookup.of(hashes[lost], sources[lost])


def distinct_edges(edges: Edges) -> Edges:
    """Return edges sorted, each once; np.unique would hash them, at many times the cost."""
    edges = np.sort(edges)
    return edges[np.flatnonzero(np.diff(edges, prepend=-1))]


def reversed_edges(edges: Edges) -> Edges:
    """Return the edges from target to source, sorted."""
    # target << 32 | source
    return np.sort((edges & _LOW) << _SHIFT | edges >> _SHIFT)


def _frequencies(segments: Sequence[Segment], deleted: Rows, name: str) -> NDArray[np.uint32]:
    """Return for each term the number of papers with it that are not deleted."""
    counted = total_of([segment.array(f"{name}.frequencies") for segment in segments])
    fields = ("title", "abstract") if name == "text" else (name,)

    first = 0
    for segment in segments:
        gone = deleted[(deleted >= first) & (deleted < first + segment.rows)] - first
        if gone.size:
            # paper << 32 | term, once each: a term in title and abstract counts once for "text"
            lists = [segment.lists(field, gone, "terms")[0] for field in fields]
            pairs = [each.owners << _SHIFT | each.values for each in lists]
            terms = np.unique(np.concatenate(pairs)) & _LOW
            counted[: int(terms.max(initial=-1)) + 1] -= np.bincount(terms)
        first += segment.rows
    return counted.astype(np.uint32)
