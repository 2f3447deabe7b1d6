"""Read the title, the abstract, the authors and the citations of a LaTeX document."""

from dataclasses import dataclass

from citewise.text import tex_citations, tex_commands, tex_source
from citewise.text.latex_abstract import LONGEST_ABSTRACT, abstract_of
from citewise.text.latex_authors import authors_of
from citewise.text.latex_title import title_of

__all__ = ["LONGEST_ABSTRACT", "LatexFront", "latex_front"]


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
    """Return the title, the abstract, the authors and the citations of a LaTeX document."""
    text = tex_source.without_comments(text)
    body, commands = tex_commands.split_commands(text)
    abstract, had_placeholder = abstract_of(body, commands)
    citing = tex_commands.with_citations(body, commands)
    cited = tex_citations.cited_keys(citing)
    listed = tex_citations.listed_keys(citing)

    return LatexFront(
        title=title_of(body, commands),
        abstract=abstract,
        cited_keys=cited,
        bibliographies=tex_citations.bibliographies(_with_names(body, commands)),
        authors=authors_of(body, commands),
        listed_keys=tuple(key for key in listed if key not in {*cited}),
        had_placeholder=had_placeholder,
    )


def _with_names(body: str, commands: tex_commands.Commands) -> str:
    """Return a document with the short commands that file names are made of replaced."""
    short = {
        name: command
        for name, command in commands.items()
        if command[0] == 0 and len(command[2]) < 200 and "\\" not in command[2]
    }
    return tex_commands.replaced(body, short)
