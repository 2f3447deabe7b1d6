"""Remove citation marks from sentences, and recognise spans that are equal without them."""

import re
from collections.abc import Iterable

_SPACE_BEFORE_PUNCTUATION = re.compile(r"\s+(?=[,.;:!?)\]])")

# What the removed marks leave behind: "()", "( ; )", "[,]".
_EMPTY_BRACKETS = re.compile(r"\( ?[,;]* ?\)|\[ ?[,;]* ?\]")

_PUNCTUATION = " .,;:!?"


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def unmarked(text: str, marks: Iterable[tuple[int, int]], start: int, end: int) -> str:
    """Return `text[start:end]` without its citation marks, with single spaces.

    `marks` are the (start, end) offsets of the marks in `text`, in order; marks that are not
    entirely inside the span are left in.
    """
    parts, position = [], start
    for mark_start, mark_end in marks:
        if mark_start >= start and mark_end <= end:
            parts.append(text[position:mark_start])
            position = mark_end
    parts.append(text[position:end])

    plain = _single_spaced(" ".join(parts))
    if len(parts) > 1:
        plain = _single_spaced(_EMPTY_BRACKETS.sub(" ", plain))
    return _SPACE_BEFORE_PUNCTUATION.sub("", plain)


def span_key(text: str, marks: Iterable[tuple[int, int]], start: int, end: int) -> str:
    """Return the text that equal spans share: without marks, case and surrounding punctuation."""
    return unmarked(text, marks, start, end).casefold().strip(_PUNCTUATION)
