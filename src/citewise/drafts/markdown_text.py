"""Take Markdown apart: code, comments, sections, citations, and the plain text of a passage."""

import re
from dataclasses import dataclass

from citewise.text import tex_source

LONGEST_PASSAGE = 50_000
"""Characters of a passage's source that become plain text; the rest is dropped."""

_FENCED = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)?[ \t]{0,3}(?P=fence)[`~]*[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TEMPLATE = re.compile(r"\{##.*?##\}|\{#-.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_SHORTCODE = re.compile(r"\{\{<[^{}]{0,500}?>\}\}")
_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,2000}\1(?!`)")

# "# Heading {#id}", or a line underlined with === or ---
_HEADING = re.compile(
    r"^(?:(#{1,6})[ \t]+([^\n]+?)[ \t]*#*|(?![ \t]*[|>:-])([^\n]{1,300})\n(={3,}|-{3,}))[ \t]*$",
    re.MULTILINE,
)
_ATTRIBUTES = re.compile(r"\s*\{[^{}]{0,200}\}\s*$")
_DIV = re.compile(
    r"^:{3,}[ \t]*(?:\{[^{}\n]*?[.#]abstract\b[^{}\n]*\}|abstract)[ \t]*:*\n(.*?)^:{3,}[ \t]*$"
    r"|<div[^<>]{0,100}(?:class|id)=[\"']?abstract[^<>]{0,100}>(.*?)</div>",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_FENCE_OF_DIV = re.compile(r"^:{3,}[^\n]*$", re.MULTILINE)

# A key as pandoc and Manubot read it: "@key", "-@key", "@{any thing}", "@doi:10.1/x".
_KEY = re.compile(
    r"(?<![\w.\\/@])@(?:\{([^{}\s]{1,500})\}|([\w][\w:.#$%&+?<>~/*()-]{0,500}))"
)
_HTML_KEY = re.compile(r"<cite[^<>]{0,100}\bdata-cite=[\"']([^\"'<>]{1,300})[\"']")
_CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|tab|eqn?|sec|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau|supp"
    r"|apx|ch|chap|sfig|stbl)[-:_]",
    re.IGNORECASE,
)
_KEY_END = ":.#$%&-+?<>~*("

_MARKS = [
    (re.compile(pattern, re.DOTALL | re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"</?[A-Za-z][^<>\n]{0,200}>|!\[[^]\n]{0,2000}\]\([^)\n]{0,1000}\)", ""),
        (r"\s*\[\^[^]\s]{1,100}\]:?|\s*\^\[[^][]{0,2000}\]", ""),
        (r"\s*\[[^][]{0,2000}@[^][]{0,2000}\]", ""),
        (r"\[([^][]{0,2000})\]\([^()\n]{0,1000}(?:\([^()\n]{0,1000}\))?[^()\n]{0,1000}\)", r"\1"),
        (r"\[([^][]{1,2000})\]\{[^{}\n]{0,200}\}", r"\1"),
        (r"^[ \t]*(?:>|[-*+]|\d{1,3}[.)])[ \t]+|^[ \t]*\|.*$|^:{3,}[^\n]*$", ""),
        (r"(\*{1,3}|(?<!\w)_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1", r"\2"),
        (r"\^([^\s^]{1,40})\^", r"\1"),
        (r"(`{1,3})(?:r|python|julia)\s[^`\n]{1,500}\1", ""),
        (r"`+([^`]+)`+", r"\1"),
        (r"\\([\\`*_{}\[\]()#+.!<>|~$@-])", r"\1"),
    )
]
_EMPTY = re.compile(r"\s*\(\s*[;,]*\s*\)|\s+(?=[.,;:](?:\s|$))")
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a Markdown text; what stands before the first heading is at level 0."""

    heading: str
    level: int
    text: str


def without_code(text: str) -> str:
    """Return Markdown without blocks of code, comments and the commands of templates."""
    text = _COMMENT.sub("", _FENCED.sub("", text))
    return _TEMPLATE.sub("", _SHORTCODE.sub("", text))


def sections(text: str) -> list[Section]:
    """Return the sections of a text without code, what is before the first heading first."""
    matches = [*_HEADING.finditer(text)]
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
    block = _DIV.search(text)
    return _FENCE_OF_DIV.sub("", block[1] or block[2] or "") if block else ""


def cited_keys(text: str) -> tuple[str, ...]:
    r"""Return the distinct keys that a text without code cites, by pandoc's marks, \cite or
    <cite data-cite>; references to figures, tables and sections are none.
    """
    text = _INLINE_CODE.sub("", text)
    keys = [_trimmed(match[1] or match[2]) for match in _KEY.finditer(text)]
    pandoc = (key for key in keys if key and not _CROSS_REFERENCE.match(key))
    html = (key.strip() for keys in _HTML_KEY.findall(text) for key in keys.split(","))
    return tuple(dict.fromkeys([*pandoc, *html, *tex_source.cited_keys(text)]))


def _trimmed(key: str) -> str:
    """Return a key without the punctuation of the sentence around it."""
    while key and (key[-1] in _KEY_END or (key[-1] == ")" and key.count(")") > key.count("("))):
        key = key[:-1]
    return key if key.count("(") == key.count(")") else key.partition("(")[0].rstrip(_KEY_END)


def plain_text(text: str) -> str:
    """Return a passage of Markdown as one line of plain text, without its citations."""
    text = text[:LONGEST_PASSAGE]
    for mark, replacement in _MARKS:
        text = mark.sub(replacement, text)
    if _LATEX_COMMAND.search(text):
        text = tex_source.plain_text(text, {})
    return _EMPTY.sub("", " ".join(text.replace("\ufffd", " ").split()))


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of running text, with their citations; without headings, code, tables,
    displayed formulas and the list of references.
    """
    from citewise.drafts import headings

    found = []
    for section in sections(without_code(text)):
        if headings.is_references(section.heading):
            continue
        for paragraph in re.split(r"\n[ \t]*\n", section.text):
            if _is_prose(paragraph):
                found.append(_FENCE_OF_DIV.sub("", paragraph).strip())
    return found


def _is_prose(paragraph: str) -> bool:
    """Return whether a paragraph has sentences: no table, formula, figure or rule."""
    start = paragraph.lstrip()
    return any(map(str.isalpha, start)) and not start.startswith(("|", "$$", "![", "\\begin{", "[@", "[^"))
