"""The linear step: a score of few features and their products, cheap enough for thousands."""

import functools

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column
from citewise.protocols import Signals
from citewise.rank.derived import growth
from citewise.rank.features import feature_rows
from citewise.signals import TIMES, VECTORS

_UNKNOWN_AGE = 10.0


def linear_features(signals: Signals, names: tuple[str, ...], depth: int) -> NDArray[np.float64]:
    """Return the features x candidates matrix of the linear step, without NaN.

    A paper that the search did not find counts as the next after `depth`.
    """
    known = {
        **signals,
        "growth": growth(signals),
        "age": _filled(signals["age"], _UNKNOWN_AGE),
        "voted_for": np.sign(signals["vote_count"]),
        "found": 1.0 - np.isnan(signals["hit_rank"]),
        "authors_own": np.sign(signals["authored"]),
        "authors_cited": np.sign(signals["authors_cite"]),
        # less 1, so that ln(1 + hit_rank) is the logarithm of the rank
        "hit_rank": _filled(signals["hit_rank"], depth + 1) - 1,
        **{
            each.named("known"): 1.0 - np.isnan(signals[each.cosine])
            for each in VECTORS
            if each.cosine in signals
        },
    }
    return _filled(feature_rows(known, names), 0.0)


def _filled(column: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Return numbers with a value in place of NaN."""
    unknown = np.isnan(column)
    return np.where(unknown, value, column) if unknown.any() else column


class LinearModel(msgspec.Struct, frozen=True, dict=True):
    """constant + sum of weight * feature + sum of weight * feature * feature."""

    weights: dict[str, float]
    """By feature."""
    constant: float
    depth: int
    """How many papers the search had found where the model was fitted."""
    products: dict[str, float] = {}
    """By the names of two features with " * " between them."""

    def scores(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        features = self.features(signals)
        found = np.full(features.shape[1], self.constant)
        for column, weight, partners in zip(
            features, self.weights.values(), self._partners, strict=True
        ):
            if not column.any():  # as those of authors, where none are given
                continue
            # The partners before the first have a weight of 0. einsum, since a product of matrices
            # would start threads, which takes longer here.
            first = int(np.flatnonzero(partners)[0]) if partners.any() else partners.size
            products = np.einsum("i,ij->j", partners[first:], features[first:])
            found += column * (weight + products)
        return found

    def features(self, signals: Signals) -> NDArray[np.float64]:
        """Return the features x candidates matrix that this model reads."""
        return linear_features(signals, tuple(self.weights), self.depth)

    @functools.cached_property
    def _partners(self) -> NDArray[np.float64]:
        """The products' weights as a features x features matrix."""
        position = {name: number for number, name in enumerate(self.weights)}
        matrix = np.zeros((len(position), len(position)))
        for product, weight in self.products.items():
            one, other = product.split(TIMES)
            matrix[position[one], position[other]] = weight
        return matrix

    def parts(self, signals: Signals) -> dict[str, Column]:
        """Return what each feature and each product adds to the constant."""
        columns = dict(zip(self.weights, self.features(signals), strict=True))
        parts = {name: self.weights[name] * column for name, column in columns.items()}
        for name, weight in self.products.items():
            one, other = name.split(TIMES)
            parts[name] = weight * columns[one] * columns[other]
        return parts
