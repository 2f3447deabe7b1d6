"""Terms and search over shards, with the document frequencies of the whole library."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.engines.shards.papers import RowYears, ShardedLists
from citewise.engines.shards.recent import RecentQuestions
from citewise.engines.shards.scatter import Answer, Scatter, gathered_lists
from citewise.library.lexical import LexicalReader
from citewise.library.lexical_shares import best_of, share_of
from citewise.library.tables import Tables
from citewise.library.terms import TermStore
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import FIELDS, Matches, TermNumbers
from citewise.scoring.bm25 import idf

_MANY, _CARRIED = 2_500, 1_500
"""Where more hits than the first number are asked for, their references are asked for next: those
of the second number of hits come with the answer.
"""

_FEW = 2_500
"""Papers up to which both fields are asked for at once."""


class ShardedTerms(TermStore):
    """`protocols.Terms` over shards: vocabulary, frequencies and lengths are known here."""

    def __init__(
        self,
        years: RowYears,
        tables: Tables,
        vocabulary: Vocabulary,
        papers: int,
        lengths: tuple[dict[str, int], dict[str, NDArray[np.uint32]]],
        scatter: Scatter,
    ) -> None:
        """`lengths` are the terms of each field, in all papers together and of each row."""
        super().__init__(years, tables, vocabulary, papers, lengths[0])
        self._lengths, self._scatter = lengths[1], scatter
        self._recent_matches, self._recent_contents = RecentQuestions(), RecentQuestions()

    def matches(self, rows: Rows, terms: TermNumbers, field: str) -> Matches:
        """Return the non-zero entries of `counts`, by positions in `rows` and `terms`."""

        def ask() -> dict[str, Matches]:
            fields = _together(rows, field)
            answers = self._scatter.by_row("matches", rows, terms, fields)
            return {
                each: _joined([Answer(positions, value[at]) for positions, value in answers])
                for at, each in enumerate(fields)
            }

        found: Matches = self._recent_matches.answer((rows, terms), field, ask)
        return found

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each occurs there."""

        def ask() -> dict[str, tuple[Ragged, NDArray[np.int64]]]:
            fields = _together(rows, field)
            answers = self._scatter.by_row("contents", rows, fields)
            return {each: _joined_contents(answers, at, rows) for at, each in enumerate(fields)}

        found: tuple[Ragged, NDArray[np.int64]]
        found = self._recent_contents.answer((rows,), field, ask)
        return found

    def lists(self, rows: Rows, field: str) -> Ragged:
        """Return every term of a field of each paper."""
        return self.contents(rows, field)[0]

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return the number of terms in a field (or in "text") of each paper."""
        fields = FIELDS if field == "text" else (field,)
        return sum(
            (self._lengths[each][rows].astype(np.int64) for each in fields),
            np.zeros(rows.size, np.int64),
        )


def _together(rows: Rows, field: str) -> list[str]:
    """Return the fields to ask for at once: whoever asks about few papers asks for both."""
    return list(FIELDS) if rows.size <= _FEW else [field]


def _joined_contents(
    answers: Sequence[Answer], at: int, rows: Rows
) -> tuple[Ragged, NDArray[np.int64]]:
    """Return the contents of one of the fields that were asked for, in the order of rows."""
    lists = [Answer(positions, value[at][0]) for positions, value in answers]
    counts = [value[at][1] for _, value in answers]
    found, (counted,) = gathered_lists(lists, rows.size, [counts])
    return found, counted


def _joined(answers: Sequence[Answer]) -> Matches:
    """Return the matches of all shards, sorted by the papers' positions."""
    if not answers:
        return Matches(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    rows = np.concatenate([positions[found.rows] for positions, found in answers])
    columns = np.concatenate([found.columns for _, found in answers])
    counts = np.concatenate([found.counts for _, found in answers])
    order = np.argsort(rows, kind="stable")
    return Matches(rows[order], columns[order], counts[order])


class ShardedIndex(LexicalReader):
    """The inverted indexes of all shards as one: the same scores, since every shard weighs terms by
    the library's document frequencies and has its mean length.
    """

    def __init__(
        self, terms: ShardedTerms, papers: int, references: ShardedLists, scatter: Scatter
    ) -> None:
        """`references` remember the lists that come with hits."""
        self._terms, self._papers, self._scatter = terms, papers, scatter
        self._references = references

    def __len__(self) -> int:
        return self._papers

    def hits(
        self,
        terms: NDArray[np.int64],
        weights: NDArray[np.float64],
        k: int,
        years: tuple[int, int] | None = None,
    ) -> tuple[Rows, NDArray[np.float64]]:
        """Return the rows of the k best and their scores, best first, equal ones by row."""
        if k <= 0 or not terms.size or not len(self):
            return np.zeros(0, np.int64), np.zeros(0)

        weighted_idf = weights * idf(self._terms.statistics(terms, "text"))
        asked = np.full(self._scatter.shards, share_of(k, 1 / self._scatter.shards))
        carried = math.ceil(_CARRIED / self._scatter.shards) if k > _MANY else 0
        question = (terms, weighted_idf, int(asked[0]), years, carried)
        found = dict(enumerate(self._scatter.all("hits", *question)))
        self._references.remember([each for _, _, each in found.values()])

        while True:
            rows, scores = best_of([each[:2] for each in found.values()], k)
            again = [
                shard
                for shard, (_, own, _) in found.items()
                if own.size == asked[shard] < k and (scores.size < k or own[-1] >= scores[-1])
            ]
            if not again:
                return rows, scores
            asked[again] = np.minimum(2 * asked[again], k)
            answers = self._scatter.ask(
                [
                    (shard, "hits", (terms, weighted_idf, int(asked[shard]), years, 0))
                    for shard in again
                ]
            )
            found |= zip(again, answers, strict=True)
