"""Read LaTeX commands: their arguments, the author's own ones, and the text that they make."""

import itertools
import re
from collections.abc import Iterator

from citewise.text.latex import decode_long
from citewise.text.tex_quantities import with_quantities

LONGEST_EXPANSION = 200_000
"""Characters that a document's own commands may produce; they can grow exponentially."""

MAX_EXPANSIONS = 10
"""How often commands are replaced in what commands produced; recursive ones would never end."""

LONGEST_ARGUMENT = 200_000
"""Characters of a command's argument."""

LONGEST_BODY = 2_000
"""Characters of a command's body in which other commands that cite are looked for."""

MAX_UNCLOSED = 10
"""Commands whose argument never ends; each costs a search through the rest of the document."""

# "\newcommand{\name}[2][default]{...}" or "\def\name#1#2{...}", up to the body's brace. Groups:
# 1 or 2 the name, 3 the number of arguments or 4 the arguments themselves, 5 the default.
_DEFINITION = re.compile(
    r"(?:\\(?:re|provide)?(?:new)?command|\\DeclareRobustCommand|\\DeclareMathOperator"
    r"|\\[egx]?def)\*?\s*+"
    r"(?:\{\s*+\\([A-Za-z@]+)\s*+\}|\\([A-Za-z@]+))\s*+"
    r"(?:\[(\d)\]|((?:#\d)+))?\s*+(?:\[([^][]*)\])?\s*+(?=\{)"
)

_STANDARD = frozenset(
    (
        "texttt",
        "textbf",
        "textit",
        "textsc",
        "textrm",
        "textsf",
        "emph",
        "href",
        "url",
        "footnote",
        "cite",
        "citet",
        "citep",
        "section",
        "subsection",
        "paragraph",
        "subparagraph",
        "title",
        "author",
        "abstract",
        "and",
        "maketitle",
    )
)
"""Commands that a document may redefine to look different, but never to mean something else."""

_CITES = re.compile(r"\\[A-Za-z]{0,30}[cC]ite[A-Za-z]{0,30}")
_BETWEEN_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")

_KEPT = ("abstractname",)
"""Commands whose definition stays in the document: its place tells what they are for."""

# A brace, or what is none: an escaped brace, a line break (which may stand before a brace).
_BRACE = re.compile(r"\\[\\{}]|[{}]")
_COMMAND = re.compile(r"\\([A-Za-z@]+)")

# Commands whose second argument is the text: "\href{address}{text}".
_SECOND_ARGUMENT = re.compile(
    r"\\(?:href|textcolor|texorpdfstring|colorbox|scalebox|resizebox)\b\s*+"
    r"(?:\[[^][]*\])?\s*+(?=\{)"
)

# Commands that add no words to the text, with the space before them: "~\cite", " \footnote".
_DROPPED = re.compile(
    r"[~\s]{0,20}\\(?:[A-Za-z]*[cC]ite[A-Za-z]*|footnote(?:mark|text)?|thanks|tnote(?:ref|text)"
    r"|label|index|todo|color|ref|eqref|autoref|[cC]ref|[vh]space|fontsize|linespread"
    r"|includegraphics|orcid|email|sout|fx(?:note|warning|error|fatal)|selectlanguage|pagestyle"
    r"|thispagestyle|pagenumbering|addcontentsline|setcounter|markboth|markright|newgeometry"
    r"|graphicspath|printbibliography|tcblistof)\*?(?![A-Za-z])"
)
_MORE_ARGUMENTS = {"addcontentsline": 3, "tcblistof": 2, "markboth": 2, "fontsize": 2}
"""How many arguments some of these commands have; the others have one."""

_UNIT = r"(?:\\[A-Za-z]{1,20}|(?:true)?(?:pt|cm|mm|em|ex|in|pc|bp|dd|sp|fil{1,3}))"
_SIZE = rf"\s{{0,5}}[+-]?\s{{0,5}}(?:[\d.,]{{1,12}}\s{{0,5}}{_UNIT}|\\[A-Za-z]{{1,20}})"
SKIP = rf"\\(?:[vh]skip|kern|[vh]glue)(?![A-Za-z]){_SIZE}(?:\s{{1,5}}(?:plus|minus){_SIZE}){{0,2}}"
r"""A pattern of a space whose length has no braces: "\vskip 1.0cm plus 2pt"."""

