"""Read drafts in Word: title, authors, abstract, and citations by Zotero, Mendeley or EndNote."""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from citewise.drafts.draft import Draft
from citewise.drafts.embedded import (
    csl_references,
    endnote_references,
    numbered,
    paper_of,
    printed_references,
    with_numbers,
)
from citewise.drafts.plain import LONGEST_TITLE, abstract_lines
from citewise.drafts.prose import stand_in
from citewise.drafts.word_file import Paragraph, WordFile, decoded, open_word
from citewise.text import section_names
from citewise.text.ids import title_key
from citewise.text.people import people
from citewise.text.placeholders import is_placeholder
from citewise.types import Paper

LONGEST_FIELD = 5_000_000
"""Characters of a field that is read."""

LONGEST_HEADING = 120

LONGEST_ABSTRACT = 500
"""Words after which no further paragraph is taken for part of the abstract."""

_LABELLED_TITLE = re.compile(
    r"(?:(?:manuscript |full |paper )?title|titel|titre)\s*:\s*", re.IGNORECASE
)
_BEFORE_TITLE = re.compile(
    r"(?:running (?:head|title)|title page|draft|manuscript|version|word count|article type"
    r"|preprint|short title|submitted|date)\b.{0,80}$|[\d\s./:-]+$"
    r"|(?:original |research |review |short )*(?:article|paper|communication|report)$",
    re.IGNORECASE,
)
_NO_TEXT = ("title", "subtitle", "author", "bibliography", "endnote", "caption", "toc", "date")
"""What the names of styles begin with that are not for running text."""

_NUMBER = re.compile(r"^\s*(?:\[\s*\d{1,4}\s*\]|\(?\d{1,4}[.)])\s*")
_CSL_FIELD = re.compile(r"CSL_CITATION\s*(?=\{)")
_MENDELEY = "MENDELEY_CITATION_v3_"


def read_word(content: bytes, name: str) -> Draft:
    """Return the draft in a .docx file, which messages call `name`."""
    file = open_word(content, name)
    parts = [*_with_headings(file.paragraphs)]
    title, rest = _title(parts)
    abstract, instead = _abstract(rest)
    references, lost = _references(file, parts)

    return Draft(
        title=title,
        abstract=abstract,
        cited_keys=numbered(references),
        authors=_authors(rest),
        abstract_from=instead,
        references=references,
        lost=lost,
    )


def word_paragraphs(content: bytes, name: str) -> list[str]:
    """Return the paragraphs of running text, without title, headings, tables, lists of authors and
    of references.
    """
    _, parts = _title([*_with_headings(open_word(content, name).paragraphs)])
    found, heading = [], ""
    for each in parts:
        heading = each.text if each.level else heading
        aside = (
            each.level or each.in_table or section_names.is_aside(heading) or people(each.raised)
        )
        if not aside and not each.style.startswith(_NO_TEXT):
            found.append(each.text)
    return found


def _with_headings(paragraphs: Sequence[Paragraph]) -> Iterator[Paragraph]:
    """Yield the paragraphs; one that only names a usual section counts as a heading."""
    for each in paragraphs:
        short = len(each.text) <= LONGEST_HEADING
        if (
            not each.level
            and short
            and section_names.is_usual(each.text)
            and not _lists_keywords(each)
        ):
            yield replace(each, level=1)
        else:
            yield each


def _lists_keywords(each: Paragraph) -> bool:
    return section_names.starts_keywords(each.text) and len(each.text.split()) > 2


