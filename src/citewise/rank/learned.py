"""The learned ranker: a linear step over all candidates, then gradient-boosted trees over the best of them."""

import numpy as np
from numpy.typing import NDArray

from citewise.likeness import Bag, likeness
from citewise.rank import model
from citewise.rank.graph_signals import Weighted
from citewise.rank.signals import Stores, first_signals, further_signals
from citewise.types import Column, Query, Ranking, Scope

_CLOSENESS = 100.0
"""A hit of this rank counts half as near to the draft as the first."""


class Learned:
    """The ranker; reads the signals `hit_rank`, those of the votes, and `seeds_tied`.

    Where nothing votes for any candidate and none is tied to what the draft cites, words alone order: BM25.
    """

    def __init__(self, stores: Stores, kept: int = 2000) -> None:
        self._stores, self._kept = stores, kept

    def rank(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, best first: the first step's best and all of `scope.within`, then the others."""
        if not len(ranking) or not spoken_for(ranking):
            return self._by_words(query, ranking)
        known = ranking.with_signals(first_signals(self._stores, query, ranking.rows, scope))
        first = model.load().first.scores(known.signals)
        order = np.lexsort((ranking.rows, -first))
        known = known.with_signals({"first": first}).take(order)
        chosen = np.arange(order.size) < self._kept
        if scope.within is not None:
            chosen |= np.isin(known.rows, scope.within)
        return _stacked(self._learned(query, known.take(chosen), _near(ranking), scope), known.take(~chosen))

    def _learned(self, query: Query, ranking: Ranking, near: Weighted, scope: Scope) -> Ranking:
        known = ranking.with_signals(further_signals(self._stores, query, ranking, near, scope))
        scores = model.load().scores(known.signals)
        return _ordered(known, scores)

    def _by_words(self, query: Query, ranking: Ranking) -> Ranking:
        scores = likeness(self._stores, ranking.rows, Bag.of_draft(self._stores, query))
        order = np.argsort(ranking.rows, kind="stable")
        return _ordered(ranking.with_signals({"bm25": scores}).take(order), scores[order])


def spoken_for(ranking: Ranking) -> bool:
    """Return whether any citation speaks for any candidate."""
    return bool(ranking.signals["vote_count"].any() or np.nan_to_num(ranking.signals["seeds_tied"]).any())


def _near(ranking: Ranking) -> Weighted:
    """Return the hits of the search as papers near the draft."""
    hit_rank = ranking.signals["hit_rank"]
    found: NDArray[np.bool_] = ~np.isnan(hit_rank)
    return Weighted(ranking.rows[found], 1 / (1 + hit_rank[found] / _CLOSENESS))


def _ordered(ranking: Ranking, scores: Column) -> Ranking:
    """Return the candidates by new scores; equals keep their order."""
    order = np.argsort(-scores, kind="stable")
    return Ranking(ranking.rows, scores, ranking.signals).take(order)


def _stacked(best: Ranking, rest: Ranking) -> Ranking:
    """Return the rest, in its order by the first step, behind the best and with lower scores."""
    if not len(rest):
        return best
    first = rest.signals["first"]
    lowest = best.scores.min(initial=0.0) - 1
    behind = best.followed_by(rest.rows)
    signals = behind.signals | {name: np.append(best.signals[name], column) for name, column in rest.signals.items()}
    return Ranking(behind.rows, np.append(best.scores, lowest + first - first.max()), signals)
