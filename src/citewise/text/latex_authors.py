"""Find the authors of a LaTeX document, in the author commands of the usual classes.

A name is given only where it is certain to be one: no author is better than a wrong one.
"""

import itertools
import re
from collections.abc import Iterator

from citewise.text.person_names import is_name, is_template_name, without_titles
from citewise.text.tex_commands import (
    SKIP,
    Commands,
    arguments,
    cut,
    expanded,
    group,
    plain_lines,
    plain_text,
)
from citewise.text.tex_source import BEGIN_DOCUMENT

LONGEST_BLOCK = 20_000
"""Characters of an author command's argument that are read."""

MOST_COMMANDS = 500
MOST_AUTHORS = 500
MOST_PARTS = 20

FRONT = 3_000
"""Characters after a printed title in which authors are looked for."""

_OPTION = r"\*?\s{0,9}(?:\[[^][]{0,1000}\]\s{0,9}){0,2}(?=\{)"
_AUTHOR = re.compile(rf"\\(?:author|Author|icmlauthor|authors|autor|auteur|autore){_OPTION}")
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
_INSTITUTION = re.compile(
    r"universi|institut|\bdep(?:art|t)|facult|fakult|school|college|labor|number|matri|\d{5}", re.I
)

# What stands beside a name and is none of it, with its argument.
_BESIDE = re.compile(
    r"\\(?:[tT]hanks|footnote(?:mark|text)?|inst|orcid[A-Za-z]*|corref|fnref|cormark|fnmark|tnoteref"
    r"|altaffil\w*|email|ead|affil\w*|institut\w*|IEEEmembership|IEEEcompsoc\w+|IEEEauthorblockA"
    r"|address|homepage|url|texttt|label|vspace|fontsize|authormark|equalcont|authornote|dag"
    rf"|comma|Mark|textcolor|color|ensuremath|IEEEspecialpapernotice|adr){_OPTION}"
)
_NOTE = re.compile(rf"\\(?:[tT]hanks|footnote|corref|fnref|orcid[A-Za-z]*){_OPTION}")
_ADDRESS_LINE = re.compile(r"(?<=\\\\)\s{0,9}\\(?:texttt|email|url)\s{0,9}\{")
_MARK = re.compile(
    r"\\(?:textsuperscript|textsubscript|IEEEauthorrefmark|textordmasculine|footnotemark|affmark|samethanks"
    r"|authorrefmark|affilnum|thanksmark)\s{0,9}(?:\[[^][]{0,100}\])?(?=\s{0,9}[\[{])"
)
_FORMULA = re.compile(
    r"\$[^$]{0,300}\$|\\\([^()]{0,300}\\\)|(?<!\\)\^\{[^{}]{0,50}\}|\\(?:dag(?:ger)?|ddag(?:ger)?|S|P|Letter|ast|star)\b"
)
_TYPEWRITER = re.compile(
    r"\{\s{0,9}\\(?:tt|ttfamily|footnotesize|scriptsize|tiny|normalsize|small\s{0,5}\\tt)\b"
)
_LINK = r"(?:\s{0,9}\\(?:href|url|texttt|nolinkurl)\s{0,5}(?:\{[^{}]{0,300}\}){1,2})?"
_CONTACT = re.compile(r"\\(?:email|texttt|url|href|affil|institut)")
_UNBRACED = re.compile(rf"\\(?:email|addr)\b(?!\s{{0,9}}[{{[]){_LINK}[^\\]{{0,300}}")
_MARKED = "\ue000"
"""Stands for an affiliation's mark."""

_BLOCKS = re.compile(r"\\(?:and|And|AND|newauthor|name)(?![A-Za-z])|(?<!\\)&")
_LINES = re.compile(
    rf"{SKIP}|"
    r"\\\\\*?\s{0,9}(?:\[[^][]{0,50}\])?|\\(?:newline|linebreak|par|bigskip|medskip|smallskip"
    r"|tabularnewline|vfill|addr)(?![A-Za-z])"
    r"|\n[ \t]{0,50}\n"
    r"|\\[;:!]|\\(?:begin|end)\s{0,9}\{[a-z*]{1,30}\}(?:\s{0,9}[\[{][^][{}]{0,50}[\]}]){0,2}"
)
_APART = re.compile(r"\\(?:(?:qquad|quad|hfill)(?![A-Za-z])|hspace\*?\s{0,5}\{[^{}]{0,50}\})")
"""A space between names in one line."""

