"""What a scope lets be seen of papers, given their years; shared by the stores that filter."""

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Rows, is_among
from citewise.types import Scope

LAST_YEAR = 9_999


def year_range(scope: Scope) -> tuple[int, int]:
    """Return the first and the last year in scope, within what an index of years can hold."""
    first = 1 if scope.since is None else scope.since
    last = LAST_YEAR if scope.year is None else scope.year
    return min(max(first, 1), LAST_YEAR + 1), min(max(last, 0), LAST_YEAR)


def in_scope(rows: Rows, years: NDArray[np.int16], scope: Scope) -> Mask:
    """Return for each paper whether a query with this scope may get it; `years` are by row."""
    if scope.within is not None and scope.as_given:
        return np.isin(rows, scope.within)
    kept = ~is_among(rows, scope.hidden)
    if scope.within is not None:
        kept &= np.isin(rows, scope.within)
    if scope.bounded:
        first, last = year_range(scope)
        own = years.take(rows)
        kept &= (own >= first) & (own <= last)
    return kept


def citing_is_seen(rows: Rows, years: NDArray[np.int16], scope: Scope) -> Mask:
    """Return for each paper whether the citations that it makes are seen; `years` are by row."""
    seen = ~is_among(rows, scope.unseen)
    if scope.year is not None:
        own = years.take(rows)
        seen &= (own > 0) & (own < scope.year)
    return seen
