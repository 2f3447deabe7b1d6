"""Read the title, the abstract, the authors and the citations of a LaTeX document."""

from collections.abc import Iterator
from dataclasses import dataclass

from citewise.text import tex_citations, tex_commands
from citewise.text.latex_abstract import LONGEST_ABSTRACT, abstract_of
from citewise.text.latex_authors import authors_of
from citewise.text.latex_title import title_of

__all__ = ["LONGEST_ABSTRACT", "LatexFront", "latex_front"]

LONGEST_FRONT = 1_000_000
"""Characters of a document, without its own definitions, that are searched for title, abstract and
authors.
"""


@dataclass(frozen=True, slots=True)
class LatexFront:
    """What a LaTeX document says about itself, and the keys and .bib files that it cites."""

    title: str = ""
    abstract: str = ""
    cited_keys: tuple[str, ...] = ()
    bibliographies: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    """None where they are not certain."""
    listed_keys: tuple[str, ...] = ()
    r"""Keys that are listed without being cited (\nocite)."""
    had_placeholder: bool = False
    """Whether the abstract is a template's, or "TODO"; it is left out."""


def latex_front(text: str) -> LatexFront:
    """Return the title, the abstract, the authors and the citations of a LaTeX document, which has
    no comments any more.
    """
    body, commands = tex_commands.split_commands(text)
    front = body[:LONGEST_FRONT]
    abstract, had_placeholder = abstract_of(front, commands)
    cited, listed = tex_citations.keys_of(tex_commands.with_citations(body, commands))

    return LatexFront(
        title=title_of(front, commands),
        abstract=abstract,
        cited_keys=cited,
        bibliographies=tuple(_file_names(body, commands)),
        authors=authors_of(front, commands),
        listed_keys=listed,
        had_placeholder=had_placeholder,
    )


def _file_names(body: str, commands: tex_commands.Commands) -> Iterator[str]:
    """Yield the names of the bibliography files, with the author's own commands replaced."""
    for name in tex_citations.bibliographies(body):
        yield tex_commands.expanded(name, commands).replace("{", "").replace("}", "")
