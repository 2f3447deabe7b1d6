"""Read drafts in plain text: title, abstract, authors, and a printed list of references."""

import itertools
import re

from citewise.drafts.draft import Draft
from citewise.drafts.embedded import numbered, printed_references
from citewise.drafts.prose import stand_in
from citewise.text import section_names
from citewise.text.latex_front import LONGEST_ABSTRACT
from citewise.text.people import people
from citewise.text.placeholders import is_placeholder

LONGEST_TITLE = 300
"""Characters; a first paragraph that is longer is no title."""

MOST_REFERENCES = 5_000

_LABEL = re.compile(
    rf"\s*{section_names.ABSTRACT_LABEL}\s*(?:[:：.—–-]+\s*(?P<text>\S.*)?)?$",
    re.IGNORECASE,
)
_TITLE_LABEL = re.compile(r"(?:title|titel|titre|título|titolo)\s*:\s*", re.IGNORECASE)
_ENTRY = re.compile(r"\s*(?:\[\s*[^\]\s]{1,40}\s*\]|\(?\d{1,4}[.)])\s+(?=\S)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


def draft_from_text(text: str) -> Draft:
    """Return the draft in a plain text.

    Where no line is labelled as the abstract, the text below the title stands in for it.
    """
    body, listed = split_references(text.strip("\n"))
    title, rest = title_and_rest(body.split("\n"))
    authors, rest = _authors_below(rest)
    labelled = abstract_lines(rest)
    abstract, instead = (labelled, "") if labelled is not None else _below_title(rest)
    references = printed_references(listed)

    return Draft(
        title=_line(_TITLE_LABEL.sub("", title, count=1)),
        abstract=_line(" ".join(abstract)[:LONGEST_ABSTRACT]),
        cited_keys=numbered(references),
        authors=authors,
        abstract_from=instead,
        references=references,
    )


def title_and_rest(lines: list[str]) -> tuple[str, list[str]]:
    """Return the title, and the lines after it.

    The title is the first paragraph; or its first line, where the paragraph is too long for a
    title or the whole text; or "", where that line is too long as well or names a usual section.
    """
    lines = [*itertools.dropwhile(lambda line: not line.strip(), lines)]
    if lines and section_names.is_usual(lines[0]) and not _TITLE_LABEL.match(lines[0]):
        return "", lines

    ends = (number for number, line in enumerate(lines) if not line.strip() or _LABEL.match(line))
    end = next(ends, len(lines))
    if end == len(lines) and end > 1:
        end = 1

    for size in (end, 1):
        if len(" ".join(lines[:size])) <= LONGEST_TITLE:
            return " ".join(lines[:size]), lines[size:]
    return "", lines


def abstract_lines(lines: list[str]) -> list[str] | None:
    """Return the lines after an "Abstract" label, up to the introduction or the keywords; None
    where there is no label or nothing after it.
    """
    for number, line in enumerate(lines):
        label = _LABEL.match(line)
        if label:
            found = _up_to_end([label["text"] or "", *lines[number + 1 :]])
            return found if not is_placeholder(" ".join(found)) else None
    return None


def split_references(text: str) -> tuple[str, list[str]]:
    """Return a text up to its list of references, and the entries of that list."""
    lines = text.split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if section_names.is_references(lines[number]) and not lines[number - 1].strip():
            return "\n".join(lines[:number]), _entries(lines[number + 1 :])
    return text, []


def _entries(lines: list[str]) -> list[str]:
    """Return the entries of a list of references: numbered ones, paragraphs, or lines."""
    starts = [number for number, line in enumerate(lines) if _ENTRY.match(line)]
    if len(starts) > 1:
        pairs = itertools.pairwise([*starts, len(lines)])
        entries = [_ENTRY.sub("", " ".join(lines[one:other]), count=1) for one, other in pairs]
    else:
        paragraphs = _PARAGRAPH.split("\n".join(lines))
        entries = paragraphs if len(paragraphs) > 2 else lines
    return [entry for each in entries[:MOST_REFERENCES] if len(entry := _line(each)) >= 20]


def _authors_below(lines: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the authors that the first paragraph names, if it surely does, and the other lines."""
    lines = [*itertools.dropwhile(lambda line: not line.strip(), lines)]
    paragraph = [*itertools.takewhile(lambda line: bool(line.strip()), lines)]
    names = people("\n".join(paragraph)) if len(paragraph) <= 30 else ()
    return names, lines[len(paragraph) :] if names else lines


def _below_title(lines: list[str]) -> tuple[list[str], str]:
    """Return what stands in for the abstract: the text below the title, else the introduction."""
    below = _up_to_end(lines)
    instead = "the text below the title"
    if is_placeholder(" ".join(below)):
        after = itertools.dropwhile(lambda line: not section_names.is_introduction(line), lines)
        below, instead = [*after][1:], "the introduction"
    text = stand_in(_line(" ".join(below)[:LONGEST_ABSTRACT]))
    return [text], instead if text else ""


def _up_to_end(lines: list[str]) -> list[str]:
    """Return the lines up to the introduction, the keywords or the references."""
    return [*itertools.takewhile(lambda line: not _is_end(line), lines)]


def _is_end(line: str) -> bool:
    return (
        section_names.is_introduction(line)
        or section_names.is_references(line)
        or section_names.starts_keywords(line)
        or section_names.is_thanks(line)
    )


def _line(text: str) -> str:
    return " ".join(text.replace("\ufffd", " ").split())
