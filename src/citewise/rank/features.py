"""From signals to features: forms that mean the same in a library of another size or field."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column
from citewise.errors import BadLibrary
from citewise.protocols import Signals
from citewise.signals import plain

GO_BACK = (
    "go back to the one that ships with: citewise train ranker --library LIBRARY --shipped (for "
    "sentences, citewise train sentences), then train it again; or name that one: --system "
    "'best(model=shipped)' ('evidence(model=shipped)')"
)
"""What to do about a ranker that cannot be used."""


def feature_matrix(signals: Signals, features: Sequence[str]) -> NDArray[np.float64]:
    """Return the candidates x features matrix; NaN says that there is nothing to know."""
    return np.stack([feature_column(signals, name) for name in features], 1)


def feature_column(signals: Signals, feature: str) -> Column:
    """Return one feature of every candidate, in the form that its name says."""
    signal = plain(feature)
    if signal not in signals:
        raise BadLibrary(
            f"the ranker reads the signal {signal!r}, which this version of citewise does not "
            f"compute; {GO_BACK}"
        )
    column = signals[signal]
    if feature.endswith(" / best"):
        return _ratio(column)
    if feature.startswith("rank "):
        return log_ranks(column)
    return np.log1p(column) if feature.startswith("log ") else column


def _ratio(column: Column) -> Column:
    """Return each value over the highest; where one is unknown, the values as they are."""
    return column if np.isnan(column).any() else column / max(column.max(initial=0.0), 1e-9)


def log_ranks(column: Column) -> Column:
    """Return the logarithm of each value's rank from the highest; equal values share the best of
    their ranks, and unknown ones (NaN) come last together.
    """
    unknown = np.isnan(column)
    if unknown.all():
        return column
    if unknown.any():
        column = np.where(unknown, -np.inf, column)

    # most values of many signals are 0, which come last and need no sorting
    some = np.flatnonzero(column) if column.min() == 0 else np.arange(column.size)
    order = some[np.argsort(-column[some])]
    ordered = column[order]
    # a run of equal values has the rank of its first: [9 7 7 4] -> [1 2 2 4]
    is_first = np.append(True, ordered[1:] != ordered[:-1])[: order.size]
    ranks = np.full(column.size, order.size + 1.0)
    ranks[order] = np.flatnonzero(is_first)[np.cumsum(is_first) - 1] + 1
    logs: Column = np.log(ranks)
    return logs
