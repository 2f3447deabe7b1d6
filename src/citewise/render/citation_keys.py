"""Citation keys: the user's own, else keys that a reader can guess (vaswani2017attention)."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from citewise.render.names import parsed
from citewise.types import Paper

_FOLDED = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "ħ": "h",
        "ŋ": "n",
    }
)
OWN = "bib:"
"""What a key of the user's own begins with among a paper's ids."""

# What ends a key, starts a comment or means something else, to BibTeX, biber or LaTeX.
_ILLEGAL = re.compile(r"[\s,{}()=\"'#%\\~$&^`@<>\[\]|\x00-\x1f\x7f]")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_STOPWORDS = frozenset(
    (
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "how",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "over",
        "some",
        "that",
        "the",
        "their",
        "to",
        "toward",
        "towards",
        "using",
        "via",
        "was",
        "we",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "with",
        "without",
    )
)


def citation_keys(papers: Sequence[Paper]) -> list[str]:
    """Return a key for each paper, unique whatever the case: its own from a .bib file, else
    surname, year and first content word of the title, in ASCII.

    Papers that would have the same key get a letter behind it: a, b, c; own keys come first.
    """
    used: set[str] = set()
    own = [_claimed(own_key(paper), used) for paper in papers]
    return [key or _claimed(_stem(paper), used) for key, paper in zip(own, papers, strict=True)]


def own_key(paper: Paper) -> str:
    """Return the key that the user's .bib file gives a paper, without what is illegal in a key; ""
    where there is none.
    """
    name = next((name for name in paper.ids if name.startswith(OWN)), "")
    return _ILLEGAL.sub("", name.removeprefix(OWN))


def _claimed(stem: str, used: set[str]) -> str:
    """Return a key that is not in use, and mark it as used; "" for none."""
    if not stem:
        return ""
    key = next(key for key in _candidates(stem) if key.casefold() not in used)
    used.add(key.casefold())
    return key


def _stem(paper: Paper) -> str:
    """Return a paper's key without a letter behind it."""
    author = _plain(parsed(paper.authors[0]).family) if paper.authors else ""
    words = [word for word in map(_plain, re.split(r"[\W_]+", paper.title)) if word]
    content_words = (word for word in words if word not in _STOPWORDS)
    word = next(content_words, words[0] if words else "")

    stem = f"{author[:40]}{paper.year or ''}{word[:40]}"
    return stem if stem[:1].isalpha() else f"paper{stem}"


def _plain(text: str) -> str:
    """Return a text's letters and digits in lower-case ASCII."""
    folded = unicodedata.normalize("NFKD", text.lower().translate(_FOLDED))
    return _NOT_PLAIN.sub("", folded.encode("ascii", "ignore").decode())


def _candidates(stem: str) -> Iterator[str]:
    """Yield a key without a letter, then with a, b, c, ..."""
    yield stem
    number = 0
    while True:
        yield stem + _letters(number)
        number += 1


def _letters(number: int) -> str:
    """Return 0, 1, ... as a, b, ..., z, aa, ab, ..."""
    letters = ""
    while number >= 0:
        letters = chr(ord("a") + number % 26) + letters
        number = number // 26 - 1
    return letters
