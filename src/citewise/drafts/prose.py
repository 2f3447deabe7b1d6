"""What stands in for a missing abstract, and what is only a placeholder for one."""

import itertools
import re

STAND_IN_WORDS = 250
"""About how many words stand in for an abstract: as many as a long one has."""

_LONGEST = 1_000
"""Characters in which the end of the last sentence is looked for."""

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_SENTENCE_END = re.compile(r"[.?!。][\"'”’)\]]*(?=\s|$)|。")
_PLACEHOLDER = re.compile(
    r"\W*(?:to[\s-]?do|tbd|tba|fixme|xxx+|n/?a|none|coming soon|work in progress|lorem ipsum\b.*"
    r"|abstract|(?:your |the )?(?:abstract|text|summary) (?:goes |comes )?here"
    r"|(?:insert|write|add|put) .{0,60}(?:here|abstract))?\W*",
    re.IGNORECASE | re.DOTALL,
)


def is_placeholder(text: str) -> bool:
    """Return whether a text is empty or says only that something is still to be written."""
    return len(text) < 2_000 and _PLACEHOLDER.fullmatch(text) is not None


def count_words(text: str) -> int:
    """Return the number of words; where words are not separated, each character is one."""
    return sum(1 for _ in _WORD.finditer(text))


def stand_in(text: str) -> str:
    """Return the beginning of a text up to the first end of a sentence after `STAND_IN_WORDS`."""
    words = itertools.islice(_WORD.finditer(text), STAND_IN_WORDS, None)
    enough = next(words, None)
    end = _SENTENCE_END.search(text, enough.start(), enough.start() + _LONGEST) if enough else None
    if enough is None:
        return text.strip()
    return text[: end.end() if end else enough.start()].strip()
