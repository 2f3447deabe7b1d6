"""Read LaTeX documents: a file, the files it includes, without comments."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from citewise.text.encoding import text_of, with_plain_line_ends

LARGEST_SOURCE = 20 * 1024 * 1024
"""Bytes of a document with everything it includes."""

DEEPEST_INCLUDE = 8
"""Files that include each other; a deeper one is not read."""

MOST_LOST = 20
"""Missing files that are named."""

_NOT_TEXT = (".bbl", ".sty", ".cls", ".def", ".pgf", ".tikz", ".pdf_tex", ".aux", ".ind", ".gls")
"""Suffixes of files that are included, but are no text of the author's."""

_ADDRESS = re.compile(r"\\(?:url|href)\s*\{[^{}\n]*\}")

# A comment up to its line's end; group 1 are the backslash pairs (line breaks) before it.
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?[ \t]*")

# Group 1 begins what a document switches off, group 2 ends it.
_SWITCHED_OFF = re.compile(r"(\\begin\s*\{comment\}|\\iffalse\b)|(\\end\s*\{comment\}|\\fi\b)")

# "\input{sections/intro}", "\input intro", "\import{sections/}{intro}", "\abstracts{summary}".
# Groups: 1 the folder, 2 or 3 the file; 4 a command that may be a template's own way to include,
# 5 its argument.
_INCLUDE = re.compile(
    r"\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s{0,9}\{([^{}\n]{0,300})\}\s{0,9}\{([^{}\n]{1,300})\}"
    r"|\\(?:input|include|subfile|subfileinclude|InputIfFileExists|includeonlysection)\b\s*+"
    r"(?:\{\s*+([^{}\n]{1,300})\}|([^\s{}\\]{1,300}))"
    r"|\\([A-Za-z]{0,20}(?:[Aa]bstract|[Ii]nclude|[Ii]nput)[A-Za-z]{0,20})\{([\w./-]{1,100})\}"
)
_END_OF_INPUT = re.compile(r"^[ \t]*\\endinput(?![A-Za-z@])", re.MULTILINE)

BEGIN_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
_END_DOCUMENT = re.compile(r"\\end\s*\{document\}")

# A document of its own that is part of another one (subfiles, standalone).
_PART = re.compile(
    rf"\s*\\documentclass.*?{BEGIN_DOCUMENT.pattern}(.*?)(?:{_END_DOCUMENT.pattern}|\Z)", re.DOTALL
)

# "\folder" in the name of an included file, and where such a command is defined.
_COMMAND = re.compile(r"\\([A-Za-z@]+)\s*")
_SHORT_DEFINITION = re.compile(
    r"\\(?:(?:re|provide)?(?:new)?command\*?\s{0,9}\{?|[egx]?def)\s{0,9}\\([A-Za-z@]{1,50})\}?\s{0,9}"
    r"\{([^{}\\\n]{0,200})\}"
)


@dataclass(frozen=True, slots=True)
class LatexSource:
    """A LaTeX document without comments, with the text of its included files in their places."""

    text: str
    folders: tuple[Path, ...] = ()
    """The folders of all files that were read, that of the main file first."""
    lost: tuple[str, ...] = ()
    """What could not be included, each in words for the author."""


@dataclass
class _Reader:
    """Reads a document and the files it includes, if they are in its folder and not too large."""

    folder: Path
    left: int = LARGEST_SOURCE
    open_files: list[Path] = field(default_factory=list)
    folders: dict[Path, None] = field(default_factory=dict)
    lost: dict[str, None] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)

    def included(self, match: re.Match[str]) -> str:
        """Return the text that replaces a command that includes a file."""
        folder, inner, braced, bare, command, argument = match.groups()
        name = f"{folder}/{inner}" if inner else braced or bare or argument
        name = _COMMAND.sub(lambda each: self.commands.get(each[1], ""), name).strip(' "')

        path = self._found(name)
        if path is None:
            return match[0] if command else self._missing(name)
        if path in self.open_files:
            return ""

        text = self.read(path)
        part = _PART.match(text)
        text = part[1] if part else text
        is_abstract = command and "bstract" in command
        return rf"\begin{{abstract}}{text}\end{{abstract}}" if is_abstract else text

    def _found(self, name: str) -> Path | None:
        """Return the file that a name means: in the main file's folder, else beside the file that
        includes it.
        """
        beside = self.open_files[-1].parent if self.open_files else self.folder
        for folder in dict.fromkeys((self.folder, beside)):
            for spelling in (name, f"{name}.tex"):
                path = file_at(folder, spelling)
                if path is not None and path.is_relative_to(self.folder):
                    return path
        return None

    def _missing(self, name: str) -> str:
        """Note a file that is not read; files of packages are none of the author's."""
        if len(self.lost) < MOST_LOST and name and not name.endswith(_NOT_TEXT):
            shown = name if Path(name).suffix else f"{name}.tex"
            where = " in the draft's folder" if ".." in name or name.startswith("/") else ""
            self.lost[f"{shown}: no such file{where}"] = None
        return ""

    def read(self, path: Path) -> str:
        """Return a file's text with the text of each included file in place of its command."""
        if len(self.open_files) > DEEPEST_INCLUDE or path.stat().st_size > self.left:
            self.lost[f"{path.name}: too much text to be read"] = None
            return ""

        text = without_comments(with_plain_line_ends(text_of(path.read_bytes())))
        end = _END_OF_INPUT.search(text)
        text = text[: end.start()] if end else text
        self.left -= len(text)
        self.commands |= dict(_SHORT_DEFINITION.findall(text))

        self.folders[path.parent] = None
        self.open_files.append(path)
        whole = _INCLUDE.sub(self.included, text)
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
    return read_source(path).text


def read_source(path: Path) -> LatexSource:
    """Return a LaTeX document, with the files it includes from its own folder, and what is lost."""
    reader = _Reader(path.resolve().parent)
    text = reader.read(path.resolve())
    return LatexSource(text, tuple(reader.folders), tuple(reader.lost))


def body_of(text: str) -> str:
    r"""Return what is between `\begin{document}` and `\end{document}`, or all of a part."""
    begin = BEGIN_DOCUMENT.search(text)
    end = _END_DOCUMENT.search(text, begin.end()) if begin else None
    return text[begin.end() if begin else 0 : end.start() if end else len(text)]


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
