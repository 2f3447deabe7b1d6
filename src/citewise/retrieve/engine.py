"""The inverted index's own order, deep and not scored again: for systems whose ranker scores anyway."""

import math
from typing import Protocol

import numpy as np

from citewise.protocols import Lexical, Papers, Terms
from citewise.types import Query, Ranking, Scope

_COMMON = 0.2
"""Terms in more than this share of the papers are left out: a fifth faster, and recall a little better (cs, dev)."""


_ENOUGH = 0.75
"""Of the papers asked for: within a span of years, an exact number of them would at times take a second search."""


class _Stores(Papers, Terms, Lexical, Protocol):
    """What this retriever reads."""


class Engine:
    """The retriever; its score is 1 / rank."""

    def __init__(self, stores: _Stores) -> None:
        self._stores = stores

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return some k papers in scope that the engine finds first; by common terms only where others find too few."""
        terms, counts = self._stores.terms_of(query.text)
        if not terms.size:
            return Ranking(np.zeros(0, np.int64), np.zeros(0), {"hit_rank": np.zeros(0)})
        known = self._stores.statistics(terms, "text")
        telling = known.frequencies <= _COMMON * known.papers
        enough = math.ceil(_ENOUGH * k)
        rows = self._stores.search(terms[telling], counts[telling], k, scope, enough) if telling.any() else terms[:0]
        if rows.size < enough and not telling.all():
            rows = self._stores.search(terms, counts, k, scope, enough)
        ranks = np.arange(1.0, rows.size + 1)
        return Ranking(rows, 1 / ranks, {"hit_rank": ranks})
