"""What the draft's authors wrote and cited before: candidates, and signals of their ties to that."""

from typing import Protocol

import numpy as np

from citewise.expand.seeds import ties
from citewise.likeness import Bag, likeness
from citewise.places import Places
from citewise.protocols import Graph, Papers, Terms
from citewise.types import Column, Query, Ranking, Rows, Scope, summed

SIGNALS = ("authored", "authored_by", "authors_cite", "authors_tied", "authored_papers", "authored_alike")

_MOST_PAPERS = 300
"""Of the authors' papers at most so many are looked at: those of several of them, and of rare names, first."""


class _Stores(Papers, Graph, Terms, Protocol):
    """What this expander reads."""


class Authors:
    """The expander; its signals are NaN where the draft's authors are not known, and of candidates that come later.

    `authored_by` counts the draft's authors who wrote a paper, and `authored` weighs each by 1 / root of the number of
    papers under that name. `authored_papers` counts all that they wrote, and `authored_alike` those of them that are
    more like the draft. `authors_cite` adds up the weight of the authors' papers that cite a paper, and `authors_tied`
    is its tie to their papers (see `citewise.expand.seeds.ties`).
    """

    def __init__(self, stores: _Stores, heeded: bool = True, most: int = 1000) -> None:
        """`heeded`: whether a draft's authors are to count at all."""
        self._stores, self._heeded, self._most = stores, heeded, most

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates and, behind them, the authors' own papers and those most tied to them."""
        if not (self._heeded and query.authors):
            return ranking.with_signals({name: np.full(len(ranking), np.nan) for name in SIGNALS})
        own, counts, weights = self._own(query, scope)
        tied, pulls = ties(self._stores, own, scope)
        known = Places(ranking.rows)
        order = np.argsort(-pulls, kind="stable")
        fresh = tied[order][known.of(tied[order]) < 0][: self._most]
        wider = ranking.followed_by(np.union1d(fresh, own[known.of(own) < 0]))
        wider = wider.with_signals({"seeds_tied": np.nan_to_num(wider.signals["seeds_tied"])})
        at = Places(own).of(wider.rows)
        return wider.with_signals({
            "authored_papers": np.full(len(wider), float(own.size)), "authored_alike": self._alike(query, own)[at],
            "authored": np.append(weights, 0.0)[at], "authored_by": np.append(counts, 0.0)[at],
            "authors_cite": self._cited(own, weights, wider.rows, scope),
            "authors_tied": np.append(pulls, 0.0)[Places(tied).of(wider.rows)]})

    def _own(self, query: Query, scope: Scope) -> tuple[Rows, Column, Column]:
        """Return the authors' papers in scope, sorted, how many of the authors each has, and its weight."""
        papers = self._stores.papers_by(query.authors, scope)
        rows, places = np.unique(papers.values, return_inverse=True)
        each = np.repeat(1 / np.sqrt(np.maximum(papers.lengths, 1)), papers.lengths)
        counts, weights = (summed(places, one_each, rows.size) for one_each in (np.ones(places.size), each))
        best = np.sort(np.argsort(-weights, kind="stable")[:_MOST_PAPERS])
        return rows[best], counts[best], weights[best]

    def _alike(self, query: Query, own: Rows) -> Column:
        """Return how many of the authors' papers are more like the draft than each; after the last, for others, NaN."""
        places = np.argsort(np.argsort(-likeness(self._stores, own, Bag.of_draft(self._stores, query)), kind="stable"))
        return np.append(places.astype(np.float64), np.nan)

    def _cited(self, own: Rows, weights: Column, rows: Rows, scope: Scope) -> Column:
        """Return how much weight the authors' papers have that cite each paper."""
        cited = self._stores.references(own, scope)
        at = Places(rows).of(cited.values)
        return summed(at[at >= 0], np.repeat(weights, cited.lengths)[at >= 0], rows.size)
