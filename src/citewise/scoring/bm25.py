"""BM25 and BM25+: the three factors of a term's score, for arrays of any shape.

The score of document D for query Q is the sum over terms t of Q of

    weight(t) * saturation(count of t in D, length_norm(|D| / mean length))

where weight(t) is idf(t) times the count of t in Q. BM25+ adds delta to each saturation.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import TermStatistics

K1, B = 1.6, 0.75
"""Tuned on a development year; the ranker was trained with these values."""

Values = NDArray[np.float64]

_MANY, _TABLED = 4_096, 1 << 16
"""The idf of more terms than this is looked up, as far as none of them is in more documents than
the table has: a logarithm takes ten times as long.
"""


def idf(statistics: TermStatistics) -> Values:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) of each term: never negative, as Lucene has it.

    N documents, n of them with the term (Robertson and Zaragoza 2009).
    """
    frequencies = statistics.frequencies
    if frequencies.size > _MANY:
        table = _idf_table(statistics.documents)
        if frequencies.max() < table.size:
            return table.take(frequencies)
    return _idf(statistics.documents, frequencies)


def _idf(documents: int, frequencies: NDArray[np.int64]) -> Values:
    return np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5))


@functools.lru_cache(maxsize=4)
def _idf_table(documents: int) -> Values:
    """Return the idf of terms that 0, 1, 2, ... documents have."""
    return _idf(documents, np.arange(min(documents + 1, _TABLED)))


def length_norm(relative_lengths: Values, k1: float = K1, b: float = B) -> Values:
    """Return k1 (1 - b + b |D| / mean length) of each document."""
    # never quite 0, so that a count of 0 gives 0 with k1 = 0, too
    return np.maximum(k1 * (1 - b + b * relative_lengths), np.finfo(np.float64).tiny)


def saturation(
    counts: Values, norm: Values, k1: float = K1, totals: Values | None = None
) -> Values:
    """Return f (k1 + 1) / (f + norm) for each count f.

    With `totals`, a term's occurrences are spread over several entries: each gets its share
    counts / totals of the saturation of the total.
    """
    return counts * (k1 + 1) / ((counts if totals is None else totals) + norm)