_SKIP = re.compile(SKIP)
_LEFT_COMMAND = re.compile(r"\\[A-Za-z@]{2,}\*?")
LINE_BREAK = "\ue010"
"""Stands for the end of a line while LaTeX becomes text."""

_OPTION = re.compile(r"\s*\[[^][]*\]")

# What dropped citations leave behind: " ()", " [; ]", and a space before punctuation.
_EMPTY_PARENTHESES = re.compile(r"\s*(?:\(\s*[;,]*\s*\)|\[\s*[;,]*\s*\])")
_SPACE_BEFORE_MARK = re.compile(r"\s+([.,;:)\]])")

Commands = dict[str, tuple[int, str | None, str]]
"""A document's own commands by name: number of arguments, default of the first one, and body."""


def group(text: str, position: int) -> tuple[str, int] | None:
    """Return the content of the braces that open at a position, and the position after them.

    White space before the braces is skipped; None where there are none, or they do not close
    within `LONGEST_ARGUMENT`.
    """
    while position < len(text) and text[position].isspace():
        position += 1
    if position >= len(text) or text[position] != "{":
        return None

    depth = 0
    for match in _BRACE.finditer(text, position, position + LONGEST_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return text[position + 1 : match.start()], match.end()
    return None


def arguments(
    text: str, command: re.Pattern[str], most: int
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield (match, argument) of at most `most` matches of a command, which end at its brace."""
    unclosed = 0
    for match in itertools.islice(command.finditer(text), most):
        argument = group(text, match.end())
        if argument:
            yield match, argument[0]
        unclosed += argument is None
        if unclosed > MAX_UNCLOSED:
            return


def cut(text: str, command: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a text and the argument of the command after it; "" after the last text."""
    position = unclosed = 0
    for match in command.finditer(text):
        if match.start() < position or unclosed >= MAX_UNCLOSED:
            continue

        argument = group(text, match.end())
        if argument:
            yield text[position : match.start()], argument[0]
            position = argument[1]
        else:
            unclosed += 1
    yield text[position:], ""


def split_commands(text: str) -> tuple[str, Commands]:
    """Return a document without the definitions of its own commands, and these commands."""
    commands: Commands = {}
    parts: list[str] = []
    position = unclosed = 0
    for match in _DEFINITION.finditer(text):
        name = match[1] or match[2]
        if match.start() < position or name in _KEPT:
            continue

        body = group(text, match.end())
        unclosed += body is None
        if unclosed > MAX_UNCLOSED:
            break

        if body:
            count = int(match[3]) if match[3] else len(match[4] or "") // 2
            if name not in _STANDARD:
                commands[name] = (count, match[5], body[0])
            parts.append(text[position : match.start()])
            position = body[1]
    return "".join([*parts, text[position:]]), commands


def plain_text(text: str, commands: Commands) -> str:
    """Return a piece of LaTeX as text, without footnotes and citations."""
    text = _without_dropped(_SKIP.sub(" ", expanded(text, commands)))
    text = decode_long(_with_second_arguments(with_quantities(text)))
    return _SPACE_BEFORE_MARK.sub(r"\1", _EMPTY_PARENTHESES.sub("", text)).strip()


def plain_lines(text: str, breaks: re.Pattern[str]) -> list[str]:
    r"""Return the lines of a piece of LaTeX as text; a group may span some: "{\bf A \\ B}"."""
    marked = breaks.sub(f" {LINE_BREAK} ", closed(text.replace(LINE_BREAK, " ")))
    return [without_commands(line) for line in plain_text(marked, {}).split(LINE_BREAK)]


def without_commands(text: str) -> str:
    """Return one line of text without the commands that could not be converted."""
    return " ".join(_LEFT_COMMAND.sub(" ", text.replace("\ufffd", " ")).split())


def closed(text: str) -> str:
    """Return LaTeX without the braces that have no partner, which could not be converted."""
    opened: list[int] = []
    lone: dict[int, str] = {}
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            opened.pop()
        elif match[0] == "}":
            lone[match.start()] = ""
    lone |= dict.fromkeys(opened, "{}")
    if not lone:
        return text
    return "".join(lone.get(place, character) for place, character in enumerate(text))


def expanded(text: str, commands: Commands) -> str:
    """Return a piece of LaTeX with the document's own commands replaced by their bodies."""
    if not commands:
        return text

    for _ in range(MAX_EXPANSIONS):
        is_used = any(match[1] in commands for match in _COMMAND.finditer(text))
        if len(text) > LONGEST_EXPANSION or not is_used:
            break
        text = _expanded_once(text, commands)
    return _COMMAND.sub(
        lambda match: "" if match[1] in commands else match[0], text[:LONGEST_EXPANSION]
    )


def with_citations(text: str, commands: Commands) -> str:
    r"""Return a document in which the author's own commands that cite are replaced.

    Such a command is "\newcommand{\rf}[1]{\cite{#1}}". The document may be of any length.
    """
    citing = {name: each for name, each in commands.items() if _CITES.search(each[2])}
    for _ in range(2):
        indirect = {
            name: each
            for name, each in commands.items()
            if any(match[1] in citing for match in _COMMAND.finditer(each[2][:LONGEST_BODY]))
        }
        citing |= indirect
    return "\n\n".join(expanded(piece, citing) for piece in pieces(text)) if citing else text


def pieces(text: str) -> Iterator[str]:
    """Yield the paragraphs; one that is too long to be expanded at once, in parts."""
    for paragraph in _BETWEEN_PARAGRAPHS.split(text):
        for start in range(0, len(paragraph), LONGEST_EXPANSION):
            yield paragraph[start : start + LONGEST_EXPANSION]


def expanded_pieces(text: str, commands: Commands) -> str:
    """Return a long text with the document's own commands replaced, paragraph by paragraph."""
    return "\n\n".join(expanded(piece, commands) for piece in pieces(text))


def _expanded_once(text: str, commands: Commands) -> str:
    """Return a text with each command replaced once; commands in what they produce are left."""
    parts: list[str] = []
    position = size = unclosed = 0
    for match in _COMMAND.finditer(text):
        if match.start() < position or match[1] not in commands:
            continue
        if size > LONGEST_EXPANSION or unclosed > MAX_UNCLOSED:
            break

        body, end = _instance(text, match.end(), commands[match[1]])
        unclosed += commands[match[1]][0] > 0 and text[end : end + 1] == "{"
        parts += [text[position : match.start()], body]
        size += len(body)
        position = end
    return "".join([*parts, text[position:]])


def _instance(text: str, position: int, command: tuple[int, str | None, str]) -> tuple[str, int]:
    """Return a command's body with the arguments at a position filled in, and where these end."""
    count, default, body = command

    arguments: list[str] = []
    if default is not None:
        option = _OPTION.match(text, position)
        arguments.append(option[0].strip()[1:-1] if option else default)
        position = option.end() if option else position
    while len(arguments) < count:
        argument = group(text, position)
        arguments.append(argument[0] if argument else "")
        position = argument[1] if argument else position

    for number, value in enumerate(arguments[:count], 1):
        body = body.replace(f"#{number}", value[:LONGEST_EXPANSION])[:LONGEST_EXPANSION]
    return f"{{{body}}}", position


def _without_dropped(text: str) -> str:
    """Return LaTeX without the commands that add no words, their options and their argument."""
    parts: list[str] = []
    position = unclosed = 0
    for match in _DROPPED.finditer(text):
        if match.start() < position:
            continue

        parts.append(text[position : match.start()])
        position = match.end()
        while option := _OPTION.match(text, position):
            position = option.end()

        name = match[0].strip("~ \t\n\\*")
        for _ in range(_MORE_ARGUMENTS.get(name, 1)):
            argument = group(text, position) if unclosed < MAX_UNCLOSED else None
            unclosed += argument is None and text[position : position + 1] == "{"
            position = argument[1] if argument else position
    return "".join([*parts, text[position:]])


def _with_second_arguments(text: str) -> str:
    r"""Return LaTeX in which \href{address}{text} and similar commands are only {text}."""
    parts: list[str] = []
    position = unclosed = 0
    for match in _SECOND_ARGUMENT.finditer(text):
        is_readable = match.start() >= position and unclosed < MAX_UNCLOSED
        first = group(text, match.end()) if is_readable else None
        unclosed += first is None

        if first:
            parts.append(text[position : match.start()])
            position = first[1]
    return "".join([*parts, text[position:]])
