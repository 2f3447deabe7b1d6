"""Find the proper names in a sentence: methods, tools, data sets, species and people."""

import re

_NAME = re.compile(
    r"(?<!\w)(?:"
    # a capital inside the word: "mRNA", "BioNLP"
    r"\w*[^\W\d_]\w*[A-Z]\w*"
    # a capital with a digit behind it: "B2", "Word2vec"
    r"|[A-Z]\w*\d\w*"
    # a capitalised word: "Medline", "Smith-Waterman"
    r"|[A-Z][\w+-]+"
    r")(?!\w)"
)


def names(text: str) -> str:
    """Return the words of a sentence that look like proper names, joined by spaces.

    The first word of a sentence is always capitalised, so it only counts as a name if it has a
    second capital or a digit.
    """
    matches = _NAME.finditer(text)
    return " ".join(match[0] for match in matches if match.start() > 0 or _is_distinctive(match[0]))


def _is_distinctive(word: str) -> bool:
    """Return whether a word is a name even at the beginning of a sentence."""
    return sum(map(str.isupper, word)) > 1 or any(map(str.isdigit, word))
