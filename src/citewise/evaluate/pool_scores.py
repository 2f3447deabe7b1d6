"""Scores systems on pools: by field, over fields, and by kind of negative, with intervals."""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.evaluate.experiment import Comparison, Estimate, Settings, answers
from citewise.evaluate.measures import (
    Hits,
    Measure,
    Values,
    bounds,
    interval,
    parse_measures,
    resampled,
    significance,
)
from citewise.evaluate.pools import Pools, Resolved, ResolvedPool
from citewise.evaluate.runs import Progress, Run
from citewise.protocols import Stores

MEASURES = "MAP@1000 R@5"
"""MDCR's; no pool has a thousand papers, so MAP@1000 is over the whole pool."""


@dataclass(frozen=True, slots=True)
class PoolScores:
    """One system's results; a value is the mean over the queries of a field, or the mean over
    fields of those.
    """

    system: str
    average: dict[str, Estimate]
    """By measure, over fields."""
    fields: dict[str, dict[str, Estimate]]
    """By field and measure."""
    kinds: dict[str, dict[str, Estimate]]
    """By kind of negative and measure, over fields."""
    unscored: int
    """Papers that the system did not rank; they come last."""
    milliseconds: float | None
    """The median time of an answer."""


@dataclass(frozen=True, slots=True)
class PoolResults:
    """The results of all systems on some pools."""

    library: str
    """The library's fingerprint."""
    queries: dict[str, int]
    """By field."""
    papers: int
    """In all pools together."""
    absent_queries: int
    absent: int
    unseen: int
    """How many were left out; `Resolved` says why."""
    published: bool
    """Whether others made the pools; they are scored as they are, without the guard."""
    measures: tuple[str, ...]
    systems: tuple[PoolScores, ...]
    comparisons: tuple[Comparison, ...]
    """Every pair of systems by their averages over fields, each with the earlier one as the
    baseline.
    """


def score_pools(
    stores: Stores,
    systems: Sequence[str],
    pools: Pools,
    settings: Settings | None = None,
    progress: Progress = lambda done, total: None,
    *,
    stale: bool = False,
) -> PoolResults:
    """Rank every pool with every system, and return the measures; `settings.by` does not apply."""
    settings = settings or Settings(measures=parse_measures(MEASURES))
    resolved = pools.resolve(stores, stale=stale)
    if not resolved.pools:
        raise BadInput(
            "the library holds no query of these pools with a paper that it cites: index their "
            "papers first"
        )

    questions = [each.question for each in resolved.pools]
    largest = max(len(each.names) for each in resolved.pools)
    runs = answers(stores, systems, questions, replace(settings, depth=largest), progress)
    return score_runs(stores, runs, resolved, settings)


def score_runs(
    stores: Stores, runs: Sequence[Run], resolved: Resolved, settings: Settings
) -> PoolResults:
    """Return the measures of runs over the pools."""
    pools, by_field = resolved.pools, _by_field(resolved.pools)
    orders = {
        run.system: [
            completed(run, position, pool, settings.seed) for position, pool in enumerate(pools)
        ]
        for run in runs
    }

    return PoolResults(
        library=stores.info.fingerprint,
        queries={field: positions.size for field, positions in by_field.items()},
        papers=sum(len(pool.names) for pool in pools),
        absent_queries=resolved.absent_queries,
        absent=resolved.absent,
        unseen=resolved.unseen,
        published=resolved.published,
        measures=tuple(map(str, settings.measures)),
        systems=tuple(_scored(run, orders[run.system], pools, settings) for run in runs),
        comparisons=tuple(_comparisons(orders, pools, settings)),
    )


def _by_field(pools: Sequence[ResolvedPool]) -> dict[str, NDArray[np.int64]]:
    """Return the positions of each field's pools."""
    fields = [pool.field for pool in pools]
    return {field: np.flatnonzero(np.array(fields) == field) for field in dict.fromkeys(fields)}


def completed(run: Run, position: int, pool: ResolvedPool, seed: int = 0) -> Rows:
    """Return the whole pool as a system ranks it; papers that it did not rank come last.

    `position` is the pool's in the run. Papers of equal score, and those that have none, are
    ordered by a hash of their ids: that does not depend on the truth, and is the same wherever the
    pool is ranked.
    """
    ranking = run.rankings[position]
    level = dict(zip(ranking.tolist(), _levels(run, position).tolist(), strict=True))
    levels = np.array([level.get(row, ranking.size) for row in pool.rows.tolist()], np.int64)

    hashes = np.array([_hash(seed, pool.question.id, name) for name in pool.names], np.int64)
    # by level, within a level by hash
    return pool.rows[np.lexsort((hashes, levels))]


