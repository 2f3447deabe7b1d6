"""The report on a trained ranker: quality, ablation, calibration."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.evaluate.measures import Hits, parse_measures
from citewise.train.examples import Examples
from citewise.train.fitting import logistic

Figures = dict[str, float]
"""Measure to value."""

Scores = NDArray[np.floating[Any]]

_BINS = 10
_CALIBRATED = 20
"""Calibration is measured on this many of the best candidates of each query."""


class Scorer(Protocol):
    """A model of any ranker."""

    def scored(self, matrix: NDArray[Any]) -> Scores:
        """Return the score of each row of features, the candidates of one query."""
        ...


def scored(model: Scorer, examples: Examples) -> Scores:
    """Return the model's score of every candidate, query by query, as serving would."""
    return np.concatenate(
        [model.scored(part) for part in np.split(examples.matrix, np.cumsum(examples.sizes)[:-1])]
    )


def figures(examples: Examples, scores: Scores, names: str) -> Figures:
    """Return the measures of the order that scores give."""
    measures = parse_measures(names)
    relevant = np.zeros((examples.sizes.size, max(measure.k for measure in measures)), np.bool_)
    for number, order in enumerate(_orders(examples, scores)):
        found = examples.cited[order][: relevant.shape[1]]
        relevant[number, : found.size] = found
    hits = Hits(relevant, examples.gold)
    return {str(measure): round(measure.of(hits), 4) for measure in measures}


def _orders(examples: Examples, scores: Scores) -> list[NDArray[np.int64]]:
    """Return each query's candidates, best first."""
    starts = np.cumsum(examples.sizes) - examples.sizes
    return [
        start + np.argsort(-scores[start : start + size], kind="stable")
        for start, size in zip(starts.tolist(), examples.sizes.tolist(), strict=True)
    ]


def ablation(
    features: Sequence[str],
    families: Mapping[str, Sequence[str]],
    summary: Sequence[str],
    without: Callable[[Sequence[int]], Figures],
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> dict[str, Figures]:
    """Return the quality of trees that lack a family of features; none of them sees the features of
    `summary`.

    `without` fits trees on the features at the given positions and returns their quality.
    """
    found: dict[str, Figures] = {}
    for number, family in enumerate(("", *families)):
        lacking = {*summary, *families.get(family, ())}
        found[family or "nothing"] = without(
            [position for position, name in enumerate(features) if name not in lacking]
        )
        progress(number + 1, len(families) + 1)
    return found


def calibration(examples: Examples, scores: Scores) -> list[dict[str, float]]:
    """Return for tenths of the best candidates which share was expected to be cited, and which was.

    What is expected is a logistic curve of the score, fitted on every other query and shown on the
    rest.
    """
    orders = [order[:_CALIBRATED] for order in _orders(examples, scores)]
    halves = [np.concatenate([*orders[start::2], np.zeros(0, np.int64)]) for start in (0, 1)]
    if not halves[1].size:
        return []
    slope, constant = logistic(
        scores[halves[0], None].astype(np.float64),
        examples.cited[halves[0]].astype(np.float64),
        np.ones(halves[0].size),
    )
    expected = 1 / (1 + np.exp(-(slope * scores[halves[1]] + constant)))
    tenths = np.array_split(np.argsort(expected, kind="stable"), _BINS)
    return [
        {
            "candidates": float(part.size),
            "expected": round(float(expected[part].mean()), 3),
            "cited": round(float(examples.cited[halves[1]][part].mean()), 3),
        }
        for part in tenths
        if part.size
    ]
