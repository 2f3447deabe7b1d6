"""What changes in the tables of a library when papers are added and removed: computed from the
tables below, the segments and the deleted rows, at the cost of what changed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows, distinct, flat_index, is_in_sorted
from citewise.library.levels import (
    ChangedCounts,
    ChangedLists,
    Changes,
    LevelledLookup,
    gone_since,
)
from citewise.library.segment import FREQUENCIES
from citewise.library.segments import Segments
from citewise.library.tables import (
    NOTHING,
    Adjacency,
    Edges,
    Hashes,
    Lookup,
    Tables,
    distinct_edges,
    reversed_edges,
)

_SHIFT, _LOW = 32, 0xFFFFFFFF
"""Of a packed pair: first << 32 | second."""

LEAST_BELOW = 100_000
"""Rows of a library from which on its tables have two levels: below that, all of them are written
in some tenths of a second.
"""
MOST_CHANGED = 30_000
"""Rows that were added and deleted since the lower level was written; beyond that, all is written
anew in one level. A change costs what has changed since then, so this bounds it.
"""


def can_change(base: Tables, rows: int, deleted: Rows) -> bool:
    """Return whether the tables below can stay, for a library with these rows and deleted rows."""
    changed = rows - base.rows + deleted.size - base.deleted.size
    return base.dangling is not None and base.rows >= LEAST_BELOW and changed <= MOST_CHANGED


def keys_of(base: Tables, segments: Segments, deleted: Rows) -> LevelledLookup:
    """Return the rows of a library by the hashes of their keys; `deleted` is sorted."""
    new = _lookup(segments, _new(base, segments, deleted), "keys", "hashes")
    return LevelledLookup(base.keys, gone_since(base, deleted), new)


def changes_since(
    base: Tables,
    segments: Segments,
    deleted: Rows,
    keys: LevelledLookup,
    sentences: tuple[Edges, Edges],
) -> Changes:
    """Return what differs between tables and a library's segments and deleted rows (sorted).

    `keys` are the library's; `sentences` has the citations by citing sentences, those in the tables
    and those of now.
    """
    new, gone = _new(base, segments, deleted), keys.gone
    differing = np.setxor1d(*sentences) >> _SHIFT
    citing = _citing(base, gone, new, keys.above.hashes, differing)
    before = _edges_of(base.references, citing[citing < base.rows])
    now = _citations(segments, citing, deleted, keys, sentences[1])
    lost, found = _without(before, now), _without(now, before)

    return Changes(
        deleted=deleted,
        keys=keys.above,
        titles=_titles(segments, new),
        authors=_lookup(segments, new, "authors", "numbers"),
        references=_changed(base.references, lost, found),
        citers=_changed(base.citers, reversed_edges(lost), reversed_edges(found)),
        frequencies={name: _counts(segments, new, gone, name) for name in FREQUENCIES},
    )


def _new(base: Tables, segments: Segments, deleted: Rows) -> Rows:
    """Return the rows behind those of the tables that are not deleted."""
    return np.setdiff1d(np.arange(base.rows, segments.rows), deleted, assume_unique=True)


def _citing(base: Tables, gone: Rows, new: Rows, keys: Hashes, differing: Rows) -> Rows:
    """Return the rows whose references may have changed, sorted: the new ones, those that are gone,
    those that cite what is gone, those that cited new papers before the library had them, and those
    whose sentences cite other papers than before.
    """
    dangling = base.dangling or NOTHING
    first, last = (np.searchsorted(dangling.hashes, keys, side) for side in ("left", "right"))
    resolved = dangling.numbers[flat_index(first, last)[0]].astype(np.int64)
    cited_gone = base.citers.lists(gone).values
    return distinct(np.concatenate([new, gone, cited_gone, resolved, differing]))


def _citations(
    segments: Segments, citing: Rows, deleted: Rows, keys: LevelledLookup, by_sentences: Edges
) -> Edges:
    """Return what some rows cite now: distinct edges, sorted; deleted rows cite nothing."""
    citing = np.setdiff1d(citing, deleted, assume_unique=True)
    sources, hashes = _values(segments, citing, "references", "keys")
    targets = keys.find(hashes)
    kept = np.flatnonzero((targets >= 0) & (targets != sources))
    own = by_sentences[is_in_sorted(by_sentences >> _SHIFT, citing)]
    return distinct_edges(np.append(sources[kept] << _SHIFT | targets[kept], own))


def _changed(direction: Adjacency, lost: Edges, found: Edges) -> ChangedLists:
    """Return the lists of the rows that lost or found edges."""
    rows = distinct(np.append(lost, found) >> _SHIFT)
    kept = _without(_edges_of(direction, rows[rows < direction.starts.size - 1]), lost)
    edges = np.sort(np.append(kept, found), kind="stable")  # two sorted runs: they are merged
    return ChangedLists(rows, Adjacency.of_rows(edges, rows))


def _edges_of(direction: Adjacency, rows: Rows) -> Edges:
    """Return the edges of some rows (sorted), sorted."""
    lists = direction.lists(rows)
    edges: Edges = np.repeat(rows, lists.lengths) << _SHIFT | lists.values
    return edges


def _without(edges: Edges, others: Edges) -> Edges:
    """Return the edges that are not among others; both are sorted and distinct."""
    return edges[~is_in_sorted(edges, others)]


def _values(segments: Segments, rows: Rows, name: str, column: str) -> tuple[Rows, Hashes]:
    """Return the values in the lists of some rows (sorted), and the row of each."""
    owners, values = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for segment, positions, local in segments.split(rows):
        (lists,) = segment.lists(name, local, column)
        owners.append(np.repeat(rows[positions], lists.lengths))
        values.append(lists.values)
    return np.concatenate(owners), np.concatenate(values)


def _lookup(segments: Segments, rows: Rows, name: str, column: str) -> Lookup:
    """Return a lookup from the values in the lists of some rows, without zeros."""
    owners, values = _values(segments, rows, name, column)
    kept = np.flatnonzero(values)
    return Lookup.of(values[kept], owners[kept])


def _titles(segments: Segments, rows: Rows) -> Lookup:
    """Return a lookup from the hashes of the titles of some rows."""
    parts = [part.array("titles")[local] for part, _, local in segments.split(rows)]
    hashes = np.concatenate([np.zeros(0, np.uint64), *parts])
    kept = np.flatnonzero(hashes)
    return Lookup.of(hashes[kept], rows[kept])


def _counts(segments: Segments, new: Rows, gone: Rows, name: str) -> ChangedCounts:
    """Return by how much the document frequencies change."""
    fields = ("title", "abstract") if name == "text" else (name,)
    (more, gained), (fewer, lost) = (_papers_with(segments, rows, fields) for rows in (new, gone))
    terms = np.union1d(more, fewer)
    added = np.zeros(terms.size, np.int32)
    added[np.searchsorted(terms, more)] += gained
    added[np.searchsorted(terms, fewer)] -= lost
    return ChangedCounts(terms[added != 0].astype(np.uint32), added[added != 0])


def _papers_with(
    segments: Segments, rows: Rows, fields: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the terms of some papers, and how many of these have each in one of the fields."""
    # row << 32 | term, once each: a term in title and abstract counts once for "text"
    pairs = [np.zeros(0, np.int64)]
    for field in fields:
        owners, terms = _values(segments, rows, field, "terms")
        pairs.append(owners << _SHIFT | terms.astype(np.int64))
    every = np.concatenate(pairs)
    terms, counts = np.unique(
        (distinct_edges(every) if len(fields) > 1 else every) & _LOW, return_counts=True
    )
    return terms, counts.astype(np.int32)
