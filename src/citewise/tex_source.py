"""LaTeX documents as authors write them: included files, comments, commands of their own, arguments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citewise.encoding import text_of
from citewise.latex import decode_long

LARGEST_SOURCE = 20 * 1024 * 1024
"""Bytes of a document with all that it includes."""
DEEPEST_INCLUDE = 8
LONGEST_EXPANSION = 200_000
MOST_EXPANSIONS = 10
"""Bounds for commands that stand for commands, which otherwise may grow exponentially or for ever."""
MOST_UNCLOSED = 10
"""Commands whose argument never ends; each costs a look at all that follows."""

_ADDRESS = re.compile(r"\\(?:url|href)\s*\{[^{}\n]*\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?[ \t]*")
_LEFT_OUT = re.compile(r"(\\begin\s*\{comment\}|\\iffalse\b)|(\\end\s*\{comment\}|\\fi\b)")
_INCLUDE = re.compile(r"\\(?:input|include|subfile)\b\s*+(?:\{([^{}\n]+)\}|([^\s{}\\]+))")
_DEFINITION = re.compile(
    r"(?:\\(?:re|provide)?(?:new)?command|\\DeclareRobustCommand|\\DeclareMathOperator|\\[egx]?def)\*?\s*+"
    r"(?:\{\s*+\\([A-Za-z@]+)\s*+\}|\\([A-Za-z@]+))\s*+(?:\[(\d)\]|((?:#\d)+))?\s*+(?:\[([^][]*)\])?\s*+(?=\{)")
_STANDARD = frozenset((
    "texttt", "textbf", "textit", "textsc", "textrm", "textsf", "emph", "href", "url", "footnote", "cite", "citet",
    "citep", "section", "subsection", "paragraph", "subparagraph", "title", "author", "abstract", "and", "maketitle"))
"""Commands that a document may redefine to look different, never to mean something else."""
_BRACE = re.compile(r"(?<!\\)[{}]")
_SECOND_ARGUMENT = re.compile(
    r"\\(?:href|textcolor|texorpdfstring|colorbox|scalebox|resizebox)\b\s*+(?:\[[^][]*\])?\s*+(?=\{)")
_DROPPED = re.compile(
    r"[~\s]{0,20}\\(?:[A-Za-z]*[cC]ite[A-Za-z]*|footnote(?:mark|text)?|thanks|tnote(?:ref|text)|label|index|todo|color|ref|eqref"
    r"|autoref|[cC]ref|[vh]space|fontsize|linespread|includegraphics|orcid|email)\*?(?![A-Za-z])")
_OPTION = re.compile(r"\s*\[[^][]*\]")
_CITATION = re.compile(
    r"\\(?!set|bib)([A-Za-z]*[cC]ite(?!style|name|alias)[A-Za-z]*)\*?(?:\s*\[[^][]*\]){0,2}\s*\{([^{}]+)\}")
_FURTHER_KEYS = re.compile(r"(?:\s*\[[^][]*\]){0,2}\s*\{([^{}]+)\}")
_BIBLIOGRAPHY = re.compile(r"\\(?:bibliography|addbibresource)\b\s*+(?:\[[^][]*\])?\s*+\{([^{}]+)\}")
_EMPTY_PARENTHESES = re.compile(r"\s*(?:\(\s*[;,]*\s*\)|\[\s*[;,]*\s*\])")
_SPACE_BEFORE_MARK = re.compile(r"\s+([.,;:)\]])")

Commands = dict[str, tuple[int, str | None, str]]
"""A document's own commands: how many arguments, the first one's default, and what the command stands for."""


@dataclass
class _Reader:
    """Reads files of one folder, as long as they are neither outside of it nor too much."""

    folder: Path
    left: int = LARGEST_SOURCE
    open_files: list[Path] = field(default_factory=list)

    def included(self, name: str) -> str:
        """Return the text of an included file, or "" where it may not be read or is not there."""
        for spelling in (name, f"{name}.tex"):
            path = file_at(self.folder, spelling)
            if path is not None and path.is_relative_to(self.folder) and path not in self.open_files:
                return self.read(path)
        return ""

    def read(self, path: Path) -> str:
        """Return a file's text with the files that it includes in their places."""
        if len(self.open_files) > DEEPEST_INCLUDE or path.stat().st_size > self.left:
            return ""
        text = without_comments(text_of(path.read_bytes()))
        self.left -= len(text)
        self.open_files.append(path)
        whole = _INCLUDE.sub(lambda match: self.included((match[1] or match[2]).strip()), text)
        self.open_files.pop()
        return whole


def file_at(folder: Path, name: str) -> Path | None:
    """Return the file that a document names, None where there is none or where no file can have that name."""
    try:
        path = (folder / name).resolve()
        return path if path.is_file() else None
    except (OSError, ValueError):  # too long, or with characters that no name has
        return None


def read_document(path: Path) -> str:
    """Return a LaTeX document without comments, with what it includes from its own folder or below."""
    return _Reader(path.resolve().parent).read(path.resolve())


def without_comments(text: str) -> str:
    """Return LaTeX without its comments; as in TeX, a comment takes its line's end with it."""
    text = _ADDRESS.sub(lambda match: match[0].replace("%", r"\%").replace(r"\\%", r"\%"), text.replace("\r\n", "\n"))
    return _without_left_out(_COMMENT.sub(r"\1", text))


def _without_left_out(text: str) -> str:
    """Remove what an "iffalse" switches off and what comment environments hold."""
    parts: list[str] = []
    at, start = 0, -1
    for match in _LEFT_OUT.finditer(text):
        if match[1] and start < 0:
            start = match.start()
        elif match[2] and start >= 0:
            parts.append(text[at:start])
            at, start = match.end(), -1
    return "".join([*parts, text[at:]])


