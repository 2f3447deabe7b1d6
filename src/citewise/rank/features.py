"""From signals to features: forms that mean the same in a library of another size or field."""

import functools
from collections.abc import Callable, Sequence

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
    # as it lies in memory, feature after feature: LightGBM copies each row anyway
    return feature_rows(signals, features).T


def feature_rows(signals: Signals, features: Sequence[str]) -> NDArray[np.float64]:
    """Return the features x candidates matrix, each feature in the form that its name says.

    The features of a form are computed together: a hundred calls for two thousand numbers each
    would take most of their time to begin.
    """
    plan = _plan(tuple(features))
    columns = [[_signal(signals, name) for name in names] for _, _, names in plan]
    matrix = np.empty((len(features), columns[0][0].size if columns else 0))

    for (form, positions, _), group in zip(plan, columns, strict=True):
        if form is not _same:
            matrix[positions] = form(np.stack(group))
            continue
        for position, column in zip(positions, group, strict=True):
            matrix[position] = column
    return matrix


@functools.lru_cache(maxsize=16)
def _plan(features: tuple[str, ...]) -> "tuple[tuple[Form, list[int], list[str]], ...]":
    """Return each form with the positions of its features, and the signals of these."""
    by_form: dict[Form, list[int]] = {}
    for position, feature in enumerate(features):
        by_form.setdefault(_form(feature), []).append(position)
    return tuple(
        (form, positions, [plain(features[position]) for position in positions])
        for form, positions in by_form.items()
    )


def _signal(signals: Signals, signal: str) -> Column:
    """Return the signal of a name."""
    if signal not in signals:
        raise BadLibrary(
            f"the ranker reads the signal {signal!r}, which this version of citewise does not "
            f"compute; {GO_BACK}"
        )
    return signals[signal]


def _form(feature: str) -> "Form":
    """Return the function that computes a feature's form, for signals as rows."""
    if feature.endswith(" / best"):
        return _ratios
    if feature.startswith("rank "):
        return _log_ranks
    return np.log1p if feature.startswith("log ") else _same


Form = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Turns a signals x candidates matrix into one of features."""


def _same(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows


def _ratios(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each value over the highest of its row; where one is unknown, the values as they
    are.
    """
    highest = np.maximum(rows.max(axis=1, initial=0.0, keepdims=True), 1e-9)
    # the highest of numbers with a NaN among them is NaN
    return np.asarray(rows / np.where(np.isnan(highest), 1.0, highest), np.float64)


def _log_ranks(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of each value's rank from the highest of its row; equal values share
    the best of their ranks, and unknown ones (NaN) come last together.
    """
    unknown = np.isnan(rows)
    known, count = np.flatnonzero(~unknown.all(axis=1)), rows.shape[1]
    found = np.full(rows.shape, np.nan)
    if not known.size:
        return found

    # row after row, each sorted from its highest value: `cells` are where the values were
    lowered = -rows[known]
    lowered[unknown[known]] = np.inf
    cells = (np.argsort(lowered, axis=1) + np.arange(known.size)[:, np.newaxis] * count).ravel()
    ordered = lowered.take(cells)

    # a run of equal values in a row has the rank of its first:
    # 9 7 7 4 | 5 5 3 3 -> first at 0 1 3 | 4 6 -> ranks 1 2 2 4 | 1 1 3 3
    is_first = np.append(True, ordered[1:] != ordered[:-1])
    is_first[::count] = True
    firsts = np.flatnonzero(is_first)
    logs = np.log(np.arange(1.0, count + 1)).take(firsts % count)

    ranked = np.empty(ordered.size)
    ranked[cells] = np.repeat(logs, np.diff(firsts, append=ordered.size))
    found[known] = ranked.reshape(known.size, count)
    return found
