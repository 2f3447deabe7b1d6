"""A full text, as the reader of its format yields it."""

from dataclasses import dataclass

from citewise.types import CitingSentence, Paper


@dataclass(frozen=True, slots=True)
class Document:
    """A paper, its text, the papers in its list of references, and its citing sentences."""

    paper: Paper
    """Its `references` are the ids of `cited`."""
    text: str
    """The running text, with blank lines between paragraphs; a citing sentence is
    `text[start : start + len(sentence.text)]`.
    """
    cited: tuple[Paper, ...]
    """The entries of the list of references: ids, title, authors and year as far as known."""
    sentences: tuple[CitingSentence, ...]
    """In the order of the text."""
