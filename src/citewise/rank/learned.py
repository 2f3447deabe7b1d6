"""The learned rankers of `best`: a linear step over all candidates, then trees over the best."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, by_score, in_parts, spread
from citewise.protocols import DraftVectors, Stores
from citewise.rank import contributions
from citewise.rank.draft_signals import linear_signals, tree_signals
from citewise.rank.graph_signals import Weighted
from citewise.rank.linear import LinearModel
from citewise.rank.trees import TreeModel
from citewise.scoring.fusion import nearness
from citewise.scoring.similarity import Bag, similarity
from citewise.signals import DRAFTS, VECTORS, written_by
from citewise.types import Contributions, Query, Ranking, Scope, ServedBy

_CLOSENESS = 100.0
"""A hit of this rank counts half as near to the draft as the first."""

_FEW, _SPARSE = 2500, 1 / 3
"""Among fewer candidates than this, fewer than this share of them backed by citations, BM25 is
better than the shipped model: found in libraries of 500 to 4,000 papers drawn from another field's
dev year. In small libraries of the model's own field, citations back more than 0.4 of the
candidates, and the model is better.
"""


_HARDLY_ANY = 0.03
"""Among more candidates, BM25 is better where citations back less than this share of them: with the
references of one paper in a hundred, and no longer with those of all (0.17 in `elife`).
"""

_FEW_CITE, _SAMPLE = 0.05, 1_000
"""Where a smaller share of the papers has references, the papers whose citations count for a
sentence are hardly more similar to it than any other: `bm25` found half as many more (evoeco, dev).
"""

_LEAST_TRUST, _TRUSTED_FROM = 0.25, 4_000
"""In libraries of fewer papers, which the model never saw, its order is fused with that of BM25. In
libraries of 30 to 500 papers that citations link, R@10 over that of BM25 was 0.74 to 0.93 by the
model alone, and 1.00 to 1.04 with a fifth of the weight (`cs` and `elife`, dev); in 2,000 papers of
`cs` it was 1.08 and, with half of the weight, 1.14.
"""
_NO_CITATIONS = ServedBy(
    note="by bm25 (the library has no citations)",
    advice="Your library has no citations yet, so papers are ranked by words alone; "
    "`citewise index` full texts or Crossref records to add them.",
)
_NONE_HERE = ServedBy(
    note="by bm25 (no citation backs any candidate)",
    advice="None of your library's citations backs a paper for this draft, so papers are ranked by "
    "words alone.",
)
_FEW_HERE = ServedBy(
    note="by bm25 (citations back few candidates)",
    advice="Few of your library's citations concern this draft, so papers are ranked by words "
    "alone.",
)
_FEW_REFERENCES = ServedBy(
    note="by bm25 (few papers of the library have references)",
    advice="Few papers of your library have references, so papers are ranked by words alone; "
    "`citewise index` full texts or Crossref records to add them.",
)


class LinearRanker:
    """Scores every candidate by the linear model; the trees behind it rank the best anew.

    Where no citation and no author backs any candidate, BM25 decides, and the order is settled. So
    it does in a small library with few citations, and for a sentence where few papers have
    references, unless the model was trained on the library.
    """

    writes = written_by("linear")

    def __init__(self, stores: Stores, model: LinearModel, shipped: bool) -> None:
        """`shipped`: whether the model never saw the library."""
        self._stores, self._model, self._shipped = stores, model, shipped
        self.reads = _found_before(model.weights)
        self._few_cite = functools.cache(lambda: few_cite(stores))

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by their linear score, which is also the signal `linear_score`."""
        if not len(candidates) or not is_backed(candidates):
            why = _NONE_HERE if self._has_citations else _NO_CITATIONS
            return self._by_words(query, candidates, why)
        if self._shipped and is_sparse(candidates):
            return self._by_words(query, candidates, _FEW_HERE)
        if self._shipped and query.sentence.strip() and self._few_cite():
            return self._by_words(query, candidates, _FEW_REFERENCES)
        known = candidates.with_signals(linear_signals(self._stores, query, candidates.rows, scope))
        scores = self._model.scores(known.signals)
        return known.scored(scores, {"linear_score": scores}).take(by_score(scores, known.rows))

    @functools.cached_property
    def _has_citations(self) -> bool:
        """Whether any paper of the library cites another."""
        references = self._stores.graph.references
        return any(references(part).values.size for part in in_parts(self._stores.papers.rows))

    def _by_words(self, query: Query, candidates: Ranking, why: ServedBy) -> Ranking:
        bag = Bag.of_draft(self._stores, query)
        ranking = candidates.take(np.argsort(candidates.rows, kind="stable"))
        scores = similarity(self._stores, ranking.rows, bag)
        found = _ordered(ranking, scores, {"bm25": scores})
        return replace(found, served_by=why, settled=True, judge="words")


