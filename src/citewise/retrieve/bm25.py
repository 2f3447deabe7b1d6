"""BM25 over title and abstract: candidates from the inverted index, scored exactly from the forward index."""

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadInput
from citewise.likeness import K1, B, by_word, idf
from citewise.protocols import Lexical, Papers, Terms
from citewise.types import Contributions, Query, Ranking, Rows, Scope

Form = Literal["title+abstract", "title", "keyterms"]


_FEWEST_CANDIDATES = 200
"""Fetched however small k is: the engine's order and the exact one differ most at the top, and these cost little."""


class _Stores(Papers, Terms, Lexical, Protocol):
    """What this retriever reads."""


@dataclass(frozen=True, slots=True)
class Bm25Settings:
    """How BM25 reads a query and weighs terms."""

    k1: float = K1
    b: float = B
    delta: float = 0.0
    """Above 0: BM25+, which gives every matching term at least this much."""
    form: Form = "title+abstract"
    """The query: title and abstract, the title alone, or the key terms of both."""
    keyterms: int = 20
    """How many key terms the form `keyterms` keeps."""
    reach: float = 1.5
    """How many times k candidates are fetched to be scored exactly; more where k1 and b are far from the engine's."""
    common: float = 1.0
    """Terms in more than this share of the papers score but fetch no candidates: below 1, faster and less complete."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.form not in ("title+abstract", "title", "keyterms"):
            raise BadInput(f"unknown query form {self.form!r}; known: title+abstract, title, keyterms")
        if not (0 <= self.k1 < math.inf and 0 <= self.b <= 1 and 0 <= self.delta < math.inf):
            raise BadInput(f"BM25 needs k1 >= 0, 0 <= b <= 1, delta >= 0; got k1={self.k1}, b={self.b}, "
                           f"delta={self.delta}")
        if not (self.keyterms >= 1 and 1 <= self.reach < math.inf and 0 < self.common <= 1):
            raise BadInput("BM25 needs keyterms >= 1, reach >= 1 and 0 < common <= 1; got "
                           f"keyterms={self.keyterms}, reach={self.reach}, common={self.common}")


def bm25(counts: NDArray[np.float64], lengths: NDArray[np.int64], mean_length: float, weights: NDArray[np.float64],
         settings: Bm25Settings) -> NDArray[np.float64]:
    """Return the BM25 (with delta, BM25+) score of each row of a papers x terms matrix of counts.

    `weights` are the terms' idf times their counts in the query.
    """
    scores: NDArray[np.float64] = np.einsum(  # a product of matrices would start threads for so little
        "ij,j->i", saturated(counts, lengths, mean_length, settings), weights)
    return scores


def saturated(counts: NDArray[np.float64], lengths: NDArray[np.int64], mean_length: float,
              settings: Bm25Settings) -> NDArray[np.float64]:
    """Return the part of the score that depends on a paper's counts and length, for each paper and term."""
    norm = settings.k1 * (1 - settings.b + settings.b * lengths / max(mean_length, 1e-9))
    matched = counts > 0
    found = np.divide(counts * (settings.k1 + 1), counts + norm[:, None], out=np.zeros_like(counts), where=matched)
    return found + settings.delta * matched if settings.delta else found


def key_terms(counts: NDArray[np.int64], frequencies: NDArray[np.int64], papers: int, most: int) -> NDArray[np.int64]:
    """Return the places of a text's most telling terms by Bo1, with document in place of collection frequencies."""
    rate = np.maximum(frequencies, 1) / max(papers, 1)
    weights = counts * np.log2((1 + rate) / rate) + np.log2(1 + rate)
    return np.sort(np.argsort(-weights, kind="stable")[:most])


class Bm25:
    """The retriever."""

    def __init__(self, stores: _Stores, settings: Bm25Settings) -> None:
        self._stores, self._settings = stores, settings

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best papers in scope; equal scores stand in the order of rows."""
        terms, counts = self._terms(query)
        if not terms.size:
            return Ranking(np.zeros(0, np.int64), np.zeros(0))
        fetched = max(int(np.ceil(k * self._settings.reach)), _FEWEST_CANDIDATES)
        rows = self._candidates(terms, counts, fetched, scope)
        scores = self._scores(rows, terms, counts)
        order = np.lexsort((rows, -scores))[: min(k, np.count_nonzero(scores))]
        return Ranking(rows[order], scores[order], {"bm25": scores[order]})

    def scores(self, rows: Rows, query: Query) -> NDArray[np.float64]:
        """Return the exact score of each paper, 0 where it shares no term with the query."""
        return self._scores(rows, *self._terms(query))

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return how much of each paper's score each term of the query gives."""
        terms, counts = self._terms(query)
        if not (rows.size and terms.size):
            return Contributions(np.zeros(rows.size), {})
        known = self._stores.statistics(terms, "text")
        parts = saturated(self._stores.counts(rows, terms, "text"), self._stores.lengths(rows, "text"),
                          known.mean_length, self._settings) * (idf(known.frequencies, known.papers) * counts)
        return Contributions(np.zeros(rows.size), by_word(self._stores, query.text, terms, parts))

    def _terms(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the query's terms and their counts, as the form asks; a query without a title has its abstract, and a
        sentence is itself the query.
        """
        whole = query.title if self._settings.form == "title" and query.title else query.text
        text = query.sentence or whole
        terms, counts = self._stores.terms_of(text)
        if self._settings.form == "keyterms" and terms.size:
            known = self._stores.statistics(terms, "text")
            kept = key_terms(counts, known.frequencies, known.papers, self._settings.keyterms)
            terms, counts = terms[kept], counts[kept]
        return terms, counts

    def _candidates(self, terms: NDArray[np.int64], counts: NDArray[np.int64], k: int, scope: Scope) -> Rows:
        if scope.within is not None:
            given = np.unique(np.array(scope.within, np.int64))
            return given[self._stores.in_scope(given, scope)]
        known = self._stores.statistics(terms, "text")
        telling = known.frequencies <= self._settings.common * known.papers
        if not telling.any():
            telling[:] = True
        return self._stores.search(terms[telling], counts[telling], k, scope)

    def _scores(self, rows: Rows, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        if not rows.size:
            return np.zeros(0)
        known = self._stores.statistics(terms, "text")
        return bm25(self._stores.counts(rows, terms, "text"), self._stores.lengths(rows, "text"), known.mean_length,
                    idf(known.frequencies, known.papers) * counts, self._settings)


class Bm25Ranker:
    """The ranker: reads nothing but titles and abstracts."""

    def __init__(self, stores: _Stores, settings: Bm25Settings) -> None:
        self._bm25 = Bm25(stores, settings)

    def rank(self, query: Query, ranking: Ranking, scope: Scope, most: int | None = None) -> Ranking:
        """Return the candidates by their exact scores, which are also the signal `bm25`; ties by row."""
        scores = self._bm25.scores(ranking.rows, query)
        order = np.lexsort((ranking.rows, -scores))
        return Ranking(ranking.rows, scores, {**ranking.signals, "bm25": scores}).take(order)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return how much of each paper's score each term of the query gives."""
        return self._bm25.contributions(query, ranking, rows)
