"""A paper on its way into a library, with the hashes by which it will be found."""

from dataclasses import dataclass

from citewise import ids
from citewise.types import Paper

_TELLING_WORDS = 3
"""Titles of fewer words ("Introduction", "Editorial") do not tell works apart."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper with the hashes of its keys, of its references and of its title (see `title_digest`)."""

    paper: Paper
    keys: list[int]
    references: list[int]
    title: int

    @classmethod
    def of(cls, paper: Paper) -> "Entry":
        """Hash what a paper is found by."""
        return cls(paper, [ids.digest(name) for name in keys_of(paper)],
                   [ids.digest(name) for name in paper.references], title_digest(paper.title))


def keys_of(paper: Paper) -> tuple[str, ...]:
    """Return every key that a paper answers to."""
    return (paper.id, *(name for name in paper.ids if name != paper.id))


def title_digest(title: str) -> int:
    """Return a hash of what versions of a title share, 0 where the title is too short to tell works apart."""
    if len(title.replace("-", " ").split()) < _TELLING_WORDS:
        return 0
    return ids.digest(ids.title_key(title)) or 1
