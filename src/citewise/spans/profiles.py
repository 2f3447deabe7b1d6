"""Search papers by their profiles: the text of all spans that cite a paper, as one document."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, distinct, flat_index, summed, top
from citewise.protocols import ProfileStatistics, Stores, TermStatistics
from citewise.scoring.bm25 import idf, length_norm, saturation
from citewise.spans.search import Claim, SpanHits, search_spans
from citewise.types import Scope

NEAREST = 1000
"""Spans that count for papers one by one: the best of those that match a claim."""

_CLAIMS_KEPT = 4
"""Claims whose matches are remembered: the stages of a system all search for the same one."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """A sparse papers x terms matrix: how often each term of a claim occurs in each profile."""

    rows: Rows
    """Positions of papers."""
    columns: Rows
    """Positions of the claim's terms."""
    counts: Column


@dataclass(frozen=True, slots=True)
class ClaimMatches:
    """The spans and the papers that share terms with a claim, and their scores."""

    claim: Claim
    spans: Rows
    """The numbers of all spans that share a term with the claim, sorted."""
    span_scores: Column
    """The BM25 scores of `spans`, divided by the claim's total weight."""
    nearest: Rows
    """The numbers of the best spans by BM25, best first."""
    similarity: Column
    """The scores of `nearest`."""
    similarity_plus: Column
    """The scores of `nearest` by BM25+."""
    rows: Rows
    """The papers that are cited for any span with a term of the claim, sorted."""
    profile_counts: TermCounts
    """How often each term of the claim occurs in the profiles of `rows`."""
    profile_idf: Column
    """The idf of the claim's terms among profiles."""
    profile_scores: Column
    """The BM25 scores of the profiles of `rows`, divided by the claim's total weight."""
    term_totals: Column
    """How often each term of the claim occurs in all profiles together."""
    profile_statistics: ProfileStatistics

    def counts(self, rows: Rows) -> TermCounts:
        """Return how often each term of the claim occurs in the profiles of given papers."""
        # position in self.rows -> position in rows, -1 where the paper is not among them
        positions = RowIndex(rows).of(self.rows)[self.profile_counts.rows]
        kept = positions >= 0

        return TermCounts(
            positions[kept], self.profile_counts.columns[kept], self.profile_counts.counts[kept]
        )


class ClaimSearch:
    """Searches the citing sentences of a library for claims, and remembers the last few."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.search = lru_cache(maxsize=_CLAIMS_KEPT)(self._search)

    def _search(self, text: str, scope: Scope) -> ClaimMatches:
        """Return the spans and the papers that match a claim."""
        claim = Claim.of(self.stores, text)
        hits = search_spans(self.stores, claim, scope)
        scores = hits.scores(claim.weights) / claim.total
        scores_plus = hits.scores(claim.weights, delta=1.0) / claim.total
        nearest = top(scores, NEAREST)

        rows, counts = self._profiles(hits, claim.terms.size, scope)
        statistics = self.stores.evidence.profile_statistics(scope)
        frequencies = np.bincount(counts.columns, minlength=claim.terms.size)
        among_profiles = TermStatistics(statistics.papers, frequencies, statistics.mean_length)

        return ClaimMatches(
            claim=claim,
            spans=hits.spans,
            span_scores=scores,
            nearest=hits.spans[nearest],
            similarity=scores[nearest],
            similarity_plus=scores_plus[nearest],
            rows=rows,
            profile_counts=counts,
            profile_idf=idf(among_profiles),
            profile_scores=self._profile_scores(rows, counts, claim, among_profiles, scope),
            term_totals=summed(counts.columns, counts.counts, claim.terms.size),
            profile_statistics=statistics,
        )

    def _profiles(self, hits: SpanHits, terms: int, scope: Scope) -> tuple[Rows, TermCounts]:
        """Return the papers that are cited for the hits, and the counts of terms in their profiles.

        A match of a term in a span counts once for each citation that is made for the span.
        """
        cited = self.stores.evidence.cited_for(hits.spans, scope)
        starts = cited.rows.starts

        # Repeat each match (span, term) for each paper that its span cites; `index` is where that
        # citation is in `cited`.
        index, begins = flat_index(starts[hits.matches.rows], starts[hits.matches.rows + 1])
        papers_each = np.diff(begins)
        counts = np.repeat(hits.matches.counts, papers_each) * cited.support[index]
        columns = np.repeat(hits.matches.columns, papers_each)

        # Add them up in a papers x terms matrix, whose cell (paper, term) has the number
        # paper * terms + term, and keep the cells that are not 0.
        rows = distinct(cited.rows.values)
        cells = RowIndex(rows).of(cited.rows.values)[index] * terms + columns
        matrix = summed(cells, counts, rows.size * terms)
        filled = np.flatnonzero(matrix)
        return rows, TermCounts(filled // max(terms, 1), filled % max(terms, 1), matrix[filled])

    def _profile_scores(
        self, rows: Rows, counts: TermCounts, claim: Claim, among: TermStatistics, scope: Scope
    ) -> Column:
        """Return the BM25 scores of the papers' profiles, divided by the claim's total weight.

        `among` are the statistics of the claim's terms among all profiles.
        """
        lengths = self.stores.evidence.profiles(rows, scope).terms
        norm = length_norm(lengths / max(among.mean_length, 1e-9))
        parts = saturation(counts.counts, norm[counts.rows])
        weights = (claim.counts * idf(among))[counts.columns]
        return summed(counts.rows, parts * weights, rows.size) / claim.total
