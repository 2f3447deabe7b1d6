"""Order the lines of pages as they are read, without running heads, page and line numbers."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from citewise.pdf.pages import Line, Page

MARGIN = 0.12
"""The part of a page's height, above and below, in which running heads and page numbers are."""

_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?[-–—\s]*", re.I
)
_LINE_NUMBER = re.compile(r"(\d{1,4})\s+(?=\S)")


def lines_of(pages: Sequence[Page]) -> tuple[list[Line], list[Line]]:
    """Return the lines of the text in the order of reading, and those of heads and feet."""
    pages = _without_line_numbers(pages)
    repeated = _repeated(pages)
    text: list[Line] = []
    margins: list[Line] = []
    for page in pages:
        inner: list[Line] = []
        numbered = _numbered_rows(page)
        for line in page.lines:
            number = _PAGE_NUMBER.fullmatch(line.text) is not None
            outside = _is_outside(line, page) and (number or _place(line) in repeated)
            outside = outside or line.y in numbered
            (margins if outside else inner).append(line)
        text += _ordered(inner, page.width)
    return text, margins


def _numbered_rows(page: Page) -> set[float]:
    """Return the heights of a page's first and last row, as far as the page's number is in them."""
    heights = [line.y for line in page.lines]
    return {
        line.y
        for line in page.lines
        if line.y in (min(heights), max(heights)) and _PAGE_NUMBER.fullmatch(line.text)
    }


def _repeated(pages: Sequence[Page]) -> set[tuple[int, str]]:
    """Return the places and texts of lines that are on several pages."""
    seen: Counter[tuple[int, str]] = Counter()
    for page in pages:
        seen.update({_place(line) for line in page.lines if _is_outside(line, page)})
    return {place for place, count in seen.items() if count > 1}


def _place(line: Line) -> tuple[int, str]:
    """Return the height of a line, and its text without numbers."""
    return round(line.y / 4), _DIGITS.sub("#", line.text.casefold())


def _is_outside(line: Line, page: Page) -> bool:
    return not MARGIN * page.height < line.y < (1 - MARGIN) * page.height


def _ordered(lines: list[Line], width: float) -> list[Line]:
    """Return lines in the order of reading.

    That is the order of the file, unless it goes back and forth between two columns.
    """
    middle = width / 2
    sides = [
        "left" if each.right < middle + 6 else "right" for each in lines if _is_half(each, middle)
    ]
    changes = sum(one != other for one, other in itertools.pairwise(sides))
    if len(sides) < 10 or changes < 0.3 * len(sides):
        return lines

    ordered: list[Line] = []
    for part in _between_wide(sorted(lines, key=lambda each: (each.y, each.left)), middle):
        ordered += [each for each in part if each.left < middle - 6]
        ordered += [each for each in part if each.left >= middle - 6]
    return ordered


def _is_half(line: Line, middle: float) -> bool:
    return line.right < middle + 6 or line.left > middle - 6


def _between_wide(lines: Iterable[Line], middle: float) -> list[list[Line]]:
    """Return runs of lines that stay in a column, and runs of one line across both."""
    parts: list[list[Line]] = [[]]
    for line in lines:
        if _is_half(line, middle):
            parts[-1].append(line)
        else:
            parts += [[line], []]
    return parts


def _without_line_numbers(pages: Sequence[Page]) -> list[Page]:
    """Return pages without the numbers that drafts for reviewers have beside their lines."""
    lines = [line for page in pages for line in page.lines]
    numbers = [int(match[1]) for line in lines if (match := _LINE_NUMBER.match(line.text))]
    steps = sum(0 < other - one <= 5 for one, other in itertools.pairwise(numbers))
    alone = sum(line.text.isdigit() for line in lines)

    if len(lines) > 20 and alone > 0.25 * len(lines):
        kept = [[line for line in page.lines if not line.text.isdigit()] for page in pages]
    elif len(numbers) > 0.7 * len(lines) and steps > 0.8 * len(numbers):
        kept = [
            [replace(line, text=_LINE_NUMBER.sub("", line.text, count=1)) for line in page.lines]
            for page in pages
        ]
    else:
        return [*pages]
    return [replace(page, lines=tuple(own)) for page, own in zip(pages, kept, strict=True)]


def body_size(lines: Iterable[Line]) -> float:
    """Return the size in which most characters of a text are printed."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0