def _levels(run: Run, position: int) -> NDArray[np.int64]:
    """Return for each ranked paper the number of different scores above its own; a run file's order
    has no ties.
    """
    if not run.scores:
        return np.arange(run.rankings[position].size)

    scores = run.scores[position]
    # scores 9 9 7 4 4 have the levels 0 0 1 2 2
    return np.concatenate(([0], np.cumsum(np.diff(scores) != 0))).astype(np.int64)[: scores.size]


def _hash(seed: int, query: str, paper: str) -> int:
    text = f"{seed}\n{query}\n{paper}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big")


def _scored(
    run: Run, orders: Sequence[Rows], pools: Sequence[ResolvedPool], settings: Settings
) -> PoolScores:
    """Return one system's results over all pools, by field and by kind of negative."""
    whole = _hits(orders, pools, settings)
    fields = {
        field: {
            str(measure): Estimate(
                measure.of(whole.take(positions)),
                *interval(measure.each(whole.take(positions)), settings.seed),
            )
            for measure in settings.measures
        }
        for field, positions in _by_field(pools).items()
    }

    kinds = dict.fromkeys(kind for pool in pools for kind in pool.negatives)

    unscored = sum(
        np.setdiff1d(pool.rows, ranking).size
        for pool, ranking in zip(pools, run.rankings, strict=True)
    )

    return PoolScores(
        run.system,
        _over_fields(whole, pools, settings),
        fields,
        {kind: _against(kind, orders, pools, settings) for kind in kinds},
        unscored,
        None if run.seconds is None else float(np.median(run.seconds)) * 1000,
    )


def _hits(orders: Sequence[Rows], pools: Sequence[ResolvedPool], settings: Settings) -> Hits:
    depth = max(measure.k for measure in settings.measures)
    return Hits.of(orders, [pool.question.gold for pool in pools], depth)


def _against(
    kind: str, orders: Sequence[Rows], pools: Sequence[ResolvedPool], settings: Settings
) -> dict[str, Estimate]:
    """Return the measures over the cited papers and the negatives of one kind alone (section 4.4,
    table 4).

    A system gives a paper one score, as in the benchmark's files, so leaving the others out changes
    no order. Pools without a negative of that kind are left out.
    """
    chosen = [
        (pool, order[np.isin(order, [*pool.question.gold, *pool.negatives[kind].tolist()])])
        for pool, order in zip(pools, orders, strict=True)
        if pool.negatives.get(kind, np.zeros(0)).size
    ]

    return _over_fields(
        _hits([order for _, order in chosen], [pool for pool, _ in chosen], settings),
        [pool for pool, _ in chosen],
        settings,
    )


def _over_fields(
    hits: Hits, pools: Sequence[ResolvedPool], settings: Settings
) -> dict[str, Estimate]:
    """Return the mean over fields of each measure, with intervals that resample queries within
    each field.
    """
    by_field = _by_field(pools)
    return {
        str(measure): _mean_estimate(
            [(measure, hits.take(positions)) for positions in by_field.values()], settings.seed
        )
        for measure in settings.measures
    }


def _mean_estimate(parts: Sequence[tuple[Measure, Hits]], seed: int) -> Estimate:
    """Return the mean of a measure over parts, with an interval that resamples within each."""
    if not parts:
        return Estimate(0.0, 0.0, 0.0)

    drawn = np.mean(
        [
            resampled(measure.each(hits), seed + position)
            for position, (measure, hits) in enumerate(parts)
        ],
        0,
    )

    return Estimate(float(np.mean([measure.of(hits) for measure, hits in parts])), *bounds(drawn))


def _comparisons(
    orders: dict[str, list[Rows]], pools: Sequence[ResolvedPool], settings: Settings
) -> list[Comparison]:
    """Return the comparisons of averages over fields.

    Each query is weighted by queries / (fields * queries of its field), which makes the mean over
    queries the mean over fields.
    """
    by_field = _by_field(pools)
    weights = np.zeros((len(pools), 1))
    for positions in by_field.values():
        weights[positions] = len(pools) / (len(by_field) * positions.size)

    compared = []
    for measure in settings.measures:
        values: dict[str, Values] = {
            name: measure.each(_hits(each, pools, settings)) * weights
            for name, each in orders.items()
        }
        compared += [
            Comparison(
                str(measure),
                other,
                one,
                float((values[other] - values[one]).mean(0)[0]),
                significance(values[one], values[other], settings.seed),
            )
            for one, other in itertools.combinations(values, 2)
            if values[one].shape[1] == 1
        ]
    return compared
