"""Read ParsCit's XML of PDFs: text by SectLabel, references and their marks by ParsCit."""

import re
from collections.abc import Iterator
from pathlib import Path

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, from_spans
from citewise.ingest.fulltext.xml_tree import (
    Element,
    children,
    descendants,
    name_of,
    parsed,
    root_name,
    text_of,
)
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "parscit"

LONGEST_MARK = 200
MOST_MARKS = 1_000
"""Bounds of the marks, each of which is searched for in the whole text."""

_READ = ("bodyText", "listItem", "footnote", "figureCaption", "tableCaption")
_ANTHOLOGY = re.compile(r"[A-Z]\d\d-\d{4}|\d{4}\.[a-z0-9-]+\.\d+")
_HYPHEN = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")
_ENDED = re.compile(r"[.?!:][\"'”’)\]]*$")

# A mark in brackets, or a name and a year; a number alone might be anything.
_UNMISTAKABLE = re.compile(r"\[\w[^\]]*\]|[^\W\d_]{2}.*\d")


def detects(head: bytes) -> bool:
    """Return whether the source is an XML document by ParsCit."""
    return root_name(head) == "algorithms" and (
        b'name="ParsCit"' in head or b'name="SectLabel"' in head
    )


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (1, the document)."""
    root = parsed(source, report)
    if root is None:
        return

    citations = descendants(_algorithm(root, "ParsCit"), "citation")
    entries = [(str(number), _reference(citation)) for number, citation in enumerate(citations)]

    document = assembled(
        _paper(root, Path(source.name)),
        _passages(root, _marks(citations)),
        entries,
        SourceLocation(source.name, 1),
        report,
    )
    if document is not None:
        yield 1, document


def _algorithm(root: Element, name: str) -> Element | None:
    """Return the output of one of ParsCit's algorithms."""
    return next((each for each in children(root, "algorithm") if each.get("name") == name), None)


def _paper(root: Element, path: Path) -> Raw:
    """Return the raw record of the paper; ParsHed's title is complete more often than SectLabel's.

    The name of the file may be an id of the ACL Anthology.
    """
    header, labelled = _algorithm(root, "ParsHed"), _algorithm(root, "SectLabel")
    titles = descendants(header, "title") or descendants(labelled, "title")
    name = path.name.partition(".xml")[0]

    return {
        "title": text_of(titles[0]) if titles else "",
        "authors": [text_of(author) for author in descendants(header, "author")],
        "abstract": " ".join(text_of(part) for part in descendants(header, "abstract")[:1]),
        "ids": {"acl": name} if _ANTHOLOGY.fullmatch(name) else {},
    }


def _reference(citation: Element) -> Raw:
    """Return the raw record of an entry of the list of references."""
    fields = {name_of(child): text_of(child) for child in citation if name_of(child)}
    pages = fields.get("pages", "").replace("--", "-")

    return {
        "title": fields.get("title"),
        "authors": [text_of(name) for name in descendants(citation, "author")],
        "year": fields.get("date"),
        "venue": fields.get("journal") or fields.get("booktitle"),
        "printed": fields.get("rawString"),
        "details": {"volume": fields.get("volume"), "pages": pages},
    }


def _marks(citations: list[Element]) -> dict[str, str]:
    """Return the number of the reference of each mark; ambiguous marks are left out."""
    references: dict[str, set[str]] = {}
    for number, citation in enumerate(citations):
        for context in descendants(citation, "context"):
            mark = " ".join((context.get("citStr") or "")[:LONGEST_MARK].split())
            if _UNMISTAKABLE.match(mark):
                references.setdefault(mark, set()).add(str(number))
    return {mark: next(iter(names)) for mark, names in references.items() if len(names) == 1}


def _passages(root: Element, marks: dict[str, str]) -> Iterator[Passage]:
    """Yield the passages of the text, in which all marks are searched for."""
    longest_first = sorted(list(marks)[:MOST_MARKS], key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})(?!\w)")
    for section, text in _texts(root):
        yield from_spans(
            text, [(*match.span(), marks[match[0]]) for match in pattern.finditer(text)], section
        )


def _texts(root: Element) -> Iterator[tuple[str, str]]:
    """Yield (section, text) of the paragraphs; those that a page break splits are joined again."""
    names = ("sectionHeader", "subsectionHeader", *_READ)

    section = unfinished = ""
    for element in descendants(_algorithm(root, "SectLabel"), *names):
        text = " ".join(_HYPHEN.sub("", "".join(element.itertext())).split())
        if name_of(element).endswith("Header"):
            yield section, unfinished.strip()
            section, unfinished = text, ""
        elif name_of(element) != "bodyText":
            yield section, text
        elif _ENDED.search(text):
            yield section, f"{unfinished} {text}".strip()
            unfinished = ""
        else:
            unfinished = f"{unfinished} {text}"
    yield section, unfinished.strip()
