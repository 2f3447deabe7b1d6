"""The trained parts of the ranker that ships with the package, read from text files."""

import functools
import importlib.resources
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.rank.features import Signals, features, first_features
from citewise.types import Column

if TYPE_CHECKING:
    from lightgbm import Booster


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
        """Return the trees' score of each candidate."""
        matrix: NDArray[np.float64] = features(signals, self.names)
        return np.asarray(self.trees.predict(matrix, num_threads=1), np.float64)  # more threads wait for each other


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
