"""The trained parts of the ranker that ships with the package, read from text files."""

import functools
import importlib.resources
import warnings
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
    trees: tuple["Booster", "Booster"] | None
    """None where LightGBM cannot be loaded. Twice the same, one for the first trees and one for the rest: a Booster
    keeps the range of trees that it was asked for in itself, so that threads which ask one for different ranges get
    wrong answers."""
    names: tuple[str, ...]
    """The trees' features, by column."""

    def scores(self, signals: Signals) -> Column:
        """Return the trees' score of each candidate.

        Every tree is asked about the best by the first trees alone; the others stand behind these, in that order.
        Without trees, the linear step's scores are all there is.
        """
        if self.trees is None:
            return signals["first"]
        few, rest = self.trees
        matrix = features(signals, self.names)
        found = _predicted(few, matrix, 0, _FIRST_TREES)
        if found.size <= _BEST:
            return found + _predicted(rest, matrix, _FIRST_TREES, -1)
        best = np.sort(np.argsort(-found, kind="stable")[:_BEST])
        others = np.ones(found.size, np.bool_)
        others[best] = False
        found[best] += _predicted(rest, matrix[best], _FIRST_TREES, -1)
        found[others] -= max(found[others].max() - found[best].min(), 0.0)
        return found


def _predicted(trees: "Booster", matrix: NDArray[np.float64], start: int, count: int) -> Column:
    # one thread: LightGBM's would wait for each other where several processes answer
    found = trees.predict(matrix, start_iteration=start, num_iteration=count, num_threads=1)
    return np.asarray(found, np.float64)


@functools.cache
def load(name: str = "default") -> Model:
    """Read a model of the package; the first time takes as long as to import LightGBM."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / name
    first = msgspec.json.decode((folder / "first.json").read_bytes(), type=FirstStep)
    try:
        from lightgbm import Booster
    except (ImportError, OSError) as error:  # its wheel expects the system to have OpenMP
        warnings.warn(f"LightGBM cannot be loaded ({error}), so best ranks with its linear step alone, which is less "
                      "good; on Debian and Ubuntu, apt-get install libgomp1 helps", RuntimeWarning, stacklevel=2)
        return Model(first, None, ())
    text = (folder / "trees.txt").read_text("utf-8")
    trees = Booster(model_str=text), Booster(model_str=text)
    return Model(first, trees, tuple(map(_spaced, trees[0].feature_name())))


def _spaced(name: str) -> str:
    """Return a feature's name as `citewise.rank.features` has it; LightGBM's has no spaces."""
    for word in ("rank", "log"):
        if name.startswith(f"{word}_"):
            return f"{word} {name.removeprefix(f'{word}_')}"
    return name.replace("_/_", " / ")
