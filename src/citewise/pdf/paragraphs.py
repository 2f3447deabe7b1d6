"""Join the lines of a PDF to paragraphs and headings."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from citewise.pdf.pages import Line
from citewise.text import section_names

LONGEST_HEADING = 120
"""Characters."""

_ENDED = re.compile(r"[.?!:;][\"'”’)\]⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-H])[.)]?\s+[A-ZÀ-ÞΑ-Ω]")
_SMALL_CAPITALS = re.compile(r"\b([A-ZÀ-Þ]) (?=[A-ZÀ-Þ]{2,})")
_HYPHEN = re.compile(r"[^\W\d_]-$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNBROKEN = re.compile(r"(?:https?://|doi\.org|\b10\.\d{4,9}/)\S*[/_=-]$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together."""

    text: str
    lines: tuple[Line, ...]
    heading: bool

    @property
    def size(self) -> float:
        """The size of most of its lines."""
        return Counter(line.size for line in self.lines).most_common(1)[0][0]


class Joiner:
    """Joins lines to text; whether a hyphen at a line's end stays follows from the other words."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._words = Counter(
            word.casefold() for line in lines for word in _WORD.findall(line.text)
        )

    def joined(self, texts: Iterable[str]) -> str:
        """Return the text of some lines."""
        whole = ""
        for text in texts:
            if _HYPHEN.search(whole) and text[:1].islower():
                whole = self._without_hyphen(whole, text) + text
            elif _UNBROKEN.search(whole):
                whole += text
            else:
                whole += f" {text}" if whole else text
        return whole

    def _without_hyphen(self, whole: str, text: str) -> str:
        """Return a text that ends with a hyphen with or without it, as the next line wants it."""
        first, rest = whole.rsplit(None, 1)[-1], _WORD.match(text)
        start = (_WORD.findall(first[:-1]) or [""])[-1].casefold()
        end = rest[0].casefold() if rest else ""
        compound, word = self._words[f"{start}-{end}"], self._words[start + end]
        return whole if compound > word else whole[:-1]


def paragraphs_of(lines: Sequence[Line], body: float, joiner: Joiner) -> list[Paragraph]:
    """Return the paragraphs and headings of lines in the order of reading."""
    leading = _leading(lines, body)
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _continues(groups[-1], line, leading, body):
            groups[-1].append(line)
        else:
            groups.append([line])

    found = (_paragraph(group, body, joiner) for group in groups)
    return [each for each in found if any(map(str.isalnum, each.text))]


def _leading(lines: Sequence[Line], body: float) -> float:
    """Return the usual distance of two lines of the text."""
    steps = [
        other.y - one.y
        for one, other in itertools.pairwise(lines)
        if one.size == other.size == body and 0.8 * body < other.y - one.y < 3 * body
    ]
    return median(steps) if steps else 1.2 * body


def _continues(group: list[Line], line: Line, leading: float, body: float) -> bool:
    """Return whether a line belongs to the paragraph of the lines before it."""
    last = group[-1]
    if abs(line.size - last.size) > 0.6 or (line.bold != last.bold and line.y - last.y > 2):
        return False
    if abs(line.y - last.y) < 2:
        return line.page == last.page

    left = min(each.left for each in group)
    if line.page != last.page or line.y < last.y:
        width = max(each.right for each in group) - left
        short = last.right < left + 0.85 * width
        return not line.bold and not (short and _ENDED.search(last.text))

    spacing = min(leading, 1.35 * last.size) if last.size < 0.9 * line.size else leading
    if line.y - last.y > 1.3 * max(spacing, last.size * 1.1):
        return False
    indented = 0.6 * line.size < line.left - left < 4 * line.size
    return line.bold or line.size > 1.08 * body or not indented


def _paragraph(group: list[Line], body: float, joiner: Joiner) -> Paragraph:
    text = joiner.joined(line.text for line in group)
    is_heading = _is_heading(group, text, body)
    return Paragraph(
        _SMALL_CAPITALS.sub(r"\1", text) if is_heading else text, tuple(group), is_heading
    )


def _is_heading(group: list[Line], text: str, body: float) -> bool:
    """Return whether some lines are the heading of a section: short, and larger, bold or named."""
    if len(text) > LONGEST_HEADING or len({round(line.y) for line in group}) > 2:
        return False
    named = section_names.is_usual(_SMALL_CAPITALS.sub(r"\1", text))
    if named or _ENDED.search(text) or group[0].size < 0.92 * body:
        return named
    if any(line.size > 1.08 * body for line in group):
        return any(map(str.isalpha, text))
    return all(line.bold for line in group) or (
        _NUMBERED.match(text) is not None and len(group) == 1 and text.upper() == text
    )
