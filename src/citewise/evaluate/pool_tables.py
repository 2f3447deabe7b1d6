"""Scores on pools as tables for a terminal, as Markdown and as JSON; and a summary of pools."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import msgspec
from rich.console import RenderableType

from citewise.evaluate.experiment import Estimate
from citewise.evaluate.large import LargeScores
from citewise.evaluate.pool_scores import PoolResults
from citewise.evaluate.pools import Pools
from citewise.evaluate.tables import Section, drawn, written

AVERAGE = "average"


def as_table(results: PoolResults) -> RenderableType:
    """Return all tables, for a terminal."""
    return drawn(_sections(results))


def as_markdown(results: PoolResults) -> str:
    """Return all tables as Markdown."""
    return written(_sections(results))


def as_json(results: PoolResults) -> str:
    """Return everything as one JSON document."""
    return msgspec.json.format(msgspec.json.encode(asdict(results)), indent=2).decode() + "\n"


def large_table(results: Sequence[LargeScores]) -> RenderableType:
    """Return the scores in candidate sets, for a terminal."""
    return drawn([_large(results)])


def large_markdown(results: Sequence[LargeScores]) -> str:
    """Return the scores in candidate sets as Markdown."""
    return written([_large(results)])


def large_json(results: Sequence[LargeScores]) -> str:
    """Return the scores in candidate sets as one JSON document."""
    return (
        msgspec.json.format(
            msgspec.json.encode([asdict(each) for each in results]), indent=2
        ).decode()
        + "\n"
    )


def _large(results: Sequence[LargeScores]) -> Section:
    """Return the scores in candidate sets as one table."""
    columns = [
        f"{system} {measure}" for system, values in results[0].values.items() for measure in values
    ]
    rows = [
        [each.name, f"{each.papers:,}", f"{each.queries:,}", *_cells([*each.values.values()])]
        for each in results
    ]

    repeats = max(each.repeats for each in results)

    return Section(
        "In candidate sets, guarded",
        ["set", "papers", "queries", *columns],
        rows,
        "In brackets: 95% bootstrap intervals over queries."
        + (f" Means of up to {repeats} sets each." if repeats > 1 else ""),
    )


def built(pools: Pools) -> str:
    """Return a summary of built pools, with the kinds that lack papers."""
    fields = len({pool.field for pool in pools.pools})
    papers = sum(len(pool.cited) + sum(map(len, pool.negatives.values())) for pool in pools.pools)

    lines = [
        f"{len(pools.pools):,} pools in {fields} field{'s' * (fields != 1)}, {papers:,} papers"
    ]

    if pools.overlaps:
        lines.append(
            "Mean Jaccard index of a system's best negatives with the others': "
            + ", ".join(
                f"{name} {value:.3f}{'' if name in pools.kinds else ' (not used)'}"
                for name, value in pools.overlaps.items()
            )
        )

    lines += [
        f"{kind}: {queries:,} pools lack {lacking:,} papers"
        for kind, (queries, lacking) in pools.shortages().items()
    ]

    return "\n".join(lines)


def _sections(results: PoolResults) -> Iterator[Section]:
    queries, systems = sum(results.queries.values()), results.systems
    columns = [f"{each.system} {measure}" for each in systems for measure in results.measures]
    fields = [
        [field, f"{count:,}", *_cells([each.fields[field] for each in systems])]
        for field, count in results.queries.items()
    ]
    average = [AVERAGE, f"{queries:,}", *_cells([each.average for each in systems])]

    yield Section(
        f"{queries:,} pools with {results.papers:,} papers, "
        f"{'as published' if results.published else 'guarded'}, by field",
        ["field", "queries", *columns],
        [*fields, average],
        _notes(results),
    )
    yield Section(
        "Against one kind of negatives, over fields",
        ["kind", *columns],
        [[kind, *_cells([each.kinds[kind] for each in systems])] for kind in systems[0].kinds],
    )
    if results.comparisons:
        yield Section(
            "Differences between systems, over fields",
            ["systems", "measure", "difference", "p"],
            [
                [
                    f"{each.system} − {each.baseline}",
                    each.measure,
                    f"{each.difference:+.4f}",
                    f"{each.p:.4f}",
                ]
                for each in results.comparisons
            ],
        )


def _cells(values: Sequence[Mapping[str, Estimate]]) -> list[str]:
    return [
        f"{estimate.value:.3f} [{estimate.low:.3f}–{estimate.high:.3f}]"
        for each in values
        for estimate in each.values()
    ]


def _notes(results: PoolResults) -> str:
    notes = ["In brackets: 95% bootstrap intervals over queries."]

    left_out = {
        "pools without a query or cited paper in the library": results.absent_queries,
        "papers that the library lacks": results.absent,
        "papers that their query may not see": results.unseen,
    }

    notes += [f"Left out: {count:,} {what}." for what, count in left_out.items() if count]
    notes += [
        f"{each.system}: {each.unscored:,} papers got no score and come last."
        for each in results.systems
        if each.unscored
    ]
    return " ".join(notes)