def _title(parts: list[Paragraph]) -> tuple[str, list[Paragraph]]:
    """Return the title, and the paragraphs after it.

    That is what has the style Title, else a first heading or a first short paragraph.
    """
    styled = [
        number for number, each in enumerate(parts) if each.style in ("title", "titel", "titre")
    ]
    if styled:
        end = styled[0]
        while end + 1 < len(parts) and parts[end + 1].style == parts[styled[0]].style:
            end += 1
        title = " ".join(each.raised for each in parts[styled[0] : end + 1])
        if len(title) <= LONGEST_TITLE and not is_placeholder(title):
            return _line(title), [*parts[: styled[0]], *parts[end + 1 :]]

    for number, each in enumerate(parts[:8]):
        text = _LABELLED_TITLE.sub("", _line(each.raised), count=1)
        if _BEFORE_TITLE.match(text) and not _LABELLED_TITLE.match(each.raised):
            continue
        if len(text) > LONGEST_TITLE or section_names.is_usual(text):
            break
        if text:
            return text, parts[number + 1 :]
    return "", parts


def _authors(parts: list[Paragraph]) -> tuple[str, ...]:
    """Return the authors: by style, by a heading, else by a line of names below the title."""
    styled = [each for each in parts if each.style in ("author", "authors", "autor", "auteur")]
    names = [name for each in styled[:100] for name in people(each.raised)]
    listed = _section(parts, section_names.is_authors)
    if not names and listed:
        names = [*people(listed[0].raised)]
    if names:
        return tuple(dict.fromkeys(names))

    lists = [*filter(None, (people(each.raised) for each in [*_before_abstract(parts)][:30]))]
    if lists and len(lists[0]) > 1:
        return lists[0]
    alone = itertools.chain.from_iterable(each for each in lists if len(each) == 1)
    return tuple(dict.fromkeys(alone))  # a paragraph for each author


def _before_abstract(parts: list[Paragraph]) -> Iterator[Paragraph]:
    """Yield the paragraphs up to the first heading or label of an abstract."""
    for each in parts:
        ends = each.level or len(each.text) > LONGEST_TITLE
        if ends or abstract_lines([each.text]) is not None:
            return
        if not each.style.startswith("subtitle"):
            yield each


def _abstract(parts: list[Paragraph]) -> tuple[str, str]:
    """Return the abstract, and what stands in for it where the draft has none."""
    styled = [each.text for each in parts if each.style.startswith("abstract") and not each.level]
    texts = [text for text in styled if not section_names.is_abstract(text)]
    for found in (texts, _abstract_section(parts), _labelled(parts)):
        text = _line(" ".join(_before_keywords(found)))
        if not is_placeholder(text):
            return text, ""
    return _stand_in(parts)


def _abstract_section(parts: list[Paragraph]) -> list[str]:
    """Return the paragraphs of the abstract, with those under the headings of a structured one
    ("Background", "Methods") that follow it at once.
    """
    starts = (number for number, each in enumerate(parts) if _is_heading_of_abstract(each))
    at = next(starts, len(parts))
    structured = at + 1 < len(parts) and parts[at + 1].level > 0

    found: list[str] = []
    for each in parts[at + 1 :]:
        last = section_names.starts_keywords(each.text) or (
            found and section_names.is_introduction(each.text)
        )
        heading = each.level or (each.bold and len(each.text) <= LONGEST_HEADING)
        if last or (heading and not structured) or len(" ".join(found).split()) > LONGEST_ABSTRACT:
            break
        found += [each.text] if not each.level else []
    return found


def _is_heading_of_abstract(each: Paragraph) -> bool:
    return each.level > 0 and section_names.is_abstract(each.text)


def _labelled(parts: list[Paragraph]) -> list[str]:
    """Return the paragraphs from the one that begins with "Abstract:" to the next heading."""
    for number, each in enumerate(parts[:100]):
        found = abstract_lines(each.text.split("\n"))
        if found:
            return [*found, *(other.text for other in _up_to_heading(parts[number + 1 :]))]
    return []


def _up_to_heading(parts: list[Paragraph], level: int = 9) -> Iterator[Paragraph]:
    for each in parts:
        if 0 < each.level <= level:
            return
        yield each


