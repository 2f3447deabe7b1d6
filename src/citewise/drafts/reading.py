"""Read the title, the abstract and the citations of a draft in plain text, Markdown or LaTeX."""

import re
import sys
from pathlib import Path

from citewise.drafts.draft import Draft
from citewise.drafts.latex import draft_from_latex, read_latex
from citewise.errors import BadInput, MissingData
from citewise.text.encoding import text_of, with_plain_line_ends
from citewise.text.latex_front import LONGEST_ABSTRACT

LARGEST_DRAFT = 20 * 1024 * 1024
"""Bytes."""

LONGEST_TITLE = 300
"""Characters; a first paragraph that is longer is no title."""

_KINDS = {
    ".tex": "tex",
    ".ltx": "tex",
    ".latex": "tex",
    ".md": "md",
    ".markdown": "md",
    ".rmd": "md",
    ".qmd": "md",
    ".txt": "txt",
    ".text": "txt",
}
_BINARY = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a Word or zip file",
    b"\xd0\xcf\x11\xe0": "a Word file",
}
_LATEX = re.compile(r"\\(?:documentclass|title\s*[{[]|begin\s*\{(?:abstract|document)\})")
_MARKDOWN = re.compile(r"---[ \t]*\n(?:.*\n)*?title\s*:|\s*#{1,6}\s+\S|\s*[^\n]+\n={3,}[ \t]*\n")
_NUMBER = r"(?:\d+(?:\.\d+)*\.?|[IVX]+\.)?\s*"
_ABSTRACT = re.compile(r"\s*(?:abstract|summary)\s*(?:[:.—–-]+\s*(?P<text>\S.*)?)?$", re.IGNORECASE)
_END = re.compile(
    rf"\s*(?:{_NUMBER}(?:introduction|background|acknowledge?ments?|references)\s*[:.]?$"
    r"|(?:key\s?words(?:\s+and\s+phrases)?|index\s+terms|ccs\s+concepts"
    r"|categories\s+and\s+subject)\b)",
    re.IGNORECASE,
)
_TITLE_LABEL = re.compile(r"title\s*:\s*", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(
    r"^(?:#{1,6}[ \t]+(.+?)[ \t]*#*|([^\n]+)\n(?:={3,}|-{3,}))[ \t]*$", re.MULTILINE
)
_PANDOC_CITATIONS = re.compile(r"\[[^][]*@[^][]*\]")
_PANDOC_KEY = re.compile(r"(?<!\w)@\{?([A-Za-z0-9_](?:[\w:./+-]*\w)?)")
_MARKS = [
    (re.compile(pattern, re.DOTALL | re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"<!--.*?-->|</?[A-Za-z][^<>\n]{0,200}>|!\[[^]]*\]\([^)]*\)|\s*\[\^[^]]+\]", ""),
        (r"\s*\[[^][]*@[^][]*\]", ""),
        (r"\[([^][]*)\]\([^()]*(?:\([^()]*\))?[^()]*\)", r"\1"),
        (r"^[ \t]*(?:>|[-*+]|\d+[.)])[ \t]+", ""),
        (r"(\*{1,3}|(?<!\w)_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1", r"\2"),
        (r"`+([^`]+)`+", r"\1"),
        (r"\\([\\`*_{}\[\]()#+.!<>|~$-])", r"\1"),
    )
]


def read_draft(path: str | Path) -> Draft:
    """Return the draft in a file, or on standard input for "-".

    Its kind is recognised by the file's suffix, else by the content.
    """
    name, text = _named(path), read_text(path)
    kind = _KINDS.get(Path(path).suffix.lower()) or kind_of(text)
    if kind == "tex" and str(path) != "-":
        return _something(read_latex(Path(path)), name)
    return draft_of(text, kind, name)


def read_text(path: str | Path) -> str:
    """Return the text of a file, or of standard input for "-"; PDF and Word files are an error."""
    name = _named(path)
    content = _content(path, name)
    for start, what in _BINARY.items():
        if content.startswith(start):
            raise BadInput(
                f"{name}: this is {what}; save it as plain text, Markdown or LaTeX first"
            )
    return text_of(content)


def _named(path: str | Path) -> str:
    """Return what messages call a file."""
    return "standard input" if str(path) == "-" else str(path)


def _content(path: str | Path, name: str) -> bytes:
    """Return the bytes of a file, which messages call `name`."""
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(LARGEST_DRAFT + 1)
        else:
            with Path(path).open("rb") as stream:
                content = stream.read(LARGEST_DRAFT + 1)
    except OSError as error:
        raise MissingData(
            f"{name}: cannot be read ({error.strerror}); "
            "give the path of a draft, or - to pipe one in"
        ) from None

    if len(content) > LARGEST_DRAFT:
        raise BadInput(
            f"{name}: more than {LARGEST_DRAFT >> 20} MB is no draft; is it the right file?"
        )
    return content


def draft_of(text: str, kind: str = "", name: str = "the draft") -> Draft:
    """Return the draft in a text; messages call it `name`.

    `kind` is "txt", "md" or "tex"; without it, the text's kind is recognised.
    """
    text = with_plain_line_ends(text)
    parsers = {"tex": _from_latex, "md": _from_markdown, "txt": _from_text}
    return _something(parsers[kind or kind_of(text)](text), name)


def _something(draft: Draft, name: str) -> Draft:
    """Return the draft, or raise an error where it has neither a title nor an abstract."""
    if not draft.title and not draft.abstract:
        raise BadInput(
            f"{name}: neither a title nor an abstract found; give them with --title and --abstract"
        )
    return draft


def kind_of(text: str) -> str:
    """Return what a text looks like: "tex", "md" or "txt"."""
    if _LATEX.search(text):
        return "tex"
    return "md" if _MARKDOWN.match(text[:100_000]) else "txt"


def _from_latex(text: str) -> Draft:
    return draft_from_latex(text, None)


def _from_text(text: str) -> Draft:
    title, rest = _title_and_rest(text.strip("\n").split("\n"))
    return Draft(
        _line(_TITLE_LABEL.sub("", title, count=1)),
        _line(" ".join(_abstract_lines(rest))[:LONGEST_ABSTRACT]),
    )


def _title_and_rest(lines: list[str]) -> tuple[str, list[str]]:
    """Return the title, and the lines after it.

    The title is the first paragraph; or its first line, where the paragraph is too long for a
    title or the whole text; or "", where that line is too long as well.
    """
    while lines and not lines[0].strip():
        lines = lines[1:]

    ends = (
        number for number, line in enumerate(lines) if not line.strip() or _ABSTRACT.match(line)
    )
    end = next(ends, len(lines))
    if end == len(lines) and end > 1:
        end = 1

    for size in (end, 1):
        if len(" ".join(lines[:size])) <= LONGEST_TITLE:
            return " ".join(lines[:size]), lines[size:]
    return "", lines


def _abstract_lines(lines: list[str]) -> list[str]:
    """Return the lines of the abstract: up to the introduction or the keywords.

    They begin after an "Abstract" heading; without one, with the first line.
    """
    for number, line in enumerate(lines):
        heading = _ABSTRACT.match(line)
        if heading:
            lines = [heading["text"] or "", *lines[number + 1 :]]
            break

    end = next((number for number, line in enumerate(lines) if _END.match(line)), len(lines))
    return lines[:end]


def _from_markdown(text: str) -> Draft:
    front = _FRONT_MATTER.match(text)
    fields = _front_matter(front[1]) if front else {}
    body = text[front.end() :] if front else text

    sections = _sections(body)
    title = fields.get("title") or next((heading for heading, _ in sections if heading), "")
    cited = (key for match in _PANDOC_CITATIONS.findall(body) for key in _PANDOC_KEY.findall(match))
    files = (
        name.strip(" -\n\"'")
        for name in re.split(r"[,\n]", fields.get("bibliography", "").strip("[]"))
    )

    return Draft(
        _unmarked(title),
        _unmarked(fields.get("abstract") or _markdown_abstract(sections)),
        tuple(dict.fromkeys(cited)),
        tuple(name for name in files if name),
    )


def _sections(body: str) -> list[tuple[str, str]]:
    """Return (heading, text) of each section; the text before the first heading has heading ""."""
    matches = list(_HEADING.finditer(body))
    starts = [0, *(match.end() for match in matches)]
    ends = [*(match.start() for match in matches), len(body)]
    headings = ["", *((match[1] or match[2]).strip() for match in matches)]

    return [
        (heading, body[start:end])
        for heading, start, end in zip(headings, starts, ends, strict=True)
    ]


def _markdown_abstract(sections: list[tuple[str, str]]) -> str:
    """Return the section with the heading "Abstract", else the abstract in the first section."""
    for heading, text in sections:
        if _ABSTRACT.match(_unmarked(heading)):
            return text

    first = next((text for _, text in sections if text.strip()), "")
    lines = [_unmarked(line) if line.startswith("*") else line for line in first.split("\n")]
    return "\n".join(_abstract_lines(lines))


def _front_matter(block: str) -> dict[str, str]:
    """Return the top-level fields of a YAML block that are strings, of one line or several."""
    fields: dict[str, str] = {}
    name = ""
    for line in block.split("\n"):
        member = re.match(r"([A-Za-z_-]+)\s*:(?:\s+(.*))?$", line)
        if member:
            name, value = member[1].lower(), member[2] or ""
            is_block = re.fullmatch(r"[|>][+-]?\d?", value)
            fields[name] = "" if is_block else value.strip()
        elif name and (line[:1].isspace() or not line):
            fields[name] += "\n" + line.strip()

    return {
        name: re.sub(r"^(['\"])(.*)\1$", r"\2", value.strip(), flags=re.DOTALL)
        for name, value in fields.items()
    }


def _unmarked(text: str) -> str:
    """Return Markdown as one line of plain text."""
    text = text[:LONGEST_ABSTRACT]
    for mark, replacement in _MARKS:
        text = mark.sub(replacement, text)
    return _line(text)


def _line(text: str) -> str:
    return " ".join(text.replace("\ufffd", " ").split())
