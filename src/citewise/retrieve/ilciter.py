"""Local recommendation as ILCiteR does it (Ghosh Roy and Han 2024, section 6): no training."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, top
from citewise.errors import BadInput
from citewise.protocols import Encoder, Stores
from citewise.signals import written_by
from citewise.spans.dense import DenseSimilarity
from citewise.spans.search import Claim, SpanHits, search_spans
from citewise.text.tokens import word_count
from citewise.types import Contributions, Query, Ranking, Scope, ServedBy

Ensemble = Literal["conditional", "always", "never"]
Joined = Literal["plus", "okapi", "both", "none"]
Lexical = Literal["both", "okapi", "plus"]
Ties = Literal["ordered", "shared"]

WORDS_ALONE = "by words alone (no vectors of citing sentences)"
"""What an answer says where the library has no vectors."""


@dataclass(frozen=True, slots=True)
class IlciterParameters:
    """The paper's values; k1 and b are those of the implementation that it used (rank_bm25)."""

    prefetched: int = 50
    """Spans fetched by BM25, and as many by BM25+."""
    lexical: Lexical = "both"
    """What fetches spans and orders them by words: BM25 and BM25+ together, or `okapi` or `plus`
    alone (the first two rows of the paper's table 4).
    """
    ties: Ties = "ordered"
    """`ordered`: spans with equal sums of ranks are ordered by BM25+. `shared`: they share a place,
    so that support decides between their papers, and a span that a list of fetched spans lacks has
    the rank behind the list's last; so does the authors' code.
    """
    k1: float = 1.5
    b: float = 0.75
    delta: float = 1.0
    threshold: int = 50
    """A claim is long if it has more than this many words, stop words included: 2.5 times the mean
    span of the paper.
    """
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
        if self.lexical not in ("both", "okapi", "plus"):
            raise BadInput(f"lexical must be both, okapi or plus, not {self.lexical!r}")
        if self.ties not in ("ordered", "shared"):
            raise BadInput(f"ties must be ordered or shared, not {self.ties!r}")
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
        spans, places = self.spans(query.claim, claim, scope)
        cited = self._stores.evidence.cited_for(spans, scope)
        rows, positions = np.unique(cited.rows.values, return_inverse=True)

        # span_rank: the least place of a span for which the paper is cited
        span_rank = np.full(rows.size, spans.size + 1)
        np.minimum.at(span_rank, positions, places[cited.rows.owners])
        support = np.bincount(positions, cited.support, rows.size).astype(np.float64)
        years = self._stores.papers.years(rows)

        # by span rank, then support, then year, then row; argsort(order) is the rank, from 0
        order = np.lexsort((rows, -years, -support, span_rank))
        signals = {
            "span_rank": span_rank.astype(np.float64),
            "support": support,
            "year": years.astype(np.float64),
        }
        ranking = Ranking(rows, 1.0 / (1 + np.argsort(order)), signals).take(order[:k])
        return replace(ranking, served_by=ServedBy(note=self._note()))

    def _note(self) -> str:
        """Return what an answer says where vectors would be used, and there are none."""
        wanted = self._parameters.dense != "never"
        return WORDS_ALONE if wanted and self._dense is None else ""

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

    def spans(self, text: str, claim: Claim, scope: Scope) -> tuple[Rows, Rows]:
        """Return the prefetched spans by the sum of their ranks, and the place of each, from 1."""
        hits = search_spans(self._stores, claim, scope)
        scores = {
            "okapi": self._scores(hits, claim, 0.0),
            "plus": self._scores(hits, claim, self._parameters.delta),
        }

        prefetched, lexical = self._parameters.prefetched, self._parameters.lexical
        fetched = {
            name: top(each, prefetched)
            for name, each in scores.items()
            if lexical in (name, "both")
        }
        chosen = np.unique(np.concatenate([*fetched.values()]))

        ranks = {
            name: self._fetched_ranks(fetched[name], chosen)
            if self._parameters.ties == "shared" and name in fetched
            else _ranks(each[chosen])
            for name, each in scores.items()
        }
        total = self._ensemble(text, hits.spans[chosen], ranks)

        order = np.lexsort((ranks["plus"], total))
        places = np.arange(1, order.size + 1)
        if self._parameters.ties == "shared":
            # sums 3 3 5 8 8 have the places 1 1 2 3 3
            places = np.unique(total[order], return_inverse=True)[1] + 1
        return hits.spans[chosen][order], places

    def _fetched_ranks(self, fetched: Rows, chosen: Rows) -> Rows:
        """Return the rank of each chosen span in a list of fetched spans, from 1, and one more than
        the list may hold where it lacks the span.
        """
        at = RowIndex(fetched).of(chosen)
        return np.where(at < 0, self._parameters.prefetched + 1, at + 1)

    def _ensemble(self, text: str, spans: Rows, ranks: dict[str, Rows]) -> Rows:
        """Return the sum of each span's ranks in the rankings that count for this claim."""
        if self._dense is None or not self._is_dense(text):
            return _summed(ranks, self._parameters.lexical)
        by_vectors = _ranks(self._dense.spans(text, spans, spans.size))
        return by_vectors + _summed(ranks, self._parameters.joined)

    def _scores(self, hits: SpanHits, claim: Claim, delta: float) -> Column:
        return hits.scores(claim.weights, self._parameters.k1, self._parameters.b, delta)

    def _is_dense(self, text: str) -> bool:
        """Return whether vectors are used for this claim."""
        if self._parameters.dense == "never":
            return False
        return self._parameters.dense == "always" or word_count(text) > self._parameters.threshold


def _summed(ranks: dict[str, Rows], which: Joined | Lexical) -> Rows:
    """Return the sum of the ranks that a setting names; 0 where it names none."""
    named = [each for name, each in ranks.items() if which in (name, "both")]
    return np.asarray(sum(named, np.zeros_like(ranks["plus"])))


def _ranks(scores: Column) -> Rows:
    """Return the rank of each score, from 1; equal ones in their order."""
    ranks = np.empty(scores.size, np.int64)
    # the inverse of the sorting permutation
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return ranks
