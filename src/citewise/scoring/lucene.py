"""BM25 as Lucene and tantivy compute it: k1 = 1.2, b = 0.75, lengths as a byte stands for them."""

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.protocols import TermNumbers, Terms
from citewise.scoring.bm25 import idf, length_norm, saturation

K1, B = 1.2, 0.75

_DIGITS = 9
"""Scores are rounded to these decimals: equal ones may have been added up in different orders."""


def scores(papers: Terms, rows: Rows, terms: TermNumbers, weights: NDArray[np.float64]) -> Column:
    """Return the score of each paper's title and abstract together; `weights` are how often a query
    has each of the terms.
    """
    known = papers.statistics(terms, "text")
    lengths = rounded_lengths(papers.lengths(rows, "text"))
    norm = length_norm(lengths / max(known.mean_length, 1e-9), K1, B)
    parts = saturation(papers.counts(rows, terms, "text"), norm[:, None], K1)
    found: Column = np.round((parts * (idf(known) * weights)).sum(1), _DIGITS)
    return found


def rounded_lengths(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each length as the largest that a byte stands for in Lucene's indexes and that is not
    above it: 0 to 40, and then eight to each power of two (42, 44, ... 54, 56, 60, ...).
    """
    return _LENGTHS[np.searchsorted(_LENGTHS, lengths, "right") - 1]


def _lengths_of_a_byte() -> NDArray[np.int64]:
    # a number of 232 values has three bits behind its first one, and a shift; 24 are added, so that
    # the first lengths are exact
    values = np.arange(256 - 24)
    bits, shift = values & 7, (values >> 3) - 1
    floats = np.where(shift < 0, bits, (bits | 8) << np.maximum(shift, 0))
    return np.concatenate((np.arange(24), 24 + floats))


_LENGTHS = _lengths_of_a_byte()
