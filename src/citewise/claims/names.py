"""The names in a sentence: words that are written like those of methods, tools, data sets, species or people."""

import re

_NAME = re.compile(r"(?<!\w)(?:\w*[^\W\d_]\w*[A-Z]\w*|[A-Z]\w*\d\w*|[A-Z][\w+-]+)(?!\w)")


def names(text: str) -> str:
    """Return the words with a capital inside or a digit behind one, and those capitalised but for the first word."""
    found = (match[0] for match in _NAME.finditer(text) if match.start() > 0 or _stands_out(match[0]))
    return " ".join(found)


def _stands_out(word: str) -> bool:
    """Return whether a word is a name even at the beginning of a sentence."""
    return sum(map(str.isupper, word)) > 1 or any(map(str.isdigit, word))
