"""Read drafts in Markdown: pandoc, R Markdown, Quarto, JOSS and Manubot."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citewise.drafts.draft import Draft
from citewise.drafts.embedded import csl_references
from citewise.drafts.markdown_text import (
    LONGEST_PASSAGE,
    Section,
    cited_keys,
    marked_abstract,
    plain_text,
    sections,
    with_subsections,
    without_code,
)
from citewise.drafts.metadata import Metadata, front_matter, project_metadata
from citewise.drafts.plain import LONGEST_TITLE, abstract_lines, title_and_rest
from citewise.drafts.prose import stand_in
from citewise.text import section_names
from citewise.text.encoding import text_of, with_plain_line_ends
from citewise.text.people import LONGEST_LIST, people
from citewise.text.placeholders import is_placeholder
from citewise.text.tex_source import file_at

LARGEST = 20 * 1024 * 1024
"""Bytes of a draft with the files that it includes."""

LEAST_DESCRIPTION = 40
"""Words from which on a project's description is its abstract."""

DEEPEST_INCLUDE = 5

_TEXTS = (".md", ".qmd", ".rmd", ".txt", ".tex", ".markdown", "")
"""Suffixes of included files whose absence is reported; others are figures and banners."""

_INCLUDE = re.compile(
    r"\{\{<\s*include\s+[\"']?([^\s\"'{}<>]{1,200})[\"']?\s*>\}\}"
    r"|^```\{r[^\n}]{0,200}\bchild\s*=\s*[\"']([^\"'\n]{1,200})[\"'][^\n}]{0,200}\}[ \t]*\n"
    r"```[ \t]*$",
    re.MULTILINE,
)
_INLINE_CODE = re.compile(r"\s*`\s*(?:r|python|\{python\}|\{r\})\s+(.+)`\s*", re.DOTALL)
_NAMED_FILE = re.compile(
    r"[\"']([^\"'\n]{1,200}\.(?:rmd|md|qmd|txt|tex|markdown))[\"']", re.IGNORECASE
)
_NUMBERED = re.compile(r"\d\d\..{1,100}\.md")
_TAG = re.compile(r"^\[@([^\]\s]{1,200})\]:[ \t]*(\S{1,1000})[^\n]*$", re.MULTILINE)
_BOLD_LABEL = re.compile(r"^(?:\*\*|__)(.{1,60}?)(?:\*\*|__)", re.MULTILINE)

