"""The trained parts of the ranker: a linear step and trees, read from text; one ships with the package."""

import functools
import importlib.resources
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadLibrary
from citewise.rank import boosted
from citewise.rank.boosted import predicted
from citewise.rank.features import TIMES, Signals, features, first_features
from citewise.types import Column, Rows

if TYPE_CHECKING:
    from lightgbm import Booster

NAME = "ranker"
"""What a library calls its own model."""

FIRST_TREES, _BEST = 60, 250
"""So many trees see every candidate, the rest only so many of the best. On dev F1@20 and MRR are those of all trees for
all, and R@1000 is .816 instead of .821."""


class FirstStep(msgspec.Struct, frozen=True, dict=True):
    """A score of few features: the sum of weights times features, of weights times products of two, and a constant."""

    weights: dict[str, float]
    constant: float
    depth: int
    """How many papers the search had found where it was fitted: the rest counts as the next."""
    products: dict[str, float] = {}
    """By two names of `weights` with " * " between them."""

    def scores(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        columns = first_features(signals, [*self.weights], self.depth)
        found = np.full(columns.shape[1], self.constant)
        for column, weight, with_others in zip(columns, self.weights.values(), self._pairs, strict=True):
            # einsum: a product of matrices would start threads that take longer to wait for each other than to multiply
            found += column * (weight + np.einsum("i,ij->j", with_others, columns))
        return found

    @functools.cached_property
    def _pairs(self) -> NDArray[np.float64]:
        """Return the products' weights as a matrix."""
        places = {name: place for place, name in enumerate(self.weights)}
        pairs = np.zeros((len(places), len(places)))
        for product, weight in self.products.items():
            one, other = product.split(TIMES)
            pairs[places[one], places[other]] = weight
        return pairs

    def parts(self, signals: Signals) -> dict[str, Column]:
        """Return what each feature adds to the constant."""
        columns = dict(zip(self.weights, first_features(signals, [*self.weights], self.depth), strict=True))
        pairs = {name: [columns[each] for each in name.split(TIMES)] for name in self.products}
        return {**{name: self.weights[name] * column for name, column in columns.items()},
                **{name: self.products[name] * one * other for name, (one, other) in pairs.items()}}


def product(one: str, other: str) -> str:
    """Return the name of the product of two features."""
    return f"{one}{TIMES}{other}"


class Saved(boosted.Saved, frozen=True):
    """The same with its linear step."""

    first: FirstStep


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
    provenance: dict[str, Any]
    digest: str
    """Of what the model is made of: another model has another."""
    name: str = "default"

    @classmethod
    def of(cls, saved: Saved, name: str = "default") -> "Model":
        """Load the trees; the first time takes as long as to import LightGBM."""
        trees = boosted.read_trees(saved.trees, 2, "best ranks with its linear step alone")
        return cls(saved.first, (trees[0], trees[1]) if trees else None, boosted.features_of(trees[0]) if trees else (),
                   saved.provenance, boosted.digest(saved), name)

    @property
    def shipped(self) -> bool:
        """Whether it is the package's own, which never saw the library."""
        return self.name == "default"

    def scores(self, signals: Signals) -> Column:
        """Return the trees' score of each candidate; without trees, the linear step's is all there is."""
        return signals["first"] if self.trees is None else self.scored(features(signals, self.names))

    def scored(self, matrix: NDArray[Any]) -> Column:
        """Return the trees' score of each row of features.

        Every tree is asked about the best by the first trees alone; the others stand behind these, in that order.
        """
        if self.trees is None:
            raise BadLibrary("a model without trees cannot score features")
        few, rest = self.trees
        found = predicted(few, matrix, 0, FIRST_TREES)
        best = _leading(found)
        found[best] += predicted(rest, matrix[best], FIRST_TREES, -1)
        if not best.all():
            found[~best] -= max(found[~best].max() - found[best].min(), 0.0)
        return found

    def tree_parts(self, signals: Signals, places: Rows) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return what each feature (column) adds to the trees' score of the candidates at some places, by TreeSHAP.

        The last column is the base. The second array says of which of them every tree was asked; the scores of the
        others are those of the first trees, less a number that is the same for all.
        """
        if self.trees is None:
            raise BadLibrary("there are no trees to explain")
        few, rest = self.trees
        matrix = features(signals, self.names)
        every = _leading(predicted(few, matrix, 0, FIRST_TREES))[places]
        found = predicted(few, matrix[places], 0, FIRST_TREES, pred_contrib=True)
        if every.any():
            found[every] += predicted(rest, matrix[places[every]], FIRST_TREES, -1, pred_contrib=True)
        return found, every


def _leading(found: Column) -> NDArray[np.bool_]:
    """Return of each candidate whether it is among the best, of which every tree is asked."""
    best = np.zeros(found.size, np.bool_)
    best[np.argsort(-found, kind="stable")[:_BEST]] = True
    return best


@functools.cache
def shipped() -> Model:
    """Return the model of the package."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / "default"
    first = msgspec.json.decode((folder / "first.json").read_bytes(), type=FirstStep)
    provenance = msgspec.json.decode((folder / "provenance.json").read_bytes(), type=dict[str, Any])
    return Model.of(Saved((folder / "trees.txt").read_text("utf-8"), provenance, first))


def decoded(content: bytes) -> Model:
    """Return a library's own model."""
    return Model.of(boosted.decoded(content, Saved), NAME)
