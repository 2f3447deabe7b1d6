"""Read JATS XML and its ancestor NLM: PubMed Central, eLife, PLOS."""

import itertools
from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, PassageWriter
from citewise.ingest.fulltext.printed_reference import printed
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

NAME = "jats"

_SCHEMES = {
    "doi": "doi",
    "pmid": "pmid",
    "pmc": "pmcid",
    "pmcid": "pmcid",
    "arxiv": "arxiv",
    "medline": "pmid",
}
_KINDS = {
    "journal": "article",
    "book": "book",
    "confproc": "inproceedings",
    "conf-proc": "inproceedings",
    "thesis": "thesis",
    "report": "report",
    "software": "software",
    "data": "dataset",
    "preprint": "preprint",
}
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_LEFT_OUT = (
    "table",
    "ref-list",
    "sub-article",
    "response",
    "object-id",
    "tex-math",
    "alternatives",
    "graphic",
    "label",
    "permissions",
    "contrib-group",
    "related-article",
    "glossary",
)
_BLOCKS = (
    "p",
    "fig",
    "fig-group",
    "table-wrap",
    "table-wrap-group",
    "list",
    "def-list",
    "disp-quote",
    "boxed-text",
    "supplementary-material",
    "fn",
    "media",
    "sec",
    "caption",
    "statement",
    "verse-group",
    "disp-formula",
    "disp-formula-group",
)
_SECTIONS = ("sec", "app", "ack", "abstract", "boxed-text")
_ANNOTATION = ("tex-math", "annotation", "xref")


def detects(head: bytes) -> bool:
    """Return whether the source is XML with an article as its root that has front matter."""
    return root_name(head) == "article" and (b"<front" in head or b"JATS" in head or b"NLM" in head)


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (1, the document)."""
    root = parsed(source, report)
    if root is None:
        return

    listed = [
        ref
        for part in children(root, "back", "body", "floats-group")
        for ref in descendants(part, "ref")
    ]
    entries = [(ref.get("id") or "", _reference(ref)) for ref in listed]

    document = assembled(
        _front(root), passages(root), entries, SourceLocation(source.name, 1), report
    )
    if document is not None:
        yield 1, document


def _front(root: Element) -> Raw:
    """Return the raw record of the paper in an article's front matter."""
    meta = first(root, "front", "article-meta")
    date = _date(meta)
    authors = [
        contributor
        for group in children(meta, "contrib-group")
        for contributor in children(group, "contrib")
        if contributor.get("contrib-type", "author") == "author"
    ]
    abstracts = [
        abstract for abstract in children(meta, "abstract") if not abstract.get("abstract-type")
    ]
    journals = (text_of(title) for title in descendants(first(root, "front"), "journal-title"))

    return {
        "title": text_of(first(meta, "title-group", "article-title"), "xref", "fn"),
        "ids": _ids(meta, "article-id"),
        "abstract": " ".join(
            text_of(abstract, "object-id", *_ANNOTATION[:2]) for abstract in abstracts[:1]
        ),
        "authors": [_person(author) for author in authors],
        "year": date[:4] or None,
        "date": date,
        "venue": next(journals, ""),
        "details": {
            "volume": text_of(first(meta, "volume")),
            "number": text_of(first(meta, "issue")),
        },
    }


def _date(meta: Element | None) -> str:
    """Return the earliest date of publication, as precise as it is given, or ""."""
    dates = []
    for date in children(meta, "pub-date"):
        year, month, day = (text_of(first(date, part)) for part in ("year", "month", "day"))
        parts = [part.zfill(2) for part in itertools.takewhile(str.isdecimal, (year, month, day))]
        if year:
            dates.append("-".join(parts) or year)
    return min(dates, default="")


def _ids(element: Element | None, name: str) -> dict[str, str]:
    """Return the ids in the children of a name, by scheme; the first of each scheme."""
    ids: dict[str, str] = {}
    for each in children(element, name):
        scheme = _SCHEMES.get(each.get("pub-id-type", "").lower())
        value = text_of(each)
        if scheme and value:
            without_prefix = scheme == "pmcid" and value.isdecimal()
            ids.setdefault(scheme, f"PMC{value}" if without_prefix else value)

    return ids


