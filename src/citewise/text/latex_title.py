"""Find the title of a LaTeX document: in its class's command, in an author's own, or as printed."""

import itertools
import re
from collections.abc import Iterable, Iterator

from citewise.text.placeholders import UNWRITTEN
from citewise.text.tex_commands import Commands, arguments, expanded, group, plain_lines
from citewise.text.tex_source import BEGIN_DOCUMENT

LONGEST_TITLE = 3_000
"""Characters of a title's source that are converted."""

MOST_COMMANDS = 50
"""Commands of one kind that are looked at."""

FRONT = 6_000
"""Characters after the document's beginning in which a printed title is looked for."""

_OPTION = r"\*?\s{0,9}(?:\[[^][]{0,1000}\])?\s{0,9}(?=\{)"
_TITLE = re.compile(rf"\\(?:title|icmltitle){_OPTION}")

# Commands of theses and journals: "\Title", "\thesistitle", "\titel", "\titellineII".
_WORD = r"(?:title|titel|thema|titre|t[ií]tulo|titolo|tytul|nazev|rubrik|otsikko|baslik)"
_NAMED = re.compile(rf"\\([A-Za-z]{{0,30}}{_WORD}[A-Za-z]{{0,30}}){_OPTION}", re.IGNORECASE)
_NAME = re.compile(rf"[A-Za-z@]{{0,30}}{_WORD}[A-Za-z]{{0,30}}", re.IGNORECASE)
_NOT_A_TITLE = re.compile(
    r"short|running|sub|head|page|skip|font|size|format|colou?r|style|space|width|abstract|toc"
    r"|caption|section|chapter|book|journal|job|translat|second|foreign|degree|contents|list|note"
    r"|theorem|proof|frame|block|box|rule|label|author|name$|groesse|font|thetitle|make|sep|shape"
    r"|after|before|line$|mark|english$|eng$",
    re.IGNORECASE,
)
_LINE_NUMBER = re.compile(r"(?:line|zeile|row)?(?:[IVX]+|A|B|one|two|three)$", re.IGNORECASE)
_SUBTITLE = re.compile(r"sub", re.IGNORECASE)

# A file that is only a part of a document has its first heading for a title.
_WHOLE = re.compile(rf"\\documentclass|{BEGIN_DOCUMENT.pattern}")
_CHAPTER = re.compile(rf"\\(?:chapter|section){_OPTION}")
_PDF_TITLE = re.compile(r"pdftitle\s{0,9}=\s{0,9}(?=\{)")

_MADE = re.compile(r"\\maketitle|\\begin\s*\{frontmatter\}|\\titlepage\b|\\maketitlepage")
_HEADING = re.compile(r"\\(?:section|chapter|begin\s*\{abstract)")

# "{\Large Title}", "\Large{Title}": from the largest letters down.
_SIZES = ("Huge", "huge", "LARGE", "Large")
_SIZED = re.compile(
    rf"\{{[^{{}}\\]{{0,20}}(?:\\[A-Za-z]{{1,20}}\s{{0,5}}){{0,5}}?\\({'|'.join(_SIZES)})\b"
)
_INNER = re.compile(rf"\\({'|'.join(_SIZES)})\s{{0,5}}(?=\{{)")

# "\\huge \\textbf{Title}", "\\begin{LARGE} Title": up to the next paragraph or piece of layout.
_SWITCHED = re.compile(
    rf"(?:\\begin\s{{0,5}}\{{({'|'.join(_SIZES)})\}}|\\({'|'.join(_SIZES)})(?![A-Za-z]))"
    r"(.{1,1500}?)(?=\n[ \t]{0,9}\n|\\(?:end|begin|vspace|[vh]fill|vskip|h?rule|par"
    r"|(?:big|med|small)skip|normalsize|small|large|Large|LARGE|huge|Huge|newpage|clearpage|date|today)(?![A-Za-z])|\Z)",
    re.DOTALL,
)

