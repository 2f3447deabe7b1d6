"""The inverted index of millions of papers in parts, a segment each, which two threads search.

The engine searches its segments one after the other, and in each as deep as in all. A part is asked
for its share of the hits, and again where others of it may be among the best, as shards are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.beside import Beside
from citewise.library.lexical import LexicalReader, Segment, segments_of
from citewise.protocols import TermNumbers, Terms, TermStatistics
from citewise.scoring import lucene
from citewise.scoring.bm25 import idf

PARTED_FROM = 1_000_000
"""Papers from which it pays: below, an answer has other work for the second thread."""

_SPARE_DEVIATIONS = 4.0
_ROUNDING = 2e-6
"""The share by which 32-bit scores may be too low."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What all parts are asked."""

    terms: TermNumbers
    weights: Column
    """How often the query has each term."""
    telling: Column
    """That times the term's idf in the library."""
    mean_length: float
    years: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class _Found:
    """Hits of a part, with their exact scores, and what those that it has not named may have."""

    rows: Rows
    scores: Column
    others: float


def lexical_reader(folder: Path, terms: Terms, papers: int) -> LexicalReader:
    """Open an index: in parts where it has many papers and more than one segment."""
    if papers < PARTED_FROM or len(segments_of(folder)) < 2:
        return LexicalReader(folder)
    try:
        return PartedReader(folder, terms)
    except OSError:  # a system where links are a privilege
        return LexicalReader(folder)


class PartedReader(LexicalReader):
    """Finds the rows that a `LexicalReader` finds, but by the library's own statistics: removed
    papers do not count in them.
    """

    exact = True

    def __init__(self, folder: Path, terms: Terms) -> None:
        super().__init__(folder)
        self._terms = terms
        self._parts = [_Part(folder, each, terms) for each in segments_of(folder)]
        self._indexed = sum(part.indexed for part in self._parts)

    def hits(
        self,
        terms: TermNumbers,
        weights: Column,
        k: int,
        years: tuple[int, int] | None = None,
    ) -> tuple[Rows, Column]:
        """Return the rows of the k best and their exact scores, best first, equal ones by row."""
        if k <= 0 or not terms.size or not len(self):
            return np.zeros(0, np.int64), np.zeros(0)

        known = self._terms.statistics(terms, "text")
        question = _Question(terms, weights, weights * idf(known), known.mean_length, years)
        depths = np.array([self._share(part, k) for part in self._parts])
        found = self._searched(question, depths, [*range(len(self._parts))])
        while True:
            rows, scores = _best([*found.values()], k)
            least = scores[-1] if scores.size == k else 0.0
            again = [
                number
                for number, each in found.items()
                if each.rows.size == depths[number] and each.others >= least
            ]
            if not again:
                return rows, scores
            depths[again] *= 2  # also beyond k: a part's own order is not quite that of all
            found |= self._searched(question, depths, again)

    def _share(self, part: "_Part", k: int) -> int:
        """Return how many of the k best papers a part has at most, but for rare cases."""
        share = k * part.indexed / self._indexed
        return min(k, math.ceil(share + _SPARE_DEVIATIONS * math.sqrt(share)))

    def _searched(
        self, question: _Question, depths: NDArray[np.int64], numbers: Sequence[int]
    ) -> dict[int, _Found]:
        """Return what parts find, by their numbers; a second thread searches about half."""
        mine, others = _halves(numbers, [part.indexed for part in self._parts])
        if not others:
            return self._search(question, depths, mine)
        beside = Beside(partial(self._search, question, depths, others))
        return self._search(question, depths, mine) | beside.result()

    def _search(
        self, question: _Question, depths: NDArray[np.int64], numbers: Sequence[int]
    ) -> dict[int, _Found]:
        return {each: self._parts[each].found(question, int(depths[each])) for each in numbers}


class _Part(LexicalReader):
    """One segment, weighed by the statistics of the library."""

    def __init__(self, folder: Path, segment: Segment, terms: Terms) -> None:
        super().__init__(folder, [segment])
        self._terms, self.indexed = terms, int(segment["max_doc"])
        self._known_mean = 0.0

    def found(self, question: _Question, k: int) -> _Found:
        """Return the part's first k hits; tantivy multiplies a term by its idf in the segment,
        which a boost replaces.
        """
        frequencies = self.frequencies(question.terms)
        known = np.flatnonzero(frequencies)
        own = idf(TermStatistics(self.indexed, frequencies[known], 1.0))
        boosts = question.telling[known] / own
        rows, rounded = self.hits(question.terms[known], boosts, k, question.years)
        scores = lucene.scores(self._terms, rows, question.terms, question.weights)

        # a longer mean length makes scores higher, at most in proportion
        mean = self._mean_length(question.terms[known[:1]])
        higher = max(question.mean_length / mean, 1.0) * (1 + _ROUNDING)
        return _Found(rows, scores, float(rounded[-1]) * higher if rows.size else 0.0)

    def _mean_length(self, term: TermNumbers) -> float:
        """Return the mean length that the engine has here, which it does not tell: found from the
        score of the best paper for a term, idf f (k1 + 1) / (f + k1 (1 - b + b length / mean)).
        """
        if not self._known_mean and term.size:
            rows, (score, *_) = self.hits(term, np.ones(1), 1)
            weight = idf(TermStatistics(self.indexed, self.frequencies(term), 1.0))[0]
            count = self._terms.counts(rows, term, "text")[0, 0]
            norm = weight * count * (lucene.K1 + 1) / score - count
            length = lucene.rounded_lengths(self._terms.lengths(rows, "text"))[0]
            self._known_mean = float(lucene.B * length / (norm / lucene.K1 - 1 + lucene.B))
        return self._known_mean or 1.0


def _halves(numbers: Sequence[int], sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return numbers of parts, the largest first, in two lists of about the same size together."""
    lists: tuple[list[int], list[int]] = [], []
    totals = [0, 0]
    for number in numbers:
        smaller = totals.index(min(totals))
        lists[smaller].append(number)
        totals[smaller] += sizes[number]
    return lists


def _best(found: Sequence[_Found], k: int) -> tuple[Rows, Column]:
    """Return the k best hits of some parts, best first, equal ones by row."""
    rows = np.concatenate([each.rows for each in found])
    scores = np.concatenate([each.scores for each in found])
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]
