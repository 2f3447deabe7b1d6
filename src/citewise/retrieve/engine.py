"""The inverted index's own order, deep and not scored again: for systems whose ranker scores anyway."""

from typing import Protocol

import numpy as np

from citewise.protocols import Lexical, Papers, Terms
from citewise.types import Query, Ranking, Scope


class _Stores(Papers, Terms, Lexical, Protocol):
    """What this retriever reads."""


class Engine:
    """The retriever; its score is 1 / rank."""

    def __init__(self, stores: _Stores) -> None:
        self._stores = stores

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k papers in scope that the engine finds first."""
        terms, counts = self._stores.terms_of(f"{query.title}\n{query.abstract}")
        if not terms.size:
            return Ranking(np.zeros(0, np.int64), np.zeros(0))
        if scope.within is not None:
            given = np.unique(np.array(scope.within, np.int64))
            rows = given[self._stores.in_scope(given, scope)]
        else:
            rows = self._stores.search(terms, counts, k, scope)
        ranks = np.arange(1.0, rows.size + 1)
        return Ranking(rows, 1 / ranks, {"hit_rank": ranks})
