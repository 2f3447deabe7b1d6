"""Find a draft itself in a library: papers with its title, such as its preprint."""

from collections.abc import Sequence

import numpy as np

from citewise.protocols import Papers
from citewise.text.ids import TELLING_WORDS, title_key, title_words
from citewise.text.titles import similar_titles
from citewise.types import Paper

MOST_AUTHORS = 50
"""Authors of a draft whose papers are compared with it."""

_NUMERALS = frozenset(("i", "ii", "iii", "iv", "v", "vi", "vii"))


def own_versions(papers: Papers, title: str, authors: Sequence[str]) -> list[Paper]:
    """Return the papers of a library that are the draft itself or other versions of it.

    One has the draft's title and no other authors than the draft; others are papers by an author of
    it with a near-duplicate title. A title of one or two words needs an author and equal letters.
    """
    if not title_key(title):
        return []

    same = papers.find_same(Paper("", title, authors=tuple(authors)))
    first = papers.read([same]) if same >= 0 else []
    names = authors or [name for paper in first for name in paper.authors]
    rows = np.unique(papers.by_authors(names[:MOST_AUTHORS]).values)

    titles = papers.titles(rows)
    near = [
        other for _, other in similar_titles([title], titles) if _is_version(title, titles[other])
    ]
    found = {*([same] if same >= 0 else []), *rows[near].tolist()}
    return papers.read(sorted(found))


def _is_version(title: str, other: str) -> bool:
    """Return whether a similar title can be the same work's: parts I and II of a series are not."""
    if title_key(title) == title_key(other):
        return True
    words, others = {*title_words(title)}, {*title_words(other)}
    differing = words ^ others
    numbered = any(word.isdecimal() or word in _NUMERALS for word in differing)
    return not numbered and min(len(words), len(others)) >= TELLING_WORDS
