"""What the command line shows on a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from citewise.library.verify import Verification
from citewise.opened import Description
from citewise.render.quotations import quoted
from citewise.report import Report
from citewise.types import Answer, Recommendation

_MOST_AUTHORS = 2
_PARTS = 6
"""Contributions that a person is shown; the JSON has all of them."""


def answer(found: Answer) -> RenderableType:
    """Return a table of recommendations, where explained with what answered; so too where something stood in for it."""
    table = recommendations(found.recommendations)
    if not (found.explained or found.served_by.note):
        return table
    return Group(table, f"[dim]Answered by {escape(str(found.served_by))}.[/dim]")


def recommendations(answers: Sequence[Recommendation]) -> Table:
    """Return a table of recommendations with their evidence; where explained, with reasons and parts of the score."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("Score", justify="right", style="cyan", no_wrap=True)
    table.add_column("Paper", ratio=1, overflow="fold")
    for each in answers:
        paper = each.paper
        about = [_authors(paper.authors), paper.venue, str(paper.year or ""), paper.id]
        lines = [f"[bold]{escape(paper.title)}[/bold]", f"[dim]{escape(' · '.join(filter(None, about)))}[/dim]"]
        lines += [f"[green]{escape(reason.sentence)}[/green]" for reason in each.reasons]
        lines += [f"[dim]{escape(_sum(each))}[/dim]"] if each.contributions else []
        table.add_row(str(each.rank), f"{each.score:.2f}", Group("\n".join(lines), *map(quoted, each.evidence)))
    return table


def _sum(each: Recommendation) -> str:
    """Return the score as the sum that it is, its smaller parts together."""
    parts = [*each.contributions.items()]
    others = sum(value for _, value in parts[_PARTS:])
    shown = [f"{value:+.2f} {name}" for name, value in parts[:_PARTS]]
    shown += [f"{others:+.2f} others"] if len(parts) > _PARTS else []
    return " ".join([f"{each.score:.2f} = {each.base:.2f}", *shown])


def _authors(authors: Sequence[str]) -> str:
    return ", ".join(authors[:_MOST_AUTHORS]) + (" et al." if len(authors) > _MOST_AUTHORS else "")


def report(done: Report) -> RenderableType:
    """Return what an import did, reasons with an example each."""
    summary = (f"{done.added:,} added, {done.updated:,} updated, {done.unchanged:,} unchanged, "
               f"{done.total('skipped'):,} skipped")
    if done.sentences or done.known_sentences:
        summary += f"; {done.sentences:,} citing sentences added, {done.known_sentences:,} unchanged"
    return Group(summary, events(done)) if done.counts else summary


def events(done: Report) -> Table:
    """Return the reasons for what was done to records, with an example each."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("What", "Why", "Records", "For example"):
        table.add_column(heading, justify="right" if heading == "Records" else "left", overflow="fold")
    for (action, reason), count in sorted(done.counts.items()):
        example = done.examples[action, reason][0]
        detail = f" ({example.detail})" if example.detail else ""
        table.add_row(action, reason, f"{count:,}", escape(f"{example.file}:{example.line}{detail}"))
    return table


def description(about: Description) -> Table:
    """Return what a library holds."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    known = [year for year in about.years if year]
    rows = {
        "library": about.path,
        "papers": f"{about.papers:,}",
        "with an abstract": _share(about.with_abstract, about.papers),
        "with a year": _share(about.with_year, about.papers)
        + (f", {min(known)}–{max(known)}" if known else ""),
        "with references here": _share(about.with_references, about.papers),
        "citations": f"{about.citations:,} within the library",
        "evidence": f"{about.spans:,} spans of {about.sentences:,} citing sentences" if about.sentences else "none",
        "lexical index": f"{about.terms:,} terms",
        "models": f"{', '.join(about.models)}: trained on it" if about.models else "those that ship",
        "vectors": f"{about.span_vectors:,} of spans, {about.paper_vectors:,} of papers; by {about.encoder}"
        if about.encoder else "none",
        "on disk": f"{about.bytes_on_disk / 1e6:,.1f} MB in {about.segments} segments; {about.deleted:,} removed rows",
        "generation": f"{about.generation}, written {about.written}, fingerprint {about.fingerprint}",
    }
    for name, value in rows.items():
        table.add_row(name, escape(value))
    return table


def _share(count: int, total: int) -> str:
    return f"{count:,} ({count / max(total, 1):.0%})"


def verification(found: Verification) -> str:
    """Return the result of a verification in a few lines."""
    head = (f"generation {found.generation}: {found.papers:,} papers, {found.files} files, {found.references:,} "
            f"references ({found.dangling:,} to papers that are not in the library)")
    head += f", {found.sentences:,} citing sentences" if found.sentences else ""
    problems = "\n".join(f"[red]problem:[/red] {escape(problem)}" for problem in found.problems)
    return f"{head}\n{problems or '[green]sound[/green]'}"
