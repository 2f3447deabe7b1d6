"""Read EndNote's XML export: today's, and that of versions before 8, in upper case."""

from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.fulltext.xml_tree import (
    Element,
    descendants,
    name_of,
    parsed_export,
    root_name,
    text_of,
)
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import given_first, iso_date, kind_of, page_range
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "endnote-xml"

_OLD_TYPES = {
    "0": "article",
    "1": "book",
    "2": "thesis",
    "3": "inproceedings",
    "7": "chapter",
    "10": "report",
    "17": "article",
    "32": "thesis",
    "47": "inproceedings",
    "6": "book",
    "5": "chapter",
    "27": "report",
}
"""Kinds by the number of a type, where its name is not given."""


def detects(head: bytes) -> bool:
    """Return whether the root is <xml> or <records> and has records."""
    return root_name(head).lower() in ("xml", "records") and b"<record" in head.lower()


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record)."""
    root = parsed_export(source, report)
    for element in descendants(root, "record", "RECORD", "Record"):
        if any(map(text_of, element)):
            yield element.sourceline or 1, record_of(element)
        else:
            location = SourceLocation(source.name, element.sourceline or 1)
            report.note("skipped", "no_id_no_title", location, detail="an empty record")


def _fields(record: Element) -> dict[str, list[str]]:
    """Return the texts of a record's elements by name, in lower case with hyphens."""
    fields: dict[str, list[str]] = {}
    for element in record.iter():
        name = name_of(element).lower().replace("_", "-")
        text = text_of(element)
        if name and text and element is not record and name != "style":
            fields.setdefault(name, []).append(text)
    return fields


def record_of(record: Element) -> Raw:
    """Return the raw record of a <record>, as exports and the citations in documents have it."""
    fields = _fields(record)

    def first(*names: str) -> str:
        return next((fields[name][0] for name in names if name in fields), "")

    links = [*fields.get("url", []), *fields.get("web-urls", [])]
    keys = [
        registry_key(first("electronic-resource-num", "electronic-resource-number", "doi"), "doi"),
        *map(registry_key, [*links, first("accession-num"), first("notes")]),
    ]
    date = first("date")
    year = first("year") or date

    return {
        **identity(keys, first("label"), "endnote"),
        "title": first("title", "secondary-title" if not first("full-title") else "short-title"),
        "abstract": first("abstract"),
        "authors": [given_first(name) for name in _people(record)],
        "venue": first("full-title", "secondary-title", "alt-title", "tertiary-title"),
        "year": year[:60] or None,
        "date": iso_date(date) or iso_date(f"{date} {year}"),
        "fields": fields.get("keyword", []),
        "kind": _kind(record, first("ref-type", "reference-type")),
        "details": {
            "volume": first("volume"),
            "number": first("number", "issue"),
            "pages": page_range(first("pages")),
            "publisher": first("publisher"),
            "url": links[0] if links else "",
        },
    }


def _people(record: Element) -> list[str]:
    """Return the authors, or the editors where there are none."""
    for group in ("authors", "secondary-authors", "tertiary-authors"):
        names = (group, group.upper(), group.upper().replace("-", "_"))
        people = [
            text_of(person)
            for found in descendants(record, *names)
            for person in descendants(found, "author", "AUTHOR", "SECONDARY_AUTHOR")
        ]
        if people:
            return [name for name in people if name]
    return [text_of(each) for each in descendants(record, "AUTHOR", "author")]


def _kind(record: Element, number: str) -> str:
    named = next((each.get("name", "") for each in descendants(record, "ref-type")), "")
    return kind_of(named) or _OLD_TYPES.get(number, "")
