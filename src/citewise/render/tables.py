"""Format answers as tables for a terminal."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table

from citewise.render.citation_keys import own_key
from citewise.render.quotations import quoted
from citewise.types import Answer, Contribution, Recommendation

_MOST_AUTHORS = 2
_PARTS = 6
"""Contributions that are shown; the JSON has all of them."""
_WIDTH = 100


def as_text(answer: Answer) -> str:
    """Return the table of an answer as plain text."""
    console = Console(width=_WIDTH, color_system=None, force_terminal=False, file=None, record=True)
    with console.capture() as captured:
        console.print(answer_table(answer))
    return captured.get()


def answer_table(answer: Answer) -> RenderableType:
    """Return a table of an answer's recommendations.

    The system that answered is named where the answer is explained or a fallback was used.
    """
    table = recommendations_table(answer.recommendations)
    if not (answer.explained or answer.served_by.note):
        return table
    return Group(table, f"[dim]Answered by {escape(str(answer.served_by))}.[/dim]")


def recommendations_table(answers: Sequence[Recommendation]) -> Table:
    """Return a table of recommendations with their evidence, reasons and parts of the score."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("Score", justify="right", style="cyan", no_wrap=True)
    table.add_column("Paper", ratio=1, overflow="fold")

    for each in answers:
        about = "\n".join(_lines(each))
        evidence = map(quoted, each.evidence)
        table.add_row(str(each.rank), f"{each.score:.2f}", Group(about, *evidence))
    return table


def _lines(each: Recommendation) -> list[str]:
    """Return what the table says about a paper: title, source, reasons and parts of the score."""
    paper = each.paper
    names = dict.fromkeys((own_key(paper), paper.id))
    about = [_authors(paper.authors), paper.venue, str(paper.year or ""), *names]

    lines = [
        f"[bold]{escape(paper.title)}[/bold]",
        f"[dim]{escape(' · '.join(filter(None, about)))}[/dim]",
    ]
    lines += [f"[green]{escape(reason.sentence)}[/green]" for reason in each.reasons]
    if each.contributions:
        lines.append(f"[dim]{escape(score_as_sum(each))}[/dim]")
    return lines


def score_as_sum(each: Recommendation) -> str:
    """Return a score as a sum of labelled parts, largest first; the smallest are added up."""
    parts = by_label(each.contributions)
    shown = [f"{value:+.2f} {label}" for label, value in parts[:_PARTS]]
    if len(parts) > _PARTS:
        shown.append(f"{sum(value for _, value in parts[_PARTS:]):+.2f} others")
    return ", ".join([f"{each.score:.2f} = {each.base:.2f}", *shown])


def by_label(parts: Sequence[Contribution]) -> list[tuple[str, float]]:
    """Return the sums of the contributions with the same label, largest first."""
    sums: dict[str, float] = {}
    for part in parts:
        sums[part.label] = sums.get(part.label, 0.0) + part.value
    return sorted(sums.items(), key=lambda each: -abs(each[1]))


def _authors(authors: Sequence[str]) -> str:
    return ", ".join(authors[:_MOST_AUTHORS]) + (" et al." if len(authors) > _MOST_AUTHORS else "")
