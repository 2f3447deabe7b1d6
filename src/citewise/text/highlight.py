"""Find the words of a text that match a query, to highlight them."""

import re
from collections.abc import Iterable

from citewise.text.tokens import fold, stem

_WORD = re.compile(r"\w+")

TextRanges = tuple[tuple[int, int], ...]
"""Ranges of characters in a text: (start, end)."""


def matching_words(text: str, stems: Iterable[str], outside: TextRanges = ()) -> TextRanges:
    """Return the ranges of the words with one of the stems that overlap no range of `outside`."""
    wanted = frozenset(stems)
    matches = (match.span() for match in _WORD.finditer(text) if stem(_folded(match[0])) in wanted)

    return tuple(
        (start, end)
        for start, end in matches
        if not any(start < stop and begin < end for begin, stop in outside)
    )


def _folded(word: str) -> str:
    return fold(word).decode("utf-8", "ignore").lower().strip()