def _person(contributor: Element) -> str:
    """Return a person's name, given names first, or the name of a group."""
    name = contributor
    if name_of(contributor) not in ("name", "string-name"):
        name = next(iter(descendants(contributor, "name", "string-name", "collab")), None)

    if name is None or name_of(name) == "collab":
        return text_of(name)
    parts = [text_of(first(name, part)) for part in ("given-names", "surname", "suffix")]
    return " ".join(filter(None, parts)) or text_of(name)


def _reference(ref: Element) -> Raw:
    """Return the raw record of an entry; without a tagged title, it is read from the plain text."""
    citation = next(iter(descendants(ref, *_CITATIONS)), None)
    if citation is None:
        return {"printed": text_of(ref, "label")}

    title = _field(citation, "article-title", "chapter-title", "data-title", "part-title")
    source = _field(citation, "source")
    guessed = printed(text_of(citation)) if not title and not source else {}
    ids = _ids(citation, "pub-id") or {"doi": _linked_doi(citation)}
    first_page = _field(citation, "fpage") or _field(citation, "elocation-id")
    pages = [first_page, _field(citation, "lpage")]

    return {
        **guessed,
        "title": title or source or guessed.get("title"),
        "venue": source if title else "",
        "authors": _people(citation) or guessed.get("authors"),
        "year": _field(citation, "year")[:4] or guessed.get("year"),
        "ids": ids if any(ids.values()) else guessed.get("ids", {}),
        "printed": text_of(citation),
        "kind": _KINDS.get(citation.get("publication-type", ""), ""),
        "details": {
            "volume": _field(citation, "volume"),
            "number": _field(citation, "issue"),
            "pages": "-".join(filter(None, pages)),
        },
    }


def _field(citation: Element, *names: str) -> str:
    """Return the text of the first element of these names that has one, or ""."""
    return next((text for each in descendants(citation, *names) if (text := text_of(each))), "")


def _people(citation: Element) -> list[str]:
    """Return the names of a citation's authors."""
    groups = [
        group
        for group in children(citation, "person-group")
        if group.get("person-group-type", "author") == "author"
    ]
    inside = groups[0] if groups else citation

    return [
        _person(name) if name_of(name) != "collab" else text_of(name)
        for name in descendants(inside, "name", "string-name", "collab")
    ]


def _linked_doi(citation: Element) -> str:
    """Return the address of a DOI that a citation links to, or ""."""
    links = (
        value
        for link in descendants(citation, "ext-link", "uri")
        for value in (*link.attrib.values(), text_of(link))
    )
    return next((value for value in links if "doi.org/10." in value), "")


def passages(root: Element) -> Iterator[Passage]:
    """Yield the paragraphs, notes and captions of a document, its abstract first."""
    for abstract in children(first(root, "front", "article-meta"), "abstract"):
        yield from _blocks(abstract, "Abstract")
    for part in children(root, "body", "floats-group", "back"):
        yield from _blocks(part, "")


def _blocks(element: Element, section: str) -> Iterator[Passage]:
    """Yield the passages in an element; one inside another comes after it."""
    name = name_of(element)
    if name == "p" or (name == "title" and name_of(element.getparent()) == "caption"):
        writer = PassageWriter()
        _write(element, writer)
        yield writer.passage(section)

    for child in element:
        if name_of(child) == "title" and name in _SECTIONS:
            section = text_of(child, *_ANNOTATION) or section
        elif name_of(child) and name_of(child) not in _LEFT_OUT:
            yield from _blocks(child, section)


def _write(element: Element, writer: PassageWriter) -> None:
    """Write the running text and the citation marks of an element."""
    writer.add(own_text(element))

    for child in element:
        name = name_of(child)
        if name == "xref" and child.get("ref-type") == "bibr":
            writer.mark(text_of(child), (child.get("rid") or "").split())
        elif name in _BLOCKS:
            writer.space()
        elif not name:
            writer.add(own_text(child))
        elif name not in _LEFT_OUT:
            _write(child, writer)
        writer.add(child.tail or "")
