"""The papers whose vectors are nearest to that of the query."""

import numpy as np

from citewise.arrays import Column, RowIndex, Rows
from citewise.protocols import QueryVectors
from citewise.signals import written_by
from citewise.types import Contributions, Query, Ranking, Scope

COSINE = "vector_cosine"
"""The signal: the cosine of a paper's vector and the query's."""


class Dense:
    """The retriever: by falling cosine, and only where that is above 0."""

    reads: frozenset[str] = frozenset()
    writes = written_by("dense")

    def __init__(self, vectors: QueryVectors) -> None:
        self._vectors = vectors

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k nearest papers in scope; none where the model knows no word of the query."""
        vector = self._vectors.of(query)
        if np.isnan(vector).any():
            return by_cosine(np.zeros(0, np.int64), np.zeros(0))
        return by_cosine(*self._vectors.papers.nearest(vector, k, scope))

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return each score as one part: the cosine."""
        return cosine_alone(ranking, rows)


def by_cosine(rows: Rows, cosines: Column) -> Ranking:
    """Return papers, given by falling cosine, as a ranking: those with a cosine above 0."""
    kept = cosines > 0
    rows, cosines = rows[kept], cosines[kept]
    return Ranking(rows, cosines, {COSINE: cosines})


def cosine_alone(ranking: Ranking, rows: Rows) -> Contributions:
    """Return the parts of scores that are cosines."""
    scores = ranking.scores[RowIndex(ranking.rows).of(rows)]
    return Contributions(np.zeros(rows.size), {COSINE: scores})
