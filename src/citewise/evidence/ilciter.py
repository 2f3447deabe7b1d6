"""Local recommendation as ILCiteR does it (Ghosh Roy and Han 2024, section 6): no training, ranks of evidence spans."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from citewise.claims.dense import Nearness
from citewise.claims.search import Claim, Hits, Stores, best, find
from citewise.errors import BadInput
from citewise.places import Places
from citewise.protocols import Encoder, Papers, Vectors
from citewise.types import Column, Contributions, Query, Ranking, Rows, Scope

Ensemble = Literal["conditional", "always", "never"]
Joined = Literal["plus", "okapi", "both", "none"]


@dataclass(frozen=True, slots=True)
class IlciterSettings:
    """The paper's values; k1 and b are those of the implementation that it used (rank_bm25)."""

    prefetched: int = 50
    """Spans fetched by BM25, and as many by BM25+."""
    k1: float = 1.5
    b: float = 0.75
    delta: float = 1.0
    threshold: float = 2.5
    """A claim is long if it has more terms than so many times the mean span."""
    dense: Ensemble = "conditional"
    """When vectors join: for long claims, for all, or for none; without an encoder for none."""
    joined: Joined = "plus"
    """The ranks that they join: of BM25+, as the paper does it; of BM25, of both, or of none."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.dense not in ("conditional", "always", "never"):
            raise BadInput(f"dense must be conditional, always or never, not {self.dense!r}")
        if self.joined not in ("plus", "okapi", "both", "none"):
            raise BadInput(f"joined must be plus, okapi, both or none, not {self.joined!r}")
        if self.prefetched < 1 or self.threshold < 0 or not (self.k1 >= 0 and 0 <= self.b <= 1 and self.delta >= 0):
            raise BadInput("ilciter needs prefetched >= 1, threshold >= 0, k1 >= 0, 0 <= b <= 1 and delta >= 0; "
                           f"got {self}")


class _Stores(Papers, Stores, Vectors, Protocol):
    """What this retriever reads."""


class Ilciter:
    """The retriever: papers in the order of their best span, then support, then year."""

    def __init__(self, stores: _Stores, settings: IlciterSettings, encoder: Encoder | None = None) -> None:
        self._stores, self._settings = stores, settings
        self._nearness = Nearness(stores, encoder) if encoder is not None else None

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best of the papers that are cited for the prefetched spans."""
        claim = Claim.of(self._stores, query.claim)
        spans = self.spans(query.claim, claim, scope)
        cited = self._stores.cited_for(spans, scope)
        ranks = np.repeat(np.arange(1, spans.size + 1), cited.rows.lengths)
        rows, places = np.unique(cited.rows.values, return_inverse=True)
        first = np.full(rows.size, spans.size + 1)
        np.minimum.at(first, places, ranks)
        support = np.bincount(places, cited.support, rows.size).astype(np.float64)
        years = self._stores.years(rows)
        order = np.lexsort((rows, -years, -support, first))[:k]
        signals = {"span_rank": first.astype(np.float64), "support": support, "year": years.astype(np.float64)}
        return Ranking(rows, 1.0 / (1 + np.argsort(np.lexsort((rows, -years, -support, first)))), signals).take(order)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what scores are made of.

        A score is one over the paper's place. Its best span alone would give it the first place among those whose best
        span is as good; among these, support puts it back, then its year, and last its row: that is in the base.
        """
        first, support, years = (ranking.signals[name] for name in ("span_rank", "support", "year"))
        at = Places(ranking.rows).of(rows)
        better = first < first[at, None]
        more = (first == first[at, None]) & (support > support[at, None])
        later = (first == first[at, None]) & (support == support[at, None]) & (years > years[at, None])
        by_span, by_support, by_year = (1 / (1 + np.cumsum([each.sum(1) for each in (better, more, later)], axis=0)))
        return Contributions(ranking.scores[at] - by_year, {
            "span_rank": by_span, "support": by_support - by_span, "year": by_year - by_support})

    def spans(self, text: str, claim: Claim, scope: Scope) -> Rows:
        """Return the prefetched spans, best first by the mean of their ranks; equals in the order of BM25+."""
        hits = find(self._stores, claim, scope)
        okapi, plus = (self._scores(hits, claim, delta) for delta in (0.0, self._settings.delta))
        chosen = np.union1d(best(okapi, self._settings.prefetched), best(plus, self._settings.prefetched))
        spans, by_words = hits.spans[chosen], {"okapi": _ranks(okapi[chosen]), "plus": _ranks(plus[chosen])}
        return spans[np.lexsort((by_words["plus"], self._joined(text, claim, spans, by_words)))]

    def _joined(self, text: str, claim: Claim, spans: Rows, by_words: dict[str, Rows]) -> Rows:
        """Return the sum of each span's ranks."""
        if self._nearness is None or not self._is_dense(claim):
            return by_words["okapi"] + by_words["plus"]
        joined = [ranks for name, ranks in by_words.items() if self._settings.joined in (name, "both")]
        return sum(joined, _ranks(self._nearness.spans(text, spans, spans.size)))

    def _scores(self, hits: Hits, claim: Claim, delta: float) -> Column:
        return hits.scores(claim.weights, self._settings.k1, self._settings.b, delta)

    def _is_dense(self, claim: Claim) -> bool:
        if self._settings.dense == "never":
            return False
        mean = self._stores.span_statistics(claim.terms).mean_length
        return self._settings.dense == "always" or bool(claim.counts.sum() > self._settings.threshold * mean)


def _ranks(scores: Column) -> Rows:
    """Return the rank of each score, from 1; equals in the order in which they stand."""
    ranks = np.empty(scores.size, np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return ranks
