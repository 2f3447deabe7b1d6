"""Take Markdown apart: code, comments, sections, citations, and the plain text of a passage."""

import itertools
import re
from dataclasses import dataclass

from citewise.text import section_names, tex_citations, tex_commands

LONGEST_PASSAGE = 50_000
"""Characters of a passage's source that become plain text; the rest is dropped."""

MOST_SECTIONS = 2_000
"""Headings of a text; what looks like further ones is text."""

_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_REMARKS = (("<!--", "-->"), ("{##", "##}"), ("{{<", ">}}"), ("{%", "%}"), ("{{", "}}"))
"""What begins and ends a comment, a shortcode of Quarto, or a command of a template."""

_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,2000}\1(?!`)")

# "# Heading {#id}", or a line underlined with === or ---
_HEADING = re.compile(
    r"^(?:(#{1,6})[ \t]+([^\n]{1,500}?)[ \t]*#*"
    r"|(?![ \t]*[|>:-])([^\n]{1,300})\n(={3,}|-{3,}))[ \t]*$",
    re.MULTILINE,
)
_ATTRIBUTES = re.compile(r"\s*\{[^{}]{0,200}\}\s*$")
_ABSTRACT_BLOCKS = (
    (
        re.compile(
            r"^:{3,}[ \t]*(?:\{[^{}\n]{0,200}?[.#]abstract\b[^{}\n]{0,200}\}|abstract)[ \t]*:*$",
            re.MULTILINE | re.IGNORECASE,
        ),
        re.compile(r"^:{3,}[ \t]*$", re.MULTILINE),
    ),
    (
        re.compile(r"<div[^<>]{0,100}(?:class|id)=[\"']?abstract[^<>]{0,100}>", re.IGNORECASE),
        re.compile(r"</div>", re.IGNORECASE),
    ),
)
"""The beginning and the end of a block that is marked as the abstract."""

_FENCE_OF_DIV = re.compile(r"^:{3,}[^\n]*$", re.MULTILINE)

# A key as pandoc and Manubot read it: "@key", "-@key", "@{any thing}", "@doi:10.1/x".
_KEY = re.compile(r"(?<![\w.\\/@])@(?:\{([^{}\s]{1,500})\}|([\w][\w:.#$%&+?<>~/*()-]{0,500}))")
_HTML_KEY = re.compile(r"<cite[^<>]{0,100}\bdata-cite=[\"']([^\"'<>]{1,300})[\"']")
_MYST_KEYS = re.compile(r"\{cite(?::[a-z]{1,20})?\}`([^`\n]{1,1000})`")
_HTML_HEADING = re.compile(
    r"<h([1-6])(?:\s[^<>]{0,200})?>(.{1,500}?)</h\1>", re.DOTALL | re.IGNORECASE
)
_CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|tab|eqn?|sec|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau|supp"
    r"|apx|ch|chap|sfig|stbl)[-:_]",
    re.IGNORECASE,
)
_KEY_END = ":.#$%&-+?<>~*("

_MARKS = [
    (re.compile(pattern, re.DOTALL | re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"\s?\{cite(?::[a-z]{1,20})?\}`[^`\n]{1,1000}`", ""),
        (
            r"</?[A-Za-z][^<>\n]{0,200}>|!\[(?:[^][\n]|\[[^][\n]{0,500}\]){0,2000}\]\([^)\n]{0,1000}\)",
            "",
        ),
        (r"\s?\[\^[^]\s]{1,100}\]:?|\s?\^\[[^][]{0,2000}\]", ""),
        (r"\s?\[[^][@]{0,500}@[^][]{0,2000}\]", ""),
        (r"\[([^][]{0,2000})\]\([^()\n]{0,1000}(?:\([^()\n]{0,1000}\))?[^()\n]{0,1000}\)", r"\1"),
        (r"\[([^][]{1,2000})\]\{[^{}\n]{0,200}\}", r"\1"),
        (
            r"^[ \t]*(?:>|[-*+]|\d{1,3}[.)])[ \t]+|^[ \t]*\|.*$|^:{3,}[^\n]*$"
            r"|^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$",
            "",
        ),
        (r"(\*{1,3}|(?<!\w)_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1", r"\2"),
        (r"\^([^\s^]{1,40})\^|(?<!~)~([^\s~]{1,40})~(?!~)", r"\1\2"),
        (r"(`{1,3})(?:r|python|julia)\s[^`\n]{1,500}\1", ""),
        (r"`+([^`]+)`+", r"\1"),
        (r"\\([\\`*_{}\[\]()#+.!<>|~$@-])", r"\1"),
    )
]
_EMPTY = re.compile(r" ?\( ?[;,]{0,9} ?\)| (?=[.,;:](?: |$))")
_SPACE = re.compile(r"[ \t]*\n\s*")
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a Markdown text; what stands before the first heading is at level 0."""

    heading: str
    level: int
    text: str


def without_code(text: str) -> str:
    """Return Markdown without blocks of code, comments and the commands of templates."""
    text = _without_fenced(text)
    for opening, closing in _REMARKS:
        text = _without(text, opening, closing)
    return _HTML_HEADING.sub(_as_heading, text)


def _as_heading(match: re.Match[str]) -> str:
    """Return a heading of HTML as one of Markdown."""
    return f"\n{'#' * int(match[1])} {' '.join(match[2].split())}\n"


def _without_fenced(text: str) -> str:
    """Return Markdown without blocks of code; one that is never closed goes to the end."""
    if "```" not in text and "~~~" not in text:
        return text

    kept, fence = [], ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence:
            closes = match and match[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif match and match[1] not in line[match.end() :]:
            fence = match[1]
        else:
            kept.append(line)
    return "\n".join(kept)


def _without(text: str, opening: str, closing: str) -> str:
    """Return a text without what is between two marks; an opening that is never closed stays."""
    parts, position = [], 0
    while (start := text.find(opening, position)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        parts.append(text[position:start])
        position = end + len(closing)
    return "".join([*parts, text[position:]])


def sections(text: str) -> list[Section]:
    """Return the sections of a text without code, what is before the first heading first."""
    matches = [*itertools.islice(_HEADING.finditer(text), MOST_SECTIONS)]
    starts = [0, *(match.end() for match in matches)]
    ends = [*(match.start() for match in matches), len(text)]
    headings = [("", 0), *map(_named, matches)]

    return [
        Section(heading, level, text[start:end])
        for (heading, level), start, end in zip(headings, starts, ends, strict=True)
    ]


def _named(match: re.Match[str]) -> tuple[str, int]:
    """Return the plain text of a heading, and its level from 1."""
    level = len(match[1]) if match[1] else 1 + (match[4][0] == "-")
    return plain_text(_ATTRIBUTES.sub("", match[2] or match[3])), level


def with_subsections(all_sections: list[Section], position: int) -> str:
    """Return the text of a section and of the deeper ones that follow it."""
    section = all_sections[position]
    texts = [section.text]
    for other in all_sections[position + 1 :]:
        if other.level <= section.level:
            break
        texts.append(other.text)
    return "\n\n".join(texts)


def marked_abstract(text: str) -> str:
    """Return the source of a block that is marked as the abstract (`::: {.abstract}`), or ""."""
    for opening, closing in _ABSTRACT_BLOCKS:
        start = opening.search(text)
        end = closing.search(text, start.end()) if start else None
        if start and end:
            return text[start.end() : end.start()]
    return ""


def cited_keys(text: str) -> tuple[str, ...]:
    r"""Return the distinct keys that a text without code cites, by pandoc's marks, \cite or
    <cite data-cite>; references to figures, tables and sections are none.
    """
    myst = (key.strip() for keys in _MYST_KEYS.findall(text) for key in keys.split(","))
    myst_keys = [key for key in myst if key]
    text = _INLINE_CODE.sub("", text)
    keys = [_trimmed(match[1] or match[2]) for match in _KEY.finditer(text)]
    pandoc = (key for key in keys if key and not _CROSS_REFERENCE.match(key))
    html = (key.strip() for keys in _HTML_KEY.findall(text) for key in keys.split(","))
    return tuple(dict.fromkeys([*pandoc, *html, *myst_keys, *tex_citations.cited_keys(text)]))


def _trimmed(key: str) -> str:
    """Return a key without the punctuation of the sentence around it."""
    while key and (key[-1] in _KEY_END or (key[-1] == ")" and key.count(")") > key.count("("))):
        key = key[:-1]
    return key if key.count("(") == key.count(")") else key.partition("(")[0].rstrip(_KEY_END)


def plain_text(text: str) -> str:
    """Return a passage of Markdown as one line of plain text, without its citations."""
    text = _SPACE.sub("\n", text[:LONGEST_PASSAGE])
    for mark, replacement in _MARKS:
        text = mark.sub(replacement, text)
    if _LATEX_COMMAND.search(text):
        text = tex_commands.plain_text(text, {})
    return _EMPTY.sub("", " ".join(text.replace("\ufffd", " ").split()))


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text without front matter, with their citations; without headings,
    code, tables, displayed formulas, lists of authors and of references.
    """
    found = []
    for section in sections(without_code(text)):
        if section_names.is_aside(section.heading):
            continue
        for paragraph in re.split(r"\n[ \t]*\n", section.text):
            if _is_prose(paragraph):
                found.append(_FENCE_OF_DIV.sub("", paragraph).strip())
    return found


def _is_prose(paragraph: str) -> bool:
    """Return whether a paragraph has sentences: no table, formula, figure or rule."""
    start = paragraph.lstrip()
    return any(map(str.isalpha, start)) and not start.startswith(
        ("|", "$$", "![", "\\begin{", "[@", "[^")
    )
