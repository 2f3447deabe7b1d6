"""Turn citation marks into groups: adjacent marks joined, ranges filled in, numbers looked up."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citewise.ingest.fulltext.passages import Mark, Passage
from citewise.text.ids import surname

LONGEST_RANGE = 60
"""References; "[1-1999]" is no range."""

LEAST_NUMBERED = 3
"""Linked numbers that must agree before unlinked ones are looked up."""

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
"""References by (family name of the first author, year), where no other one has the same."""


@dataclass(frozen=True, slots=True)
class Group:
    """Adjacent marks: their bounds in the passage, and the targets of all of them."""

    start: int
    end: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Numbering:
    """Finds references by printed numbers; empty for a document that does not cite by numbers."""

    targets: Sequence[str] = ()
    """The references in the order of the list."""
    first: int = 1
    """The number of the first reference."""
    style: str = ""
    """How the numbers are printed: "[", "(" or "" for neither."""

    def between(self, low: int, high: int) -> list[str]:
        """Return the references of the numbers low..high, none where the range is not sensible."""
        if not self.targets or not low <= high < low + LONGEST_RANGE or low < self.first:
            return []
        return list(self.targets[low - self.first : high - self.first + 1])

    @classmethod
    def of(cls, passages: Iterable[Passage], targets: Sequence[str]) -> "Numbering":
        """Return the numbering by which most of the marks that are a linked number agree."""
        positions = {target: position for position, target in enumerate(targets)}

        # (number of the first reference, style) by each mark that is one number with one target
        seen = [
            (int(number[0]) - positions[mark.targets[0]], _style(passage.text, mark))
            for passage in passages
            for mark in passage.marks
            if len(mark.targets) == 1
            and mark.targets[0] in positions
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
    """Return the opening bracket of a mark: its first character, or the last one still open."""
    if text[mark.start] in "([":
        return text[mark.start]

    before = text[max(0, mark.start - 60) : mark.start]
    opening = max(before.rfind("("), before.rfind("["))
    closing = max(before.rfind(")"), before.rfind("]"))
    return before[opening] if opening > closing else ""


def groups(passage: Passage, numbering: Numbering, names: Names | None = None) -> list[Group]:
    """Return the groups of a passage in order; marks that cite nothing known and have no year are
    dropped.
    """
    marks = [
        linked
        for mark in passage.marks
        if (linked := _linked(passage.text, mark, numbering, names or {})) is not None
    ]

    adjacent: list[list[Mark]] = []
    for mark in marks:
        if adjacent and _JOINT.fullmatch(passage.text, adjacent[-1][-1].end, mark.start):
            adjacent[-1].append(mark)
        else:
            adjacent.append([mark])

    return _apart([_group(passage.text, members, numbering) for members in adjacent])


def _linked(text: str, mark: Mark, numbering: Numbering, names: Names) -> Mark | None:
    """Return a mark with the references of its printed numbers or names added to its targets.

    None where there are neither targets nor a year.
    """
    printed = text[mark.start : mark.end]

    references: list[str] = []
    if _NUMBERS.fullmatch(printed) and numbering.style == _style(text, mark):
        references = _numbered(printed, numbering)
    elif not mark.targets or ";" in printed:
        references = _named(printed, names)

    if mark.targets or references:
        return Mark(mark.start, mark.end, tuple(dict.fromkeys([*mark.targets, *references])))
    return mark if _YEAR.search(printed) else None


def _named(printed: str, names: Names) -> list[str]:
    """Return the references of printed names and years such as "(Uhr et al., 1985; Wabe 1990)"."""
    targets = []
    for part in printed.split(";"):
        name, year = _SURNAME.search(part), _YEAR.search(part)
        if name and year:
            targets.append(names.get((surname(name[0]), int(year[1])), ""))
    return [target for target in targets if target]


def _numbered(printed: str, numbering: Numbering) -> list[str]:
    """Return the references of printed numbers such as "3, 5-7"."""
    targets: list[str] = []
    last, dash = -1, False
    for token in _NUMBER_OR_DASH.findall(printed):
        if token.isdigit():
            number = int(token)
            targets += numbering.between(last + 1 if dash and last >= 0 else number, number)
            last, dash = number, False
        else:
            dash = True

    return targets


def _group(text: str, marks: Sequence[Mark], numbering: Numbering) -> Group:
    """Return the group of adjacent marks, with the references between two that are a range."""
    targets: list[str] = []
    for index, mark in enumerate(marks):
        if index and _is_range(text, marks[index - 1], mark):
            targets += _between(text, marks[index - 1], mark, numbering)
        targets += mark.targets

    start, end = _balanced(text, marks[0].start, marks[-1].end)
    return Group(start, end, tuple(dict.fromkeys(targets)))


def _is_range(text: str, one: Mark, other: Mark) -> bool:
    """Return whether a dash joins two marks."""
    return (
        text[one.end - 1] in "–—−-"
        or text[other.start] in "–—−-"
        or _DASH.fullmatch(text, one.end, other.start) is not None
    )


def _between(text: str, one: Mark, other: Mark, numbering: Numbering) -> list[str]:
    """Return the references between two marks that a dash joins."""
    low = re.findall(r"\d+", text[one.start : one.end])
    high = re.findall(r"\d+", text[other.start : other.end])
    if not low or not high or max(len(low[-1]), len(high[0])) > 4:
        return []
    return numbering.between(int(low[-1]) + 1, int(high[0]) - 1)


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a group's bounds with the brackets that enclose only it, and without half a pair."""
    end -= len(text[start:end]) - len(text[start:end].rstrip(_SEPARATORS))
    if text[end - 1] == "." and not text.endswith("al.", start, end):
        end -= 1

    # "[3" and "3]" take in the other half of the pair where it is adjacent ...
    openers, closers = _unmatched(text[start:end])
    while openers and text[end : end + 1] == _OPENERS[openers[-1]]:
        end += 1
        openers.pop()
    while closers and text[start - 1 : start] == _CLOSERS[closers[0]]:
        start -= 1
        closers.pop(0)

    # ... and else lose their half.
    while openers and text[start] == openers[0]:
        start += 1
        openers.pop(0)
    while closers and text[end - 1] == closers[-1]:
        end -= 1
        closers.pop()

    # "3" in "[3]" or "[3 ]" takes in the brackets.
    while start and _OPENERS.get(text[start - 1], "none") == text[end : end + 3].lstrip()[:1]:
        start, end = start - 1, text.index(_OPENERS[text[start - 1]], end) + 1
    return start, end


def _unmatched(text: str) -> tuple[list[str], list[str]]:
    """Return the opening and the closing brackets that have no partner in a text."""
    openers: list[str] = []
    closers: list[str] = []
    for character in text:
        if character in _OPENERS:
            openers.append(character)
        elif character in _CLOSERS:
            if openers and _OPENERS[openers[-1]] == character:
                openers.pop()
            else:
                closers.append(character)

    return openers, closers


def _apart(candidates: list[Group]) -> list[Group]:
    """Return the groups without those that `_balanced` made empty or overlapping."""
    kept: list[Group] = []
    for group in candidates:
        if group.start < group.end and (not kept or kept[-1].end <= group.start):
            kept.append(group)
    return kept


def cited(group: Group, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys of the papers that a group cites."""
    return tuple(dict.fromkeys(keys[target] for target in group.targets if target in keys))