# "**Authors:** Ada King", "**Date:** 2026": a line of what is said about the draft.
_ABOUT = re.compile(
    r"^(?:\*\*|__)(authors?|date|affiliations?|organi[sz]ation|institution|version|paper|contact"
    r"|e-?mail|corresponding authors?|keywords|status|licen[cs]e|doi|repository|code|last updated)"
    r"[ \t]*:?(?:\*\*|__)[ \t]*:?[ \t]*([^\n]{0,2000})$",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass
class _Files:
    """Reads the files that a draft names, if they are in its folder or below and not too large."""

    folder: Path | None
    left: int = LARGEST
    lost: list[str] = field(default_factory=list)

    def included(self, name: str, depth: int = 0) -> str:
        """Return the text of a file with the files that it includes; "" where it is not read."""
        if self.folder is None:
            return ""
        path = file_at(self.folder, name)
        if path is None or not path.is_relative_to(self.folder.resolve()):
            if Path(name).suffix.lower() in _TEXTS:
                self.lost.append(f"{name}: no such file")
            return ""
        if depth > DEEPEST_INCLUDE or path.stat().st_size > self.left:
            self.lost.append(f"{name}: not read, there is too much to include")
            return ""

        content = path.read_bytes()
        self.left -= len(content)
        return self.expanded(with_plain_line_ends(text_of(content)), depth + 1)

    def expanded(self, text: str, depth: int = 0) -> str:
        """Return a text with the included files in place of what includes them."""
        return _INCLUDE.sub(lambda match: self.included(match[1] or match[2], depth), text)


def read_markdown(path: Path, text: str) -> Draft:
    """Return the draft in a Markdown file; of Manubot's first file, with all that follow it."""
    folder = path.resolve().parent
    following = _following(path.resolve())
    if following:
        files = _Files(folder)
        text = "\n\n".join([text, *(files.included(each.name) for each in following)])
    return draft_from_markdown(text, folder)


def _following(path: Path) -> list[Path]:
    """Return the files that follow the first one of a Manubot manuscript; none for other files."""
    if not _NUMBERED.fullmatch(path.name) or not file_at(path.parent, "metadata.yaml"):
        return []
    files = sorted(each for each in path.parent.glob("[0-9][0-9].*.md") if each.is_file())[:200]
    return files[1:] if files and files[0].name == path.name else []


def draft_from_markdown(text: str, folder: Path | None, extra: Metadata | None = None) -> Draft:
    """Return the draft in a Markdown text.

    `folder` is where the files are that it names; without it (pasted text) no file is read.
    `extra` is metadata from elsewhere, which counts where the text has none of its own.
    """
    files = _Files(folder)
    own, body = front_matter(files.expanded(text))
    project = project_metadata(folder) if folder else Metadata({})
    known = Metadata(
        {**project.fields, **(extra.fields if extra else {}), **own.fields},
        (*own.lost, *project.lost),
    )

    tags = dict(_TAG.findall(body))
    body = without_code(_TAG.sub("", body))
    parts = sections(body)
    title, parts = _title(known, parts, body)
    abstract, instead = _abstract(known, parts, body, title, files)

    return Draft(
        title=title,
        abstract=abstract,
        cited_keys=_keys(f"{body}\n{known.text('nocite')}\n{known.text('abstract')}", tags),
        bibliographies=_bibliographies(known, folder),
        authors=known.authors() or _listed_authors(parts),
        abstract_from=instead,
        references=csl_references(_references(known)),
        lost=tuple(dict.fromkeys([*known.lost, *files.lost])),
    )


def _title(known: Metadata, parts: list[Section], body: str) -> tuple[str, list[Section]]:
    """Return the title, and the sections without the heading that is the title.

    It is in the metadata, or else the first heading, unless that names a usual section.
    """
    title = plain_text(known.text("title"))
    first = next((number for number, each in enumerate(parts) if each.heading), None)
    if title:
        return title, parts
    if first is None:
        title, rest = title_and_rest(body.strip("\n").split("\n"))
        return plain_text(title), [Section("", 1, "\n".join(rest))]
    if section_names.is_usual(parts[first].heading):
        return "", parts

    heading = parts[first].heading
    untitled = Section("", parts[first].level, parts[first].text)
    return heading[:LONGEST_TITLE], [*parts[:first], untitled, *parts[first + 1 :]]


def _abstract(
    known: Metadata, parts: list[Section], body: str, title: str, files: _Files
) -> tuple[str, str]:
    """Return the abstract, and what stands in for it where the draft has none."""
    described = known.text("description")
    sources = (
        _evaluated(known.text("abstract"), files),
        marked_abstract(body),
        _abstract_section(parts),
        _labelled(parts),
        described if len(described.split()) >= LEAST_DESCRIPTION else "",
    )
    for source in sources:
        text = plain_text(source)
        if not is_placeholder(text) and text != title:
            return text, ""
    return _stand_in(parts)


def _evaluated(abstract: str, files: _Files) -> str:
    """Return an abstract; where it is code that reads a file (`r readLines("abstract.Rmd")`), the
    text of that file.
    """
    code = _INLINE_CODE.fullmatch(abstract)
    if not code:
        return abstract

    file = _NAMED_FILE.search(code[1])
    if not file:
        files.lost.append(f"the abstract is the result of code: {code[1].strip()[:60]}")
        return ""
    _, text = front_matter(files.included(file[1]))
    return without_code(text)


def _abstract_section(parts: list[Section]) -> str:
    """Return the section of that name and its subsections, up to the keywords, or ""."""
    for number, section in enumerate(parts):
        if section_names.is_abstract(section.heading):
            text = _before_keywords(with_subsections(parts, number))
            if not is_placeholder(plain_text(text)):
                return text
    return ""


def _labelled(parts: list[Section]) -> str:
    """Return the paragraphs after a label ("**Abstract.** We ..."), or ""."""
    for section in parts[:5]:
        unmarked = _BOLD_LABEL.sub(r"\1", section.text)
        lines = unmarked.split("\n")
        found = abstract_lines(lines)
        if found is not None:
            return "\n".join(found)
    return ""


def _before_keywords(text: str) -> str:
    """Return a text up to the line that lists keywords."""
    lines = text.split("\n")
    ends = (number for number, line in enumerate(lines) if section_names.starts_keywords(line))
    return "\n".join(lines[: next(ends, len(lines))])


def _stand_in(parts: list[Section]) -> tuple[str, str]:
    """Return what stands in for the abstract, and what it is: some text below the title, the
    introduction, else the first paragraphs.
    """
    below = plain_text(_without_names(_below_title(parts)))
    if len(below.split()) >= LEAST_DESCRIPTION:
        return stand_in(below), "the text below the title"

    for number, section in enumerate(parts):
        if section_names.introduces(section.heading):
            text = plain_text(with_subsections(parts, number))
            if not is_placeholder(text):
                return stand_in(text), _introduction(section.heading)

    telling = [
        _without_names(each.text) for each in parts if not section_names.is_margin(each.heading)
    ]
    telling = [each for each in telling if not is_placeholder(plain_text(each))]
    text = plain_text("\n\n".join(telling)[:LONGEST_PASSAGE])
    return ("", "") if is_placeholder(text) else (stand_in(text), "the first paragraphs")


def _below_title(parts: list[Section]) -> str:
    """Return the text right below a title that is a heading, "" where the title is elsewhere."""
    return next((each.text for each in parts if each.level and not each.heading), "")


def _without_names(text: str) -> str:
    """Return a text without lines about the draft, and a first paragraph that lists the authors."""
    text = _ABOUT.sub("", text)
    first, _, rest = text.strip().partition("\n\n")
    return rest if people(_unlisted(first)) else text


def _introduction(heading: str) -> str:
    usual = section_names.plain(heading) in ("introduction", "")
    return "the introduction" if usual else f"the section “{heading[:60]}”"


def _listed_authors(parts: list[Section]) -> tuple[str, ...]:
    """Return the names in a section "Authors", else after that word or in the first paragraph below
    the title; where the title is elsewhere, in a first paragraph with marks of affiliations.
    """
    listed = [each.text for each in parts if section_names.is_authors(each.heading)]
    below = _below_title(parts)
    about = (match[2] for match in _ABOUT.finditer(below) if match[1].lower().startswith("author"))
    first = next(iter(listed), next(about, below)).strip().split("\n\n")[0]
    marked = parts[0].text.strip().split("\n\n")[0] if parts and not parts[0].level else ""
    return people(_unlisted(first)) or (people(_unlisted(marked)) if "^" in marked else ())


def _unlisted(text: str) -> str:
    """Return a list of names without marks of Markdown, a name a line where it is a list; "" where
    it is too long for one.
    """
    if len(text) > LONGEST_LIST:
        return ""
    lines = [re.sub(r"^\s*[-*+]\s+|^\\\s*$", "", line) for line in text.split("\n")]
    marked = (re.sub(r"\^[^^\s]{1,40}\^|\\\*", "", line) for line in lines)
    return "\n".join(plain_text(line).rstrip(",") for line in marked)


def _keys(text: str, tags: dict[str, str]) -> tuple[str, ...]:
    """Return the keys of a text, those that stand for an identifier replaced by it."""
    return tuple(dict.fromkeys(tags.get(key, key) for key in cited_keys(text)))


def _bibliographies(known: Metadata, folder: Path | None) -> tuple[str, ...]:
    """Return the names of the bibliography files, Manubot's references by hand among them."""
    manual = ("manual-references.json",)
    present = [name for name in manual if folder and file_at(folder, name)]
    return tuple(dict.fromkeys([*known.bibliographies(), *present]))


def _references(known: Metadata) -> list[Any]:
    """Return the references that the metadata list themselves, as CSL items."""
    listed = known.fields.get("references")
    return listed[:10_000] if isinstance(listed, list) else []
