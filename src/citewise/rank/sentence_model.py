"""The trained part of the ranker for sentences: trees, read from text; one model ships with the package."""

import functools
import importlib.resources
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadLibrary
from citewise.rank import boosted
from citewise.rank.boosted import Saved
from citewise.rank.features import Signals, columns
from citewise.types import Column, Rows, ServedBy

if TYPE_CHECKING:
    from lightgbm import Booster

NAME = "sentences"
"""What a library calls its own model; the package has its own in a folder of that name."""

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

DERIVED_FROM = MappingProxyType({"trend": "recent"})
"""Of what follows from several signals, the one that it says most about."""

_PLAIN = ("whole_score / best", "mass3 / best")
"""The two strongest signals, whose sum stands in for the trees."""


@dataclass(frozen=True, slots=True)
class Model:
    """The trained trees."""

    trees: "Booster | None"
    """None where LightGBM cannot be loaded."""
    names: tuple[str, ...]
    """Their features, by column."""
    digest: str
    """Of what the model is made of: another model has another."""
    name: str = "default"

    @classmethod
    def of(cls, saved: Saved, name: str = "default") -> "Model":
        """Load the trees."""
        trees = boosted.read_trees(saved.trees, 1, "evidence ranks with a plain sum of signals")
        return cls(trees[0] if trees else None, boosted.features_of(trees[0]) if trees else (), boosted.digest(saved),
                   name)

    @property
    def served_by(self) -> ServedBy:
        """Return what is to be said of who answered."""
        return ServedBy(model=self.name, provenance=self.digest) if self.trees else ServedBy(
            note="by a plain sum of signals (LightGBM cannot be loaded)")

    def scores(self, signals: Signals) -> Column:
        """Return the score of each candidate; without trees, a plain sum of the two strongest signals."""
        if self.trees is None:
            plain: Column = columns(signals, _PLAIN).sum(1)
            return plain
        return self.scored(features(signals, self.names))

    def scored(self, matrix: NDArray[Any]) -> Column:
        """Return the trees' score of each row of features."""
        if self.trees is None:
            raise BadLibrary("a model without trees cannot score features")
        return boosted.predicted(self.trees, matrix)

    def parts(self, signals: Signals, places: Rows) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Return features, and what each (column) adds to the score of the candidates at some places, by TreeSHAP.

        The last column is the base. Without trees, the parts are those of the plain sum.
        """
        if self.trees is None:
            return _PLAIN, np.pad(columns(signals, _PLAIN)[places], ((0, 0), (0, 1)))
        return self.names, boosted.predicted(self.trees, features(signals, self.names)[places], pred_contrib=True)


def features(signals: Signals, names: tuple[str, ...] = FEATURES) -> NDArray[np.float64]:
    """Return a matrix for the trees; NaN says that there is nothing to know.

    `trend` is how much of a paper's citations are of the last year, as a difference of logarithms.
    """
    return columns(signals | {"trend": np.log1p(signals["recent"]) - np.log1p(signals["support"])}, names)


@functools.cache
def shipped() -> Model:
    """Return the model of the package."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / NAME
    provenance = msgspec.json.decode((folder / "provenance.json").read_bytes(), type=dict[str, Any])
    return Model.of(Saved((folder / "trees.txt").read_text("utf-8"), provenance))


def decoded(content: bytes) -> Model:
    """Return a library's own model."""
    return Model.of(boosted.decoded(content, Saved), NAME)
