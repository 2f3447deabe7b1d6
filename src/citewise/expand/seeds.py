"""What is tied to the papers that the draft cites already: cited together with them, citing them, cited by them."""

from typing import Protocol

import numpy as np

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
        rows = self._stores.rows_of(query.cited)
        seeds = np.unique(rows[rows >= 0])
        citers = self._stores.citers(seeds, scope)
        citing, places = np.unique(citers.values, return_inverse=True)
        pull = summed(places, np.repeat(1 / np.sqrt(citers.lengths + 1), citers.lengths), citing.size)
        cited = self._stores.references(citing, scope)
        own = self._stores.references(seeds, scope)
        tied, at = np.unique(np.concatenate([cited.values, citing, own.values]), return_inverse=True)
        ties = summed(at, np.concatenate([np.repeat(pull**2, cited.lengths), pull, np.ones(own.values.size)]), tied.size)
        kept = self._stores.in_scope(tied, scope)
        tied, ties = tied[kept], ties[kept]
        order = np.argsort(-ties, kind="stable")
        added = tied[order][~np.isin(tied[order], ranking.rows)][: self._most]
        return _joined(ranking, added, tied, ties)


def _joined(ranking: Ranking, added: Rows, tied: Rows, ties: Column) -> Ranking:
    rows = np.append(ranking.rows, added)
    signals = {name: np.append(column, np.full(added.size, np.nan)) for name, column in ranking.signals.items()}
    signals["seeds_tied"] = np.zeros(rows.size)
    if tied.size:
        at = np.minimum(np.searchsorted(tied, rows), tied.size - 1)
        signals["seeds_tied"] = np.where(tied[at] == rows, ties[at], 0.0)
    return Ranking(rows, np.append(ranking.scores, np.zeros(added.size)), signals)