def group(text: str, at: int) -> tuple[str, int] | None:
    """Return what stands in the braces that open at a position (after white space), and where they end."""
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text) or text[at] != "{":
        return None
    depth = 0
    for match in _BRACE.finditer(text, at):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return text[at + 1:match.start()], match.end()
    return None


def cut(text: str, command: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield (text, argument of the command that follows it); after the last text there is none."""
    at = unclosed = 0
    for match in command.finditer(text):
        argument = group(text, match.end()) if match.start() >= at and unclosed < MOST_UNCLOSED else None
        unclosed += argument is None and match.start() >= at
        if argument:
            yield text[at:match.start()], argument[0]
            at = argument[1]
    yield text[at:], ""


def split_commands(text: str) -> tuple[str, Commands]:
    """Return a document without the definitions of its own commands, and these."""
    commands: Commands = {}
    kept: list[str] = []
    at = unclosed = 0
    for match in _DEFINITION.finditer(text):
        if match.start() < at:
            continue
        body = group(text, match.end())
        unclosed += body is None
        if unclosed > MOST_UNCLOSED:
            break
        if body:
            count = int(match[3]) if match[3] else len(match[4] or "") // 2
            name = match[1] or match[2]
            if name not in _STANDARD:
                commands[name] = (count, match[5], body[0])
            kept.append(text[at:match.start()])
            at = body[1]
    return "".join([*kept, text[at:]]), commands


def plain_text(text: str, commands: Commands) -> str:
    """Return a piece of LaTeX as text, without notes and citations."""
    text = _without_dropped(expanded(text, commands))
    text = decode_long(_with_second_arguments(text))
    return _SPACE_BEFORE_MARK.sub(r"\1", _EMPTY_PARENTHESES.sub("", text)).strip()


def expanded(text: str, commands: Commands) -> str:
    """Return a piece of LaTeX with the document's own commands replaced by what they stand for."""
    if not commands:
        return text
    names = re.compile(r"\\(" + "|".join(sorted(map(re.escape, commands), key=len, reverse=True)) + r")(?![A-Za-z@])")
    for _ in range(MOST_EXPANSIONS):
        if len(text) > LONGEST_EXPANSION or not names.search(text):
            break
        text = _expanded_once(text, names, commands)
    return names.sub("", text[:LONGEST_EXPANSION])


def _expanded_once(text: str, names: re.Pattern[str], commands: Commands) -> str:
    parts: list[str] = []
    at = size = 0
    for match in names.finditer(text):
        if match.start() < at or size > LONGEST_EXPANSION:
            continue
        body, end = _instance(text, match.end(), commands[match[1]])
        parts += [text[at:match.start()], body]
        size += len(body)
        at = end
    return "".join([*parts, text[at:]])


def _instance(text: str, at: int, command: tuple[int, str | None, str]) -> tuple[str, int]:
    """Return what a command stands for with the arguments that follow it, and where these end."""
    count, default, body = command
    arguments: list[str] = []
    if default is not None:
        option = _OPTION.match(text, at)
        arguments.append(option[0].strip()[1:-1] if option else default)
        at = option.end() if option else at
    while len(arguments) < count:
        argument = group(text, at)
        arguments.append(argument[0] if argument else "")
        at = argument[1] if argument else at
    for number, value in enumerate(arguments[:count], 1):
        body = body.replace(f"#{number}", value[:LONGEST_EXPANSION])[:LONGEST_EXPANSION]
    return f"{{{body}}}", at


def _without_dropped(text: str) -> str:
    """Remove commands that add no words to a text, with their options and their argument."""
    parts: list[str] = []
    at = unclosed = 0
    for match in _DROPPED.finditer(text):
        if match.start() < at:
            continue
        parts.append(text[at:match.start()])
        at = match.end()
        while option := _OPTION.match(text, at):
            at = option.end()
        argument = group(text, at) if unclosed < MOST_UNCLOSED else None
        unclosed += argument is None and text[at:at + 1] == "{"
        at = argument[1] if argument else at
    return "".join([*parts, text[at:]])


def _with_second_arguments(text: str) -> str:
    parts: list[str] = []
    at = unclosed = 0
    for match in _SECOND_ARGUMENT.finditer(text):
        first = group(text, match.end()) if match.start() >= at and unclosed < MOST_UNCLOSED else None
        unclosed += first is None
        if first:
            parts.append(text[at:match.start()])
            at = first[1]
    return "".join([*parts, text[at:]])


def citations(text: str) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    """Yield (start, end, name, keys) of the citation commands, those of biblatex with several lists of keys as one."""
    for match in _CITATION.finditer(text):
        lists, end = [match[2]], match.end()
        while match[1].endswith("cites") and (more := _FURTHER_KEYS.match(text, end)):
            lists.append(more[1])
            end = more.end()
        keys = (key.strip() for keys in lists for key in keys.split(","))
        yield match.start(), end, match[1], tuple(key for key in keys if key and key != "*" and "#" not in key)


def cited_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a document cites, each once, in the order of their first citation."""
    return tuple(dict.fromkeys(key for _, _, _, keys in citations(text) for key in keys))


def bibliographies(text: str) -> tuple[str, ...]:
    """Return the bibliography files that a document names, with their suffix."""
    found = (name.strip() for match in _BIBLIOGRAPHY.finditer(text) for name in match[1].split(","))
    return tuple(dict.fromkeys(name if name.endswith(".bib") else f"{name}.bib" for name in found if name))
