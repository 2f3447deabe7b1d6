"""The ranker of `evidence`: trees over signals of evidence, words, standing and the draft."""

from dataclasses import replace

import numpy as np

from citewise.arrays import Column, RowIndex, Rows
from citewise.protocols import Stores
from citewise.rank import contributions
from citewise.rank.context_signals import context_signals, seed_signals
from citewise.rank.sentence_signals import (
    Candidates,
    cocited,
    profile_signals,
    span_signals,
    standing_signals,
    word_signals,
)
from citewise.rank.trees import TreeModel
from citewise.signals import written_by
from citewise.spans.profiles import ClaimSearch
from citewise.types import Contributions, Query, Ranking, Scope


def sentence_signals(
    stores: Stores, claims: ClaimSearch, query: Query, ranking: Ranking, scope: Scope
) -> dict[str, Column]:
    """Return every signal of candidates for a sentence.

    Evidence is searched everywhere, even where only papers of `scope.within` are ranked.
    """
    scope = replace(scope, within=None)
    matches = claims.search(query.claim, scope)
    given = Candidates.of(stores, ranking.rows, matches, scope)
    spans, votes = span_signals(stores, given), ranking.signals["context_votes"]
    return {
        **spans,
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

    def __init__(self, stores: Stores, claims: ClaimSearch, model: TreeModel) -> None:
        self._stores, self._claims, self._model = stores, claims, model

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, best first; equal scores in the order of rows."""
        if not len(candidates):
            return candidates
        signals = sentence_signals(self._stores, self._claims, query, candidates, scope)
        scores = self._model.scores(signals)
        order = np.lexsort((candidates.rows, -scores))
        ranked = candidates.scored(scores, signals).take(order)
        return replace(ranked, served_by=self._model.served_by)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what scores are made of, by signal."""
        if not rows.size:
            return Contributions(np.zeros(0), {})
        positions = RowIndex(ranking.rows).of(rows)
        return contributions.of_sentences(self._model, ranking, positions)
