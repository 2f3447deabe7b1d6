"""Vectors over shards, each beside its paper or its span."""

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.engines.shards.manifest import ShardsManifest, VectorSet
from citewise.engines.shards.papers import ShardedLists, ShardedPapers, is_in
from citewise.engines.shards.recent import RecentRows
from citewise.engines.shards.scatter import Scatter, gathered
from citewise.engines.shards.shard import Among, Carried
from citewise.library.embeddings.lists import probes_for
from citewise.library.embeddings.store import FEW, compares_all
from citewise.library.scopes import year_range
from citewise.protocols import EncodedBy
from citewise.types import Scope

_DIGITS_COMPARED = 9
"""Cosines that differ less are equal."""

_VECTORS_KEPT = 8
"""Vectors whose cosines are remembered."""


class ShardedPaperVectors:
    """`protocols.PaperVectors` over the shards' parts of one set.

    Whether all vectors are compared, and else how many inverted lists are searched, is decided here
    from the size of the whole library: so all shards together search what the library would.
    """

    def __init__(
        self,
        name: str,
        entry: VectorSet,
        papers: ShardedPapers,
        references: ShardedLists,
        scatter: Scatter,
    ) -> None:
        """`references` remember the lists that come with near papers."""
        self._name, self._entry, self._papers = name, entry, papers
        self._references, self._scatter = references, scatter
        self._recently = lru_cache(maxsize=_VECTORS_KEPT)(lambda *asked: RecentRows(np.take))

    @property
    def about(self) -> EncodedBy:
        """What made the vectors."""
        return self._entry.about

    def __len__(self) -> int:
        return self._entry.papers

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """Return the vector of each paper, NaN where it has none."""
        answers = self._scatter.by_row("vectors", rows, before=(self._name,))
        return gathered(answers, np.full((rows.size, self.about.size), np.nan, np.float32))

    def cosines(self, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return the cosine of each paper with a vector, NaN where either has none."""
        return self._compared("cosines", vector, rows)

    def similarities(self, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return how similar each paper is to a vector, NaN where either has none."""
        return self._compared("similarities", vector, rows)

    def _compared(self, method: str, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return one number a paper; of those that were asked for lately, without asking again."""

        def ask(unknown: Rows) -> Column:
            answers = self._scatter.by_row(method, unknown, before=(self._name, vector))
            return gathered(answers, np.full(unknown.size, np.nan))

        recent = self._recently(method, vector.tobytes())
        return gathered(recent.answered(rows, ask), np.full(rows.size, np.nan))

    def nearest(
        self, vector: NDArray[np.float32], k: int, scope: Scope, among: Rows | None = None
    ) -> tuple[Rows, Column]:
        """Return the k papers in scope with the highest cosine to a unit vector, best first, equal
        ones by row.
        """
        if not np.isfinite(vector).all():
            return np.zeros(0, np.int64), np.zeros(0)
        if scope.within is not None:
            within = np.unique(np.array(scope.within, np.int64))
            among = within if among is None else np.intersect1d(within, among)

        parts = self._ask(vector, k, scope, among, self._probes(k, scope, among))
        self._references.remember([found for _, _, found in parts])
        rows = np.concatenate([found for found, _, _ in parts])
        cosines = np.concatenate([found for _, found, _ in parts])
        order = np.lexsort((rows, -np.round(cosines, _DIGITS_COMPARED)))[:k]
        return rows[order], cosines[order]

    def _ask(
        self,
        vector: NDArray[np.float32],
        k: int,
        scope: Scope,
        among: Rows | None,
        probes: int | None,
    ) -> list[tuple[Rows, Column, Carried]]:
        """Return the nearest papers of each shard."""
        if among is None or self._references.are_listed(among):
            name: Among = None if among is None else "citing"  # the shards know which these are
            return self._scatter.all("nearest", self._name, vector, k, scope, name, probes)
        own = [among[among % self._scatter.shards == each] for each in range(self._scatter.shards)]
        return self._scatter.ask(
            [
                (
                    shard,
                    "nearest",
                    (self._name, vector, k, scope, rows // self._scatter.shards, probes),
                )
                for shard, rows in enumerate(own)
            ]
        )

    def _probes(self, k: int, scope: Scope, among: Rows | None) -> int | None:
        """Return how many inverted lists to search, 0 for comparing all; None for a set that has no
        lists.
        """
        if not self._entry.lists:
            return None
        if among is not None and among.size <= FEW:
            return 0
        count = self._count(scope, among)
        if compares_all(count, k):
            return 0
        return probes_for(self._entry.lists, k, count, self._papers.all_years.size)

    def _count(self, scope: Scope, among: Rows | None) -> int:
        """Return how many papers in scope there are, among some."""
        if among is None:
            return self._in_years(scope, self._papers.rows, self._papers.by_year)
        if self._references.are_listed(among):
            return self._in_years(scope, *self._citing)
        alive = among[np.isin(among, self._papers.rows, assume_unique=True)]
        return int(np.count_nonzero(self._papers.in_scope(alive, scope)))

    def _in_years(self, scope: Scope, rows: Rows, by_year: NDArray[np.int64]) -> int:
        """Return how many of some papers are in scope, by their number in each year."""
        count = int(by_year.sum())
        if scope.bounded:
            first, last = year_range(scope)
            count = int(by_year[first : last + 1].sum())
        hidden = np.array(sorted({*scope.hidden}), np.int64)
        hidden = hidden[is_in(hidden, rows)]
        unhidden = Scope(year=scope.year, since=scope.since)
        return count - int(np.count_nonzero(self._papers.in_scope(hidden, unhidden)))

    @cached_property
    def _citing(self) -> tuple[Rows, NDArray[np.int64]]:
        """The papers that have references, and their number in each year."""
        rows = self._papers.rows
        if self._references.listed is not None:
            rows = np.intersect1d(rows, self._references.listed, assume_unique=True)
        return rows, self._papers.in_each_year(rows)


class ShardedVectors:
    """`protocols.Vectors` over shards."""

    def __init__(
        self,
        manifest: ShardsManifest,
        papers: ShardedPapers,
        references: ShardedLists,
        scatter: Scatter,
    ) -> None:
        self._manifest, self._scatter = manifest, scatter
        self._sets = {
            name: ShardedPaperVectors(name, entry, papers, references, scatter)
            for name, entry in manifest.vectors.items()
        }

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors of spans; None where the library has none."""
        return self._manifest.encoder

    def of_spans(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span, as rows; NaN where it has none."""
        size = self._manifest.encoder.size if self._manifest.encoder is not None else 1
        answers = self._scatter.by_number("span_vectors", spans)
        return gathered(answers, np.full((spans.size, size), np.nan, np.float32))

    def span_count(self) -> int:
        """Return the number of spans that have a vector."""
        return self._manifest.span_vectors

    def names(self) -> tuple[str, ...]:
        """Return the names of the sets of papers' vectors, sorted."""
        return tuple(sorted(self._sets))

    def papers(self, name: str) -> ShardedPaperVectors | None:
        """Return a set of papers' vectors; None where there is none of that name."""
        return self._sets.get(name)
