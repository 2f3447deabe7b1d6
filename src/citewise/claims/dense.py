"""How near a claim is to spans and papers by the cosine of their vectors."""

from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import Encoder, Evidence, Vectors
from citewise.types import Column, Rows

_CLAIMS_KEPT = 4


class Stores(Evidence, Vectors, Protocol):
    """What is read here."""


class Nearness:
    """Cosines with a claim; `encoder` is the one that made the stores' vectors."""

    def __init__(self, stores: Stores, encoder: Encoder) -> None:
        self._stores, self._encoder = stores, encoder
        self._claim = lru_cache(maxsize=_CLAIMS_KEPT)(lambda text: _unit(encoder.encode([text]))[0])

    def spans(self, text: str, spans: Rows, most: int) -> Column:
        """Return the cosine of each span; at most so many that have no vector are encoded now, else theirs are NaN."""
        vectors = self._stores.span_vectors(spans)
        unknown = np.flatnonzero(np.isnan(vectors[:, 0]))
        known = vectors @ self._claim(text) if unknown.size < spans.size else np.full(spans.size, np.nan)
        found: Column = known.astype(np.float64)
        if 0 < unknown.size <= most:
            fresh = self._encoder.encode(self._stores.span_texts(spans[unknown]))
            found[unknown] = _unit(fresh) @ self._claim(text)
        return found

    def papers(self, text: str, rows: Rows) -> Column:
        """Return the cosine of each paper's title and abstract, NaN where it has no vector."""
        vectors = self._stores.paper_vectors(rows)
        if np.isnan(vectors[:, 0]).all():
            return np.full(rows.size, np.nan)
        found: Column = (vectors @ self._claim(text)).astype(np.float64)
        return found


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors at length 1."""
    unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
