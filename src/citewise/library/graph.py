"""The citation graph in both directions."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.library.scopes import citing_is_seen
from citewise.types import Scope


class Lists(Protocol):
    """A list of rows for each row."""

    def lists(self, rows: Rows) -> Ragged:
        """Return the lists of some rows."""
        ...


class Directions(Protocol):
    """Both directions of the graph."""

    @property
    def references(self) -> Lists: ...
    @property
    def citers(self) -> Lists: ...


class GraphStore:
    """`protocols.Graph` over tables; `years` are those of all rows."""

    def __init__(self, tables: Directions, years: NDArray[np.int16]) -> None:
        self._tables, self._years = tables, years

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that each paper cites, as far as the scope sees them."""
        references = self._tables.references.lists(rows)
        if scope is None:
            return references
        citing_seen = np.repeat(citing_is_seen(rows, self._years, scope), references.lengths)
        return references.kept(citing_seen & ~np.isin(references.values, scope.unseen))

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that cite each paper, as far as the scope sees them."""
        citers = self._tables.citers.lists(rows)
        if scope is None:
            return citers
        cited_seen = np.repeat(~np.isin(rows, scope.unseen), citers.lengths)
        return citers.kept(cited_seen & citing_is_seen(citers.values, self._years, scope))
