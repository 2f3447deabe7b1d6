"""Candidates for a sentence: by single spans, by profiles, and by titles and abstracts."""

import numpy as np

from citewise.arrays import RowIndex, Rows, distinct, summed, top
from citewise.protocols import Stores
from citewise.scoring.fusion import rrf
from citewise.spans.profiles import ClaimMatches, ClaimSearch
from citewise.types import Query, Ranking, Scope

_BY_SPANS, _BY_PROFILES, BY_WORDS = 250, 200, 80
"""At most this many papers come from the nearest spans, from profiles, and from words."""

DEEP = 200
"""Papers from words where evidence is thin: as many as `bm25` scores."""


class EvidenceRetriever:
    """The retriever: reciprocal rank fusion of the three lists."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __init__(self, stores: Stores, claims: ClaimSearch, by_words: int = BY_WORDS) -> None:
        """`by_words` is how many papers come from words."""
        self._stores, self._claims, self._by_words_limit = stores, claims, by_words

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return at most k papers in scope by the fused ranks of the three lists."""
        matches = self._claims.search(query.claim, scope)
        rows, scores = rrf(
            [
                self._by_spans(matches, scope),
                matches.rows[top(matches.profile_scores, _BY_PROFILES)],
                self._by_words(matches, scope),
            ]
        )

        kept = self._stores.papers.in_scope(rows, scope)
        rows, scores = rows[kept], scores[kept]
        order = np.lexsort((rows, -scores))[:k]
        return Ranking(rows[order], scores[order])

    def _by_spans(self, matches: ClaimMatches, scope: Scope) -> Rows:
        """Return the papers cited for the nearest spans, by the sum of similarity ** 3."""
        cited = self._stores.evidence.cited_for(matches.nearest, scope)
        mass = np.repeat(matches.similarity**3, cited.rows.lengths) * cited.support
        rows = distinct(cited.rows.values)
        sums = summed(RowIndex(rows).of(cited.rows.values), mass, rows.size)
        return rows[top(sums, _BY_SPANS)]

    def _by_words(self, matches: ClaimMatches, scope: Scope) -> Rows:
        """Return the papers whose titles and abstracts share terms with the claim."""
        counts = matches.claim.counts.astype(np.int64)
        return self._stores.lexical.search(matches.claim.terms, counts, self._by_words_limit, scope)
