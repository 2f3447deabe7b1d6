"""Find the list of references among the lines of a PDF, and its entries."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from citewise.pdf.pages import Line
from citewise.pdf.paragraphs import Joiner
from citewise.text import section_names

MOST = 5_000
"""Entries."""

SHORTEST = 20
"""Characters of an entry."""

_BRACKETED = re.compile(r"\[\s*([^\]\s][^\]]{0,40}?)\s*\]\s*")
_NUMBERS = (
    re.compile(r"\[\s*(\d{1,4})\s*\]\s*"),
    re.compile(r"\(?(\d{1,4})[.)](?:\s+|$)"),
    re.compile(r"(\d{1,4})(?:\s+(?=[A-ZÀ-Þ“\"])|$)"),
)
"""What numbered entries begin with: "[1]", "1." or "(1)", "1"."""
_ENDED = re.compile(r"[.\])]$|\d$")
_SPACED = re.compile(r"\b([A-ZÀ-Þ]) (?=[A-ZÀ-Þ]{2,})")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list of references; its label is what the text cites it by."""

    label: str
    """Its number, or what is printed in brackets before it."""
    text: str


def split_references(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines of the text, and those of the list of references, without its heading.

    What follows the list, such as an appendix, is text.
    """
    for number in range(len(lines) - 1, -1, -1):
        heading = lines[number]
        if section_names.is_references(_SPACED.sub(r"\1", heading.text)) and lines[number + 1 :]:
            end = _end_of_list(lines, number)
            if end - number > 2:
                return [*lines[:number], *lines[end:]], [*lines[number + 1 : end]]
    return [*lines], []


def _end_of_list(lines: Sequence[Line], number: int) -> int:
    """Return the position after a list of references: that of the next heading like its own."""
    heading, first = lines[number], lines[number + 1]
    style = (heading.size, heading.bold)
    if style == (first.size, first.bold):
        return len(lines)
    for position in range(number + 2, len(lines)):
        line = lines[position]
        if (
            line.bold == heading.bold
            and abs(line.size - heading.size) < 0.2
            and len(line.text) < 100
        ):
            return position
    return len(lines)


def entries_of(lines: Sequence[Line], joiner: Joiner) -> list[Entry]:
    """Return the entries of a list of references: by labels, hanging indents, or gaps."""
    rows = _rows(lines)
    for labelled in (_numbered(rows), _labelled(rows)):
        if len(labelled) > 1:
            return _labelled_entries(rows, labelled, joiner)

    starts = _hanging(rows) or _spaced(rows) or [0]
    texts = [
        joiner.joined(row[0].text for row in rows[one:other])
        for one, other in zip(starts, [*starts[1:], len(rows)], strict=True)
    ]
    whole = [text for text in texts if len(text) >= SHORTEST][:MOST]
    return [Entry(str(number), text) for number, text in enumerate(whole, 1)]


Row = tuple[Line, float]
"""A whole line of a list, and the left edge of the column that it is in."""


def _rows(lines: Sequence[Line]) -> list[Row]:
    """Return lines with the parts beside gaps joined, each with its column's left edge."""
    whole: list[Line] = []
    for line in lines:
        last = whole[-1] if whole else None
        if (
            last
            and last.page == line.page
            and abs(last.y - line.y) < 2
            and line.left > last.right - 1
        ):
            text = f"{last.text} {line.text}"
            whole[-1] = Line(text, last.left, line.right, last.y, last.size, last.bold, last.page)
        else:
            whole.append(line)

    columns: list[list[Line]] = []
    for line in whole:
        if columns and columns[-1][-1].page == line.page and line.y > columns[-1][-1].y:
            columns[-1].append(line)
        else:
            columns.append([line])
    return [(line, min(each.left for each in column)) for column in columns for line in column]


def _numbered(rows: Sequence[Row]) -> list[tuple[int, str]]:
    """Return the (position, label) of rows that begin with 1, 2, 3 and so on."""
    starts = max((_counted(rows, pattern) for pattern in _NUMBERS), key=len)
    return starts if starts and starts[0][0] < 3 and 12 * len(starts) > len(rows) else []


def _counted(rows: Sequence[Row], pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    """Return the (position, label) of rows whose numbers of one form count from 1."""
    starts: list[tuple[int, str]] = []
    for position, (line, _) in enumerate(rows):
        match = pattern.match(line.text)
        if match and int(match[1]) == len(starts) + 1:
            starts.append((position, match[1]))
    return starts


def _labelled(rows: Sequence[Row]) -> list[tuple[int, str]]:
    """Return the (position, label) of rows that begin with a label in brackets: "[Kes63]"."""
    matches = [(number, _BRACKETED.match(line.text)) for number, (line, _) in enumerate(rows)]
    starts = [(number, match[1]) for number, match in matches if match]
    return starts if starts and starts[0][0] < 3 else []


def _labelled_entries(
    rows: Sequence[Row], starts: list[tuple[int, str]], joiner: Joiner
) -> list[Entry]:
    entries = []
    ends = [position for position, _ in starts[1:]] + [len(rows)]
    for (position, label), end in zip(starts[:MOST], ends, strict=False):
        text = joiner.joined(row[0].text for row in rows[position:end])
        entries.append(Entry(label, text[text.find(label) + len(label) :].lstrip(" .)]")))
    return [entry for entry in entries if len(entry.text) >= SHORTEST]


def _hanging(rows: Sequence[Row]) -> list[int]:
    """Return the positions of rows at the left edge, where the other rows are indented."""
    starts = [number for number, (line, left) in enumerate(rows) if line.left < left + 2.5]
    indented = sum(line.left > left + 3.5 for line, left in rows)
    return starts if 0.2 * len(rows) < indented and len(starts) > 1 else []


def _spaced(rows: Sequence[Row]) -> list[int]:
    """Return the positions of rows with a gap above them, or that begin after an entry's end."""
    steps = [other.y - one.y for (one, _), (other, _) in itertools.pairwise(rows)]
    usual = median([step for step in steps if step > 0] or [0.0])
    gaps = [number for number, step in enumerate(steps, 1) if step > 1.15 * usual]
    if len(gaps) < 0.1 * len(rows):
        return []
    tops = [
        number
        for number, step in enumerate(steps, 1)
        if step < 0
        and _ENDED.search(rows[number - 1][0].text)
        and rows[number][0].text[:1].isupper()
    ]
    return [0, *sorted({*gaps, *tops})]
