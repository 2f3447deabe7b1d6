"""Candidates for a sentence: by what is said of papers, by their own words, and by what papers like the draft cite."""

from typing import Protocol

import numpy as np

from citewise.claims.said import Claims, Found
from citewise.claims.search import Stores as SpanStores
from citewise.claims.search import best
from citewise.likeness import Bag, likeness
from citewise.places import Places
from citewise.protocols import Lexical, Papers
from citewise.types import Column, Query, Ranking, Rows, Scope, distinct, summed

_BY_SPANS, _BY_SAID, _BY_WORDS = 250, 200, 80
"""So many papers come from the nearest spans, from all that is said of them, and from title and abstract."""
_FUSED = 60.0
"""Cormack, Clarke and Buettcher (2009): a list's vote for its paper of rank r is 1 / (60 + r)."""


class _Stores(Papers, SpanStores, Lexical, Protocol):
    """What these stages read."""


class Said:
    """The retriever."""

    def __init__(self, stores: _Stores, claims: Claims) -> None:
        self._stores, self._claims = stores, claims

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return at most k papers by the fused ranks of three lists: a fair order already."""
        found = self._claims.find(query.claim, scope)
        lists = [self._by_spans(found, scope), found.rows[best(found.scores, _BY_SAID)], self._by_words(found, scope)]
        rows, places = np.unique(np.concatenate(lists), return_inverse=True)
        rows, places = self._in_scope(rows, places, scope)
        votes = np.concatenate([1 / (_FUSED + 1 + np.arange(each.size)) for each in lists])
        scores = summed(places[places >= 0], votes[places >= 0], rows.size)
        order = np.lexsort((rows, -scores))[:k]
        return Ranking(rows[order], scores[order])

    def _by_spans(self, found: Found, scope: Scope) -> Rows:
        """Return the papers cited for the nearest spans, by the sum of the spans' likeness, cubed."""
        cited = self._stores.cited_for(found.nearest, scope)
        rows = distinct(cited.rows.values)
        mass = np.repeat(found.likeness ** 3, cited.rows.lengths) * cited.support
        return rows[best(summed(Places(rows).of(cited.rows.values), mass, rows.size), _BY_SPANS)]

    def _by_words(self, found: Found, scope: Scope) -> Rows:
        counts = found.claim.counts.astype(np.int64)
        return self._stores.search(found.claim.terms, counts, _BY_WORDS, scope)

    def _in_scope(self, rows: Rows, places: Rows, scope: Scope) -> tuple[Rows, Rows]:
        """Return the rows in scope, and where each place is among them, -1 where it is not."""
        kept = self._stores.in_scope(rows, scope)
        return rows[kept], np.where(kept, np.cumsum(kept) - 1, -1)[places]


class Around:
    """The expander: what the papers most like the draft's title and abstract cite, with their votes as a signal."""

    def __init__(self, stores: _Stores, near: int = 150, most: int = 150) -> None:
        self._stores, self._near, self._most = stores, near, most

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates and, behind them, the papers with most votes; without a title or abstract, as before.

        A vote is the square of a citing paper's likeness to the draft, relative to the most alike.
        """
        if not query.has_draft:
            return ranking.with_signals({"context_votes": np.full(len(ranking), np.nan)})
        rows, votes = self._votes(query, scope)
        order = best(votes, self._most)
        wider = ranking.followed_by(rows[order][Places(ranking.rows).of(rows[order]) < 0])
        at = Places(rows).of(wider.rows)
        return wider.with_signals({"context_votes": np.where(at >= 0, np.append(votes, 0.0)[at], 0.0)})

    def _votes(self, query: Query, scope: Scope) -> tuple[Rows, Column]:
        bag = Bag.of_draft(self._stores, query)
        hits = self._stores.search(bag.terms, bag.weights.astype(np.int64), 4 * self._near, scope)
        cited = self._stores.citations_by(hits, scope)
        citing = np.unique(cited.places)[: self._near]
        alike = np.zeros(hits.size)
        alike[citing] = likeness(self._stores, hits[citing], bag)
        alike /= max(alike.max(initial=0.0), 1e-9)
        pairs = np.unique(cited.rows * hits.size + cited.places)  # a paper votes once for what it cites often
        rows = distinct(pairs // max(hits.size, 1))
        at = Places(rows).of(pairs // max(hits.size, 1))
        return rows, summed(at, alike[pairs % max(hits.size, 1)] ** 2, rows.size)
