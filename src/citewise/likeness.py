"""How like papers are to a bag of words: BM25 from the forward index, for any rows and any bag."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import FIELDS, Matches, Papers, Terms
from citewise.text import words_by_stem
from citewise.types import Column, Query, Rows, summed

K1, B = 1.6, 0.75
"""Tuned on a development year: what `bm25` has unless told otherwise, and what the ranker was trained with."""

TERM = "term:"
"""Before a word where it names a part of a score."""


class Stores(Papers, Terms, Protocol):
    """What likeness is made from."""


def idf(frequencies: NDArray[np.int64], papers: int) -> NDArray[np.float64]:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)), never negative (Robertson and Zaragoza 2009, as Lucene has it)."""
    return np.log1p((papers - frequencies + 0.5) / (frequencies + 0.5))


@dataclass(frozen=True, slots=True)
class Bag:
    """A weighted bag of terms, each once."""

    terms: NDArray[np.int64]
    weights: Column

    @classmethod
    def of(cls, stores: Stores, text: str) -> "Bag":
        """Return a text's terms with their counts."""
        terms, counts = stores.terms_of(text)
        return cls(terms, counts.astype(np.float64))

    @classmethod
    def of_draft(cls, stores: Stores, query: Query) -> "Bag":
        """Return the terms of a draft's title and abstract with their counts."""
        return cls.of(stores, query.text)

    def rarity(self, stores: Stores, field: str) -> Column:
        """Return the terms' idf in a field."""
        known = stores.statistics(self.terms, field)
        return idf(known.frequencies, known.papers)


@dataclass(frozen=True, slots=True)
class Saturated:
    """Matches with BM25's term-frequency part of each, which lies between 0 and k1 + 1; a pair may stand twice."""

    places: NDArray[np.int64]
    columns: NDArray[np.int64]
    parts: Column

    def scores(self, weights: Column, rows: int) -> Column:
        """Return the sum for each of `rows` papers; `weights` are the columns'."""
        return summed(self.places, self.parts * weights[self.columns], rows)


def saturated(stores: Stores, rows: Rows, matches: Matches, field: str) -> Saturated:
    """Return the matches in one field, saturated."""
    parts = matches.counts * (K1 + 1) / (matches.counts + _norm(stores, rows, field)[matches.places])
    return Saturated(matches.places, matches.columns, parts)


def saturated_together(stores: Stores, rows: Rows, title: Matches, abstract: Matches, terms: int) -> Saturated:
    """Return the matches in title and abstract as those of one text: each has its share of what they have together."""
    places = np.concatenate((title.places, abstract.places))
    columns = np.concatenate((title.columns, abstract.columns))
    counts = np.concatenate((title.counts, abstract.counts))
    totals = counts.copy()
    in_title, in_abstract = (each.places * terms + each.columns for each in (title, abstract))
    again = np.searchsorted(in_abstract, in_title)  # both are sorted
    both = np.flatnonzero(np.append(in_abstract, -1)[again] == in_title)
    totals[both] += abstract.counts[again[both]]
    totals[in_title.size + again[both]] += title.counts[both]
    return Saturated(places, columns, counts * (K1 + 1) / (totals + _norm(stores, rows, "text")[places]))


def _norm(stores: Stores, rows: Rows, field: str) -> Column:
    known = stores.statistics(np.zeros(0, np.int64), field)
    relative: Column = stores.lengths(rows, field) / max(known.mean_length, 1e-9)
    return K1 * (1 - B + B * relative)


def likeness(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return the papers' BM25 scores over title and abstract together."""
    if not (rows.size and bag.terms.size):
        return np.zeros(rows.size)
    return _matched(stores, rows, bag).scores(bag.weights * bag.rarity(stores, "text"), rows.size)


def _matched(stores: Stores, rows: Rows, bag: Bag) -> Saturated:
    title, abstract = (stores.matches(rows, bag.terms, field) for field in FIELDS)
    return saturated_together(stores, rows, title, abstract, bag.terms.size)


def likeness_by_term(stores: Stores, rows: Rows, bag: Bag) -> NDArray[np.float64]:
    """Return how much of each paper's (row's) likeness each term (column) gives."""
    count = bag.terms.size
    if not (rows.size and count):
        return np.zeros((rows.size, count))
    found, weights = _matched(stores, rows, bag), bag.weights * bag.rarity(stores, "text")
    each = summed(found.places * count + found.columns, found.parts * weights[found.columns], rows.size * count)
    return each.reshape(rows.size, count)


def by_word(stores: Terms, text: str, terms: NDArray[np.int64], parts: NDArray[np.float64]) -> dict[str, Column]:
    """Return the columns of a papers x terms matrix that are not all zero, by the words that a text has for them."""
    words = words_by_stem(text)
    return {f"{TERM}{words.get(stem, stem)}": column.copy()
            for stem, column in zip(stores.words(terms), parts.T, strict=True) if column.any()}
