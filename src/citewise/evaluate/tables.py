"""Results of an evaluation as tables for a terminal, as Markdown and as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import msgspec
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from citewise.evaluate.analyses import Analysis
from citewise.evaluate.experiment import Results, Scored

FORMATS = ("table", "markdown", "json")

UNGUARDED = (
    "UNGUARDED: the queries saw papers and citations that no draft could. Not a measure of quality."
)

_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table of texts; all columns but the first are numbers."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def as_table(results: Results, analyses: Sequence[Analysis]) -> RenderableType:
    """Return all tables, for a terminal."""
    return drawn(_sections(results, analyses), "" if results.guarded else UNGUARDED)


def drawn(sections: Iterable[Section], warning: str = "") -> RenderableType:
    """Return sections as tables for a terminal."""
    parts: list[RenderableType] = [f"[bold red]{warning}[/bold red]\n"] if warning else []
    for section in sections:
        table = Table(
            box=None,
            pad_edge=False,
            header_style="bold",
            padding=(0, 2, 0, 0),
            title=escape(section.title),
            title_justify="left",
            title_style="bold",
        )

        for position, heading in enumerate(section.head):
            table.add_column(
                escape(heading), justify="right" if position else "left", overflow="fold"
            )

        for row in section.rows:
            table.add_row(*map(escape, row))
        parts += [table, f"[dim]{escape(section.note)}[/dim]\n" if section.note else ""]
    return Group(*parts)


def as_markdown(results: Results, analyses: Sequence[Analysis]) -> str:
    """Return all tables as Markdown."""
    return written(_sections(results, analyses), "" if results.guarded else UNGUARDED)


def written(sections: Iterable[Section], warning: str = "") -> str:
    """Return sections as Markdown."""
    parts = [f"**{warning}**"] if warning else []
    for section in sections:
        lines = [section.head, ["---", *["---:"] * (len(section.head) - 1)], *section.rows]
        table = "\n".join(
            f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
        )

        parts.append("\n\n".join(filter(None, [f"**{section.title}**", table, section.note])))
    return "\n\n".join(parts) + "\n"


def as_json(results: Results, analyses: Sequence[Analysis]) -> str:
    """Return everything as one JSON document."""
    document = {"results": asdict(results), "analyses": [asdict(each) for each in analyses]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _sections(results: Results, analyses: Sequence[Analysis]) -> Iterator[Section]:
    yield _measures(results)
    if results.comparisons:
        yield _comparisons(results)
    for facet in results.systems[0].groups:
        yield _breakdown(results, facet)
    for analysis in analyses:
        yield _analysis(analysis)


def _measures(results: Results) -> Section:
    """Return the table of all measures, a system a row."""
    better = {
        (each.measure, each.system)
        for each in results.comparisons
        if each.baseline == results.systems[0].system and each.p < _SIGNIFICANT
    }

    rows = [
        [
            scored.system,
            *(
                _estimate(scored, measure, (measure, scored.system) in better)
                for measure in results.measures
            ),
            *_latency(scored),
        ]
        for scored in results.systems
    ]

    guarded = "guarded" if results.guarded else "UNGUARDED"
    return Section(
        f"{results.queries:,} queries over {results.papers:,} papers, {guarded}",
        ["system", *results.measures, "ms, median", "ms, p95"],
        rows,
        _notes(results),
    )


def _estimate(scored: Scored, measure: str, differs: bool) -> str:
    estimate = scored.values[measure]
    return f"{estimate.value:.4f}{'*' if differs else ''} [{estimate.low:.3f}–{estimate.high:.3f}]"


def _latency(scored: Scored) -> list[str]:
    return [
        f"{scored.milliseconds[name]:.1f}" if scored.milliseconds else ""
        for name in ("median", "p95")
    ]


def _notes(results: Results) -> str:
    notes = ["In brackets: 95% bootstrap intervals over queries."]
    if len(results.systems) > 1:
        notes.append(
            f"*: differs from {results.systems[0].system} "
            f"(p < {_SIGNIFICANT}, paired randomisation test)."
        )
    if results.jobs > 1:
        notes.append(f"Times were taken with {results.jobs} processes at work at once.")

    for scored in results.systems:
        if scored.answered < results.queries:
            unanswered = results.queries - scored.answered
            notes.append(f"{scored.system}: {unanswered:,} queries had no answer and count as 0.")
        if scored.dropped:
            notes.append(
                f"{scored.system}: {scored.dropped:,} papers that a query may not see "
                "were taken out."
            )
    return " ".join(notes)


def _comparisons(results: Results) -> Section:
    rows = [
        [
            f"{each.system} − {each.baseline}",
            each.measure,
            f"{each.difference:+.4f}",
            f"{each.p:.4f}",
        ]
        for each in results.comparisons
    ]
    return Section("Differences between systems", ["systems", "measure", "difference", "p"], rows)


def _breakdown(results: Results, facet: str) -> Section:
    groups = [
        (name, scored.system, scored.groups[facet][name])
        for name in results.systems[0].groups[facet]
        for scored in results.systems
    ]

    rows = [
        [
            name,
            system,
            f"{group.queries:,}",
            *(f"{group.values[measure]:.4f}" for measure in results.measures),
        ]
        for name, system, group in groups
    ]
    return Section(f"By {facet}", [facet, "system", "queries", *results.measures], rows)


def _analysis(analysis: Analysis) -> Section:
    columns = list(dict.fromkeys(column for row in analysis.rows.values() for column in row))
    rows = [
        [system, *(f"{row[column]:,.3f}" if column in row else "" for column in columns)]
        for system, row in analysis.rows.items()
    ]
    return Section(
        f"{analysis.name}: {analysis.meaning}, first {analysis.depth} answers",
        ["system", *columns],
        rows,
    )
