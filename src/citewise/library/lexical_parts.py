"""The inverted index of millions of papers in parts, a segment each, which two threads search.

The engine searches its segments one after the other, and in each as deep as in all. A part is asked
for its share of the hits, and again where others of it may be among the best, as shards are.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.beside import Beside
from citewise.library.lexical import MOST_FURTHER, LexicalReader, Segment, segments_of
from citewise.library.lexical_shares import best_of, share_of, with_idf_of_all
from citewise.protocols import FIELDS, TermNumbers, Terms, TermStatistics
from citewise.scoring import lucene
from citewise.scoring.bm25 import idf

PARTED_FROM = 1_000_000
"""Papers from which it pays: below, an answer has other work for the second thread."""

_LARGEST = 0.7
"""The largest share of the papers that one segment may have: the other thread would only wait."""

_EVEN = 0.03
"""How far the mean length of a part may be from that of all. The further it is, the more papers of
the part may be among the best by the library's mean length.
"""

_ROUNDING = 1e-4
"""The share by which the bound of a part may be too low: the engine's scores have 32 bits, and a
mean length that is found from one of them is off by up to 1.7e-5.
"""

_PROBED = 100
"""Papers of a part among which there should be one that has terms."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What all parts are asked."""

    terms: TermNumbers
    weights: Column
    """How often the query has each term."""
    weighted_idf: Column
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
    """Open an index: in parts where it has many papers, in segments that are alike."""
    sizes = [each["max_doc"] for each in segments_of(folder)]
    if papers >= PARTED_FROM and max(sizes) <= _LARGEST * sum(sizes):
        with contextlib.suppress(OSError):  # a system where making links needs a right
            parted = PartedReader(folder, terms)
            if parted.even:
                return parted
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

    @property
    def even(self) -> bool:
        """Whether the papers of all parts are about as long; small parts may differ."""
        mean = self._terms.statistics(np.zeros(0, np.int64), "text").mean_length
        return all(
            part.indexed <= MOST_FURTHER or abs(part.mean_length - mean) <= _EVEN * mean
            for part in self._parts
        )

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
        depths = np.array([share_of(k, part.indexed / self._indexed) for part in self._parts])
        found = self._searched(question, depths, [*range(len(self._parts))])
        while True:
            rows, scores = best_of([(each.rows, each.scores) for each in found.values()], k)
            least = scores[-1] if scores.size == k else 0.0
            again = [
                number
                for number, each in found.items()
                if each.rows.size == depths[number] < k + MOST_FURTHER and each.others >= least
            ]
            if not again:
                return rows, scores
            # also beyond k: a part's own order is not quite that of all
            depths[again] = np.minimum(2 * depths[again], k + MOST_FURTHER)
            found |= self._searched(question, depths, again)

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
        self.mean_length = self._mean_length()

    def found(self, question: _Question, k: int) -> _Found:
        """Return the part's first k hits."""
        frequencies = self.frequencies(question.terms)
        known = np.flatnonzero(frequencies)
        boosts = with_idf_of_all(question.weighted_idf[known], self.indexed, frequencies[known])
        rows, rounded = self.hits(question.terms[known], boosts, k, question.years)
        scores = lucene.scores(self._terms, rows, question.terms, question.weights)

        # a longer mean length makes scores higher, at most in proportion
        higher = max(question.mean_length / self.mean_length, 1.0) * (1 + _ROUNDING)
        return _Found(rows, scores, float(rounded[-1]) * higher if rows.size else 0.0)

    def _mean_length(self) -> float:
        """Return the mean length that the engine has here, 1 where no paper has terms. It can only
        be found from the score of the best paper for a term,
        idf f (k1 + 1) / (f + k1 (1 - b + b length / mean)).
        """
        rows = self.some(_PROBED)
        terms = np.concatenate([self._terms.lists(rows, field).values for field in FIELDS])[:1]
        if not terms.size:
            return 1.0
        best, (score, *_) = self.hits(terms, np.ones(1), 1)
        weight = idf(TermStatistics(self.indexed, self.frequencies(terms), 1.0))[0]
        count = self._terms.counts(best, terms, "text")[0, 0]
        norm = weight * count * (lucene.K1 + 1) / score - count
        length = lucene.rounded_lengths(self._terms.lengths(best, "text"))[0]
        return float(lucene.B * length / (norm / lucene.K1 - 1 + lucene.B))


def _halves(numbers: Sequence[int], sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return numbers of parts, the largest first, in two lists of about the same size together."""
    lists: tuple[list[int], list[int]] = [], []
    totals = [0, 0]
    for number in numbers:
        smaller = totals.index(min(totals))
        lists[smaller].append(number)
        totals[smaller] += sizes[number]
    return lists
