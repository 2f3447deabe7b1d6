"""Terms and search over shards, with the document frequencies of the whole library."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Ragged, Rows
from citewise.engines.shards.papers import RowYears
from citewise.engines.shards.scatter import Answer, Scatter, gathered_lists
from citewise.library.lexical import LexicalReader
from citewise.library.tables import Tables
from citewise.library.terms import TermStore
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import FIELDS, Matches, TermNumbers
from citewise.scoring.bm25 import idf

_SPARE_DEVIATIONS = 4.0
"""A shard is asked for k / S hits and this many times the root of that: papers are dealt to shards
by chance, so hardly ever are more of the k best in one.
"""


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

    def matches(self, rows: Rows, terms: TermNumbers, field: str) -> Matches:
        """Return the non-zero entries of `counts`, by positions in `rows` and `terms`."""
        answers = self._scatter.by_row("matches", rows, terms, [field])
        return _joined([Answer(positions, value[0]) for positions, value in answers])

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each occurs there."""
        answers = self._scatter.by_row("contents", rows, [field])
        lists = [Answer(positions, value[0][0]) for positions, value in answers]
        found, (counts,) = gathered_lists(lists, rows.size, [[value[0][1] for _, value in answers]])
        return found, counts

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return the number of terms in a field (or in "text") of each paper."""
        fields = FIELDS if field == "text" else (field,)
        return sum(
            (self._lengths[each][rows].astype(np.int64) for each in fields),
            np.zeros(rows.size, np.int64),
        )


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

    def __init__(self, terms: ShardedTerms, papers: int, scatter: Scatter) -> None:
        self._terms, self._papers, self._scatter = terms, papers, scatter

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

        telling = weights * idf(self._terms.statistics(terms, "text"))
        share = k / self._scatter.shards
        asked = np.full(self._scatter.shards, math.ceil(share + _SPARE_DEVIATIONS * share**0.5))
        asked = np.minimum(asked, k)
        found = dict(enumerate(self._scatter.all("hits", terms, telling, int(asked[0]), years)))

        while True:
            rows, scores = _best(list(found.values()), k)
            again = [
                shard
                for shard, (_, own) in found.items()
                if own.size == asked[shard] < k and (scores.size < k or own[-1] >= scores[-1])
            ]
            if not again:
                return rows, scores
            asked[again] = np.minimum(2 * asked[again], k)
            answers = self._scatter.ask(
                [(shard, "hits", (terms, telling, int(asked[shard]), years)) for shard in again]
            )
            found |= zip(again, answers, strict=True)


def _best(parts: Sequence[tuple[Rows, Column]], k: int) -> tuple[Rows, Column]:
    """Return the k best hits of all shards, best first, equal ones by row."""
    rows = np.concatenate([rows for rows, _ in parts])
    scores = np.concatenate([scores for _, scores in parts])
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]
