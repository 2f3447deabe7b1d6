"""What a citing sentence says apart from its citations: the text by which equal spans are known."""

import re
from collections.abc import Iterable

_BEFORE_STOP = re.compile(r"\s+(?=[,.;:!?)\]])")
_EMPTY_BRACKETS = re.compile(r"\( ?[,;]* ?\)|\[ ?[,;]* ?\]")
_EDGES = " .,;:!?"


def _folded(text: str) -> str:
    return " ".join(text.split())


def unmarked(text: str, marks: Iterable[tuple[int, int]], start: int, end: int) -> str:
    """Return `text[start:end]` without the citation marks (start, end) in it, its white space folded."""
    parts, done = [], start
    for begin, stop in marks:
        if begin >= start and stop <= end:
            parts.append(text[done:begin])
            done = stop
    parts.append(text[done:end])
    plain = _folded(" ".join(parts))
    return _BEFORE_STOP.sub("", _folded(_EMPTY_BRACKETS.sub(" ", plain)) if len(parts) > 1 else plain)


def said(text: str, marks: Iterable[tuple[int, int]], start: int, end: int) -> str:
    """Return what equal spans share: the text without marks, case, and the punctuation around it."""
    return unmarked(text, marks, start, end).casefold().strip(_EDGES)
