"""Signals to features: ratios, ranks and logarithms that mean the same in a library of another size or field.

A feature's name says how it is made: `votes / best` is the signal `votes` over the best candidate's, `rank votes` the
logarithm of its rank among the candidates, `log votes` the logarithm of 1 + votes, `nearest_citer` the signal itself.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadLibrary
from citewise.types import Column

Signals = dict[str, Column]

TIMES = " * "
"""Between the names of two features, it names their product."""

GO_BACK = ("go back to the one that ships with: citewise train ranker --library LIBRARY --shipped (for sentences, "
           "citewise train sentences), then train it again; or name that one: --system 'best(model=shipped)' "
           "('evidence(model=shipped)')")
"""What to do about a ranker that cannot be used."""

_RATIO, _RANK, _LOG = " / best", "rank ", "log "
_UNKNOWN_AGE = 10.0
_DIGITS = 9
"""Of sums over candidates, so many are kept: the same in whatever order they are added up."""


def first_features(signals: Signals, names: Sequence[str], depth: int) -> NDArray[np.float64]:
    """Return the first, linear step's features, one a row: no NaN; a paper that the search did not find counts as the
    next after `depth`.
    """
    held = signals | {"growth": growth(signals), "age": _filled(signals["age"], _UNKNOWN_AGE)}
    held |= {"voted_for": np.sign(signals["vote_count"]), "found": 1.0 - np.isnan(signals["hit_rank"]),
             "authors_own": np.sign(signals["authored"]), "authors_cited": np.sign(signals["authors_cite"])}
    held["hit_rank"] = _filled(signals["hit_rank"], depth + 1) - 1  # so that its logarithm is the rank's
    return np.stack([_filled(_column(held, name), 0.0) for name in names])


def features(signals: Signals, names: Sequence[str]) -> NDArray[np.float64]:
    """Return a matrix for the learned step; NaN says that there is nothing to know."""
    return columns(signals | derived(signals), names)


def _filled(column: Column, value: float) -> Column:
    return np.where(np.isnan(column), value, column)


def growth(signals: Signals) -> Column:
    """Return how much of a paper's citations are of the last two years, as a difference of logarithms."""
    return np.log1p(signals["citations2"]) - np.log1p(signals["citations"])


def derived(signals: Signals) -> Signals:
    """Return signals that follow from others."""
    count = signals["bm25"].size
    mean = np.sort(signals["votes_sharp"])[::-1][:100].mean() if count else 0.0
    weight = np.maximum(signals["query_weight"], 1e-9)
    alike = signals["cosine"] / max(signals["cosine"].max(initial=0.0), 1e-9)
    voted_alike = np.einsum("i,i", signals["votes"], alike) / max(signals["votes"].sum(), 1e-9)
    return {"lift": signals["vote_count"] / (signals["citations"] + 3), "growth": growth(signals),
            "lift_sharp": signals["votes_sharp"] / (signals["citations"] + 3), "bm25_share": signals["bm25"] / weight,
            "query_size": np.log1p(weight), "best_bm25": signals["bm25"].max(initial=0.0) / weight,
            "voted_alike": np.full(count, round(voted_alike, _DIGITS)),
            "voted_alike_more": np.full(count, round(voted_alike / max(alike.sum() / max(count, 1), 1e-9), _DIGITS)),
            "cited_share": np.full(count, np.count_nonzero(signals["citations"]) / max(count, 1)),
            "voted": np.full(count, np.log1p(np.count_nonzero(signals["vote_count"]))),
            "votes_to_mean": signals["votes_sharp"] / max(mean, 1e-9)}


def columns(held: Signals, names: Sequence[str]) -> NDArray[np.float64]:
    """Return a matrix of features that need no signals but those held."""
    return np.stack([_column(held, name) for name in names], 1)


_DERIVED_FROM = {"lift": "vote_count", "voted": "vote_count", "voted_alike": "votes", "voted_alike_more": "votes",
                 "cited_share": "citations", "lift_sharp": "votes_sharp", "growth": "citations2",
                 "votes_to_mean": "votes_sharp", "bm25_share": "bm25", "best_bm25": "bm25",
                 "query_size": "query_weight", "voted_for": "vote_count", "found": "hit_rank",
                 "authors_own": "authored", "authors_cited": "authors_cite"}
"""Of what follows from several signals, the one that it says most about."""


def signals_of(name: str, derived_from: Mapping[str, str] = _DERIVED_FROM) -> tuple[str, ...]:
    """Return the signal that a feature is made of; of a product (`age * log votes`), those of its factors."""
    return tuple(derived_from.get(each, each) for each in map(plain, name.split(TIMES)))


def _column(held: Signals, name: str) -> Column:
    signal = plain(name)
    if signal not in held:
        raise BadLibrary(f"the ranker reads the signal {signal!r}, which this version of citewise has not; {GO_BACK}")
    if name.endswith(_RATIO):
        return _ratio(held[signal])
    if name.startswith(_RANK):
        return _log_ranks(held[signal])
    return np.log1p(held[signal]) if name.startswith(_LOG) else held[signal]


def plain(name: str) -> str:
    """Return the signal, or what follows from signals, in a feature's name."""
    return name.removesuffix(_RATIO).removeprefix(_RANK).removeprefix(_LOG)


def _ratio(column: Column) -> Column:
    return column / max(column.max(initial=0.0), 1e-9) if not np.isnan(column).any() else column


def _log_ranks(column: Column) -> Column:
    """Return the logarithm of each value's rank from the highest; equals share the best of their ranks.

    Where some values are not known, these come last, as equals.
    """
    unknown = np.isnan(column)
    if unknown.all():
        return column
    if unknown.any():
        column = np.where(unknown, -np.inf, column)
    # of many signals most are 0, which come last and need no sorting
    some = np.flatnonzero(column) if column.min() == 0 else np.arange(column.size)
    order = some[np.argsort(-column[some])]
    ordered = column[order]
    fresh = np.append(True, ordered[1:] != ordered[:-1])[: order.size]
    ranks = np.full(column.size, order.size + 1.0)
    ranks[order] = np.flatnonzero(fresh)[np.cumsum(fresh) - 1] + 1
    found: Column = np.log(ranks)
    return found
