"""Local recommendation as ILCiteR does it (Ghosh Roy and Han 2024, section 6): no training."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, top
from citewise.errors import BadInput
from citewise.protocols import Encoder, Stores
from citewise.signals import written_by
from citewise.spans.dense import DenseSimilarity
from citewise.spans.search import Claim, SpanHits, search_spans
from citewise.types import Contributions, Query, Ranking, Scope

Ensemble = Literal["conditional", "always", "never"]
Joined = Literal["plus", "okapi", "both", "none"]


@dataclass(frozen=True, slots=True)
class IlciterParameters:
    """The paper's values; k1 and b are those of the implementation that it used (rank_bm25)."""

    prefetched: int = 50
    """Spans fetched by BM25, and as many by BM25+."""
    k1: float = 1.5
    b: float = 0.75
    delta: float = 1.0
    threshold: float = 2.5
    """A claim is long if it has more than this many times the terms of the mean span."""
    dense: Ensemble = "conditional"
    """When vectors are used: for long claims, all, or none; without an encoder for none."""
    joined: Joined = "plus"
    """The ranks that are added to theirs: of BM25+, as in the paper; of BM25, both, or none."""

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        if self.dense not in ("conditional", "always", "never"):
            raise BadInput(f"dense must be conditional, always or never, not {self.dense!r}")
        if self.joined not in ("plus", "okapi", "both", "none"):
            raise BadInput(f"joined must be plus, okapi, both or none, not {self.joined!r}")
        bm25 = self.k1 >= 0 and 0 <= self.b <= 1 and self.delta >= 0
        if self.prefetched < 1 or self.threshold < 0 or not bm25:
            raise BadInput(
                "ilciter needs prefetched >= 1, threshold >= 0, k1 >= 0, 0 <= b <= 1 and "
                f"delta >= 0; got {self}"
            )


class Ilciter:
    """The retriever: papers in the order of their best span, then support, then year."""

    reads: frozenset[str] = frozenset()
    writes = written_by("ilciter")

    def __init__(
        self, stores: Stores, parameters: IlciterParameters, encoder: Encoder | None = None
    ) -> None:
        self._stores, self._parameters = stores, parameters
        self._dense = DenseSimilarity(stores, encoder) if encoder is not None else None

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best of the papers that are cited for the prefetched spans."""
        claim = Claim.of(self._stores, query.claim)
        spans = self.spans(query.claim, claim, scope)
        cited = self._stores.evidence.cited_for(spans, scope)
        rows, positions = np.unique(cited.rows.values, return_inverse=True)

        # span_rank: the least rank of a span for which the paper is cited
        span_rank = np.full(rows.size, spans.size + 1)
        np.minimum.at(span_rank, positions, cited.rows.owners + 1)
        support = np.bincount(positions, cited.support, rows.size).astype(np.float64)
        years = self._stores.papers.years(rows)

        # by span rank, then support, then year, then row; argsort(order) is the rank, from 0
        order = np.lexsort((rows, -years, -support, span_rank))
        signals = {
            "span_rank": span_rank.astype(np.float64),
            "support": support,
            "year": years.astype(np.float64),
        }
        return Ranking(rows, 1.0 / (1 + np.argsort(order)), signals).take(order[:k])

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return the parts of scores, where a score is 1 / rank.

        The best span alone would give a paper the first rank among those with an equally good span.
        Among these, support moves it back, then its year, and last its row, which is in the base.
        """
        names = ("span_rank", "support", "year")
        span_rank, support, years = (ranking.signals[name] for name in names)
        positions = RowIndex(ranking.rows).of(rows)

        # papers x ranking: which papers of the ranking go before each paper, and why
        better = span_rank < span_rank[positions, None]
        same_span = span_rank == span_rank[positions, None]
        more = same_span & (support > support[positions, None])
        equal = same_span & (support == support[positions, None])
        later = equal & (years > years[positions, None])

        before = np.cumsum([each.sum(1) for each in (better, more, later)], axis=0)
        by_span, by_support, by_year = 1 / (1 + before)

        parts = {
            "span_rank": by_span,
            "support": by_support - by_span,
            "year": by_year - by_support,
        }
        return Contributions(ranking.scores[positions] - by_year, parts)

    def spans(self, text: str, claim: Claim, scope: Scope) -> Rows:
        """Return the prefetched spans by the sum of their ranks; equal ones by BM25+."""
        hits = search_spans(self._stores, claim, scope)
        okapi = self._scores(hits, claim, 0.0)
        plus = self._scores(hits, claim, self._parameters.delta)

        prefetched = self._parameters.prefetched
        chosen = np.union1d(top(okapi, prefetched), top(plus, prefetched))

        spans = hits.spans[chosen]
        ranks = {"okapi": _ranks(okapi[chosen]), "plus": _ranks(plus[chosen])}
        return spans[np.lexsort((ranks["plus"], self._ensemble(text, claim, spans, ranks)))]

    def _ensemble(self, text: str, claim: Claim, spans: Rows, ranks: dict[str, Rows]) -> Rows:
        """Return the sum of each span's ranks in the rankings that count for this claim."""
        if self._dense is None or not self._is_dense(claim):
            return ranks["okapi"] + ranks["plus"]

        total = _ranks(self._dense.spans(text, spans, spans.size))
        for name, lexical in ranks.items():
            if self._parameters.joined in (name, "both"):
                total = total + lexical
        return total

    def _scores(self, hits: SpanHits, claim: Claim, delta: float) -> Column:
        return hits.scores(claim.weights, self._parameters.k1, self._parameters.b, delta)

    def _is_dense(self, claim: Claim) -> bool:
        """Return whether vectors are used for this claim."""
        if self._parameters.dense == "never":
            return False
        mean = self._stores.evidence.statistics(claim.terms).mean_length
        is_long = bool(claim.counts.sum() > self._parameters.threshold * mean)
        return self._parameters.dense == "always" or is_long


def _ranks(scores: Column) -> Rows:
    """Return the rank of each score, from 1; equal ones in their order."""
    ranks = np.empty(scores.size, np.int64)
    # the inverse of the sorting permutation
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return ranks
