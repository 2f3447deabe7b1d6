"""Find the authors of a LaTeX document, in the author commands of the usual classes.

A name is given only where it is certain to be one: no author is better than a wrong one.
"""

import itertools
import re
from collections.abc import Iterator

from citewise.text.latex_author_lines import (
    LABEL,
    MARKED,
    OPTION,
    lines_of,
    names_in,
    names_in_line,
    whole_line,
)
from citewise.text.person_names import is_name
from citewise.text.tex_commands import Commands, arguments, cut, expanded, group, plain_text
from citewise.text.tex_source import BEGIN_DOCUMENT

LONGEST_BLOCK = 20_000
"""Characters of an author command's argument that are read."""

MOST_COMMANDS = 500
MOST_AUTHORS = 500
MOST_PARTS = 20

FRONT = 3_000
"""Characters after a printed title in which authors are looked for."""

_AUTHOR = re.compile(rf"\\(?:author|Author|icmlauthor|authors|autor|auteur|autore){OPTION}")
_NAME_BLOCK = re.compile(r"\\IEEEauthorblockN\s{0,9}(?=\{)")

# A document whose \author commands replace each other, unless something of an author's follows.
_PLAIN_CLASS = re.compile(
    r"\\documentclass\s{0,9}(?:\[[^][]{0,1000}\])?\s{0,9}\{(?:ext|scr)?(?:article|report|book|artcl|reprt"
    r"|book|memoir|thesis)\}"
)
_ONE_BY_ONE = re.compile(
    r"\\(?:affil|address|institute|email|ead|orcid)|\{authblk\}|\\author\s{0,9}\["
)

# Commands of theses, with a whole name or its parts.
_OWN_NAME = re.compile(
    r"\\?([A-Za-z@]{0,20}(?:author|autor|auteur|verfasser|candidat[eo]?|laureando|student|doctorant|myname|meinname|firstlastname"
    r"|fullname|ownname|tekij[aä])[A-Za-z]{0,20})",
    re.IGNORECASE,
)
_NOT_THE_AUTHOR = re.compile(
    r"supervis|advis|promotor|reader|short|running|corr|mail|examin|referee|number|id$|matr|and$"
    r"|ref|block|mark|list|sep|font|head|note|address|info|contrib|year|first$|last$|style|page|cite",
    re.IGNORECASE,
)
_FORENAME = re.compile(
    r"\\(?:my|author|autor|student)?(?:fore|first|given|vor)name(n?[A-Z]?)\s{0,9}(?=\{)|\\prenom()\s{0,9}(?=\{)"
)
_SURNAME = re.compile(
    r"\\(?:my|author|autor|student)?(?:sur|last|family|nach)name(n?[A-Z]?)\s{0,9}(?=\{)|\\nom()\s{0,9}(?=\{)"
)
_PDF_AUTHOR = re.compile(r"pdfauthor\s{0,9}=\s{0,9}(?=\{)")
_COMMAND = re.compile(r"\\([A-Za-z]{3,60})\s{0,9}(?=\{)")

# "\\author{M.}{Brice}{Nédelec}": a courtesy title, and the parts of the name.
_COURTESY = re.compile(
    r"\\(?:author|auteur|autor)\s{0,9}\{\s{0,9}(?:M|Mr|Mrs|Ms|Mme|Mlle|Dr|Herr|Frau)?\.?\s{0,9}\}"
    r"\s{0,9}(?=\{)"
)


def authors_of(body: str, commands: Commands) -> tuple[str, ...]:
    """Return the authors of a LaTeX document, none where they are not certain.

    `body` is the document without the definitions of the author's own commands.
    """
    found = (
        _by_author_commands(body, commands),
        _by_courtesy(body, commands),
        _by_parts(body, commands),
        _by_own_commands(body, commands),
        _beside_printed_title(body, commands),
        _after_label(body, commands),
        _by_pdf_author(body, commands),
    )
    for names in found:
        known = [*dict.fromkeys(itertools.islice(names, MOST_AUTHORS))]
        if known:
            return tuple(known)
    return ()


