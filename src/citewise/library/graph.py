"""The citation graph in both directions."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, is_among
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
        seen = ~is_among(references.values, scope.unseen)
        citing_seen = citing_is_seen(rows, self._years, scope)
        if not citing_seen.all():
            seen &= np.repeat(citing_seen, references.lengths)
        return references.kept(seen)

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that cite each paper, as far as the scope sees them."""
        citers = self._tables.citers.lists(rows)
        if scope is None:
            return citers
        seen = citing_is_seen(citers.values, self._years, scope)
        cited_unseen = is_among(rows, scope.unseen)
        if cited_unseen.any():
            seen &= ~np.repeat(cited_unseen, citers.lengths)
        return citers.kept(seen)
