"""Format answers as tables for a terminal."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table

from citewise.render.citation_keys import own_key
from citewise.render.names import given_first
from citewise.render.quotations import quoted
from citewise.types import Answer, Contribution, Recommendation

_MOST_AUTHORS = 2
_PARTS, _REST = 6, 0.5
"""At least this many contributions are shown, and as many more as it takes for the others to be
together at most this share of the largest; the JSON has all of them.
"""
_WIDTH = 100
_CELLS, _EIGHTHS = 5, ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
"""The width of a chance's bar, and the parts of a cell."""


def as_text(answer: Answer) -> str:
    """Return the table of an answer as plain text."""
    console = Console(width=_WIDTH, color_system=None, force_terminal=False, file=None, record=True)
    with console.capture() as captured:
        console.print(answer_table(answer))
    return captured.get()


def answer_table(answer: Answer) -> RenderableType:
    """Return a table of an answer's recommendations, and what its chances mean."""
    body = answer_body(answer)
    if not answer.calibrated_by:
        return body
    what = "sentence" if answer.query.sentence else "draft"
    return Group(body, chance_note(answer.calibrated_by, what))


def answer_body(answer: Answer) -> RenderableType:
    """Return a table of an answer's recommendations, with a note on top where none fits.

    The system that answered is named where the answer is explained or a fallback was used.
    """
    parts: list[RenderableType] = [recommendations_table(answer.recommendations)]
    if note := match_note(answer):
        parts.insert(0, f"[yellow]{escape(note)}[/yellow]")
    if answer.served_by.advice:
        parts.append(f"[yellow]{escape(answer.served_by.advice)}[/yellow]")
    if answer.explained or answer.served_by.note:
        parts.append(f"[dim]Answered by {escape(str(answer.served_by))}.[/dim]")
    return Group(*parts)


def match_note(answer: Answer) -> str:
    """Return what to say where the library has nothing, or little, for a query; else ""."""
    if answer.match in (None, "good"):
        return ""
    what = "sentence" if answer.query.sentence else "draft"
    odds = f"a paper with a {what} like this cites any of the 20 best with a chance of"
    odds = f"{odds} {answer.confidence or 0.0:.0%}"
    if answer.match == "weak":
        return f"Weak matches only: {odds}."
    return (
        f"No good match in this library: {odds}. Describe the subject in more words, or add papers "
        "on it with `citewise index`."
    )


def chance_note(source: str, what: str) -> str:
    """Return the line that says what chances mean and what they were learned from."""
    meaning = f"Chance: that a paper with a {what} like this cites it"
    return f"[dim]{escape(f'{meaning}, by {source}.')}[/dim]"


def recommendations_table(answers: Sequence[Recommendation]) -> Table:
    """Return a table of recommendations with their evidence, reasons and parts of the score."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    calibrated = any(each.confidence is not None for each in answers)
    table.add_column("", justify="right", style="dim")
    heading = "Chance" if calibrated else "Score"
    table.add_column(heading, justify="right", style="cyan", no_wrap=True)
    table.add_column("Paper", ratio=1, overflow="fold")

    for each in answers:
        about = "\n".join(_lines(each))
        evidence = map(quoted, each.evidence)
        value = f"{each.score:.2f}" if each.confidence is None else _bar(each.confidence)
        table.add_row(str(each.rank), value, Group(about, *evidence))
    return table


def _bar(chance: float) -> str:
    """Return a chance as a bar of five cells and a number: "███▏  62%"."""
    eighths = round(chance * _CELLS * 8)
    bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
    return f"{bar:<{_CELLS}} {'<1%' if chance < 0.005 else f'{chance:.0%}':>4}"


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
    count = next(
        count
        for count in range(min(_PARTS, len(parts)), len(parts) + 1)
        if count == len(parts) or abs(_total(parts[count:])) <= _REST * abs(parts[0][1])
    )

    shown = [f"{value:+.2f} {label}" for label, value in parts[:count]]
    if count < len(parts):
        shown.append(f"{_total(parts[count:]):+.2f} others")
    return ", ".join([f"{each.score:.2f} = {each.base:.2f}", *shown])


def _total(parts: Sequence[tuple[str, float]]) -> float:
    return sum(value for _, value in parts)


def by_label(parts: Sequence[Contribution]) -> list[tuple[str, float]]:
    """Return the sums of the contributions with the same label, largest first."""
    sums: dict[str, float] = {}
    for part in parts:
        sums[part.label] = sums.get(part.label, 0.0) + part.value
    return sorted(sums.items(), key=lambda each: -abs(each[1]))


def _authors(authors: Sequence[str]) -> str:
    names = ", ".join(map(given_first, authors[:_MOST_AUTHORS]))
    return names + (" et al." if len(authors) > _MOST_AUTHORS else "")
