"""Marks to groups: adjacent citations together, ranges filled in, numbers that the document left
unlinked looked up.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citewise.ingest.fulltext.passages import Mark, Passage
from citewise.text.ids import surname

LONGEST_RANGE = 60
"""References; "[1-1999]" is no range."""
LEAST_NUMBERED = 3
"""Linked numbers that must agree before unlinked ones are believed."""

_JOINT = re.compile(r"(?:[\s,;()\[\]{}<>&–—−-]|\b(?:and|or|see|also)\b|\b(?:e\.g|cf)\.)*")
_DASH = re.compile(r"[\s()\[\]]*[–—−-]+[\s()\[\]]*")
_NUMBERS = re.compile(r"[\s\[(]*\d{1,4}(?:(?:[\s\[\](),;–—−&-]|and)+\d{1,4})*[\s\]),;–—−-]*")
_NUMBER_OR_DASH = re.compile(r"\d+|[–—−-]+")
_YEAR = re.compile(r"\b((?:1[89]|20)\d\d)[a-z]?\b")
_SURNAME = re.compile(r"[A-ZÀ-Þ][\w'’-]+")
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = {closer: opener for opener, closer in _OPENERS.items()}
_SEPARATORS = " ,;–—−-"


Names = Mapping[tuple[str, int], str]
"""The references that a first author's family name and a year tell from all others of their list.
"""


@dataclass(frozen=True, slots=True)
class Group:
    """Adjacent marks: where they stand in their passage, and the targets of all."""

    start: int
    end: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Numbering:
    """Which reference a printed number means, in a document that cites by numbers; of others it
    knows none.
    """

    targets: Sequence[str] = ()
    """The references in the order of the list."""
    first: int = 1
    """The number of the first of them."""
    style: str = ""
    """How the numbers are printed: "[", "(" or "" for neither."""

    def between(self, low: int, high: int) -> list[str]:
        """Return the references of the numbers low..high; none where that is no sensible range."""
        if not self.targets or not low <= high < low + LONGEST_RANGE or low < self.first:
            return []
        return list(self.targets[low - self.first : high - self.first + 1])

    @classmethod
    def of(cls, passages: Iterable[Passage], targets: Sequence[str]) -> "Numbering":
        """Learn it from the marks that are a number and linked; most must agree."""
        places = {target: place for place, target in enumerate(targets)}
        seen = [
            (int(number[0]) - places[mark.targets[0]], _style(passage.text, mark))
            for passage in passages
            for mark in passage.marks
            if len(mark.targets) == 1
            and mark.targets[0] in places
            and len(number := re.findall(r"\d+", passage.text[mark.start : mark.end])) == 1
            and _NUMBERS.fullmatch(passage.text[mark.start : mark.end])
            and len(number[0]) < 4
        ]
        if len(seen) < LEAST_NUMBERED:
            return cls()
        ((first, votes),) = Counter(first for first, _ in seen).most_common(1)
        style = Counter(style for _, style in seen).most_common(1)[0][0]
        return cls(targets, first, style) if votes >= 0.7 * len(seen) else cls()


def _style(text: str, mark: Mark) -> str:
    """Return the bracket in which a mark stands: its own, or the last one before it that is not
    closed again.
    """
    if text[mark.start] in "([":
        return text[mark.start]
    before = text[max(0, mark.start - 60) : mark.start]
    opened = max(before.rfind("("), before.rfind("["))
    return before[opened] if opened > max(before.rfind(")"), before.rfind("]")) else ""


def groups(passage: Passage, numbering: Numbering, names: Names | None = None) -> list[Group]:
    """Return the groups of a passage in order; marks that nobody can link and that look like none
    are dropped.
    """
    marks = [
        linked
        for mark in passage.marks
        if (linked := _linked(passage.text, mark, numbering, names or {})) is not None
    ]
    found: list[list[Mark]] = []
    for mark in marks:
        if found and _JOINT.fullmatch(passage.text, found[-1][-1].end, mark.start):
            found[-1].append(mark)
        else:
            found.append([mark])
    return _apart([_group(passage.text, members, numbering) for members in found])


def _linked(text: str, mark: Mark, numbering: Numbering, names: Names) -> Mark | None:
    printed = text[mark.start : mark.end]
    numbers = bool(_NUMBERS.fullmatch(printed)) and numbering.style == _style(text, mark)
    meant = (
        _meant(printed, numbering)
        if numbers
        else _named(printed, names)
        if not mark.targets or ";" in printed
        else []
    )
    if mark.targets or meant:
        return Mark(mark.start, mark.end, tuple(dict.fromkeys([*mark.targets, *meant])))
    return mark if _YEAR.search(printed) else None


def _named(printed: str, names: Names) -> list[str]:
    """Return the references of printed names and years such as "(Uhr et al., 1985; Wabe 1990)"."""
    found = []
    for part in printed.split(";"):
        name, year = _SURNAME.search(part), _YEAR.search(part)
        if name and year:
            found.append(names.get((surname(name[0]), int(year[1])), ""))
    return [target for target in found if target]


def _meant(printed: str, numbering: Numbering) -> list[str]:
    """Return the references of printed numbers such as "3, 5-7"."""
    found: list[str] = []
    last, dash = -1, False
    for token in _NUMBER_OR_DASH.findall(printed):
        if token.isdigit():
            number = int(token)
            found += numbering.between(last + 1 if dash and last >= 0 else number, number)
            last, dash = number, False
        else:
            dash = True
    return found


def _group(text: str, marks: Sequence[Mark], numbering: Numbering) -> Group:
    targets: list[str] = []
    for place, mark in enumerate(marks):
        if place and _is_range(text, marks[place - 1], mark):
            targets += _between(text, marks[place - 1], mark, numbering)
        targets += mark.targets
    start, end = _balanced(text, marks[0].start, marks[-1].end)
    return Group(start, end, tuple(dict.fromkeys(targets)))


def _is_range(text: str, one: Mark, other: Mark) -> bool:
    return (
        text[one.end - 1] in "–—−-"
        or text[other.start] in "–—−-"
        or _DASH.fullmatch(text, one.end, other.start) is not None
    )


def _between(text: str, one: Mark, other: Mark, numbering: Numbering) -> list[str]:
    """Return the references between two marks that a dash joins."""
    low, high = (
        re.findall(r"\d+", text[one.start : one.end]),
        re.findall(r"\d+", text[other.start : other.end]),
    )
    if not low or not high or max(len(low[-1]), len(high[0])) > 4:
        return []
    return numbering.between(int(low[-1]) + 1, int(high[0]) - 1)


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of a group with the brackets around it that hold nothing else, without half
    a pair.
    """
    end -= len(text[start:end]) - len(text[start:end].rstrip(_SEPARATORS))
    if text[end - 1] == "." and not text.endswith("al.", start, end):
        end -= 1
    opened, closed = _unmatched(text[start:end])
    while opened and text[end : end + 1] == _OPENERS[opened[-1]]:
        end += 1
        opened.pop()
    while closed and text[start - 1 : start] == _CLOSERS[closed[0]]:
        start -= 1
        closed.pop(0)
    while opened and text[start] == opened[0]:
        start += 1
        opened.pop(0)
    while closed and text[end - 1] == closed[-1]:
        end -= 1
        closed.pop()
    while start and _OPENERS.get(text[start - 1], "none") == text[end : end + 3].lstrip()[:1]:
        start, end = start - 1, text.index(_OPENERS[text[start - 1]], end) + 1
    return start, end


def _unmatched(text: str) -> tuple[list[str], list[str]]:
    """Return the opening and the closing brackets that have no partner in a text."""
    opened: list[str] = []
    closed: list[str] = []
    for character in text:
        if character in _OPENERS:
            opened.append(character)
        elif character in _CLOSERS:
            if opened and _OPENERS[opened[-1]] == character:
                opened.pop()
            else:
                closed.append(character)
    return opened, closed


def _apart(found: list[Group]) -> list[Group]:
    """Return the groups without those that widening or trimming made empty or overlapping."""
    kept: list[Group] = []
    for group in found:
        if group.start < group.end and (not kept or kept[-1].end <= group.start):
            kept.append(group)
    return kept


def cited(group: Group, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys of the papers that a group cites."""
    return tuple(dict.fromkeys(keys[target] for target in group.targets if target in keys))