def _section(parts: list[Paragraph], is_wanted: Any) -> list[Paragraph]:
    """Return the paragraphs below the last heading of a kind, with those of its subsections."""
    wanted = [number for number, each in enumerate(parts) if each.level and is_wanted(each.text)]
    if not wanted:
        return []
    at = wanted[-1] if is_wanted is section_names.is_references else wanted[0]
    return [each for each in _up_to_heading(parts[at + 1 :], parts[at].level) if not each.level]


def _before_keywords(texts: list[str]) -> list[str]:
    ends = (number for number, text in enumerate(texts) if section_names.starts_keywords(text))
    return texts[: next(ends, len(texts))]


def _stand_in(parts: list[Paragraph]) -> tuple[str, str]:
    """Return the introduction, else the first paragraphs, and what it is."""
    introduction = [each.text for each in _section(parts, section_names.introduces)]
    if introduction:
        return stand_in(_line(" ".join(introduction)[:50_000])), "the introduction"

    listed = _section(parts, section_names.is_references)
    running = [
        each.text
        for each in parts
        if not each.level and each not in listed and not people(each.raised)
    ]
    text = stand_in(_line(" ".join(running)[:50_000]))
    return ("", "") if is_placeholder(text) else (text, "the first paragraphs")


def _references(
    file: WordFile, parts: list[Paragraph]
) -> tuple[tuple[Paper, ...], tuple[str, ...]]:
    """Return what the document cites, by its fields or else by its printed list, and what of the
    fields could not be read.
    """
    cited, unread = _cited_by_fields(file.fields)
    lost = (f"{unread} citations hold no data of what they cite",) if unread else ()
    if cited:
        return with_numbers(cited), lost

    styled = [each for each in parts if each.style in ("bibliography", "endnote bibliography")]
    listed = _section(parts, section_names.is_references) or [
        each for each in styled if not each.level
    ]
    entries = (_NUMBER.sub("", _line(each.text), count=1) for each in listed)
    return printed_references(entry for entry in entries if len(entry) >= 20), lost


def _cited_by_fields(fields: Sequence[str]) -> tuple[list[Paper], int]:
    """Return the papers in the fields of reference managers, each once, and how many citations have
    no data.
    """
    papers: dict[str, Paper] = {}
    unread = 0
    for instruction in fields:
        for key, paper in _cited_by_field(instruction[:LONGEST_FIELD]):
            if paper is None:
                unread += 1
            else:
                papers.setdefault(key or title_key(paper.title), paper)
    return [*papers.values()], unread


def _cited_by_field(instruction: str) -> Iterator[tuple[str, Paper | None]]:
    """Yield (what identifies it, the paper) of each item of a citation."""
    csl = _CSL_FIELD.search(instruction)
    if instruction.startswith(_MENDELEY):
        yield from _csl_items(decoded(instruction.removeprefix(_MENDELEY)))
    elif csl:
        yield from _csl_items(instruction[csl.end() :])
    elif "<EndNote" in instruction:
        start = instruction.index("<EndNote")
        content = instruction[start : instruction.rfind("</EndNote>") + len("</EndNote>")]
        for raw in endnote_references(content.encode("utf-8", "replace")):
            yield "", paper_of(raw) if raw["title"] else None


def _csl_items(data: str) -> Iterator[tuple[str, Paper | None]]:
    """Yield the items of a citation as Zotero and Mendeley store it."""
    try:
        value, _ = _decoder(data)
    except ValueError:
        yield "", None
        return

    items = value.get("citationItems") if isinstance(value, dict) else None
    for item in items[:1000] if isinstance(items, list) else []:
        if isinstance(item, dict):
            uris = item.get("uris") or item.get("uri") or []
            paper = csl_references([item.get("itemData")])
            key = str(uris[0]) if isinstance(uris, list) and uris else ""
            yield key, paper[0] if paper else None


def _decoder(data: str) -> tuple[Any, int]:
    """Return the JSON value that a text begins with, and where it ends."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(data)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _line(text: str) -> str:
    return " ".join(text.split())
