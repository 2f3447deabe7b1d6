"""Which words of a sentence are those of a claim."""

import re
from collections.abc import Iterable

from citewise.text import fold, stem

_WORD = re.compile(r"\w+")

Places = tuple[tuple[int, int], ...]
"""Where words stand in a text: (start, end)."""


def shared_words(text: str, stems: Iterable[str], outside: Places = ()) -> Places:
    """Return where words with one of the stems stand, none of them within the places `outside`."""
    wanted = frozenset(stems)
    found = (match.span() for match in _WORD.finditer(text) if stem(_folded(match[0])) in wanted)
    return tuple((start, end) for start, end in found
                 if not any(start < stop and begin < end for begin, stop in outside))


def _folded(word: str) -> str:
    return fold(word).decode("utf-8", "ignore").lower().strip()