_PIECES = re.compile(
    rf"{_MARKED}[\d*,]{{0,9}}(?=\s)|"
    r"[,;·•|/]|\\&|&|(?:^|\s)(?:and|und|et|y|e|og|och|en|ve)\s|(?<=\w\s)\\,(?=\s?\w)|\s{0,9}\n\s{0,9}\n"
)
_LIST_END = re.compile(r"(?:[,;&]|\s(?:and|und|et))\s*\Z")
_LIST_GOES_ON = re.compile(r"\s*(?:and|und|et|&)\s")
_LABEL = re.compile(
    r"\W*(?:authors?|autor(?:es|in)?|by|von|par|(?:submitted|written"
    r"|presented|prepared) by|(?:vorgelegt|eingereicht|verfasst) von|(?:pr[ée]sent[ée]e?"
    r"|soutenue?)(?: et soutenue?)? par|presentad[ao] por|por|name|student|candidate|laureando"
    r"|candidato)\s*:?\W*",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\W*(?:supervis\w*|advis[oe]rs?|asesor\w*|promotor\w*|director\w*|tutor\w*|betreuer\w*"
    r"|gutachter\w*|examiner\w*|under the)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_SUFFIX = re.compile(
    r"(?:Jr|Sr|I{2,3}|PhD|Ph\.?\s?D|MD|MSc|BSc|M\.?\s?Sc|Member|IEEE|Fellow)\.?", re.IGNORECASE
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
            yield from itertools.chain.from_iterable(_names(name, 1) for name in names)
        else:
            yield from _names(block)


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
        names = [*_names(expanded(source[:LONGEST_BLOCK], commands))]
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

    for line in _lines(expanded(front[end[1] :], commands)):
        names = [*_names_in_line(line, 2)]
        if names and _MARKED in line:
            yield from names
        elif line.strip(f" {_MARKED}"):
            return


def _after_label(body: str, commands: Commands) -> Iterator[str]:
    """Yield the names in the first line of a title page after a label: "submitted by:"."""
    begin = BEGIN_DOCUMENT.search(body)
    front = body[begin.end() : begin.end() + FRONT] if begin else ""
    heading = _HEADING.search(front)
    front = front[: heading.start()] if heading else front

    lines = iter(filter(None, _lines(expanded(front, commands))))
    if any(_LABEL.fullmatch(line) for line in lines):
        yield from _whole_line(next(lines, ""))


def _whole_line(line: str) -> list[str]:
    """Return the names in a line that has nothing else, else none."""
    names = [*_names_in_line(line, 2)]
    pieces = [piece for piece in map(_piece, _PIECES.split(line)) if piece]
    others = (piece for piece in pieces if piece not in names)
    return names if all(map(_SUFFIX.fullmatch, others)) else []


def _by_pdf_author(body: str, commands: Commands) -> Iterator[str]:
    for _, argument in arguments(body, _PDF_AUTHOR, 1):
        yield from _names(expanded(argument[:LONGEST_BLOCK], commands))


def _names(block: str, fewest: int = 2) -> Iterator[str]:
    r"""Yield the names in the argument of an author command.

    Each block (between \and) begins with names; what follows is an affiliation, until an e-mail
    address ends it.
    """
    has_more = _CONTACT.search(block) is not None
    for part in _BLOCKS.split(_without_beside(block)):
        lines = [line for line in _lines(part) if line.strip(f" {_MARKED}{{}}")]
        ends = [number for number, line in enumerate(lines) if _OTHERS.fullmatch(line)]
        yield from _names_in_lines(lines[: ends[0] if ends else None], fewest, has_more)
        if ends:
            return


def _names_in_lines(lines: list[str], fewest: int, has_more: bool) -> Iterator[str]:
    """Yield the names in the lines of a block; `has_more` says whether there are addresses, too.

    After a line of names, a single name can be that of a town or a university ("Georgia Tech"). It
    is an author's where all lines are single names and nothing else is there, or where institutions
    follow both it and the first.
    """
    lines = [line for line in lines if not _LABEL.fullmatch(line)]
    found = [[*_names_in_line(line, fewest)] for line in lines]
    are_names = not has_more and all(len(_whole_line(line)) == 1 for line in lines)
    is_list = len(lines) > 1 and _INSTITUTION.search(lines[1]) is not None
    is_open = is_first = True
    for number, (line, names) in enumerate(zip(lines, found, strict=True)):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_further = is_list and _whole_line(line) and _INSTITUTION.search(following)
        is_continued = number > 0 and _continues(lines[number - 1], line)
        if names and is_open and (is_first or are_names or is_continued or _is_list_of_names(line)):
            yield from names
            is_first = False
        elif names and is_further:
            yield from names
        else:
            is_open = is_first = "@" in line


def _continues(previous: str, line: str) -> bool:
    """Return whether two lines are one list: "Ada King," and "and Alan Turing"."""
    return _LIST_END.search(previous) is not None or _LIST_GOES_ON.match(line) is not None


def _is_list_of_names(line: str) -> bool:
    """Return whether a line has marks of affiliations, or several names and nothing else."""
    return _MARKED in line or len(_whole_line(line)) > 1


def _without_beside(block: str) -> str:
    """Return an author block without notes, addresses and the like; marks become one character."""
    block = _ADDRESS_LINE.sub(r"\\newline @ \g<0>", block)
    noted = [piece for piece, _ in cut(block, _NOTE)]
    block = "".join(f"{piece}{_MARKED if piece[-1:].isalpha() else ''}" for piece in noted[:-1])
    block = "".join(piece for piece, _ in cut(block + noted[-1], _BESIDE))
    block = _UNBRACED.sub(" ", block)
    block = _MARKED.join(piece for piece, _ in cut(block, _MARK))
    return _FORMULA.sub(_MARKED, block)


def _lines(part: str) -> list[str]:
    """Return the lines of an author block as text."""
    part = _FORMULA.sub(_MARKED, _MARKED.join(piece for piece, _ in cut(part, _MARK)))
    return plain_lines(_TYPEWRITER.sub(r"\\newline @ {", _APART.sub("; ", part)), _LINES)


def _names_in_line(line: str, fewest: int) -> Iterator[str]:
    """Yield the names in a line, up to the first piece that is none.

    A line that begins with a mark is an affiliation.
    """
    if line.startswith(_MARKED):
        return
    pieces = [each for each in (_piece(piece) for piece in _PIECES.split(line)) if each]
    for piece in pieces:
        if is_name(piece, fewest):
            yield piece
        elif not is_template_name(piece) and not _SUFFIX.fullmatch(piece):
            return


def _piece(text: str) -> str:
    """Return a piece of an author line without marks, numbers and titles."""
    text = re.sub(
        rf"{_MARKED}[\s\d*]{{0,9}}|\([^()]{{0,80}}\)|^\s*\d{{1,2}}\s*(?:st|nd|rd|th)?\b", " ", text
    )
    return without_titles(re.sub(r"(?<=\w)[–—](?=\w)", "-", text))
