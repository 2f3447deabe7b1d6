"""What the learned rankers' scores are made of, by signal: of the trees by TreeSHAP, of the linear step by its weights.

TreeSHAP (Lundberg et al. 2020) shares a score out among the features so that the shares and a base add up to it; shares
of features that are made of one signal are added, and a product's is halved between its two.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from citewise.likeness import Bag, Stores, by_word, likeness_by_term
from citewise.rank.features import signals_of
from citewise.rank.model import Model
from citewise.rank.sentence_model import DERIVED_FROM
from citewise.rank.sentence_model import Model as SentenceModel
from citewise.types import Column, Contributions, Query, Ranking, Rows

Mask = NDArray[np.bool_]


def by_terms(stores: Stores, query: Query, rows: Rows) -> Contributions:
    """Return the parts of scores that BM25 alone gave."""
    bag = Bag.of_draft(stores, query)
    return Contributions(np.zeros(rows.size), by_word(stores, query.text, bag.terms,
                                                      likeness_by_term(stores, rows, bag)))


def by_signals(model: Model, ranking: Ranking, places: Rows) -> Contributions:
    """Return the parts of the scores at some places of a ranking that both steps made."""
    ranked = ~np.isnan(ranking.signals["bm25"]) if model.trees else np.zeros(len(ranking), np.bool_)
    found = Contributions(np.zeros(places.size), defaultdict(lambda: np.zeros(places.size)))
    inside = ranked[places]
    if inside.any():
        _put_trees(found, model, ranking.take(ranked), (np.cumsum(ranked) - 1)[places[inside]], inside)
    if not inside.all():
        _put_linear(found, model, ranking.take(places[~inside]), ~inside)
    return _told(found)


def for_sentences(model: SentenceModel, ranking: Ranking, places: Rows) -> Contributions:
    """Return the parts of the scores at some places of a ranking for a sentence."""
    names, parts = model.parts(ranking.signals, places)
    found = Contributions(parts[:, -1], defaultdict(lambda: np.zeros(places.size)))
    for name, column in zip(names, parts.T[:-1], strict=True):
        [signal] = signals_of(name, DERIVED_FROM)
        found.parts[signal] += column
    return _told(found)


def _told(found: Contributions) -> Contributions:
    """Return the parts that are any."""
    return Contributions(found.base, {name: column for name, column in found.parts.items() if column.any()})


def _put_trees(found: Contributions, model: Model, ranked: Ranking, places: Rows, where: Mask) -> None:
    """Fill in the papers that the trees ranked; `ranked` are all that they did, for features compare candidates."""
    parts, every = model.tree_parts(ranked.signals, places)
    totals = parts.sum(1)
    behind = np.where(every, 0.0, ranked.scores[places] - totals)
    found.base[where] = parts[:, -1] + behind
    _put(found, zip(model.names, parts.T[:-1], strict=True), where)


def _put_linear(found: Contributions, model: Model, asked: Ranking, where: Mask) -> None:
    """Fill in the papers that the linear step ranked; behind those of the trees, its scores are lowered by a number."""
    found.base[where] = model.first.constant + (asked.scores - asked.signals["first"])
    _put(found, model.first.parts(asked.signals).items(), where)


def _put(found: Contributions, parts: Iterable[tuple[str, Column]], where: Mask) -> None:
    for name, column in parts:
        signals = signals_of(name)
        for signal in signals:
            found.parts[signal][where] += column / len(signals)
