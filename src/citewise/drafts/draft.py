"""What a reader of drafts finds: title, abstract, authors, and what the draft cites."""

from dataclasses import dataclass

from citewise.types import Paper


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as its file has it; keys and file names are spelled as the draft spells them."""

    title: str = ""
    abstract: str = ""
    cited_keys: tuple[str, ...] = ()
    """Distinct keys of the citations in the text, in their order."""
    bibliographies: tuple[str, ...] = ()
    """Names of the bibliography files, relative to the draft's folder."""
    authors: tuple[str, ...] = ()
    """Empty where they are not certain: a wrong author is worse than none."""
    abstract_from: str = ""
    """What stands in for the abstract ("the introduction"), "" where the draft has one or there is
    nothing to stand in for it.
    """
    references: tuple[Paper, ...] = ()
    """The entries of a list of references that is part of the draft (thebibliography, a .bbl file,
    fields of a word processor); an entry with a key has it among its ids, as `bib:key`.
    """
    lost: tuple[str, ...] = ()
    """What could not be read, each in words for its author: "refs.bib: no such file"."""
