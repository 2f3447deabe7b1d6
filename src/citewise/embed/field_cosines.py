"""Cosines of a query's title with titles, and of its abstract with abstracts."""

from typing import Any

import numpy as np

from citewise.arrays import Column, Ragged, Rows
from citewise.embed.word_vectors import Floats, WordVectors
from citewise.protocols import FIELDS, CountedTerms, Stores
from citewise.types import Query


class FieldCosines:
    """Compares the fields of a query with those of papers, by the vectors of their stems."""

    def __init__(self, stores: Stores, model: WordVectors) -> None:
        self._stores, self._model = stores, model
        self._embedder = model.over(stores.terms.words)

    @property
    def digest(self) -> str:
        """The digest of the model that made the vectors."""
        return self._model.about.digest

    def of(self, query: Query, rows: Rows) -> tuple[Column, Column]:
        """Return the cosines of the titles and of the abstracts; 0 where either is unknown."""
        title, abstract = (
            self._cosines(text, rows, field)
            for text, field in zip((query.title, query.abstract), FIELDS, strict=True)
        )
        return title, abstract

    def _cosines(self, text: str, rows: Rows, field: str) -> Column:
        vector = self._model.of_text(text)
        if np.isnan(vector).any() or not rows.size:
            return np.zeros(rows.size)
        # a paper whose other field is empty has the vector of the field
        vectors = self._embedder.vectors(
            *_alone(self._stores.terms.contents(rows, field), field == FIELDS[0])
        )
        cosines: Floats = np.nan_to_num(vectors @ vector)
        return cosines.astype(np.float64)


def _alone(terms: CountedTerms, as_title: bool) -> tuple[CountedTerms, CountedTerms]:
    """Return the terms as titles, or abstracts, of papers that have nothing else."""
    counts: Any = np.zeros(0, np.int64)
    nothing = Ragged(np.zeros(0, np.int64), np.zeros(len(terms[0]) + 1, np.int64)), counts
    return (terms, nothing) if as_title else (nothing, terms)
