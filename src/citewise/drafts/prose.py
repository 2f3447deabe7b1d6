"""What stands in for a missing abstract: the beginning of a text."""

import itertools
import re

STAND_IN_WORDS = 250
"""About how many words stand in for an abstract: as many as a long one has."""

LONGEST_STAND_IN = 5_000
"""Characters, however few words they are."""

_LONGEST_SENTENCE = 1_000
"""Characters in which the end of the last sentence is looked for."""

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_SENTENCE_END = re.compile(r"[.?!。．][\"'”’)\]]*(?=\s|$)|[。．]")


def count_words(text: str) -> int:
    """Return the number of words; where words are not separated, each character is one."""
    return sum(1 for _ in _WORD.finditer(text))


def stand_in(text: str) -> str:
    """Return the beginning of a text up to the first end of a sentence after `STAND_IN_WORDS`."""
    text = text.strip()[:LONGEST_STAND_IN]
    enough = next(itertools.islice(_WORD.finditer(text), STAND_IN_WORDS, None), None)
    if enough is None:
        return text

    end = _SENTENCE_END.search(text, enough.start(), enough.start() + _LONGEST_SENTENCE)
    return text[: end.end() if end else enough.start()].strip()
