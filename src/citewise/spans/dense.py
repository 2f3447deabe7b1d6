"""Similarity of a claim to spans by the cosine of their vectors."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.protocols import Encoder, Stores

_CLAIMS_KEPT = 4
"""Claims whose vectors are remembered."""


class DenseSimilarity:
    """Computes cosines of a claim with spans.

    `encoder` must be the one that made the library's vectors.
    """

    def __init__(self, stores: Stores, encoder: Encoder) -> None:
        self._stores, self._encoder = stores, encoder
        self._vector = lru_cache(maxsize=_CLAIMS_KEPT)(self._encode)

    def _encode(self, text: str) -> NDArray[np.float32]:
        """Return a claim's vector, of length 1."""
        vector: NDArray[np.float32] = _unit(self._encoder.encode([text]))[0]
        return vector

    def spans(self, text: str, spans: Rows, limit: int) -> Column:
        """Return the cosine of each span with a claim.

        Spans without a vector are encoded now if there are at most `limit`, else they have NaN.
        """
        vectors = self._stores.vectors.of_spans(spans)
        unknown = np.flatnonzero(np.isnan(vectors[:, 0]))  # a missing vector is a row of NaN

        cosines = np.full(spans.size, np.nan)
        if unknown.size < spans.size:
            cosines = (vectors @ self._vector(text)).astype(np.float64)

        if 0 < unknown.size <= limit:
            fresh = self._encoder.encode(self._stores.evidence.texts(spans[unknown]))
            cosines[unknown] = _unit(fresh) @ self._vector(text)
        return cosines


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vectors scaled to length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)
