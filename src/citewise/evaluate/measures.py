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
"""Of answers between two systems, for a test: the least p-value is 1 """

_CHUNK = 500
_TINY = 1e-12
_SPELLED = re.compile(r"\s*([A-Za-z]+\d?)@(\d+)\s*")

Values = NDArray[np.float64]
"""One row a query, one column for each number of a measure."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Where some rankings have hits: `relevant` is queries x depth, `wanted` the number of papers
    that each query should find.
    """

    relevant: NDArray[np.bool_]
    wanted: NDArray[np.int64]

    @classmethod
    def of(
        cls, rankings: Sequence[NDArray[np.int64]], gold: Sequence[Sequence[int]], depth: int
    ) -> "Hits":
        """Return which papers of each ranking are among its query's gold rows; a query without an
        answer has no hit.
        """
        relevant = np.zeros((len(rankings), depth), np.bool_)
        for query, (ranking, wanted) in enumerate(zip(rankings, gold, strict=True)):
            hits = np.isin(ranking[:depth], wanted)
            relevant[query, : hits.size] = hits
        return cls(relevant, np.array([len(wanted) for wanted in gold], np.int64))

    def take(self, queries: NDArray[np.int64]) -> "Hits":
        """Return the hits of some queries."""
        return Hits(self.relevant[queries], self.wanted[queries])


def _precision(hits: Hits, k: int) -> Values:
    """Return the share of the first k papers that are relevant."""
    return _column(hits.relevant[:, :k].sum(1) / k)


def _recall(hits: Hits, k: int) -> Values:
    """Return the share of the wanted papers that are among the first k."""
    return _column(hits.relevant[:, :k].sum(1) / np.maximum(hits.wanted, 1))


def _precision_and_recall(hits: Hits, k: int) -> Values:
    return np.hstack((_precision(hits, k), _recall(hits, k)))


def _reciprocal_rank(hits: Hits, k: int) -> Values:
    """Return 1 / rank of the first hit within k, else 0."""
    first = hits.relevant[:, :k].argmax(1)
    return _column(hits.relevant[:, :k].any(1) / (first + 1))


def _average_precision(hits: Hits, k: int) -> Values:
    """Return the sum of the precisions at each hit within k, divided by the number of wanted
    papers, as trec_eval's map_cut does.
    """
    relevant = hits.relevant[:, :k]
    # precision[q, r] = hits of query q up to rank r + 1, divided by r + 1
    precision = np.cumsum(relevant, 1) / np.arange(1, relevant.shape[1] + 1)
    return _column((precision * relevant).sum(1) / np.maximum(hits.wanted, 1))


def _normalised_gain(hits: Hits, k: int) -> Values:
    """Return the gain, discounted by log2(rank + 1), divided by that of the best order (Järvelin
    and Kekäläinen 2002).
    """
    relevant = hits.relevant[:, :k]
    discounts = 1 / np.log2(np.arange(2, k + 2))

    # best[n] is the gain of n hits at the first n ranks: 1 and more, but for a query without any
    best = np.concatenate(([0.0], np.cumsum(discounts)))[np.minimum(hits.wanted, k)]
    gained = relevant @ discounts[: relevant.shape[1]]
    return _column(gained / np.maximum(best, 1.0))


def _hit(hits: Hits, k: int) -> Values:
    """Return 1 where any of the first k papers is relevant, else 0."""
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
"""By name: the function that computes each query's numbers."""

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
        if not hits.wanted.size:
            return 0.0
        return float(combined(self.each(hits).mean(0, keepdims=True))[0])


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Read several measures, separated by spaces or commas; each counts once."""
    return tuple(
        dict.fromkeys(Measure.parse(part) for part in re.split(r"[\s,]+", text.strip()) if part)
    )


def combined(means: Values) -> NDArray[np.float64]:
    """Return the measure for each row of means over queries: the mean itself, or the harmonic mean
    of two.
    """
    if means.shape[1] == 1:
        return means[:, 0]
    product, total = means[:, 0] * means[:, 1], means[:, 0] + means[:, 1]
    return np.divide(2 * product, total, out=np.zeros_like(product), where=total > 0)


def interval(values: Values, seed: int = 0, share: float = 0.95) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a measure over queries."""
    return bounds(resampled(values, seed), share)


def resampled(values: Values, seed: int = 0) -> NDArray[np.float64]:
    """Return the measure over each of many resamples of the queries; zeros if there are none."""
    generator, count = np.random.default_rng(seed), len(values)
    if not count:
        return np.zeros(RESAMPLES)

    # draws @ values / count: the means over each resample, a row each
    return np.concatenate(
        [combined(_drawn(generator, count) @ values / count) for _ in range(RESAMPLES // _CHUNK)]
    )


def bounds(drawn: NDArray[np.float64], share: float = 0.95) -> tuple[float, float]:
    """Return the two quantiles between which a share of the resampled values lies."""
    low, high = np.quantile(drawn, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def _drawn(generator: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return how often each query is drawn, a resample a row."""
    # resample s draws numbers s * count .. s * count + count - 1: one bincount counts all resamples
    queries = generator.integers(0, count, (_CHUNK, count)) + np.arange(_CHUNK)[:, None] * count
    return np.bincount(queries.ravel(), minlength=_CHUNK * count).reshape(_CHUNK, count)


def significance(one: Values, other: Values, seed: int = 0) -> float:
    """Return the two-sided p-value of a paired randomisation test, in which each query's two
    answers change sides at random.
    """
    generator, count = np.random.default_rng(seed), len(one)
    if not count:
        return 1.0

    change = (other - one) / count
    left, right = one.mean(0, keepdims=True), other.mean(0, keepdims=True)
    observed = abs(float((combined(left) - combined(right))[0])) - _TINY

    as_large = 0
    for _ in range(EXCHANGES // _CHUNK):
        # each row of the coin tosses says which queries change sides; `moved` is what that adds
        # to the mean of the one system and takes from that of the other
        moved = generator.integers(0, 2, (_CHUNK, count), np.int8).astype(np.float64) @ change
        as_large += int(
            (np.abs(combined(left + moved) - combined(right - moved)) >= observed).sum()
        )

    return (as_large + 1) / (EXCHANGES + 1)
