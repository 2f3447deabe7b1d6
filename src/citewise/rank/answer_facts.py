"""Facts about an answer that tell a query at home in the library from one that is not.

They are inputs of a calibration, beside the score and the rank of each candidate.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.protocols import FIELDS, Stores, TermStatistics
from citewise.scoring.bm25 import idf
from citewise.scoring.similarity import Bag
from citewise.text.tokens import words_by_stem
from citewise.types import Query, Ranking

_DEPTH = 10
"""Facts are those of this many of the best candidates."""

_SAMPLE = 4000
"""Papers whose references are counted to learn how many a paper has within the library."""

_LONGEST = 4000
"""Characters of a query whose words are looked at."""

_MEANS = ("title_in_draft", "cover", "title_cover", "whole_score")
_LOG_MEANS = ("citations", "support")
"""Signals whose means over the best candidates are facts, as they are and as logarithms."""


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """What a calibration wants to know about a library; it is the same for every query."""

    papers: int
    references: float
    """How many papers of the library a paper cites on average, of those that cite any."""

    @classmethod
    def of(cls, stores: Stores) -> "LibraryFacts":
        """Return the facts of a library, its references from a sample of its papers."""
        rows = stores.papers.rows
        lengths = stores.graph.references(rows[:: max(rows.size // _SAMPLE, 1)]).lengths
        citing = lengths[lengths > 0]
        return cls(rows.size, float(citing.mean()) if citing.size else 0.0)


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """Facts about one answer, by name, and the total weight of the query's words."""

    values: dict[str, float]
    weight: float


def answer_facts(
    stores: Stores, library: LibraryFacts, query: Query, ranking: Ranking
) -> AnswerFacts:
    """Return the facts about the answer to a query; `ranking` is best first and not empty.

    Chances of short queries follow other rules than those of long ones, hence the products.
    """
    best = ranking.take(slice(_DEPTH))
    words = QueryWords.of(stores, query.claim[:_LONGEST])
    shares = words.shares(stores, best.rows)
    covered, agreement = words.covered(shares), words.agreement(shares)
    log_papers, log_terms = float(np.log1p(library.papers)), float(np.log1p(words.count))

    values = {
        "log papers": log_papers,
        "log papers squared": log_papers**2,
        "log references": float(np.log1p(library.references)),
        "log given": float(np.log1p(len(query.cited))),
        "log terms": log_terms,
        "known": words.known,
        "covered": covered,
        "covered * log terms": covered * log_terms,
        "agreement * log terms": agreement * log_terms,
        "best score": float(best.scores[0]),
        "mean score": float(best.scores.mean()),
        "voted": float((_known(best, "vote_count") > 0).mean()),
        **{name: float(_known(best, name).mean()) for name in _MEANS},
        **{f"log {name}": float(np.log1p(_known(best, name).mean())) for name in _LOG_MEANS},
    }
    return AnswerFacts(values, words.total)


def _known(ranking: Ranking, signal: str) -> Column:
    """Return a signal, 0 where nothing is known."""
    return np.nan_to_num(ranking.signals.get(signal, np.zeros(len(ranking))))


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The distinct words of a query, and their weights in the library."""

    bag: Bag
    """Those that the library knows."""
    weights: Column
    """The idf of these."""
    count: int
    """How many words there are, known or not."""
    total: float
    """The sum of the weights of all; a word that the library does not know has the greatest."""

    @classmethod
    def of(cls, stores: Stores, text: str) -> "QueryWords":
        """Return the words of a text."""
        bag = Bag.of(stores, text)
        statistics = stores.terms.statistics(bag.terms, "text")
        unseen = TermStatistics(statistics.documents, np.zeros(1, np.int64), 0.0)

        weights, count = idf(statistics), max(len(words_by_stem(text)), bag.terms.size)
        unknown = (count - bag.terms.size) * float(idf(unseen)[0])
        return cls(bag, weights, count, max(float(weights.sum()) + unknown, 1e-9))

    @property
    def known(self) -> float:
        """The share of the weight whose words are in the library."""
        return float(self.weights.sum()) / self.total

    def shares(self, stores: Stores, rows: Rows) -> Column:
        """Return for each known word the share of the papers that have it."""
        has: NDArray[np.bool_] = np.zeros((rows.size, self.bag.terms.size), np.bool_)
        for field in FIELDS:
            matches = stores.terms.matches(rows, self.bag.terms, field)
            has[matches.rows, matches.columns] = True
        shares: Column = has.mean(0)
        return shares

    def covered(self, shares: Column) -> float:
        """Return the share of the weight whose words any of the papers has."""
        return float(self.weights[shares > 0].sum()) / self.total

    def agreement(self, shares: Column) -> float:
        """Return how far the papers have the same words of the query: 1 where all of them do."""
        matched = self.weights * shares
        return float((matched * shares).sum() / max(float(matched.sum()), 1e-9))
