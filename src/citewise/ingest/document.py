"""A full text as its format's reader yields it."""

from dataclasses import dataclass

from citewise.types import CitingSentence, Paper


@dataclass(frozen=True, slots=True)
class Document:
    """A paper, its text, the papers of its list of references, and the sentences in which it cites
    them.
    """

    paper: Paper
    """Its `references` are the ids of `cited`."""
    text: str
    """The running text, paragraphs parted by blank lines; a sentence is `text[start: start +
    len(sentence.text)]`.
    """
    cited: tuple[Paper, ...]
    """One for each entry of the list of references, with what is known: ids, title, authors, year.
    """
    sentences: tuple[CitingSentence, ...]
    """In the order of the text."""