def _by_author_commands(body: str, commands: Commands) -> Iterator[str]:
    """Yield the names in the author commands; in plain classes, the last command counts."""
    blocks = [
        argument for _, argument in itertools.islice(cut(body, _AUTHOR), MOST_COMMANDS) if argument
    ]
    if _PLAIN_CLASS.search(body) and not _ONE_BY_ONE.search(body):
        blocks = blocks[-1:]

    for block in (expanded(each[:LONGEST_BLOCK], commands) for each in blocks):
        names = [argument for _, argument in cut(block, _NAME_BLOCK) if argument]
        if names:
            yield from itertools.chain.from_iterable(names_in(name, 1) for name in names)
        else:
            yield from names_in(block)


def _by_courtesy(body: str, commands: Commands) -> Iterator[str]:
    """Yield the names whose command has their parts for arguments, a courtesy title first."""
    for match in itertools.islice(_COURTESY.finditer(body), MOST_PARTS):
        first = group(body, match.end())
        last = group(body, first[1]) if first else None
        if first and last:
            name = " ".join(plain_text(part[:200], commands) for part in (first[0], last[0]))
            if is_name(name):
                yield name


def _by_parts(body: str, commands: Commands) -> Iterator[str]:
    r"""Yield the names whose parts have commands of their own: "\forenameA{..} \surnameA{..}"."""
    parts = (_arguments_by_suffix(body, command, commands) for command in (_FORENAME, _SURNAME))
    first, last = parts
    for suffix in first:
        name = f"{first[suffix]} {last.get(suffix, '')}".strip()
        if suffix in last and is_name(name):
            yield name


def _arguments_by_suffix(body: str, command: re.Pattern[str], commands: Commands) -> dict[str, str]:
    return {
        match[1] or match[2] or "": plain_text(argument[:200], commands)
        for match, argument in arguments(body, command, MOST_PARTS)
    }


def _by_own_commands(body: str, commands: Commands) -> Iterator[str]:
    r"""Yield the names in an author's own commands, else in those of an unknown class.

    These are "\newcommand{\myname}{...}" and "\firstLastName{...}".
    """
    own = [
        body_of
        for name, (count, _, body_of) in commands.items()
        if count == 0 and _is_author_command(name)
    ]
    used = [
        argument
        for match, argument in arguments(body, _COMMAND, MOST_COMMANDS)
        if _is_author_command(match[1])
    ]

    for source in itertools.chain(own, used):
        names = [*names_in(expanded(source[:LONGEST_BLOCK], commands))]
        if names:
            yield from names
            return


def _is_author_command(name: str) -> bool:
    return _OWN_NAME.fullmatch(name) is not None and not _NOT_THE_AUTHOR.search(name)


_HEADING = re.compile(r"\\(?:section|chapter|tableofcontents|begin\s{0,9}\{abstract)")
_SIZED = re.compile(r"\{\s{0,9}\\(?:Huge|huge|LARGE|Large)\b")


def _beside_printed_title(body: str, commands: Commands) -> Iterator[str]:
    """Yield the names after a title in large letters, each with the mark of its affiliation."""
    begin = BEGIN_DOCUMENT.search(body)
    front = body[begin.end() : begin.end() + FRONT] if begin else ""
    title = _SIZED.search(front)
    end = group(front, title.start()) if title else None
    if end is None:
        return

    for line in lines_of(expanded(front[end[1] :], commands)):
        names = [*names_in_line(line, 2)]
        if names and MARKED in line:
            yield from names
        elif line.strip(f" {MARKED}"):
            return


def _after_label(body: str, commands: Commands) -> Iterator[str]:
    """Yield the names in the first line of a title page after a label: "submitted by:"."""
    begin = BEGIN_DOCUMENT.search(body)
    front = body[begin.end() : begin.end() + FRONT] if begin else ""
    heading = _HEADING.search(front)
    front = front[: heading.start()] if heading else front

    lines = iter(filter(None, lines_of(expanded(front, commands))))
    if any(LABEL.fullmatch(line) for line in lines):
        yield from whole_line(next(lines, ""))


def _by_pdf_author(body: str, commands: Commands) -> Iterator[str]:
    for _, argument in arguments(body, _PDF_AUTHOR, 1):
        yield from names_in(expanded(argument[:LONGEST_BLOCK], commands))
