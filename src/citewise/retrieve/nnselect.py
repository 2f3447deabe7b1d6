"""NNSelect's candidates (Bhagavatula et al. 2018, section 3): the papers nearest to the query, and
what the nearest of them cite.
"""

import dataclasses
from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, Rows, summed
from citewise.errors import BadInput
from citewise.protocols import QueryVectors, Stores
from citewise.retrieve.dense import by_cosine, cosine_alone
from citewise.signals import written_by
from citewise.types import Contributions, Query, Ranking, Scope

CITED = "cited_by_nearest"
"""The signal: how many of the nearest papers cite a paper."""


@dataclass(frozen=True, slots=True)
class Selection:
    """How many papers NNSelect looks at."""

    neighbours: int = 100
    """The nearest papers with known references; what these cite is added. 0: nothing is added. The
    paper had 5 to 10.
    """
    depth: int = 1000
    """The size of the pool: what is cited, and behind it as many of the nearest papers as fit."""

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        if self.neighbours < 0 or self.depth < 1:
            raise BadInput(
                "nnselect needs neighbours >= 0 and depth >= 1; got "
                f"neighbours={self.neighbours}, depth={self.depth}"
            )


class NNSelect:
    """The retriever: a pool of the nearest papers and of what they cite, by falling cosine.

    The pool does not depend on how few papers are wanted of it, so that fewer are the first of
    more.
    """

    reads: frozenset[str] = frozenset()
    writes = written_by("dense") | written_by("nnselect")

    def __init__(self, stores: Stores, vectors: QueryVectors, selection: Selection) -> None:
        self._stores, self._vectors, self._selection = stores, vectors, selection

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best of the pool; of `scope.within`, all that have a vector."""
        vector, size = self._vectors.of(query), max(k, self._selection.depth)
        if np.isnan(vector).any():
            return _ranked(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))

        anywhere = dataclasses.replace(scope, within=None)
        nearest, cosines = self._vectors.papers.nearest(vector, size, anywhere)
        cited, votes = self._cited(nearest, anywhere)

        if scope.within is not None:
            rows, cosines = self._vectors.papers.nearest(vector, k, scope)
        else:
            kept, added = _shares(nearest, cited, votes, size)
            rows = np.concatenate((kept, added))
            of_added = self._vectors.papers.similarities(vector, added)
            cosines = np.concatenate((cosines[: kept.size], of_added))

        votes_of_rows = np.append(votes, 0.0)[_positions(cited, rows)]
        return _ranked(rows, cosines, votes_of_rows).take(slice(k))

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return each score as one part: the cosine."""
        return cosine_alone(ranking, rows)

    def _cited(self, nearest: Rows, scope: Scope) -> tuple[Rows, Column]:
        """Return what the nearest papers with known references cite, sorted by row, and how many of
        them cite it.
        """
        references = self._stores.graph.references(nearest, scope)
        citing = np.flatnonzero(references.lengths)[: self._selection.neighbours]
        values = references.take(citing).values
        cited, positions = np.unique(
            values[self._stores.papers.in_scope(values, scope)], return_inverse=True
        )
        return cited, summed(positions, np.ones(positions.size), cited.size)


def _shares(nearest: Rows, cited: Rows, votes: Column, size: int) -> tuple[Rows, Rows]:
    """Return which of the nearest papers stay in a pool, and which of the cited papers that are not
    among them join it: those that most of them cite.

    At least half of the pool is for the nearest.
    """
    far = ~np.isin(cited, nearest)
    joining = cited[far][np.argsort(-votes[far], kind="stable")]
    joining = joining[: max(size // 2, size - nearest.size)]
    return nearest[: size - joining.size], joining


def _positions(values: Rows, rows: Rows) -> Rows:
    """Return where rows are among sorted values, and the number of values where they are not."""
    at = np.searchsorted(values, rows)
    absent = np.append(values, -1)[at] != rows
    at[absent] = values.size
    return at


def _ranked(rows: Rows, cosines: Column, votes: Column) -> Ranking:
    """Return papers by falling cosine, equal ones by row, with their signals."""
    order = np.lexsort((rows, -cosines))  # NaN sorts last, and is left out
    ranking = by_cosine(rows[order], cosines[order])
    return ranking.with_signals({CITED: votes[order][: len(ranking)]})
