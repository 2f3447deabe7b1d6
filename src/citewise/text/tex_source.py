"""Read LaTeX documents: included files, comments, the author's own commands, citations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citewise.text.encoding import text_of
from citewise.text.latex import decode_long

LARGEST_SOURCE = 20 * 1024 * 1024
"""Bytes of a document with everything it includes."""

DEEPEST_INCLUDE = 8
"""Files that include each other; a deeper one is not read."""

LONGEST_EXPANSION = 200_000
"""Characters that a document's own commands may produce; they can grow exponentially."""

MAX_EXPANSIONS = 10
"""How often commands are replaced in what commands produced; recursive ones would never end."""

MAX_UNCLOSED = 10
"""Commands whose argument never ends; each costs a search through the rest of the document."""

_ADDRESS = re.compile(r"\\(?:url|href)\s*\{[^{}\n]*\}")

# A comment up to its line's end; group 1 are the backslash pairs (line breaks) before it.
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?[ \t]*")

# Group 1 begins what a document switches off, group 2 ends it.
_SWITCHED_OFF = re.compile(r"(\\begin\s*\{comment\}|\\iffalse\b)|(\\end\s*\{comment\}|\\fi\b)")

# "\input{sections/intro}", "\input intro"
_INCLUDE = re.compile(r"\\(?:input|include|subfile)\b\s*+(?:\{([^{}\n]+)\}|([^\s{}\\]+))")

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

_BRACE = re.compile(r"(?<!\\)[{}]")

# Commands whose second argument is the text: "\href{address}{text}".
_SECOND_ARGUMENT = re.compile(
    r"\\(?:href|textcolor|texorpdfstring|colorbox|scalebox|resizebox)\b\s*+"
    r"(?:\[[^][]*\])?\s*+(?=\{)"
)

# Commands that add no words to the text, with the space before them: "~\cite", " \footnote".
_DROPPED = re.compile(
    r"[~\s]{0,20}\\(?:[A-Za-z]*[cC]ite[A-Za-z]*|footnote(?:mark|text)?|thanks|tnote(?:ref|text)"
    r"|label|index|todo|color|ref|eqref|autoref|[cC]ref|[vh]space|fontsize|linespread"
    r"|includegraphics|orcid|email)\*?(?![A-Za-z])"
)

_OPTION = re.compile(r"\s*\[[^][]*\]")

# "\citep[see][p. 3]{key1,key2}": group 1 is the command's name, group 2 the keys.
_CITATION = re.compile(
    r"\\(?!set|bib)([A-Za-z]*[cC]ite(?!style|name|alias)[A-Za-z]*)\*?"
    r"(?:\s*\[[^][]*\]){0,2}\s*\{([^{}]+)\}"
)
_FURTHER_KEYS = re.compile(r"(?:\s*\[[^][]*\]){0,2}\s*\{([^{}]+)\}")

_BIBLIOGRAPHY = re.compile(
    r"\\(?:bibliography|addbibresource)\b\s*+(?:\[[^][]*\])?\s*+\{([^{}]+)\}"
)

# What dropped citations leave behind: " ()", " [; ]", and a space before punctuation.
_EMPTY_PARENTHESES = re.compile(r"\s*(?:\(\s*[;,]*\s*\)|\[\s*[;,]*\s*\])")
_SPACE_BEFORE_MARK = re.compile(r"\s+([.,;:)\]])")

Commands = dict[str, tuple[int, str | None, str]]
"""A document's own commands by name: number of arguments, default of the first one, and body."""


@dataclass
class _Reader:
    """Reads a document and the files it includes, if they are in its folder and not too large."""

    folder: Path
    left: int = LARGEST_SOURCE
    open_files: list[Path] = field(default_factory=list)

    def included(self, name: str) -> str:
        """Return the text of an included file, or "" where it is missing or may not be read."""
        for spelling in (name, f"{name}.tex"):
            path = file_at(self.folder, spelling)
            if path is None or not path.is_relative_to(self.folder) or path in self.open_files:
                continue
            return self.read(path)
        return ""

    def read(self, path: Path) -> str:
        """Return a file's text with the text of each included file in place of its command."""
        if len(self.open_files) > DEEPEST_INCLUDE or path.stat().st_size > self.left:
            return ""

        text = without_comments(text_of(path.read_bytes()))
        self.left -= len(text)
        self.open_files.append(path)
        whole = _INCLUDE.sub(lambda match: self.included((match[1] or match[2]).strip()), text)
        self.open_files.pop()
        return whole


