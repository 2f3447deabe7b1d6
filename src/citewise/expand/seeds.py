"""Expands by links to the papers that the draft cites already: cited with, by, or citing them."""

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, summed
from citewise.protocols import Expansion, Stores
from citewise.signals import written_by
from citewise.types import Query, Ranking, Scope


class Seeds:
    """The expander; its signal `seeds_linked` is 0 where the draft cites nothing known."""

    reads: frozenset[str] = frozenset()
    writes = written_by("seeds")

    def __init__(self, stores: Stores, limit: int = 1000) -> None:
        """`limit` is how many linked papers become candidates."""
        self._stores, self._limit = stores, limit

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Expansion:
        """Return the papers with the strongest links to the papers that the draft cites."""
        rows = self._stores.papers.find(query.cited)
        if not (rows >= 0).any():
            return Expansion(ranking.rows[:0], lambda rows: {"seeds_linked": np.zeros(rows.size)})

        linked, weights = links(self._stores, np.unique(rows[rows >= 0]), scope)

        order = np.argsort(-weights, kind="stable")
        fresh = RowIndex(ranking.rows).of(linked[order]) < 0

        return Expansion(
            rows=linked[order][fresh][: self._limit],
            signals=lambda rows: {"seeds_linked": values_at(rows, linked, weights)},
        )


def values_at(rows: Rows, known: Rows, values: Column, absent: float = 0.0) -> Column:
    """Return the value of each row where `values` are those of `known`; `absent` for others."""
    # RowIndex gives -1 for an unknown row, which picks the value appended at the end
    return np.append(values, absent)[RowIndex(known).of(rows)]


def links(stores: Stores, seeds: Rows, scope: Scope) -> tuple[Rows, Column]:
    """Return the papers in scope that are linked to the seeds, sorted, with the links' weights.

    A seed gives each of its citers a pull of 1 / sqrt(citers + 1). A citer's weight is the sum of
    its pulls; a paper that it cites gets the square of that sum; a paper that a seed cites gets 1.
    """
    citers = stores.graph.citers(seeds, scope)
    citing, positions = np.unique(citers.values, return_inverse=True)
    each = np.repeat(1 / np.sqrt(citers.lengths + 1), citers.lengths)
    pull = summed(positions, each, citing.size)

    cited = stores.graph.references(citing, scope)
    own = stores.graph.references(seeds, scope)
    rows = np.concatenate([cited.values, citing, own.values])
    weights = np.concatenate([np.repeat(pull**2, cited.lengths), pull, np.ones(own.values.size)])

    linked, positions = np.unique(rows, return_inverse=True)
    kept = stores.papers.in_scope(linked, scope)
    return linked[kept], summed(positions, weights, linked.size)[kept]
