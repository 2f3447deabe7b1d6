"""The tables that commands about libraries show on a terminal."""

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from citewise.api import Description
from citewise.ingest.report import Report
from citewise.library.verify import Verification
from citewise.plugins import Plugin
from citewise.statistics import Spread, Statistics


def report_table(done: Report) -> RenderableType:
    """Return the counts of an import, and its events with an example each."""
    summary = (
        f"{done.added:,} added, {done.updated:,} updated, {done.unchanged:,} unchanged, "
        f"{done.total('skipped'):,} skipped"
    )
    if done.sentences or done.known_sentences:
        summary += (
            f"; {done.sentences:,} citing sentences added, {done.known_sentences:,} unchanged"
        )

    return Group(summary, events_table(done)) if done.counts else summary


def events_table(done: Report) -> Table:
    """Return how many records were skipped, repaired or merged and why, with an example each."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("What", "Why", "Records", "For example"):
        table.add_column(
            heading, justify="right" if heading == "Records" else "left", overflow="fold"
        )

    for (action, reason), count in sorted(done.counts.items()):
        example = done.examples[action, reason][0]
        detail = f" ({example.detail})" if example.detail else ""
        table.add_row(
            action, reason, f"{count:,}", escape(f"{example.file}:{example.line}{detail}")
        )

    return table


def description_table(about: Description) -> Table:
    """Return the counts and sizes of a library as a table."""
    known = [year for year in about.years if year]
    rows = {
        "library": about.path,
        "papers": f"{about.papers:,}",
        "with an abstract": _share(about.with_abstract, about.papers),
        "with a year": _share(about.with_year, about.papers)
        + (f", {min(known)}–{max(known)}" if known else ""),
        "with references here": _share(about.with_references, about.papers),
        "citations": f"{about.citations:,} within the library",
        "evidence": _evidence(about),
        "lexical index": f"{about.terms:,} terms",
        "models": f"{', '.join(about.models)}: trained on it"
        if about.models
        else "those that ship",
        "vectors": _vectors(about),
        "on disk": f"{about.bytes_on_disk / 1e6:,.1f} MB in {about.segments} segments; "
        f"{about.deleted:,} removed rows",
        "generation": f"{about.generation}, written {about.written}, "
        f"fingerprint {about.fingerprint}",
    }
    return _named_values(rows)


def statistics_table(found: Statistics) -> Table:
    """Return the statistics of a library as a table."""
    rows = {
        "authors": f"{found.authors:,}",
        "venues": f"{found.venues:,}",
        "key phrases": f"{found.key_phrases:,}",
        "characters a paper": f"{found.mean_characters:,.0f} of title and abstract",
        "in-citations": _spreads(found.in_citations, found.in_citations_of_cited, "cited"),
        "out-citations": _spreads(found.out_citations, found.out_citations_of_citing, "citing"),
        "queries": f"{found.queries:,}, with {found.pairs:,} pairs of query and relevant paper",
        "spans": f"{found.spans:,} that cite {found.cited_papers:,} papers; "
        f"{found.mean_span_characters:.1f} characters, {found.mean_span_words:.1f} words a span"
        if found.spans
        else "none",
    }
    return _named_values(rows)


def _spreads(every: Spread, some: Spread, which: str) -> str:
    return (
        f"{every.mean:.2f} (± {every.deviation:.2f}) a paper, "
        f"{some.mean:.2f} (± {some.deviation:.2f}) a {which} paper"
    )


def _named_values(rows: Mapping[str, str]) -> Table:
    """Return a table of names and values without lines."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, escape(value))
    return table


def _evidence(about: Description) -> str:
    if not about.sentences:
        return "none"
    return f"{about.spans:,} spans of {about.sentences:,} citing sentences"


def _vectors(about: Description) -> str:
    lines = [f"{about.span_vectors:,} of spans, by {about.encoder}"] if about.encoder else []
    lines += [
        f"{each.papers:,} of papers, {each.name}: {each.size} numbers, by {each.model}"
        for each in about.paper_vectors
    ]
    return "\n".join(lines) or "none"


def _share(count: int, total: int) -> str:
    return f"{count:,} ({count / max(total, 1):.0%})"


def verification_text(result: Verification) -> str:
    """Return the result of a verification in a few lines."""
    head = (
        f"generation {result.generation}: {result.papers:,} papers, {result.files} files, "
        f"{result.references:,} references "
        f"({result.dangling:,} to papers that are not in the library)"
    )
    head += f", {result.sentences:,} citing sentences" if result.sentences else ""
    problems = "\n".join(f"[red]problem:[/red] {escape(problem)}" for problem in result.problems)
    return f"{head}\n{problems or '[green]sound[/green]'}"


def plugins_table(plugins: tuple[Plugin, ...]) -> RenderableType:
    """Return what other packages have added, and what could not be loaded."""
    if not plugins:
        return "No package adds anything to citewise."

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("Kind", "Name", "Package", "State"):
        table.add_column(heading, overflow="fold")

    for each in plugins:
        state = f"left out: {each.problem}" if each.problem else "in use"
        row = (each.group.removesuffix("s"), each.name, each.package, state)
        table.add_row(*map(escape, row))
    return table