class TreeRanker:
    """Ranks the best candidates of the linear step by trees over all signals.

    In a small library that the model never saw, the order of the trees is fused with that of BM25.
    """

    def __init__(self, stores: Stores, model: TreeModel, vectors: Sequence[DraftVectors]) -> None:
        """`vectors` are the sets of papers' vectors that count."""
        self._stores, self._model, self._vectors = stores, model, vectors
        self.reads = _found_before(model.names) | LinearRanker.writes
        missing = {*VECTORS} - {each.signals for each in vectors}
        self.writes = written_by("trees").difference(
            *(DRAFTS.names("trees", each.family) for each in missing)
        )
        fused = model.shipped and model.trees is not None
        self._trust = trust(len(stores.papers)) if fused else 1.0

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by the trees' scores; they are given best first."""
        near = hits_near_draft(pool)
        signals = tree_signals(self._stores, self._vectors, query, candidates, near, scope)
        known = candidates.with_signals(signals)
        scores, served_by = self._model.scores(known.signals), self._model.served_by
        if self._trust == 1:
            return replace(_ordered(known, scores, {}), served_by=served_by)

        fused = self._trust * nearness(scores, known.rows) + self._by_words(known)
        found = _ordered(known, fused, {})
        return replace(found, served_by=served_by, judge="both")

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what scores are made of: by signal, or by word where BM25 decided."""
        if "linear_score" not in ranking.signals:
            return contributions.by_terms(self._stores, query, rows)
        positions = RowIndex(ranking.rows).of(rows)
        found = contributions.of_drafts(self._model, ranking, positions)
        if self._trust == 1:
            return found
        return contributions.of_ranks(
            found, ranking.scores[positions], self._by_words(ranking)[positions]
        )

    def _by_words(self, ranking: Ranking) -> Column:
        """Return the part of fused scores that comes from the order by BM25; NaN for candidates
        behind those that the trees ranked.
        """
        words = ranking.signals["bm25"]
        by_words = (1 - self._trust) * nearness(words, ranking.rows)
        return np.where(np.isnan(words), np.nan, by_words)


_FINDERS = ("engine", "neighbours", "seeds", "authors", *(each.by for each in VECTORS))
"""The stages before the rankers."""


def _found_before(features: Iterable[str]) -> frozenset[str]:
    """Return the signals of the stages that compute what any of the features is made of."""
    read = {name for feature in features for name in DRAFTS.sources(feature)}
    stages = map(written_by, _FINDERS)
    return frozenset[str]().union(*(each for each in stages if each & read))


def trust(papers: int) -> float:
    """Return how much the model that ships weighs beside words, by the size of a library."""
    return min(max(_LEAST_TRUST, papers / _TRUSTED_FROM), 1.0)


def is_backed(ranking: Ranking) -> bool:
    """Whether any citation, or any of the draft's authors, backs any candidate."""
    names = ("vote_count", "seeds_linked", "authored")
    return any(bool(np.nan_to_num(ranking.signals[name]).any()) for name in names)


def few_cite(stores: Stores) -> bool:
    """Whether few papers of a library have references; a sample of them is looked at."""
    citing = stores.graph.references(spread(stores.papers.rows, _SAMPLE)).lengths > 0
    return bool(np.count_nonzero(citing) < _FEW_CITE * citing.size)


def is_sparse(ranking: Ranking) -> bool:
    """Whether citations back few of the candidates; where these are many, hardly any of them."""
    tied = np.nan_to_num(ranking.signals["seeds_linked"]) > 0
    backed = (ranking.signals["vote_count"] > 0) | tied
    return bool(backed.mean() < (_SPARSE if len(ranking) < _FEW else _HARDLY_ANY))


def hits_near_draft(ranking: Ranking) -> Weighted:
    """Return the hits of the search, weighted by 1 / (1 + rank / 100)."""
    hit_rank = ranking.signals["hit_rank"]
    found = ~np.isnan(hit_rank)
    return Weighted(ranking.rows[found], 1 / (1 + hit_rank[found] / _CLOSENESS))


def _ordered(ranking: Ranking, scores: Column, signals: dict[str, Column]) -> Ranking:
    """Return the candidates by new scores; equal ones keep their order."""
    return ranking.scored(scores, signals).take(np.argsort(-scores, kind="stable"))
