"""The report on a trained ranker: quality and ablation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.evaluate.measures import Hits, parse_measures
from citewise.train.examples import Examples

Figures = dict[str, float]
"""Measure to value."""

Scores = NDArray[np.floating[Any]]


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
    families = {name: each for name, each in families.items() if not set(each).isdisjoint(features)}
    found: dict[str, Figures] = {}
    for number, family in enumerate(("", *families)):
        lacking = {*summary, *families.get(family, ())}
        found[family or "nothing"] = without(
            [position for position, name in enumerate(features) if name not in lacking]
        )
        progress(number + 1, len(families) + 1)
    return found
