"""The most telling terms of a text, by the Bo1 model (Amati and van Rijsbergen 2002)."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import Stores, TermNumbers, TermStatistics
from citewise.types import Query

TITLE_TERMS, ABSTRACT_TERMS = 3, 5
"""Key terms of Citeomatic's BM25 (Bhagavatula et al. 2018, appendix D, and the authors' code)."""

_BATCH = 20_000


def key_terms(
    counts: NDArray[np.int64], statistics: TermStatistics, limit: int
) -> NDArray[np.int64]:
    """Return the positions of a text's most informative terms, sorted, by Bo1; the rate of a term
    is its frequency in the statistics over the number of papers.
    """
    rate = np.maximum(statistics.frequencies, 1) / max(statistics.documents, 1)
    # Bo1: count * log2((1 + rate) / rate) + log2(1 + rate) (Amati and van Rijsbergen 2002)
    weights = counts * np.log2((1 + rate) / rate) + np.log2(1 + rate)

    return np.sort(np.argsort(-weights, kind="stable")[:limit])


class FieldKeyTerms:
    """Key terms as Citeomatic's BM25 takes them with Whoosh: some of the title and some of the
    abstract, by how often a term occurs in that field of all papers.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._occurrences = cache(self._count_occurrences)

    def of(self, query: Query) -> tuple[TermNumbers, NDArray[np.int64]]:
        """Return the key terms of a query, each with the number of fields that chose it; a sentence
        is read as an abstract.
        """
        abstract = query.sentence or query.abstract
        title = "" if query.sentence else query.title
        chosen = np.concatenate(
            [
                self._chosen(title, "title", TITLE_TERMS),
                self._chosen(abstract, "abstract", ABSTRACT_TERMS),
            ]
        )
        terms, counts = np.unique(chosen, return_counts=True)
        return terms, counts.astype(np.int64)

    def _chosen(self, text: str, field: str, limit: int) -> TermNumbers:
        """Return the key terms of a text among the terms that a field of some paper has."""
        terms, counts = self._stores.terms.of(text)
        if not terms.size:
            return terms

        occurrences = self._occurrences(field)
        known = terms < occurrences.size
        known[known] = occurrences[terms[known]] > 0
        terms, counts = terms[known], counts[known]

        papers = len(self._stores.papers)
        statistics = TermStatistics(papers, occurrences[terms], 0.0)
        return terms[key_terms(counts, statistics, limit)]

    def _count_occurrences(self, field: str) -> NDArray[np.int64]:
        """Return how often each term occurs in a field of all papers, by the term's number.

        Reads the whole forward index once: a second or two for 300,000 papers.
        """
        total = np.zeros(0, np.int64)
        rows = self._stores.papers.rows
        for start in range(0, rows.size, _BATCH):
            terms, counts = self._stores.terms.contents(rows[start : start + _BATCH], field)
            found = np.bincount(terms.values, counts, total.size).astype(np.int64)
            found[: total.size] += total
            total = found
        return total
