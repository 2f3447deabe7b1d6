"""The ranker of `evidence`: trees over signals of evidence, words, standing and the draft.

In a library with little evidence the trees, which were trained where there is much, put every cited
paper first: there their order is fused with that of the words.
"""

from dataclasses import replace

import numpy as np

from citewise.arrays import Column, RowIndex, Rows
from citewise.protocols import Stores
from citewise.rank import contributions
from citewise.rank.context_signals import context_signals, seed_signals
from citewise.rank.sentence_signals import (
    Candidates,
    cocited,
    meaning_signals,
    nearest_spans,
    profile_signals,
    span_signals,
    standing_signals,
    word_signals,
)
from citewise.rank.trees import TreeModel
from citewise.scoring.fusion import nearness
from citewise.scoring.similarity import Bag, similarity
from citewise.signals import written_by
from citewise.spans.dense import DenseSimilarity
from citewise.spans.profiles import ClaimSearch
from citewise.types import Contributions, Judge, Query, Ranking, Scope

_LITTLE = "by words and evidence together (few papers of the library are cited in sentences)"


def sentence_signals(
    stores: Stores,
    claims: ClaimSearch,
    query: Query,
    ranking: Ranking,
    scope: Scope,
    dense: DenseSimilarity | None = None,
) -> dict[str, Column]:
    """Return every signal of candidates for a sentence; without `dense`, those of meaning are NaN.

    Evidence is searched everywhere, even where only papers of `scope.within` are ranked.
    """
    scope = replace(scope, within=None)
    matches = claims.search(query.claim, scope)
    given = Candidates.of(stores, ranking.rows, matches, scope)
    nearest = nearest_spans(stores, given)
    spans, votes = span_signals(given, nearest), ranking.signals["context_votes"]
    return {
        **spans,
        **meaning_signals(dense, query, given, nearest),
        **profile_signals(stores, query, given),
        **word_signals(stores, query, given),
        **standing_signals(stores, given),
        **context_signals(stores, query, given, np.nan_to_num(votes)),
        **seed_signals(stores, query, given),
        "cocited": cocited(given, spans["mass3"]),
        "context_votes": votes,
    }


class SentenceRanker:
    """The ranker."""

    reads = written_by("context")
    writes = written_by("sentences")

    def __init__(
        self,
        stores: Stores,
        claims: ClaimSearch,
        model: TreeModel,
        trust: float = 1.0,
        dense: DenseSimilarity | None = None,
    ) -> None:
        """`trust` is how much evidence weighs beside words, from 0 to 1; `dense` compares claims
        and spans by their vectors.
        """
        self._stores, self._claims, self._model = stores, claims, model
        self._trust, self._dense = trust, dense

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, best first; equal scores in the order of rows."""
        if not len(candidates):
            return candidates
        signals = sentence_signals(
            self._stores, self._claims, query, candidates, scope, self._dense
        )
        scores, served_by = self._model.scores(signals), self._model.served_by
        if self._trust < 1:
            by_words = self._by_words(query, candidates.rows)
            scores = self._trust * nearness(scores, candidates.rows) + by_words
            served_by = replace(served_by, note=_LITTLE)

        order = np.lexsort((candidates.rows, -scores))
        ranked = candidates.scored(scores, signals).take(order)
        judge: Judge = "model" if self._trust == 1 else "both"
        return replace(ranked, served_by=served_by, judge=judge)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what scores are made of, by signal."""
        if not rows.size:
            return Contributions(np.zeros(0), {})
        positions = RowIndex(ranking.rows).of(rows)
        if self._trust == 1:
            return contributions.of_sentences(self._model, ranking, positions)

        by_words = self._by_words(query, ranking.rows)[positions]
        by_trees = ranking.scores[positions] - by_words
        cited = ranking.signals["support"][positions] > 0
        parts = {"text_score": by_words, "whole_score": np.where(cited, by_trees, 0.0)}
        return Contributions(np.where(cited, 0.0, by_trees), parts)

    def _by_words(self, query: Query, rows: Rows) -> Column:
        """Return the part of scores that comes from the order in which `bm25` has the papers."""
        words = similarity(self._stores, rows, Bag.of(self._stores, query.claim))
        return (1 - self._trust) * nearness(words, rows)
