"""Read GROBID's TEI XML."""

import re
from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, PassageWriter
from citewise.ingest.fulltext.xml_tree import (
    Element,
    children,
    descendants,
    first,
    name_of,
    own_text,
    parsed,
    root_name,
    text_of,
)
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "tei"

_SCHEMES = {"DOI": "doi", "arXiv": "arxiv", "PMID": "pmid", "PMCID": "pmcid"}
_SCOPES = {"volume": "volume", "issue": "number", "page": "pages"}
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LEFT_OUT = ("table", "listBibl", "graphic", "label")
_PASSAGES = ("p", "figDesc", "note", "item", "ab", "quote")


def detects(head: bytes) -> bool:
    """Return whether the source is an XML document with a TEI root."""
    return root_name(head) == "TEI"


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (1, the document)."""
    root = parsed(source, report)
    if root is None:
        return

    text = first(root, "text")
    entries = [
        (entry.get(_XML_ID) or "", _reference(entry))
        for entry in descendants(text, "biblStruct")
        if any(name_of(parent) == "listBibl" for parent in entry.iterancestors())
    ]

    document = assembled(
        _header(root), passages(root), entries, SourceLocation(source.name, 1), report
    )
    if document is not None:
        yield 1, document


def _header(root: Element) -> Raw:
    """Return the raw record of the paper in a document's header."""
    header = first(root, "teiHeader")
    described = first(header, "fileDesc", "sourceDesc", "biblStruct")
    title = text_of(first(header, "fileDesc", "titleStmt", "title"))

    return {
        **_reference(described),
        "title": title or text_of(first(described, "analytic", "title")),
        "abstract": text_of(first(header, "profileDesc", "abstract")),
        "kind": "",
    }


def _reference(entry: Element | None) -> Raw:
    """Return the raw record of a biblStruct; without an article's title, that of a book."""
    article, volume = first(entry, "analytic"), first(entry, "monogr")
    imprint = first(volume, "imprint")
    date = next((date.get("when") or text_of(date) for date in descendants(volume, "date")), "")
    titles = [text_of(title) for title in children(article, "title")]
    venues = [text_of(title) for title in children(volume, "title")]
    title, venue = next(filter(None, titles), ""), next(filter(None, venues), "")
    raw_references = (
        text_of(note) for note in children(entry, "note") if note.get("type") == "raw_reference"
    )

    return {
        "title": title or venue,
        "venue": venue if title else "",
        "authors": [
            _name(author) for part in (article, volume) for author in children(part, "author")
        ],
        "year": date[:4] or None,
        "date": date,
        "ids": _ids(entry),
        "details": {
            _SCOPES.get(scope.get("unit"), "note"): _extent(scope)
            for scope in children(imprint, "biblScope")
        },
        "printed": next(raw_references, ""),
    }


def _extent(scope: Element) -> str:
    """Return the text of a biblScope, or its bounds: "117-124"."""
    ends = [end for end in (scope.get("from"), scope.get("to")) if end]
    return "-".join(ends) or text_of(scope)


def _name(author: Element) -> str:
    """Return an author's name: its parts, else the text without the affiliation."""
    person = first(author, "persName")
    name = " ".join(text_of(part) for part in children(person, "forename", "surname"))
    return name or text_of(author, "affiliation")


def _ids(entry: Element | None) -> dict[str, str]:
    """Return the ids of a biblStruct by scheme, the first of each."""
    ids: dict[str, str] = {}
    for number in descendants(entry, "idno"):
        scheme = _SCHEMES.get(number.get("type") or "")
        if scheme:
            ids.setdefault(scheme, re.sub(r"^arXiv:|\s*\[.*$", "", text_of(number)))
    return ids


def passages(root: Element) -> Iterator[Passage]:
    """Yield the paragraphs, notes and captions of a document, its abstract first."""
    yield from _blocks(first(root, "teiHeader", "profileDesc", "abstract"), "Abstract")
    yield from _blocks(first(root, "text"), "")


def _blocks(element: Element | None, section: str) -> Iterator[Passage]:
    """Yield the passages in an element; one inside another comes after it."""
    if element is None or name_of(element) in _LEFT_OUT:
        return

    if name_of(element) in _PASSAGES:
        writer = PassageWriter()
        _write(element, writer)
        yield writer.passage(section)

    for child in element:
        if name_of(child) == "head" and name_of(element) == "div":
            section = text_of(child) or section
        yield from _blocks(child, section)


def _write(element: Element, writer: PassageWriter) -> None:
    """Write the running text and the citation marks of an element."""
    writer.add(own_text(element))

    for child in element:
        name = name_of(child)
        if name == "ref" and child.get("type") == "bibr":
            writer.space_after_list()
            writer.mark(text_of(child), [(child.get("target") or "").removeprefix("#")])
        elif name in (*_PASSAGES, *_LEFT_OUT, "head", "figure"):
            writer.space()
        else:
            _write(child, writer)
        writer.add(child.tail or "")
