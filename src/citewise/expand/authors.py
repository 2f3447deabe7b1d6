"""Expands by what the draft's authors wrote and cited before, with signals of the links to it."""

from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, summed
from citewise.expand.seeds import links, values_at
from citewise.protocols import Expansion, Stores
from citewise.scoring.similarity import Bag, similarity
from citewise.signals import written_by
from citewise.types import Query, Ranking, Scope

_LARGEST_OEUVRE = 300
"""At most this many of the authors' papers are used: those of several of the authors, and of rare
names, first.
"""


@dataclass(frozen=True, slots=True)
class Oeuvre:
    """The papers of a draft's authors, sorted by row."""

    rows: Rows
    authors: Column
    """How many of the authors wrote each."""
    weights: Column
    """The sum over these authors of 1 / sqrt(papers under that name)."""


class Authors:
    """The expander; its signals are NaN where the draft's authors are not known.

    `authored_by` counts the draft's authors who wrote a paper and `authored` weighs them;
    `authored_papers` counts all that they wrote, and `authored_rank` those of them that are more
    similar to the draft. `authors_cite` is the weight of the authors' papers that cite a paper, and
    `authors_linked` its link to their papers (see `citewise.expand.seeds.links`).
    """

    reads: frozenset[str] = frozenset()
    writes = written_by("authors")

    def __init__(self, stores: Stores, used: bool = True, limit: int = 1000) -> None:
        """`used`: whether a draft's authors count; `limit`: most candidates that come by links."""
        self._stores, self._used, self._limit = stores, used, limit

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Expansion:
        """Return the authors' own papers and those most linked to them."""
        if not (self._used and query.authors):
            return Expansion(ranking.rows[:0], self._unknown)

        own = self._oeuvre(query, scope)
        linked, weights = links(self._stores, own.rows, scope)

        known = RowIndex(ranking.rows)
        order = np.argsort(-weights, kind="stable")
        fresh = linked[order][known.of(linked[order]) < 0][: self._limit]

        return Expansion(
            rows=np.union1d(fresh, own.rows[known.of(own.rows) < 0]),
            signals=lambda rows: {
                "authored": values_at(rows, own.rows, own.weights),
                "authored_by": values_at(rows, own.rows, own.authors),
                "authored_papers": np.full(rows.size, float(own.rows.size)),
                "authored_rank": values_at(rows, own.rows, self._more_similar(query, own), np.nan),
                "authors_cite": self._citing(own, rows, scope),
                "authors_linked": values_at(rows, linked, weights),
            },
        )

    def _unknown(self, rows: Rows) -> dict[str, Column]:
        return {name: np.full(rows.size, np.nan) for name in self.writes}

    def _oeuvre(self, query: Query, scope: Scope) -> Oeuvre:
        """Return the papers in scope of the draft's authors, at most `_LARGEST_OEUVRE`."""
        papers = self._stores.papers.by_authors(query.authors, scope)
        rows, positions = np.unique(papers.values, return_inverse=True)
        weight = np.repeat(1 / np.sqrt(np.maximum(papers.lengths, 1)), papers.lengths)

        authors = summed(positions, np.ones(positions.size), rows.size)
        weights = summed(positions, weight, rows.size)

        best = np.sort(np.argsort(-weights, kind="stable")[:_LARGEST_OEUVRE])
        return Oeuvre(rows[best], authors[best], weights[best])

    def _more_similar(self, query: Query, own: Oeuvre) -> Column:
        """Return for each of the authors' papers how many of them are more similar to the draft."""
        scores = similarity(self._stores, own.rows, Bag.of_draft(self._stores, query))
        # the argsort of an argsort is the rank of each, from 0
        return np.argsort(np.argsort(-scores, kind="stable")).astype(np.float64)

    def _citing(self, own: Oeuvre, rows: Rows, scope: Scope) -> Column:
        """Return the weight of the authors' papers that cite each row."""
        cited = self._stores.graph.references(own.rows, scope)
        positions = RowIndex(rows).of(cited.values)
        known = positions >= 0
        weights = np.repeat(own.weights, cited.lengths)
        return summed(positions[known], weights[known], rows.size)
