"""The ranker for sentences: gradient-boosted trees over signals of evidence, words, standing and the draft around."""

import functools
import hashlib
import importlib.resources
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from citewise.claims.said import Claims
from citewise.rank.context_signals import context_signals, seed_signals
from citewise.rank.features import Signals, columns
from citewise.rank.sentence_signals import (
    Candidates,
    Stores,
    cocited,
    said_signals,
    span_signals,
    standing_signals,
    word_signals,
)
from citewise.types import Column, Query, Ranking, Rows, Scope, ServedBy

if TYPE_CHECKING:
    from lightgbm import Booster

NAME = "sentences"
"""The model that ships."""

RAW = ("best_span", "span_nearness", "span_nearness_plus", "cover", "share", "names_cover", "names_share", "names_lift",
       "names_title", "names", "title_cover", "title_said", "age", "has_abstract", "terms", "nearest", "highest_lift",
       "whole_score", "text_score", "title_score", "context_nearest", "context_lift", "cited_elsewhere")
LOGGED = ("support", "citers", "recent", "near_spans", "spans")
RELATIVE = ("mass", "mass3", "mass5", "mass3_near", "mass3_narrow", "best_span", "whole_score", "said_score",
            "text_score", "title_score", "lift", "highest_lift", "share", "log_odds", "title_said", "cocited",
            "support", "context_votes", "context_lift", "context_mass", "context_mass3", "context_nearest",
            "context_mean", "context_text", "seeds_cocited")
FEATURES = (*RAW, *(f"log {name}" for name in LOGGED),
            *(f"{name} / best" for name in RELATIVE), *(f"rank {name}" for name in RELATIVE), "trend")
"""What the trees are trained on."""

_SPELLED = {name.replace(" ", "_"): name for name in FEATURES}
"""LightGBM's names have no spaces."""


def signals_of(stores: Stores, claims: Claims, query: Query, ranking: Ranking, scope: Scope) -> Signals:
    """Return every signal of candidates for a sentence; what is said is looked up everywhere, even to rank `within`."""
    scope = replace(scope, within=None)
    given = Candidates.of(stores, ranking.rows, claims.find(query.claim, scope), scope)
    spans = span_signals(stores, given)
    votes = ranking.signals["context_votes"]
    return {**spans, **said_signals(stores, query, given), **word_signals(stores, query, given),
            **standing_signals(stores, given), "cocited": cocited(given, spans["mass3"]), "context_votes": votes,
            **context_signals(stores, query, given, np.nan_to_num(votes)), **seed_signals(stores, query, given)}


def with_trend(signals: Signals) -> Signals:
    """Return the signals with how much of a paper's citations are of the last year, as a difference of logarithms."""
    return signals | {"trend": np.log1p(signals["recent"]) - np.log1p(signals["support"])}


@dataclass(frozen=True, slots=True)
class Model:
    """The trained trees and the names of their features, by column; no trees where LightGBM cannot be loaded."""

    trees: "Booster | None"
    names: tuple[str, ...]
    digest: str = ""
    """Of the trees: other ones have another."""

    @property
    def served_by(self) -> ServedBy:
        """Return what is to be said of who answered."""
        return ServedBy(model=NAME, provenance=self.digest) if self.trees else ServedBy(
            note="by a plain sum of signals (LightGBM cannot be loaded)")

    def scores(self, signals: Signals) -> Column:
        """Return the score of each candidate; without trees, a plain sum of the two strongest signals."""
        if self.trees is None:
            plain: Column = columns(signals, ("whole_score / best", "mass3 / best")).sum(1)
            return plain
        found = self.trees.predict(columns(with_trend(signals), self.names), num_threads=1)
        return np.asarray(found, np.float64)


@functools.cache
def load(name: str = NAME) -> Model:
    """Read the model of the package."""
    try:
        from lightgbm import Booster
    except (ImportError, OSError) as error:  # its wheel expects the system to have OpenMP
        warnings.warn(f"LightGBM cannot be loaded ({error}), so evidence ranks with a plain sum, which is less good; "
                      "on Debian and Ubuntu, apt-get install libgomp1 helps", RuntimeWarning, stacklevel=2)
        return Model(None, ())
    folder = importlib.resources.files("citewise") / "rank" / "models" / name
    text = (folder / "trees.txt").read_text("utf-8")
    trees = Booster(model_str=text)
    return Model(trees, tuple(_SPELLED[each] for each in trees.feature_name()),
                 hashlib.blake2b(text.encode(), digest_size=4).hexdigest())


class SentenceRanker:
    """The ranker; reads the signal `context_votes`."""

    def __init__(self, stores: Stores, claims: Claims) -> None:
        self._stores, self._claims = stores, claims

    def rank(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, best first; equal scores in the order of rows."""
        if not len(ranking):
            return ranking
        known = ranking.with_signals(signals_of(self._stores, self._claims, query, ranking, scope))
        scores = load().scores(known.signals)
        order: Rows = np.lexsort((ranking.rows, -scores))
        return replace(known, scores=scores, served_by=load().served_by).take(order)
