"""The trained parts of the ranker that ships with the package, read from text files."""

import functools
import importlib.resources
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.rank.features import Signals, features, first_features
from citewise.types import Column

if TYPE_CHECKING:
    from lightgbm import Booster

_FIRST_TREES, _BEST = 50, 400
"""So many trees see every candidate, the rest only so many of the best: 40% of the time saved, and no loss on dev."""

_PREDICTING = threading.Lock()
"""LightGBM keeps in the model which trees a call asks for: calls at the same time would get each other's."""


class FirstStep(msgspec.Struct, frozen=True):
    """A linear score: the sum of weights times features, and a constant."""

    weights: dict[str, float]
    constant: float
    depth: int
    """How many papers the search had found where it was fitted: the rest counts as the next."""

    def scores(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        weights = np.array([*self.weights.values()])
        weighed: Column = first_features(signals, [*self.weights], self.depth) @ weights
        return weighed + self.constant


@dataclass(frozen=True, slots=True)
class Model:
    """Both steps."""

    first: FirstStep
    trees: "Booster"
    names: tuple[str, ...]
    """The trees' features, by column."""

    def scores(self, signals: Signals) -> Column:
        """Return the trees' score of each candidate.

        Every tree is asked about the best by the first trees alone; the others stand behind these, in that order.
        """
        matrix = features(signals, self.names)
        found = self._predicted(matrix, 0, _FIRST_TREES)
        if found.size <= _BEST:
            return found + self._predicted(matrix, _FIRST_TREES, -1)
        best = np.sort(np.argsort(-found, kind="stable")[:_BEST])
        others = np.ones(found.size, np.bool_)
        others[best] = False
        found[best] += self._predicted(matrix[best], _FIRST_TREES, -1)
        found[others] -= max(found[others].max() - found[best].min(), 0.0)
        return found

    def _predicted(self, matrix: NDArray[np.float64], start: int, trees: int) -> Column:
        with _PREDICTING:  # LightGBM's own threads would wait for each other where several processes answer: one only
            found = self.trees.predict(matrix, start_iteration=start, num_iteration=trees, num_threads=1)
        return np.asarray(found, np.float64)


@functools.cache
def load(name: str = "default") -> Model:
    """Read a model of the package; the first time takes as long as to import LightGBM."""
    from lightgbm import Booster

    folder = importlib.resources.files("citewise") / "rank" / "models" / name
    trees = Booster(model_str=(folder / "trees.txt").read_text("utf-8"))
    first = msgspec.json.decode((folder / "first.json").read_bytes(), type=FirstStep)
    return Model(first, trees, tuple(map(_spaced, trees.feature_name())))


def _spaced(name: str) -> str:
    """Return a feature's name as `citewise.rank.features` has it; LightGBM's has no spaces."""
    for word in ("rank", "log"):
        if name.startswith(f"{word}_"):
            return f"{word} {name.removeprefix(f'{word}_')}"
    return name.replace("_/_", " / ")
