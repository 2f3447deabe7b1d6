"""Search the spans of citing sentences that share terms with a claim, by BM25 or BM25+."""

from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, Rows, summed
from citewise.protocols import Matches, Stores, TermNumbers
from citewise.scoring.bm25 import K1, B, idf, length_norm, saturation
from citewise.types import Scope


@dataclass(frozen=True, slots=True)
class Claim:
    """The distinct terms of a sentence (or of a mention alone)."""

    terms: TermNumbers
    counts: Column
    idf: Column
    """The terms' idf among spans."""

    @classmethod
    def of(cls, stores: Stores, text: str) -> "Claim":
        """Return the terms of a text that occur in the library."""
        terms, counts = stores.terms.of(text)
        return cls(terms, counts.astype(np.float64), idf(stores.evidence.statistics(terms)))

    @property
    def weights(self) -> Column:
        """Return each term's count times its idf."""
        return self.counts * self.idf

    @property
    def total(self) -> float:
        """Return the sum of all weights: dividing by it makes scores of claims comparable."""
        return max(float(self.weights.sum()), 1e-9)

    def most_telling(self, limit: int) -> "Claim":
        """Return the claim with only the `limit` terms of highest weight, in their order."""
        kept = np.sort(np.argsort(-self.weights, kind="stable")[:limit])
        return Claim(self.terms[kept], self.counts[kept], self.idf[kept])


@dataclass(frozen=True, slots=True)
class SpanHits:
    """Spans that share a term with a claim."""

    spans: Rows
    """The spans' numbers, sorted."""
    matches: Matches
    """Their rows are positions in `spans`, their columns positions in the claim's terms."""
    relative_lengths: Column
    """The spans' lengths, divided by the mean length."""

    def scores(self, weights: Column, k1: float = K1, b: float = B, delta: float = 0.0) -> Column:
        """Return the spans' BM25 scores; with a delta, BM25+ (Lv and Zhai 2011)."""
        counts, rows = self.matches.counts, self.matches.rows
        norm = length_norm(self.relative_lengths, k1, b)
        parts = saturation(counts, norm[rows], k1) + delta
        return summed(rows, parts * weights[self.matches.columns], self.spans.size)


def search_spans(stores: Stores, claim: Claim, scope: Scope) -> SpanHits:
    """Return every span in scope that shares a term with a claim."""
    matches = stores.evidence.search(claim.terms, scope)

    # Matches are sorted by span: number the runs of equal spans 0, 1, 2, ...
    #   matches.rows  4 4 7 9 9    is_first  1 0 1 1 0    cumsum - 1  0 0 1 2 2
    is_first = np.append(True, matches.rows[1:] != matches.rows[:-1])[: matches.rows.size]
    spans = matches.rows[is_first]
    mean = stores.evidence.statistics(claim.terms).mean_length

    return SpanHits(
        spans=spans,
        matches=Matches(np.cumsum(is_first) - 1, matches.columns, matches.counts),
        relative_lengths=stores.evidence.lengths(spans) / max(mean, 1e-9),
    )
