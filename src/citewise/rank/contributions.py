"""What the learned rankers' scores are made of, by signal.

TreeSHAP (Lundberg et al. 2020) divides a tree score among the features so that the parts and a base
add up to it. Parts of features that are made of one signal are added up, and the part of a product
is halved between its two.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from citewise.arrays import Column, Mask, Rows
from citewise.errors import BadLibrary
from citewise.protocols import Signals, Stores
from citewise.rank.trees import TreeModel
from citewise.scoring.similarity import Bag, by_word, similarity_by_term
from citewise.signals import Catalogue
from citewise.types import Contributions, Query, Ranking


def by_terms(stores: Stores, query: Query, rows: Rows) -> Contributions:
    """Return the parts of scores that BM25 alone gave, by word."""
    bag = Bag.of_draft(stores, query)
    parts = similarity_by_term(stores, rows, bag)
    return Contributions(np.zeros(rows.size), by_word(stores.terms, query.text, bag.terms, parts))


class _Parts:
    """Adds up parts of scores by the signals that they are credited to."""

    def __init__(self, catalogue: Catalogue, count: int) -> None:
        self._catalogue, self._base = catalogue, np.zeros(count)
        self._parts: dict[str, Column] = defaultdict(lambda: np.zeros(count))

    def add(self, base: Column, parts: Iterable[tuple[str, Column]], where: Mask) -> None:
        """Add the base and the features' parts of the candidates that the mask selects."""
        self._base[where] = base
        for feature, column in parts:
            signals = self._catalogue.sources(feature)
            for signal in signals:
                self._parts[signal][where] += column / len(signals)

    def leave_out_unknown(self, signals: Signals) -> None:
        """Add the parts of unknown signals (NaN) to the base: trees have some even for a draft or
        vectors that are not there, and nobody should read that these spoke for a paper.
        """
        for signal, column in self._parts.items():
            if signal in signals:
                unknown = np.isnan(signals[signal])
                self._base[unknown] += column[unknown]
                column[unknown] = 0.0

    def contributions(self) -> Contributions:
        """Return the sums that are not all zero."""
        found = {name: column for name, column in self._parts.items() if column.any()}
        return Contributions(self._base, found)


def of_drafts(model: TreeModel, ranking: Ranking, positions: Rows) -> Contributions:
    """Return the parts of the scores at some positions, of which trees gave some and the linear
    step the others.
    """
    if model.linear is None:
        raise BadLibrary("the ranker of drafts has no linear step")
    # the trees read `bm25`, which only those candidates have that they scored
    by_trees = np.zeros(len(ranking), np.bool_)
    if model.trees and "bm25" in ranking.signals:
        by_trees = ~np.isnan(ranking.signals["bm25"])
    inside, found = by_trees[positions], _Parts(model.kind.catalogue, positions.size)

    if inside.any():
        # features compare a candidate with the others, so all that the trees scored are needed
        scored = ranking.take(by_trees)
        at = (np.cumsum(by_trees) - 1)[positions[inside]]
        parts, every = model.parts(scored.signals, at)
        lowered = np.where(every, 0.0, scored.scores[at] - parts.sum(1))
        features = zip(model.names, parts.T[:-1], strict=True)
        found.add(parts[:, -1] + lowered, features, inside)
    if not inside.all():
        # behind those of the trees, linear scores are lowered by a number
        others = ranking.take(positions[~inside])
        lowered = others.scores - others.signals["linear_score"]
        parts_by_name = model.linear.parts(others.signals).items()
        found.add(model.linear.constant + lowered, parts_by_name, ~inside)
    return found.contributions()


def of_ranks(trees: Contributions, scores: Column, by_words: Column) -> Contributions:
    """Return the parts of scores that fuse the ranks by trees and by words.

    What is not by words is divided among the signals that raised the trees' score; it is the base
    where none did. Where `by_words` is NaN, nothing was fused, and the parts stay as they are.
    """
    fused = ~np.isnan(by_words)
    by_trees = scores - by_words
    raised = {name: np.maximum(column, 0.0) for name, column in trees.parts.items()}
    total = np.sum([*raised.values(), np.zeros(scores.size)], axis=0)
    share = np.divide(by_trees, total, out=np.zeros(scores.size), where=total > 0)

    parts = {
        name: np.where(fused, column * share, trees.parts[name]) for name, column in raised.items()
    }
    parts["bm25"] = parts.get("bm25", np.zeros(scores.size)) + np.nan_to_num(by_words)
    base = np.where(total > 0, 0.0, by_trees)
    return Contributions(np.where(fused, base, trees.base), parts)


def of_sentences(model: TreeModel, ranking: Ranking, positions: Rows) -> Contributions:
    """Return the parts of the scores at some positions of a ranking for a sentence."""
    found = _Parts(model.kind.catalogue, positions.size)
    everywhere = np.ones(positions.size, np.bool_)
    if model.trees is None:
        parts = model.plain_parts(ranking.signals, positions)
        features = zip(model.kind.without_trees, parts.T, strict=True)
        found.add(np.zeros(positions.size), features, everywhere)
    else:
        parts, _ = model.parts(ranking.signals, positions)
        found.add(parts[:, -1], zip(model.names, parts.T[:-1], strict=True), everywhere)
    found.leave_out_unknown(ranking.take(positions).signals)
    return found.contributions()
