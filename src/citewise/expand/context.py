"""Expands by the citing sentences of papers similar to the draft, which vote for what they cite."""

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, distinct, summed, top
from citewise.expand.seeds import values_at
from citewise.expand.votes import Neighbourhood, relative_similarity
from citewise.protocols import Expansion, Stores
from citewise.scoring.similarity import Bag
from citewise.signals import written_by
from citewise.types import Query, Ranking, Scope

_SEARCHED = 4
"""This many times the voting papers are searched: not all of them have citing sentences."""


class ContextNeighbours:
    """The expander; its signal `context_votes` is NaN where the query has no draft."""

    reads: frozenset[str] = frozenset()
    writes = written_by("context")

    def __init__(self, stores: Stores, neighbours: int = 150, limit: int = 150) -> None:
        """`neighbours` is how many papers vote, `limit` how many candidates the votes add."""
        self._stores, self._neighbours, self._limit = stores, neighbours, limit

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Expansion:
        """Return the papers with the most votes; a vote is similarity ** 2."""
        if not query.has_draft:
            return Expansion(
                ranking.rows[:0], lambda rows: {"context_votes": np.full(rows.size, np.nan)}
            )

        rows, votes = _votes(self._neighbourhood(query, scope))
        best = rows[top(votes, self._limit)]

        return Expansion(
            rows=best[RowIndex(ranking.rows).of(best) < 0],
            signals=lambda wanted: {"context_votes": values_at(wanted, rows, votes)},
        )

    def _neighbourhood(self, query: Query, scope: Scope) -> Neighbourhood:
        """Return the first hits with citing sentences, and what these cite, each paper once."""
        bag = Bag.of_draft(self._stores, query)
        counts, k = bag.weights.astype(np.int64), _SEARCHED * self._neighbours
        hits = self._stores.lexical.search(bag.terms, counts, k, scope)
        cited = self._stores.evidence.citations_by(hits, scope)

        citing = np.unique(cited.positions)[: self._neighbours]
        similarity = np.zeros(hits.size)
        similarity[citing] = relative_similarity(self._stores, query, hits[citing])

        # (cited paper, hit) as one number: a paper votes once for what it cites often
        width = max(hits.size, 1)
        pairs = np.unique(cited.rows * width + cited.positions)
        return Neighbourhood(hits, similarity, cited=pairs // width, by=pairs % width)


def _votes(near: Neighbourhood) -> tuple[Rows, Column]:
    """Return the papers that are cited, sorted, and the sum of their citers' similarity ** 2."""
    rows = distinct(near.cited)
    positions = RowIndex(rows).of(near.cited)
    return rows, summed(positions, near.similarity[near.by] ** 2, rows.size)
