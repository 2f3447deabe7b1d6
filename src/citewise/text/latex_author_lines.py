"""Find the names in the lines of an author block in LaTeX, where affiliations stand beside them."""

import re
from collections.abc import Iterator

from citewise.text.person_names import is_name, is_template_name, without_titles
from citewise.text.tex_commands import SKIP, cut, plain_lines

OPTION = r"\*?\s{0,9}(?:\[[^][]{0,1000}\]\s{0,9}){0,2}(?=\{)"
"""A pattern of what may stand between a command of authors and its argument."""

_INSTITUTION = re.compile(
    r"universi|institut|\bdep(?:art|t)|facult|fakult|school|college|labor|number|matri|\d{5}", re.I
)

# What stands beside a name and is none of it, with its argument.
_BESIDE = re.compile(
    r"\\(?:[tT]hanks|footnote(?:mark|text)?|inst|orcid[A-Za-z]*|corref|fnref|cormark|fnmark|tnoteref"
    r"|altaffil\w*|email|ead|affil\w*|institut\w*|IEEEmembership|IEEEcompsoc\w+|IEEEauthorblockA"
    r"|address|homepage|url|texttt|label|vspace|fontsize|authormark|equalcont|authornote|dag"
    rf"|comma|Mark|textcolor|color|ensuremath|IEEEspecialpapernotice|adr){OPTION}"
)
_NOTE = re.compile(rf"\\(?:[tT]hanks|footnote|corref|fnref|orcid[A-Za-z]*){OPTION}")
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
MARKED = "\ue000"
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
    rf"{MARKED}[\d*,]{{0,9}}(?=\s)|"
    r"[,;·•|/]|\\&|&|(?:^|\s)(?:and|und|et|y|e|og|och|en|ve)\s|(?<=\w\s)\\,(?=\s?\w)|\s{0,9}\n\s{0,9}\n"
)
_LIST_END = re.compile(r"(?:[,;&]|\s(?:and|und|et))\s*\Z")
_LIST_GOES_ON = re.compile(r"\s*(?:and|und|et|&)\s")
LABEL = re.compile(
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


def names_in(block: str, fewest: int = 2) -> Iterator[str]:
    r"""Yield the names in the argument of an author command.

    Each block (between \and) begins with names; what follows is an affiliation, until an e-mail
    address ends it.
    """
    has_more = _CONTACT.search(block) is not None
    for part in _BLOCKS.split(_without_beside(block)):
        lines = [line for line in lines_of(part) if line.strip(f" {MARKED}{{}}")]
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
    lines = [line for line in lines if not LABEL.fullmatch(line)]
    found = [[*names_in_line(line, fewest)] for line in lines]
    are_names = not has_more and all(len(whole_line(line)) == 1 for line in lines)
    is_list = len(lines) > 1 and _INSTITUTION.search(lines[1]) is not None
    is_open = is_first = True
    for number, (line, names) in enumerate(zip(lines, found, strict=True)):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_further = is_list and whole_line(line) and _INSTITUTION.search(following)
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
    return MARKED in line or len(whole_line(line)) > 1


def _without_beside(block: str) -> str:
    """Return an author block without notes, addresses and the like; marks become one character."""
    block = _ADDRESS_LINE.sub(r"\\newline @ \g<0>", block)
    noted = [piece for piece, _ in cut(block, _NOTE)]
    block = "".join(f"{piece}{MARKED if piece[-1:].isalpha() else ''}" for piece in noted[:-1])
    block = "".join(piece for piece, _ in cut(block + noted[-1], _BESIDE))
    block = _UNBRACED.sub(" ", block)
    block = MARKED.join(piece for piece, _ in cut(block, _MARK))
    return _FORMULA.sub(MARKED, block)


def lines_of(part: str) -> list[str]:
    """Return the lines of an author block as text."""
    part = _FORMULA.sub(MARKED, MARKED.join(piece for piece, _ in cut(part, _MARK)))
    return plain_lines(_TYPEWRITER.sub(r"\\newline @ {", _APART.sub("; ", part)), _LINES)


def names_in_line(line: str, fewest: int) -> Iterator[str]:
    """Yield the names in a line, up to the first piece that is none.

    A line that begins with a mark is an affiliation.
    """
    if line.startswith(MARKED):
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
        rf"{MARKED}[\s\d*]{{0,9}}|\([^()]{{0,80}}\)|^\s*\d{{1,2}}\s*(?:st|nd|rd|th)?\b", " ", text
    )
    return without_titles(re.sub(r"(?<=\w)[–—](?=\w)", "-", text))


def whole_line(line: str) -> list[str]:
    """Return the names in a line that has nothing else, else none."""
    names = [*names_in_line(line, 2)]
    pieces = [piece for piece in map(_piece, _PIECES.split(line)) if piece]
    others = (piece for piece in pieces if piece not in names)
    return names if all(map(_SUFFIX.fullmatch, others)) else []
