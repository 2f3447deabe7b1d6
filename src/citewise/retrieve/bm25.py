"""BM25 over title and abstract: candidates from the inverted index, scored exactly."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, RowIndex, Rows
from citewise.errors import BadInput
from citewise.protocols import Stores, TermNumbers
from citewise.retrieve.key_terms import FieldKeyTerms, key_terms
from citewise.scoring.bm25 import K1, B, idf, length_norm, saturation
from citewise.scoring.similarity import by_word
from citewise.signals import written_by
from citewise.types import Contributions, Query, Ranking, Scope

Form = Literal["title+abstract", "title", "keyterms"]
Preset = Literal["own", "citeomatic"]

_FEWEST_CANDIDATES = 200
"""Fetched even if k is small: the engine's order and the exact one differ most at the top."""


@dataclass(frozen=True, slots=True)
class Bm25Parameters:
    """How BM25 reads a query and weighs terms."""

    k1: float = K1
    b: float = B
    delta: float = 0.0
    """Above 0: BM25+, which gives every matching term at least this much."""
    form: Form = "title+abstract"
    """The query: title and abstract, the title alone, or the key terms of both."""
    keyterms: int = 20
    """How many key terms the form `keyterms` keeps."""
    preset: Preset = "own"
    """How the form `keyterms` chooses them: `own`, of title and abstract together, by the number of
    papers that have a term; `citeomatic`, 3 of the title and 5 of the abstract, by the number of
    times that a term occurs in that field.
    """
    reach: float = 1.5
    """How many times k candidates are fetched to be scored exactly; more is needed where k1 and b
    are far from the engine's.
    """
    common: float = 1.0
    """Terms in more than this share of the papers score but fetch no candidates: below 1, faster
    and less complete.
    """

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        if self.form not in ("title+abstract", "title", "keyterms"):
            raise BadInput(
                f"unknown query form {self.form!r}; known: title+abstract, title, keyterms"
            )

        if self.preset not in ("own", "citeomatic"):
            raise BadInput(f"unknown preset {self.preset!r}; known: own, citeomatic")

        if not (0 <= self.k1 < math.inf and 0 <= self.b <= 1 and 0 <= self.delta < math.inf):
            raise BadInput(
                f"BM25 needs k1 >= 0, 0 <= b <= 1, delta >= 0; got k1={self.k1}, b={self.b}, "
                f"delta={self.delta}"
            )

        if not (self.keyterms >= 1 and 1 <= self.reach < math.inf and 0 < self.common <= 1):
            raise BadInput(
                "BM25 needs keyterms >= 1, reach >= 1 and 0 < common <= 1; got "
                f"keyterms={self.keyterms}, reach={self.reach}, common={self.common}"
            )


class Bm25:
    """The retriever."""

    reads: frozenset[str] = frozenset()
    writes = written_by("bm25")

    def __init__(self, stores: Stores, parameters: Bm25Parameters) -> None:
        self._stores, self._parameters = stores, parameters
        by_field = parameters.form == "keyterms" and parameters.preset == "citeomatic"
        self._by_field = FieldKeyTerms(stores) if by_field else None

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best papers in scope; equal scores are in the order of rows."""
        terms, counts = self._terms(query)
        if not terms.size:
            return Ranking(np.zeros(0, np.int64), np.zeros(0), {"bm25": np.zeros(0)})

        fetched = max(int(np.ceil(k * self._parameters.reach)), _FEWEST_CANDIDATES)
        rows = self._candidates(terms, counts, fetched, scope)
        scores = self._parts(rows, terms, counts).sum(1)

        # by falling score, equal ones by row
        order = np.lexsort((rows, -scores))[: min(k, np.count_nonzero(scores))]
        return Ranking(rows[order], scores[order], {"bm25": scores[order]})

    def scores(self, rows: Rows, query: Query) -> Column:
        """Return the exact score of each paper, 0 where it shares no term with the query."""
        return np.asarray(self._parts(rows, *self._terms(query)).sum(1), np.float64)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return how much of each paper's score each term of the query gives."""
        terms, counts = self._terms(query)
        parts = self._parts(rows, terms, counts)
        words = by_word(self._stores.terms, query.sentence or query.text, terms, parts)
        return Contributions(np.zeros(rows.size), words)

    def _terms(self, query: Query) -> tuple[TermNumbers, NDArray[np.int64]]:
        """Return the query's terms and their counts, as the form of the query wants them.

        A query without a title has its abstract; a sentence is itself the query.
        """
        if self._by_field is not None:
            return self._by_field.of(query)

        form = self._parameters.form
        whole = query.title if form == "title" and query.title else query.text
        terms, counts = self._stores.terms.of(query.sentence or whole)
        if form == "keyterms" and terms.size:
            known = self._stores.terms.statistics(terms, "text")
            kept = key_terms(counts, known, self._parameters.keyterms)
            terms, counts = terms[kept], counts[kept]
        return terms, counts

    def _candidates(
        self, terms: TermNumbers, counts: NDArray[np.int64], k: int, scope: Scope
    ) -> Rows:
        """Return at most k rows to be scored: `scope.within`, or the hits of the inverted index."""
        if scope.within is not None:
            given = np.unique(np.array(scope.within, np.int64))
            return given[self._stores.papers.in_scope(given, scope)]

        known = self._stores.terms.statistics(terms, "text")
        telling = known.frequencies <= self._parameters.common * known.documents
        if not telling.any():
            telling[:] = True
        return self._stores.lexical.search(terms[telling], counts[telling], k, scope)

    def _parts(
        self, rows: Rows, terms: TermNumbers, counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the papers x terms matrix of what each term adds to each paper's score."""
        if not (rows.size and terms.size):
            return np.zeros((rows.size, terms.size))

        read, parameters = self._stores.terms, self._parameters
        known = read.statistics(terms, "text")
        matrix = read.counts(rows, terms, "text")
        relative = read.lengths(rows, "text") / max(known.mean_length, 1e-9)

        norm = length_norm(relative, parameters.k1, parameters.b)
        parts = saturation(matrix, norm[:, None], parameters.k1)
        if parameters.delta:
            parts += parameters.delta * (matrix > 0)
        return parts * (idf(known) * counts)


class Bm25Ranker:
    """The ranker: by BM25 over titles and abstracts."""

    reads: frozenset[str] = frozenset()
    writes = written_by("bm25")

    def __init__(self, stores: Stores, parameters: Bm25Parameters) -> None:
        self._bm25 = Bm25(stores, parameters)

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by their exact scores, equal ones in the order of rows."""
        scores = self._bm25.scores(candidates.rows, query)
        order = np.lexsort((candidates.rows, -scores))
        return candidates.scored(scores, {"bm25": scores}).take(order)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return how much of each paper's score each term of the query gives.

        The base is what a cascade added: less than 0 behind the papers that were ranked, else 0.
        """
        by_term = self._bm25.contributions(query, ranking, rows)
        scores = ranking.scores[RowIndex(ranking.rows).of(rows)]
        return Contributions(scores - self._bm25.scores(rows, query), by_term.parts)
