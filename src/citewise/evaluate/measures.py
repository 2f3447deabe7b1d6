"""Measures as values that print as they parse (`F1@20`), over all queries at once, with intervals
and significance.

A measure is computed in two steps: a number or two for each query, and one number of their means
over the queries. Only F1@k has two, for it is the harmonic mean of the mean precision and the mean
recall (Bhagavatula et al. 2018, Nogueira et al. 2020); for all others the second step does nothing.
Intervals and tests resample queries and repeat that step.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citewise.errors import BadInput

RESAMPLES = 2_000
"""Of the queries, for an interval."""

EXCHANGES = 10_000
"""Of answers between two systems, for a test: no p-value is below one in so many."""

_CHUNK = 500
_TINY = 1e-12
_SPELLED = re.compile(r"\s*([A-Za-z]+\d?)@(\d+)\s*")

Values = NDArray[np.float64]
"""One row a query, one column for each number of a measure."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What some rankings hit: queries x depth, and how many papers each query should find."""

    relevant: NDArray[np.bool_]
    wanted: NDArray[np.int64]

    @classmethod
    def of(
        cls, rankings: Sequence[NDArray[np.int64]], gold: Sequence[Sequence[int]], depth: int
    ) -> "Hits":
        """Look for the gold rows of each query in its ranking; a query without an answer hits
        nothing.
        """
        relevant = np.zeros((len(rankings), depth), np.bool_)
        for place, (ranking, wanted) in enumerate(zip(rankings, gold, strict=True)):
            found = np.isin(ranking[:depth], wanted)
            relevant[place, : found.size] = found
        return cls(relevant, np.array([len(wanted) for wanted in gold], np.int64))

    def take(self, queries: NDArray[np.int64]) -> "Hits":
        """Return the hits of some queries."""
        return Hits(self.relevant[queries], self.wanted[queries])


def _precision(hits: Hits, k: int) -> Values:
    return _column(hits.relevant[:, :k].sum(1) / k)


def _recall(hits: Hits, k: int) -> Values:
    return _column(hits.relevant[:, :k].sum(1) / np.maximum(hits.wanted, 1))


def _precision_and_recall(hits: Hits, k: int) -> Values:
    return np.hstack((_precision(hits, k), _recall(hits, k)))


def _reciprocal_rank(hits: Hits, k: int) -> Values:
    first = hits.relevant[:, :k].argmax(1)
    return _column(hits.relevant[:, :k].any(1) / (first + 1))


def _average_precision(hits: Hits, k: int) -> Values:
    """Sum the precision at each hit within k, over all that should be found, as trec_eval's map_cut
    does.
    """
    relevant = hits.relevant[:, :k]
    precision = np.cumsum(relevant, 1) / np.arange(1, relevant.shape[1] + 1)
    return _column((precision * relevant).sum(1) / np.maximum(hits.wanted, 1))


def _normalised_gain(hits: Hits, k: int) -> Values:
    """Discount by log2(rank + 1), over what the best order would gain (Järvelin and Kekäläinen
    2002).
    """
    relevant = hits.relevant[:, :k]
    discounts = 1 / np.log2(np.arange(2, k + 2))
    best = np.concatenate(([0.0], np.cumsum(discounts)))[np.minimum(hits.wanted, k)]
    gained = relevant @ discounts[: relevant.shape[1]]
    return _column(
        gained / np.maximum(best, 1.0)
    )  # the best gain of a query that wants anything is 1 and more


def _hit(hits: Hits, k: int) -> Values:
    return _column(hits.relevant[:, :k].any(1))


def _column(values: ArrayLike) -> Values:
    return np.asarray(values, np.float64)[:, None]


FORMULAS: dict[str, Callable[[Hits, int], Values]] = {
    "P": _precision,
    "R": _recall,
    "F1": _precision_and_recall,
    "MRR": _reciprocal_rank,
    "MAP": _average_precision,
    "nDCG": _normalised_gain,
    "hit": _hit,
}
"""Name to what is computed for each query."""

_NAMES = {name.lower(): name for name in FORMULAS}


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """A measure of the first k papers of a ranking; 1 is best."""

    name: str
    k: int

    @classmethod
    def parse(cls, text: str) -> "Measure":
        """Read a name and a depth: `nDCG@10`, in any case."""
        match = _SPELLED.fullmatch(text)
        if not match or match[1].lower() not in _NAMES or int(match[2]) < 1:
            raise BadInput(
                f"unknown measure {text.strip()!r}; write a name and a depth, such as F1@20; "
                f"names: {', '.join(FORMULAS)}"
            )
        return cls(_NAMES[match[1].lower()], int(match[2]))

    def __str__(self) -> str:
        """Return the spelling that parses to this value."""
        return f"{self.name}@{self.k}"

    def each(self, hits: Hits) -> Values:
        """Return each query's number (two for F1: precision and recall)."""
        return FORMULAS[self.name](hits, self.k)

    def of(self, hits: Hits) -> float:
        """Return the measure over all queries, 0 if there are none."""
        return (
            float(combined(self.each(hits).mean(0, keepdims=True))[0]) if hits.wanted.size else 0.0
        )


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Read several measures, separated by spaces or commas; each counts once."""
    return tuple(
        dict.fromkeys(Measure.parse(part) for part in re.split(r"[\s,]+", text.strip()) if part)
    )


def combined(means: Values) -> NDArray[np.float64]:
    """Return the measure that each row of means over queries makes: where there are two, their
    harmonic mean.
    """
    if means.shape[1] == 1:
        return means[:, 0]
    product, total = means[:, 0] * means[:, 1], means[:, 0] + means[:, 1]
    return np.divide(2 * product, total, out=np.zeros_like(product), where=total > 0)


def interval(values: Values, seed: int = 0, share: float = 0.95) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a measure over queries."""
    return bounds(resampled(values, seed), share)


def resampled(values: Values, seed: int = 0) -> NDArray[np.float64]:
    """Return a measure over many resamples of the queries, 0 if there are none."""
    dice, count = np.random.default_rng(seed), len(values)
    if not count:
        return np.zeros(RESAMPLES)
    return np.concatenate(
        [combined(_drawn(dice, count) @ values / count) for _ in range(RESAMPLES // _CHUNK)]
    )


def bounds(drawn: NDArray[np.float64], share: float = 0.95) -> tuple[float, float]:
    """Return the quantiles that a share of resampled values lies between."""
    low, high = np.quantile(drawn, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def _drawn(dice: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return how often each query is drawn, a resample a row."""
    queries = dice.integers(0, count, (_CHUNK, count)) + np.arange(_CHUNK)[:, None] * count
    return np.bincount(queries.ravel(), minlength=_CHUNK * count).reshape(_CHUNK, count)


def significance(one: Values, other: Values, seed: int = 0) -> float:
    """Return the two-sided p-value of a paired randomisation test: each query's two answers change
    sides at random.
    """
    dice, count = np.random.default_rng(seed), len(one)
    if not count:
        return 1.0
    change = (other - one) / count
    left, right = one.mean(0, keepdims=True), other.mean(0, keepdims=True)
    seen = abs(float((combined(left) - combined(right))[0])) - _TINY
    as_large = 0
    for _ in range(EXCHANGES // _CHUNK):
        moved = dice.integers(0, 2, (_CHUNK, count), np.int8).astype(np.float64) @ change
        as_large += int((np.abs(combined(left + moved) - combined(right - moved)) >= seen).sum())
    return (as_large + 1) / (EXCHANGES + 1)
