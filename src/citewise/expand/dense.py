"""Expands by the papers whose vectors are nearest to the draft's, and by what these cite."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, distinct, highest, in_parts, is_among, summed
from citewise.expand.votes import Neighbourhood
from citewise.protocols import Compared, DraftVectors, Expansion, Stores
from citewise.signals import VectorSignals, written_by
from citewise.types import Query, Ranking, Scope

_SHARPNESS = 12.0
"""A paper whose cosine is lower by c than the nearest one's has a vote of exp(-12 c): about the
temperature at which the vectors that ship were trained.
"""

_SEARCHED = 2
"""This many times the voting papers are searched: not all of their references are seen."""


class DenseNeighbours:
    """The expander; its signals are NaN where the library has no such vectors.

    One is a paper's cosine with the draft. The papers nearest to the draft vote for what they cite:
    `votes` sums their votes, `votes_sharp` the squares of them, and `citer` is the cosine of the
    nearest one that cites a paper, 0 where none does.
    """

    reads: frozenset[str] = frozenset()

    def __init__(
        self,
        stores: Stores,
        vectors: DraftVectors,
        neighbours: int = 500,
        limit: int = 1000,
    ) -> None:
        """`neighbours` is how many near papers vote, `limit` how many become candidates."""
        self._stores, self._vectors, self._names = stores, vectors, vectors.signals
        self._neighbours, self._limit = neighbours, limit

    @property
    def writes(self) -> frozenset[str]:
        """The names of its signals."""
        return written_by(self._names.by)

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Expansion:
        """Return the papers nearest to the draft, and what the nearest of those with references
        cite.
        """
        return self.expand_early(query, scope)(ranking)

    def expand_early(self, query: Query, scope: Scope) -> Callable[[Ranking], Expansion]:
        """Return the same as a function of the ranking, without which it is searched."""
        known = self._vectors.of(query)
        if known is None or not self._citing.size:  # without citations, words alone decide
            return lambda ranking: Expansion(ranking.rows[:0], self._unknown)

        papers, vector = known
        (nearest, _), near = self._stores.together(
            lambda: papers.nearest(vector, self._limit, scope),
            lambda: dense_neighbourhood(self._stores, known, scope, self._citing, self._neighbours),
        )

        found = np.append(nearest, near.cited)
        return lambda ranking: Expansion(
            rows=distinct(found[~is_among(found, ranking.rows)]),
            signals=lambda rows: {
                self._names.cosine: papers.cosines(vector, rows),
                **_votes(near, rows, self._names),
            },
        )

    def _unknown(self, rows: Rows) -> dict[str, Column]:
        return {name: np.full(rows.size, np.nan) for name in self.writes}

    @cached_property
    def _citing(self) -> Rows:
        return citing_papers(self._stores)


def citing_papers(stores: Stores) -> Rows:
    """Return the papers of a library that have references, sorted."""
    rows = stores.papers.rows
    citing = (part[stores.graph.references(part).lengths > 0] for part in in_parts(rows))
    return np.concatenate([rows[:0], *citing])


def dense_neighbourhood(
    stores: Stores, known: Compared, scope: Scope, citing: Rows, limit: int
) -> Neighbourhood:
    """Return the papers nearest to the draft whose references are seen, and what they cite.

    `citing` are the papers with references; at most `limit` of them are used.
    """
    papers, vector = known
    rows, cosines = papers.nearest(vector, _SEARCHED * limit, scope, citing)
    references = stores.graph.references(rows, scope)
    seen = np.flatnonzero(references.lengths > 0)[:limit]
    rows, cosines, references = rows[seen], cosines[seen], references.take(seen)

    cited = references.kept(stores.papers.in_scope(references.values, scope))
    return Neighbourhood(rows, cosines, cited=cited.values, by=cited.owners)


def _votes(near: Neighbourhood, candidates: Rows, names: VectorSignals) -> dict[str, Column]:
    """Return the votes of a neighbourhood for each candidate."""
    count, positions = candidates.size, RowIndex(candidates).of(near.cited)
    cited = np.flatnonzero(positions >= 0)
    positions, cosines = positions.take(cited), near.similarity.take(near.by.take(cited))
    votes = np.exp(_SHARPNESS * (cosines - near.similarity.max(initial=-1.0)))

    return {
        names.named("votes"): summed(positions, votes, count),
        names.named("votes_sharp"): summed(positions, votes * votes, count),
        names.named("citer"): highest(positions, cosines, count),
    }
