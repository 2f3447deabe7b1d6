"""How similar vectors are: by the cosine of their angle, or by their distance."""

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column
from citewise.protocols import Distance


def similarities(
    vectors: NDArray[np.floating], vector: NDArray[np.floating], distance: Distance
) -> Column:
    """Return how similar each of some vectors, as rows, is to another, the higher the nearer: the
    cosine of unit vectors, or 1 / (1 + d) where d is the length of their difference.
    """
    rows, other = vectors.astype(np.float64), vector.astype(np.float64)
    if distance == "cosine":
        return np.asarray(rows @ other)
    return np.asarray(1 / (1 + np.linalg.norm(rows - other, axis=1)))


def cosines(
    vectors: NDArray[np.floating], vector: NDArray[np.floating], distance: Distance
) -> Column:
    """Return the cosine of each of some vectors, as rows, with another; they have length 1 unless
    they are compared by `l2`.
    """
    products = similarities(vectors, vector, "cosine")
    if distance == "cosine":
        return products
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1) * np.linalg.norm(vector)
    return np.asarray(products / np.maximum(lengths, 1e-12))
