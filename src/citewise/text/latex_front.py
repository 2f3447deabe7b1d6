"""Read the title, the abstract and the citations of a LaTeX document."""

import re
from dataclasses import dataclass

from citewise.text import tex_source

LONGEST_ABSTRACT = 50_000
"""Characters of an abstract's source that are converted; the rest is dropped."""

_TITLE = re.compile(r"\\title\s*(?:\[[^][]*\])?\s*(?=\{)")

# An abstract is an environment (opening, closing), a command, or a section (opening, closing).
_ABSTRACT_ENVIRONMENT = (
    re.compile(r"\\begin\s*\{abstract\*?\}(?:\s*\[[^][]*\])?"),
    re.compile(r"\\end\s*\{abstract\*?\}"),
)
_ABSTRACT_COMMAND = re.compile(r"\\abstract\s*(?=\{)")
_ABSTRACT_SECTION = (
    re.compile(
        r"\\(?:section|chapter|paragraph)\*?\s*\{\s*(?:abstract|summary)\s*\}", re.IGNORECASE
    ),
    re.compile(r"\\(?:section|chapter|begin\s*\{thebibliography|bibliography|end\s*\{document)|\Z"),
)


@dataclass(frozen=True, slots=True)
class LatexFront:
    """A LaTeX document's title and abstract as text, and the keys and .bib files that it cites."""

    title: str = ""
    abstract: str = ""
    cited_keys: tuple[str, ...] = ()
    bibliographies: tuple[str, ...] = ()


def latex_front(text: str) -> LatexFront:
    """Return the title, the abstract and the citations of a LaTeX document."""
    text = tex_source.without_comments(text)
    body, commands = tex_source.split_commands(text)

    command = _TITLE.search(body)
    title = tex_source.group(body, command.end()) if command else None
    abstract = _latex_abstract(body)[:LONGEST_ABSTRACT]

    return LatexFront(
        title=_line(tex_source.plain_text(title[0], commands)) if title else "",
        abstract=_line(tex_source.plain_text(abstract, commands)),
        cited_keys=tex_source.cited_keys(body),
        bibliographies=tex_source.bibliographies(body),
    )


def _latex_abstract(body: str) -> str:
    """Return the LaTeX source of the abstract, "" where there is none."""
    return (
        _between(body, *_ABSTRACT_ENVIRONMENT)
        or _abstract_arguments(body)
        or _between(body, *_ABSTRACT_SECTION)
    )


def _between(body: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Return what is between the first match of `opening` and the next one of `closing`, or ""."""
    start = opening.search(body)
    end = closing.search(body, start.end()) if start else None
    return body[start.end() : end.start()] if start and end else ""


def _abstract_arguments(body: str) -> str:
    r"""Return the arguments of the \abstract command, as paragraphs.

    Journals with structured abstracts give it several: context, aims, methods, results.
    """
    command = _ABSTRACT_COMMAND.search(body)
    position = command.end() if command else len(body)

    parts: list[str] = []
    while argument := tex_source.group(body, position):
        parts.append(argument[0])
        position = argument[1]
    return "\n\n".join(parts)


def _line(text: str) -> str:
    return " ".join(text.replace("\ufffd", " ").split())
