"""BM25 and BM25+: the three factors of a term's score, for arrays of any shape.

The score of document D for query Q is the sum over terms t of Q of

    weight(t) * saturation(count of t in D, length_norm(|D| / mean length))

where weight(t) is idf(t) times the count of t in Q. BM25+ adds delta to each saturation.
"""

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import TermStatistics

K1, B = 1.6, 0.75
"""Tuned on a development year; the ranker was trained with these values."""

Values = NDArray[np.float64]


def idf(statistics: TermStatistics) -> Values:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) of each term: never negative, as Lucene has it.

    N documents, n of them with the term (Robertson and Zaragoza 2009).
    """
    frequencies = statistics.frequencies
    return np.log1p((statistics.documents - frequencies + 0.5) / (frequencies + 0.5))


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
