"""A set of papers' vectors as readers see it: codes by row, memory-mapped."""

import threading
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from citewise.arrays import Column, Mask, Rows
from citewise.library.embeddings.codes import Floats, Probe, Runs, decoded, rows_with_vector
from citewise.library.embeddings.lists import UNLISTED, InvertedLists, Lists
from citewise.library.files import read_array
from citewise.library.manifest import RunEntry, VectorSetEntry
from citewise.library.papers import PaperStore
from citewise.library.scopes import year_range
from citewise.protocols import EncodedBy
from citewise.types import Scope

FOLDER = "embeddings"

FEW = 20_000
FEW_A_NEIGHBOUR = 8
"""Among at most this many papers, or this many for each one wanted, all are compared: searching
lists would take as long, since most of them would have to be searched.
"""


class SetFiles(NamedTuple):
    """The arrays of a set, each opened at once: a reader keeps its generation."""

    codes: Runs
    lists: Runs
    centroids: Floats

    @classmethod
    def opened(cls, folder: Path, entry: VectorSetEntry) -> "SetFiles":
        """Open the files that a manifest names."""
        size = entry.about.size
        centroids = np.zeros((0, size), np.float32)
        if entry.centroids:
            centroids = read_array(folder / f"{entry.centroids}.centroids", "<f4")
        return cls(
            _runs(folder, "codes", entry.codes, np.int8, (-1, size)),
            _runs(folder, "lists", entry.lists, "<u2", (-1,)),
            centroids.reshape(-1, size),
        )


def _runs(
    folder: Path, kind: str, runs: tuple[RunEntry, ...], dtype: DTypeLike, shape: tuple[int, ...]
) -> Runs:
    arrays: list[Any] = [
        read_array(folder / f"{run.name}.{kind}", dtype).reshape(shape) for run in runs
    ]
    return Runs(arrays)


class EmbeddingSet:
    """`protocols.PaperVectors` over the files of one set in one generation."""

    def __init__(self, folder: Path, entry: VectorSetEntry, papers: PaperStore) -> None:
        self.entry, self.files, self._papers = entry, SetFiles.opened(folder, entry), papers
        self._filling = threading.Lock()

    @property
    def about(self) -> EncodedBy:
        """What made the vectors."""
        return self.entry.about

    def __len__(self) -> int:
        return int(np.count_nonzero(self._findable))

    @cached_property
    def _findable(self) -> Mask:
        """For each row whether it is a paper, not one that was deleted, with a vector."""
        alive = np.zeros(len(self.files.codes), np.bool_)
        alive[self._papers.rows] = True
        if self.entry.centroids:  # lists are much smaller than codes
            alive &= self._lists != UNLISTED
            return alive

        found = np.zeros(alive.size, np.bool_)
        found[rows_with_vector(self.files.codes)] = True
        found &= alive
        return found

    @property
    def _lists(self) -> Lists:
        """The list of each row."""
        return np.concatenate(self.files.lists.arrays)

    def of(self, rows: Rows) -> Floats:
        """Return the vector of each paper, NaN where it has none."""
        if not rows.size:
            return np.zeros((0, self.about.size), np.float32)
        return decoded(self.files.codes.take(rows), self.entry.scale)

    def cosines(self, vector: Floats, rows: Rows) -> Column:
        """Return the cosine of each paper with a unit vector, NaN where it has none."""
        return Probe(vector, self.entry.scale).cosines(self.files.codes, rows)

    def similarities(self, vector: Floats, rows: Rows) -> Column:
        """Return how similar each paper is to a unit vector: the cosine, NaN where it has none."""
        return self.cosines(vector, rows)

    def nearest(
        self, vector: Floats, k: int, scope: Scope, among: Rows | None = None
    ) -> tuple[Rows, Column]:
        """Return the k papers in scope with the highest cosine to a unit vector, best first, equal
        ones by row.
        """
        rows = self._nearest(vector, k, scope, among) if np.isfinite(vector).all() else _NONE
        return self._ranked(vector, rows, k)

    def nearest_in_lists(
        self, vector: Floats, k: int, scope: Scope, among: Rows | None, probes: int
    ) -> tuple[Rows, Column]:
        """Return the k nearest of the papers in scope, where it is known how many lists to search;
        0: compare all.
        """
        allowed = self._allowed(scope, among)
        if not probes:
            return self._ranked(vector, np.flatnonzero(allowed), k)
        count = int(np.count_nonzero(allowed))
        rows = self._inverted_lists().search(vector, k, allowed, count, probes)
        return self._ranked(vector, rows, k)

    def _ranked(self, vector: Floats, rows: Rows, k: int) -> tuple[Rows, Column]:
        """Return the k of some rows with the highest cosines, best first."""
        cosines = self.cosines(vector, rows)
        kept = np.flatnonzero(~np.isnan(cosines))
        order = kept[np.lexsort((rows[kept], -cosines[kept]))][:k]
        return rows[order], cosines[order]

    def _nearest(self, vector: Floats, k: int, scope: Scope, among: Rows | None) -> Rows:
        """Return rows among which the k nearest are."""
        if scope.within is not None:
            within = np.unique(np.array(scope.within, np.int64))
            among = within if among is None else np.intersect1d(within, among)

        if among is not None and (among.size <= FEW or not self.entry.centroids):
            return among[self._findable[among] & self._papers.in_scope(among, scope)]

        allowed = self._allowed(scope, among)
        count = int(np.count_nonzero(allowed))
        if compares_all(count, k) or not self.entry.centroids:
            return np.flatnonzero(allowed)
        return self._inverted_lists().search(vector, k, allowed, count)

    def _allowed(self, scope: Scope, among: Rows | None) -> Mask:
        """Return for each row whether it may be found; `within` is part of `among` here."""
        allowed = self._findable.copy()
        as_given = scope.within is not None and scope.as_given
        if scope.bounded and not as_given:
            first, last = year_range(scope)
            years = self._papers.all_years
            allowed &= (years >= first) & (years <= last)
        if not as_given:
            allowed[list(scope.hidden)] = False
        if among is not None:
            listed = np.zeros(allowed.size, np.bool_)
            listed[among] = True
            allowed &= listed
        return allowed

    def _inverted_lists(self) -> InvertedLists:
        with self._filling:
            return self._filled

    @cached_property
    def _filled(self) -> InvertedLists:
        return InvertedLists(self.files.codes, self._lists, self.files.centroids, self.entry.scale)


_NONE = np.zeros(0, np.int64)


def compares_all(count: int, k: int) -> bool:
    """Return whether the k nearest among `count` papers are found by comparing all of them."""
    return count <= max(FEW, FEW_A_NEIGHBOUR * k)


def open_sets(
    library: Path, entries: dict[str, VectorSetEntry], papers: PaperStore
) -> dict[str, EmbeddingSet]:
    """Return the sets of a generation by name."""
    return {
        name: EmbeddingSet(library / FOLDER / name, entry, papers)
        for name, entry in entries.items()
    }
