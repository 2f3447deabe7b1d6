"""The forward index: terms of papers, field by field, with their document frequencies."""

import threading
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, flat_index
from citewise.library.levels import LevelledTables
from citewise.library.segments import Segments
from citewise.library.tables import Tables
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import FIELDS, Matches, TermNumbers, TermStatistics
from citewise.text.tokens import TermNumbering

_LEAST_BITS, _MOST_BITS = 18, 20
"""Of terms, by which they are looked up: the fewer mostly keep those of a query apart, and up to
the most, all bits of a vocabulary are taken.
"""

_TEXTS_KEPT = 8
"""Texts whose terms are remembered: the stages of a system all ask for the same ones."""


class TermStore:
    """`protocols.Terms` over segments, tables and the vocabulary.

    `papers` is the number of papers, `field_lengths` the number of terms in all of them by field.
    """

    def __init__(
        self,
        segments: Segments,
        tables: Tables | LevelledTables,
        vocabulary: Vocabulary,
        papers: int,
        field_lengths: dict[str, int],
    ) -> None:
        self._segments, self._tables, self._vocabulary = segments, tables, vocabulary
        self._papers, self._field_lengths = papers, field_lengths
        self._numbering, self._lock = TermNumbering(vocabulary.numbers), threading.Lock()
        self.of = lru_cache(maxsize=_TEXTS_KEPT)(self._of)

    def _of(self, text: str) -> tuple[TermNumbers, NDArray[np.int64]]:
        """Return the distinct terms of a text that the library knows, and their counts."""
        with self._lock:
            numbers, _ = self._numbering.numbers([text])
        terms, counts = np.unique(numbers, return_counts=True)
        terms.flags.writeable = counts.flags.writeable = False  # the next caller gets the same
        return terms, counts

    def words(self, terms: TermNumbers) -> list[str]:
        """Return the stems with these numbers."""
        return [self._vocabulary.word(number) for number in terms.tolist()]

    def statistics(self, terms: TermNumbers, field: str) -> TermStatistics:
        """Return the terms' document frequencies in a field of all papers."""
        frequencies = self._tables.document_frequencies(field, terms)
        lengths = self._field_lengths
        total = sum(lengths.values()) if field == "text" else lengths[field]
        return TermStatistics(self._papers, frequencies, total / max(self._papers, 1))

    def counts(self, rows: Rows, terms: TermNumbers, field: str) -> NDArray[np.float64]:
        """Return the papers x terms matrix of how often each term occurs in a field."""
        if field == "text":
            return self.counts(rows, terms, "title") + self.counts(rows, terms, "abstract")
        matrix = np.zeros((rows.size, terms.size))
        matches = self.matches(rows, terms, field)
        matrix[matches.rows, matches.columns] = matches.counts
        return matrix

    def matches(self, rows: Rows, terms: TermNumbers, field: str) -> Matches:
        """Return the non-zero entries of `counts`, by positions in `rows` and `terms`."""
        end = max(len(self._vocabulary), int(terms.max(initial=-1)) + 1)
        columns, mask = _by_lower_bits(terms, end)
        whole = end <= columns.size
        parts = []
        for segment, positions, local in self._segments.split(rows):
            starts = segment.starts(field)
            index, begins = flat_index(starts[local], starts[local + 1])
            every = segment.values(field, "terms").take(index)
            entries = columns.take(every if whole else every & mask)
            hits = np.flatnonzero(entries != 0)  # for bytes alone it would take three times as long
            column = entries.take(hits).astype(np.int64)
            column -= 1

            if not whole:  # another term may have the lower bits of one that was asked for
                same = np.flatnonzero(terms.take(column) == every.take(hits))
                hits, column = hits.take(same), column.take(same)

            owners = np.repeat(positions, np.diff(begins))  # a search for each hit takes longer
            counts = segment.values(field, "counts").take(index.take(hits)).astype(np.float64)
            parts.append((owners.take(hits), column, counts))
        return _joined(parts)

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each occurs there."""
        if len(self._segments) == 1:
            terms, counts = self._segments[0].lists(field, rows, "terms", "counts")
            # 64 bits: the logarithm of a 16-bit count would be a 32-bit float
            wide = Ragged(terms.values.astype(np.int64), terms.starts)
            return wide, counts.values.astype(np.int64)

        lengths = np.zeros(rows.size, np.int64)
        owners, values, counted = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], []
        for segment, positions, local in self._segments.split(rows):
            terms, counts = segment.lists(field, local, "terms", "counts")
            lengths[positions] = terms.lengths
            owners.append(np.repeat(positions, terms.lengths))
            values.append(terms.values)
            counted.append(counts.values)

        order = np.argsort(np.concatenate(owners), kind="stable")
        starts = np.concatenate(([0], np.cumsum(lengths)))
        every = np.concatenate([np.zeros(0, np.int64), *counted]).astype(np.int64)
        return Ragged(np.concatenate(values).astype(np.int64)[order], starts), every[order]

    def lists(self, rows: Rows, field: str) -> Ragged:
        """Return every term of a field of each paper."""
        if len(self._segments) > 1:
            return self.contents(rows, field)[0]
        (terms,) = self._segments[0].lists(field, rows, "terms")
        return Ragged(terms.values.astype(np.int64), terms.starts)

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return the number of terms in a field (or in "text") of each paper."""
        if field == "text":
            return sum((self.lengths(rows, each) for each in FIELDS), np.zeros(rows.size, np.int64))
        lengths = np.zeros(rows.size, np.int64)
        for segment, positions, local in self._segments.split(rows):
            lengths[positions] = segment.array(f"{field}.lengths")[local]
        return lengths


def _by_lower_bits(terms: TermNumbers, end: int) -> tuple[NDArray[Any], np.uint32]:
    """Return a table from the lower bits of a term to 1 + its position in `terms`, and a mask for
    these bits; 0 where no term has them.

    terms  5 12      mask 0b111      table  0 0 0 0 2 1 0 0     (12 & 7 = 4, 5 & 7 = 5)

    All terms of papers are below `end`. Where these are not too many, the mask has all their bits;
    else as many as keep the given terms apart: the table then grows with these, not with the
    vocabulary, and stays in the cache.
    """
    positions, needed = np.arange(1, terms.size + 1), max(end - 1, 0).bit_length()
    bits = max(needed, _LEAST_BITS) if needed <= _MOST_BITS else _LEAST_BITS
    while True:
        mask = (1 << bits) - 1
        table = np.zeros(mask + 1, np.min_scalar_type(terms.size))
        table[terms & mask] = positions
        if (table[terms & mask] == positions).all():  # of two in one place, the last is there
            return table, np.uint32(mask)
        bits += 1


def _joined(parts: list[tuple[Rows, Rows, NDArray[np.float64]]]) -> Matches:
    """Return the matches of all segments, sorted by paper."""
    if len(parts) == 1:
        return Matches(*parts[0])
    if not parts:
        return Matches(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))

    rows, columns, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return Matches(rows[order], columns[order], counts[order])
