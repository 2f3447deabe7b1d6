"""The learned ranker: a linear step over all candidates, then gradient-boosted trees over the best of them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from citewise.likeness import Bag, likeness
from citewise.places import Places
from citewise.rank import contributions
from citewise.rank.graph_signals import Weighted
from citewise.rank.model import FirstStep, Model
from citewise.rank.signals import Stores, first_signals, further_signals
from citewise.types import Column, Contributions, Query, Ranking, Rows, Scope, ServedBy

_CLOSENESS = 100.0
"""A hit of this rank counts half as near to the draft as the first."""

_FEW, _SPARSE = 2500, 1 / 3
"""Among fewer candidates than this, of which citations speak for less than this share, BM25 is better than the shipped
model: found in libraries of 500 to 4,000 papers drawn from another field's dev year, and in small ones of the model's
own field, where citations speak for more than 0.4 of the candidates and the model is better."""


class Learned:
    """The ranker; reads the signals `hit_rank`, `seeds_tied`, those of the votes and those of the authors.

    Where nothing votes for any candidate, none is tied to what the draft cites and none is by its authors, words alone
    order: BM25. So they do in a small library with few citations, unless the model was trained on it.
    """

    def __init__(self, stores: Stores, model: Model, kept: int = 2000) -> None:
        self._stores, self._model, self._kept = stores, model, kept

    def rank(self, query: Query, ranking: Ranking, scope: Scope, most: int | None = None) -> Ranking:
        """Return the candidates, best first: the first step's best and all of `scope.within`, then the others.

        The others are left out where `most` asks for no more than the best.
        """
        if not len(ranking) or not spoken_for(ranking):
            return self._by_words(query, ranking, "no citation speaks for any candidate")
        if self._model.shipped and sparse(ranking):
            return self._by_words(query, ranking, "few candidates, and citations speak for few of them")
        known = with_first_signals(self._stores, query, ranking, scope)
        known, chosen, rest = narrowed(known, self._model.first, self._kept, scope)
        best = known.take(chosen)
        best = with_further_signals(self._stores, query, best, near(ranking), scope)
        found = _ordered(best, self._model.scores(best.signals))
        if most is None or most > len(found):
            found = _stacked(found, known.take(rest))
        return replace(found, served_by=_served_by(self._model))

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what scores are made of: by signal, or by word where words alone ordered."""
        if "first" not in ranking.signals:
            return contributions.by_terms(self._stores, query, rows)
        return contributions.by_signals(self._model, ranking, Places(ranking.rows).of(rows))

    def _by_words(self, query: Query, ranking: Ranking, why: str) -> Ranking:
        scores = likeness(self._stores, ranking.rows, Bag.of_draft(self._stores, query))
        order = np.argsort(ranking.rows, kind="stable")
        found = _ordered(ranking.with_signals({"bm25": scores}).take(order), scores[order])
        return replace(found, served_by=ServedBy(note=f"by bm25 ({why})"))


def _served_by(used: Model) -> ServedBy:
    note = "" if used.trees else "by its linear step (no LightGBM)"
    return ServedBy(model=used.name, provenance=used.digest, note=note)


def with_first_signals(stores: Stores, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
    """Return the candidates with all that the linear step reads."""
    return ranking.with_signals(first_signals(stores, query, ranking.rows, scope))


def narrowed(ranking: Ranking, first: FirstStep, kept: int, scope: Scope) -> tuple[Ranking, Rows, Rows]:
    """Return the candidates with the linear step's score, the places of its best (with all of `scope.within`) and those
    of the others, each best first.
    """
    scores = first.scores(ranking.signals)
    order = np.lexsort((ranking.rows, -scores))
    known = ranking.with_signals({"first": scores})
    if scope.within is None:
        return known, order[:kept], order[kept:]
    chosen = (np.arange(order.size) < kept) | np.isin(ranking.rows[order], scope.within)
    return known, order[chosen], order[~chosen]


def with_further_signals(stores: Stores, query: Query, best: Ranking, near: Weighted, scope: Scope) -> Ranking:
    """Return the linear step's best with all that the trees read; `near` are papers like the draft."""
    return best.with_signals(further_signals(stores, query, best, near, scope))


def spoken_for(ranking: Ranking) -> bool:
    """Return whether any citation, or any of the draft's authors, speaks for any candidate."""
    return any(bool(np.nan_to_num(ranking.signals[name]).any()) for name in ("vote_count", "seeds_tied", "authored"))


def sparse(ranking: Ranking) -> bool:
    """Return whether the candidates are few and citations speak for few of them."""
    spoken = (ranking.signals["vote_count"] > 0) | (np.nan_to_num(ranking.signals["seeds_tied"]) > 0)
    return len(ranking) < _FEW and bool(spoken.mean() < _SPARSE)


def near(ranking: Ranking) -> Weighted:
    """Return the hits of the search as papers near the draft."""
    hit_rank = ranking.signals["hit_rank"]
    found: NDArray[np.bool_] = ~np.isnan(hit_rank)
    return Weighted(ranking.rows[found], 1 / (1 + hit_rank[found] / _CLOSENESS))


def _ordered(ranking: Ranking, scores: Column) -> Ranking:
    """Return the candidates by new scores; equals keep their order."""
    order = np.argsort(-scores, kind="stable")
    return replace(ranking, scores=scores).take(order)


def _stacked(best: Ranking, rest: Ranking) -> Ranking:
    """Return the rest, in its order by the first step, behind the best and with lower scores."""
    if not len(rest):
        return best
    first = rest.signals["first"]
    lowest = best.scores.min(initial=0.0) - 1
    unknown = np.full(len(rest), np.nan)
    signals = {name: np.concatenate((column, rest.signals.get(name, unknown)))
               for name, column in best.signals.items()}
    return Ranking(np.concatenate((best.rows, rest.rows)),
                   np.concatenate((best.scores, lowest + first - first.max())), signals)
