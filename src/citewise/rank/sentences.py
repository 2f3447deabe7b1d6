"""The ranker for sentences: gradient-boosted trees over signals of evidence, words, standing and the draft around."""

from dataclasses import replace

import numpy as np

from citewise.claims.said import Claims
from citewise.places import Places
from citewise.rank import contributions
from citewise.rank.context_signals import context_signals, seed_signals
from citewise.rank.features import Signals
from citewise.rank.sentence_model import Model
from citewise.rank.sentence_signals import (
    Candidates,
    Stores,
    cocited,
    said_signals,
    span_signals,
    standing_signals,
    word_signals,
)
from citewise.types import Contributions, Query, Ranking, Rows, Scope


def signals_of(stores: Stores, claims: Claims, query: Query, ranking: Ranking, scope: Scope) -> Signals:
    """Return every signal of candidates for a sentence; what is said is looked up everywhere, even to rank `within`."""
    scope = replace(scope, within=None)
    given = Candidates.of(stores, ranking.rows, claims.find(query.claim, scope), scope)
    spans = span_signals(stores, given)
    votes = ranking.signals["context_votes"]
    return {**spans, **said_signals(stores, query, given), **word_signals(stores, query, given),
            **standing_signals(stores, given), "cocited": cocited(given, spans["mass3"]), "context_votes": votes,
            **context_signals(stores, query, given, np.nan_to_num(votes)), **seed_signals(stores, query, given)}


class SentenceRanker:
    """The ranker; reads the signal `context_votes`."""

    def __init__(self, stores: Stores, claims: Claims, model: Model) -> None:
        self._stores, self._claims, self._model = stores, claims, model

    def rank(self, query: Query, ranking: Ranking, scope: Scope, most: int | None = None) -> Ranking:
        """Return the candidates, best first; equal scores in the order of rows."""
        if not len(ranking):
            return ranking
        known = ranking.with_signals(signals_of(self._stores, self._claims, query, ranking, scope))
        scores = self._model.scores(known.signals)
        order: Rows = np.lexsort((ranking.rows, -scores))
        return replace(known, scores=scores, served_by=self._model.served_by).take(order)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what scores are made of, by signal."""
        if not rows.size:
            return Contributions(np.zeros(0), {})
        return contributions.for_sentences(self._model, ranking, Places(ranking.rows).of(rows))
