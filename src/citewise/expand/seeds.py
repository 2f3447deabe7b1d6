"""What is tied to the papers that the draft cites already: cited together with them, citing them, cited by them."""

from typing import Protocol

import numpy as np

from citewise.protocols import Graph, Papers
from citewise.types import Query, Ranking, Scope


class _Stores(Papers, Graph, Protocol):
    """What this expander reads."""


class Seeds:
    """The expander; its signal `seeds_tied` counts a paper's ties to the seeds (0 where the draft names none)."""

    def __init__(self, stores: _Stores, most: int = 1000) -> None:
        self._stores, self._most = stores, most

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates and, behind them, those most tied to the seeds."""
        rows = self._stores.rows_of(query.cited)
        seeds = np.unique(rows[rows >= 0])
        citing = np.unique(self._stores.citers(seeds, scope).values)
        tied, ties = np.unique(np.concatenate([citing, self._stores.references(seeds, scope).values,
                                               self._stores.references(citing, scope).values]), return_counts=True)
        kept = self._stores.in_scope(tied, scope)
        tied, ties = tied[kept], ties[kept]
        order = np.argsort(-ties, kind="stable")
        added = tied[order][~np.isin(tied[order], ranking.rows)][: self._most]
        return _joined(ranking, added, tied, ties)


def _joined(ranking: Ranking, added: np.ndarray, tied: np.ndarray, ties: np.ndarray) -> Ranking:
    rows = np.append(ranking.rows, added)
    signals = {name: np.append(column, np.full(added.size, np.nan)) for name, column in ranking.signals.items()}
    signals["seeds_tied"] = np.zeros(rows.size)
    if tied.size:
        at = np.minimum(np.searchsorted(tied, rows), tied.size - 1)
        signals["seeds_tied"] = np.where(tied[at] == rows, ties[at], 0).astype(np.float64)
    return Ranking(rows, np.append(ranking.scores, np.zeros(added.size)), signals)
