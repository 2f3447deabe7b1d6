"""What is tied to the papers that the draft cites already: cited together with them, citing them, cited by them."""

from typing import Protocol

import numpy as np

from citewise.places import Places
from citewise.protocols import Graph, Papers
from citewise.types import Column, Query, Ranking, Rows, Scope, summed


class _Stores(Papers, Graph, Protocol):
    """What this expander reads."""


class Seeds:
    """The expander; its signal `seeds_tied` weighs a paper's ties to the seeds (0 where the draft names none)."""

    def __init__(self, stores: _Stores, most: int = 1000) -> None:
        self._stores, self._most = stores, most

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates and, behind them, those most tied to the seeds."""
        if not query.cited:
            return ranking.with_signals({"seeds_tied": np.zeros(len(ranking))})
        rows = self._stores.rows_of(query.cited)
        tied, weights = ties(self._stores, np.unique(rows[rows >= 0]), scope)
        order = np.argsort(-weights, kind="stable")
        fresh = Places(ranking.rows).of(tied[order]) < 0
        wider = ranking.followed_by(tied[order][fresh][: self._most])
        return wider.with_signals({"seeds_tied": np.append(weights, 0.0)[Places(tied).of(wider.rows)]})


def ties(stores: _Stores, seeds: Rows, scope: Scope) -> tuple[Rows, Column]:
    """Return the papers in scope that are tied to the seeds, and how strongly each is.

    A seed pulls at its citers by 1 / root of (their number + 1). A citer is tied by its pull, what it cites by the
    pull's square, and what the seeds cite by 1 each.
    """
    citers = stores.citers(seeds, scope)
    citing, places = np.unique(citers.values, return_inverse=True)
    pull = summed(places, np.repeat(1 / np.sqrt(citers.lengths + 1), citers.lengths), citing.size)
    cited, own = stores.references(citing, scope), stores.references(seeds, scope)
    tied, at = np.unique(np.concatenate([cited.values, citing, own.values]), return_inverse=True)
    each = np.concatenate([np.repeat(pull**2, cited.lengths), pull, np.ones(own.values.size)])
    kept = stores.in_scope(tied, scope)
    return tied[kept], summed(at, each, tied.size)[kept]