def file_at(folder: Path, name: str) -> Path | None:
    """Return the path of a file that a document names, None where there is no such file."""
    try:
        path = (folder / name).resolve()
        return path if path.is_file() else None
    # The name is too long, or has characters that no file name has.
    except (OSError, ValueError):
        return None


def read_document(path: Path) -> str:
    """Return a LaTeX document without comments, with the files it includes from its own folder."""
    return _Reader(path.resolve().parent).read(path.resolve())


def without_comments(text: str) -> str:
    """Return LaTeX without its comments; as in TeX, a comment takes its line's end with it."""
    # A percent sign in an address is no comment.
    text = _ADDRESS.sub(
        lambda match: match[0].replace("%", r"\%").replace(r"\\%", r"\%"),
        text.replace("\r\n", "\n"),
    )
    return _without_switched_off(_COMMENT.sub(r"\1", text))


def _without_switched_off(text: str) -> str:
    r"""Return LaTeX without comment environments and what is between \iffalse and \fi."""
    parts: list[str] = []
    position, start = 0, -1
    for match in _SWITCHED_OFF.finditer(text):
        if match[1] and start < 0:
            start = match.start()
        elif match[2] and start >= 0:
            parts.append(text[position:start])
            position, start = match.end(), -1

    return "".join([*parts, text[position:]])


def group(text: str, position: int) -> tuple[str, int] | None:
    """Return the content of the braces that open at a position, and the position after them.

    White space before the braces is skipped; None where there are none or they never close.
    """
    while position < len(text) and text[position].isspace():
        position += 1
    if position >= len(text) or text[position] != "{":
        return None

    depth = 0
    for match in _BRACE.finditer(text, position):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return text[position + 1 : match.start()], match.end()
    return None


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
        if match.start() < position:
            continue

        body = group(text, match.end())
        unclosed += body is None
        if unclosed > MAX_UNCLOSED:
            break

        if body:
            count = int(match[3]) if match[3] else len(match[4] or "") // 2
            name = match[1] or match[2]
            if name not in _STANDARD:
                commands[name] = (count, match[5], body[0])
            parts.append(text[position : match.start()])
            position = body[1]
    return "".join([*parts, text[position:]]), commands


def plain_text(text: str, commands: Commands) -> str:
    """Return a piece of LaTeX as text, without footnotes and citations."""
    text = _without_dropped(expanded(text, commands))
    text = decode_long(_with_second_arguments(text))
    return _SPACE_BEFORE_MARK.sub(r"\1", _EMPTY_PARENTHESES.sub("", text)).strip()


def expanded(text: str, commands: Commands) -> str:
    """Return a piece of LaTeX with the document's own commands replaced by their bodies."""
    if not commands:
        return text

    longest_first = sorted(map(re.escape, commands), key=len, reverse=True)
    names = re.compile(r"\\(" + "|".join(longest_first) + r")(?![A-Za-z@])")
    for _ in range(MAX_EXPANSIONS):
        if len(text) > LONGEST_EXPANSION or not names.search(text):
            break
        text = _expanded_once(text, names, commands)
    return names.sub("", text[:LONGEST_EXPANSION])


def _expanded_once(text: str, names: re.Pattern[str], commands: Commands) -> str:
    """Return a text with each command replaced once; commands in what they produce are left."""
    parts: list[str] = []
    position = size = 0
    for match in names.finditer(text):
        if match.start() < position or size > LONGEST_EXPANSION:
            continue

        body, end = _instance(text, match.end(), commands[match[1]])
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


def citations(text: str) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    r"""Yield (start, end, name, keys) of each citation command.

    A command with several lists of keys, such as \cites[p. 3]{one}{two} of biblatex, is one.
    """
    for match in _CITATION.finditer(text):
        lists, end = [match[2]], match.end()
        while match[1].endswith("cites") and (more := _FURTHER_KEYS.match(text, end)):
            lists.append(more[1])
            end = more.end()

        all_keys = (key.strip() for keys in lists for key in keys.split(","))
        keys = tuple(key for key in all_keys if key and key != "*" and "#" not in key)
        yield match.start(), end, match[1], keys


def cited_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a document cites, each once, in the order of their first citation."""
    return tuple(dict.fromkeys(key for _, _, _, keys in citations(text) for key in keys))


def bibliographies(text: str) -> tuple[str, ...]:
    """Return the names of the bibliography files of a document, with their suffix, each once."""
    names = (name.strip() for match in _BIBLIOGRAPHY.finditer(text) for name in match[1].split(","))
    return tuple(
        dict.fromkeys(name if name.endswith(".bib") else f"{name}.bib" for name in names if name)
    )
