"""Candidates in the inverted index's own order: thousands of them, for rankers to score."""

import math

import numpy as np

from citewise.protocols import Stores
from citewise.signals import written_by
from citewise.types import Query, Ranking, Scope

_COMMON = 0.2
"""Terms in more than this share of the papers are left out: a fifth faster, and recall a little
better (cs, dev).
"""

_ENOUGH = 0.75
"""This share of k papers is enough: within a range of years, an exact number would at times take a
second search.
"""


class Engine:
    """The retriever; its score is 1 / rank."""

    reads: frozenset[str] = frozenset()
    writes = written_by("engine")

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the first k hits in scope; common terms only count where others find too few."""
        terms, counts = self._stores.terms.of(query.text)
        if not terms.size:
            return Ranking(np.zeros(0, np.int64), np.zeros(0), {"hit_rank": np.zeros(0)})

        known = self._stores.terms.statistics(terms, "text")
        telling = known.frequencies <= _COMMON * known.documents

        search, enough = self._stores.lexical.search, math.ceil(_ENOUGH * k)
        rows = terms[:0]
        if telling.any():
            rows = search(terms[telling], counts[telling], k, scope, enough)
        if rows.size < enough and not telling.all():
            rows = search(terms, counts, k, scope, enough)

        ranks = np.arange(1.0, rows.size + 1)
        return Ranking(rows, 1 / ranks, {"hit_rank": ranks})
