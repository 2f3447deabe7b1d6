"""BM25 similarity of any papers to any bag of words, read from the forward index."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows, summed
from citewise.protocols import FIELDS, Matches, Stores, TermNumbers, Terms
from citewise.scoring.bm25 import idf, length_norm, saturation
from citewise.text.tokens import words_by_stem
from citewise.types import Query

TERM = "term:"
"""Prefix of a signal that is one word's part of a score."""


@dataclass(frozen=True, slots=True)
class Bag:
    """Distinct terms with a weight each."""

    terms: TermNumbers
    weights: Column

    @classmethod
    def of(cls, stores: Stores, text: str) -> "Bag":
        """Return the terms of a text, weighted by their counts."""
        terms, counts = stores.terms.of(text)
        return cls(terms, counts.astype(np.float64))

    @classmethod
    def of_draft(cls, stores: Stores, query: Query) -> "Bag":
        """Return the terms of a draft's title and abstract, weighted by their counts."""
        return cls.of(stores, query.text)

    def idf(self, stores: Stores, field: str) -> Column:
        """Return the terms' idf in a field."""
        return idf(stores.terms.statistics(self.terms, field))


@dataclass(frozen=True, slots=True)
class Saturated:
    """Matches of terms in papers, each with BM25's saturation; a pair may occur twice."""

    rows: NDArray[np.int64]
    """Positions among the given papers."""
    columns: NDArray[np.int64]
    """Positions among the given terms."""
    parts: Column
    """The saturations, between 0 and k1 + 1."""

    def scores(self, weights: Column, count: int) -> Column:
        """Return the sum of weighted parts of each of `count` papers; `weights` are by column."""
        return summed(self.rows, self.parts * weights.take(self.columns), count)


def log_counts(counts: NDArray[Any]) -> Column:
    """Return ln(1 + count) of each count of a term, which is looked up: most of them are small."""
    whole = counts.astype(np.int64)
    return np.log1p(np.arange(whole.max(initial=0) + 1.0)).take(whole)


def saturated(stores: Stores, rows: Rows, matches: Matches, field: str) -> Saturated:
    """Return the matches in one field with their saturation."""
    norm = _norm(stores, rows, field).take(matches.rows)
    return Saturated(matches.rows, matches.columns, saturation(matches.counts, norm))


def saturated_together(
    stores: Stores, rows: Rows, title: Matches, abstract: Matches, terms: int
) -> Saturated:
    """Return the matches in title and abstract with the saturation of both as one text.

    A term in both fields has two entries, which share the saturation of its total count.
    """
    positions = np.concatenate((title.rows, abstract.rows))
    columns = np.concatenate((title.columns, abstract.columns))
    counts = np.concatenate((title.counts, abstract.counts))

    # A match (paper, term) is the number paper * terms + term, sorted in both fields.
    # same[i] is where match i of the title would be among those of the abstract; `both` are the
    # matches i that are there. The appended -1, no match, stands behind the last.
    in_title = title.rows * terms + title.columns
    in_abstract = abstract.rows * terms + abstract.columns
    same = np.searchsorted(in_abstract, in_title)
    both = np.flatnonzero(np.append(in_abstract, -1)[same] == in_title)

    # counts are those of the title, then those of the abstract
    totals = counts.copy()
    totals[both] += abstract.counts[same[both]]
    totals[in_title.size + same[both]] += title.counts[both]

    norm = _norm(stores, rows, "text").take(positions)
    return Saturated(positions, columns, saturation(counts, norm, totals=totals))


def _norm(stores: Stores, rows: Rows, field: str) -> Column:
    """Return BM25's length normalisation of a field of each paper."""
    mean = stores.terms.statistics(np.zeros(0, np.int64), field).mean_length
    return length_norm(stores.terms.lengths(rows, field) / max(mean, 1e-9))


def similarity(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return the papers' BM25 scores for a bag, over title and abstract together."""
    if not (rows.size and bag.terms.size):
        return np.zeros(rows.size)

    weights = bag.weights * bag.idf(stores, "text")
    return _matched(stores, rows, bag).scores(weights, rows.size)


def _matched(stores: Stores, rows: Rows, bag: Bag) -> Saturated:
    """Return the matches of a bag's terms in the papers' titles and abstracts."""
    title, abstract = (stores.terms.matches(rows, bag.terms, field) for field in FIELDS)
    return saturated_together(stores, rows, title, abstract, bag.terms.size)


def similarity_by_term(stores: Stores, rows: Rows, bag: Bag) -> NDArray[np.float64]:
    """Return the papers x terms matrix of what each term adds to each paper's similarity."""
    count = bag.terms.size
    if not (rows.size and count):
        return np.zeros((rows.size, count))

    matches, weights = _matched(stores, rows, bag), bag.weights * bag.idf(stores, "text")

    # cell (paper, term) is number paper * terms + term: the matrix row by row
    cells = matches.rows * count + matches.columns
    parts = summed(cells, matches.parts * weights[matches.columns], rows.size * count)
    return parts.reshape(rows.size, count)


def by_word(
    terms: Terms, text: str, numbers: TermNumbers, parts: NDArray[np.float64]
) -> dict[str, Column]:
    """Return the columns of a papers x terms matrix that are not all zero, by `term:word`.

    The word is the first one of the text with the term's stem, as written there.
    """
    words = words_by_stem(text)
    return {
        f"{TERM}{words.get(stem, stem)}": column.copy()
        for stem, column in zip(terms.words(numbers), parts.T, strict=True)
        if column.any()
    }