# A note in small letters, a mark of a footnote: "{\footnotesize ...}", "\textsuperscript{*}".
_SMALL = re.compile(r"\{\s{0,9}\\(?:footnotesize|scriptsize|tiny)\b")
_FOOTNOTE_MARK = re.compile(
    r"\\textsuperscript\s{0,9}\{\W{0,5}\}|\$\s{0,5}\^\s{0,5}\{?\s{0,5}(?:\*|\\(?:ast|star|dag(?:ger)?|ddag(?:ger)?))"
    r"\s{0,5}\}?\s{0,5}\$"
)
_LINE_BREAK = re.compile(
    r"\\\\\*?\s{0,9}(?:\[[^][]{0,50}\])?|\\(?:newline|linebreak|par)(?![A-Za-z])"
)
_DOCUMENT_TYPE = re.compile(
    r"(?:(?:the|my|a)\s+)?(?:proyecto de (?:fin de )?(?:grado|carrera)|trabajo (?:de|fin de) \w+"
    r"|tesis(?: doctoral| de \w+)?|tese(?: de \w+)?|disserta[cç][aã]o(?: de \w+)?"
    r"|(?:ph\.?\s?d\.?|doctoral|master'?s?|bachelor'?s?|diploma|honou?rs|undergraduate|final year)"
    r"[\s-]*(?:thesis|dissertation|project|report)|(?:master|bachelor|diplom|doktor|seminar|projekt)"
    r"[\s-]?arbeit|dissertation|inauguraldissertation|habilitationsschrift|thesis|m[ée]moire"
    r"|th[èe]se(?: de doctorat)?|scriptie|masterproef|proefschrift|technical report|examensarbete"
    r"|opinn[äa]ytety[öo]|pro gradu|tesi di laurea(?: \w+)?)\W*",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\W*(?:(?:your|insert|enter|type|paper|article|document|thesis|the|full|main|short|long|a|an"
    r"|manuscript|type|put|here|project|report)\s+)*titles?(?:\s+(?:here|goes|of|the|your|paper"
    rf"|article|thesis|document|manuscript|page))*\W*"
    rf"|\W*(?:{UNWRITTEN}|untitled|lorem ipsum.*|thema"
    r"|titel(?: der arbeit)?|t[ií]tulo)\W*",
    re.IGNORECASE,
)
_INSTITUTION = re.compile(
    r"universi|institut|fakult|facult|department|college|school of|hochschule|submitted|thesis"
    r"|dissertation|abstract|contents|\\",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def title_of(body: str, commands: Commands) -> str:
    """Return the title of a LaTeX document as text, "" where none is found.

    `body` is the document without the definitions of the author's own commands.
    """
    given = next(filter(None, reversed([*_titles(body, _TITLE, commands)])), "")
    if given:
        printed = "" if _MADE.search(body) else _printed(body, commands)
        return printed if _is_similar(printed, given) else given

    found = itertools.chain(
        _by_own_command(commands),
        _by_named_commands(body, commands),
        _titles(body, _PDF_TITLE, commands),
        [_printed(body, commands)],
        () if _WHOLE.search(body) else _titles(body, _CHAPTER, commands),
    )
    return next(filter(None, found), "")


def _is_similar(printed: str, given: str) -> bool:
    """Return whether a printed title is another version of a given one."""
    words, others = ({*_LETTERS.findall(title.casefold())} for title in (printed, given))
    return 2 * len(words & others) > max(len(words), len(others))


def _titles(body: str, command: re.Pattern[str], commands: Commands) -> Iterator[str]:
    """Yield the argument of each match of a command as a title."""
    for _, argument in arguments(body, command, MOST_COMMANDS):
        yield _title(argument, commands)


def _by_own_command(commands: Commands) -> Iterator[str]:
    r"""Yield what an author's own commands have for a title: "\newcommand{\thesistitle}{...}"."""
    for name, (count, _, body) in commands.items():
        if count == 0 and _NAME.fullmatch(name) and not _NOT_A_TITLE.search(name):
            title = _title(body, commands)
            if len(_LETTERS.findall(title)) > 2:
                yield title


def _by_named_commands(body: str, commands: Commands) -> Iterator[str]:
    """Yield the title in commands of unknown classes; lines that are commands of their own are
    joined.
    """
    lines: list[str] = []
    for match, argument in arguments(body, _NAMED, MOST_COMMANDS):
        title = _title(argument, commands)
        is_line = _LINE_NUMBER.search(match[1]) is not None

        if title and is_line and (lines or not _SUBTITLE.search(match[1])):
            lines.append(title)
        elif title and not _NOT_A_TITLE.search(match[1]) and len(_LETTERS.findall(title)) > 1:
            yield title
    yield " ".join(lines)


def _printed(body: str, commands: Commands) -> str:
    """Return the text in the largest letters of the document's beginning, "" without any."""
    begin = BEGIN_DOCUMENT.search(body)
    front = body[begin.end() : begin.end() + FRONT] if begin else ""
    heading = _HEADING.search(front)
    front = front[: heading.start()] if heading else front

    found: list[tuple[str, str]] = []
    sized = [(match, match.start()) for match in _SIZED.finditer(front)]
    sized += [(match, match.end()) for match in _INNER.finditer(front)]
    for match, position in sorted(sized, key=lambda pair: pair[1])[:MOST_COMMANDS]:
        content = group(front, position)
        title = _title(content[0], commands) if content else ""
        found.append((match[1], title))
    return _largest(found) or _largest(
        (match[1] or match[2], _title(match[3], commands))
        for match in itertools.islice(_SWITCHED.finditer(front), MOST_COMMANDS)
    )


def _largest(found: Iterable[tuple[str, str]]) -> str:
    """Return the first title in the largest letters of pairs (size, text), "" without any."""
    titles = [
        (_SIZES.index(size), title)
        for size, title in found
        if len(_LETTERS.findall(title)) > 2 and not _INSTITUTION.search(title)
    ]
    return min(titles, key=lambda pair: pair[0])[1] if titles else ""


def _title(source: str, commands: Commands) -> str:
    """Return the source of a title as text, without notes and a line that names the kind of
    document; "" for the placeholder of a template.
    """
    source = _FOOTNOTE_MARK.sub("", expanded(source[:LONGEST_TITLE], commands))
    source = _without_small(source)
    lines = [line for line in plain_lines(source, _LINE_BREAK) if line]
    while len(lines) > 1 and _DOCUMENT_TYPE.fullmatch(lines[0]):
        del lines[0]

    title = " ".join(lines).strip(" *†‡")
    return "" if _PLACEHOLDER.fullmatch(title) else title


def _without_small(source: str) -> str:
    """Return LaTeX without groups in small letters."""
    while small := _SMALL.search(source):
        note = group(source, small.start())
        if note is None:
            return source[: small.start()]
        source = source[: small.start()] + source[note[1] :]
    return source
