"""Read Zotero's RDF export."""

from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.fulltext.xml_tree import (
    Element,
    children,
    descendants,
    first,
    name_of,
    parsed_export,
    root_name,
    text_of,
)
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import iso_date, page_range
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.ingest.zotero_types import KINDS, NOT_REFERENCES

NAME = "zotero-rdf"

_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_CREATORS = ("authors", "presenters", "contributors", "editors", "directors", "programmers")


def detects(head: bytes) -> bool:
    """Return whether the root is RDF with Zotero's names."""
    return root_name(head) == "RDF" and b"zotero.org/namespaces" in head


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record) of the items; notes and attachments are no papers but parts of items."""
    root = parsed_export(source, report)
    if root is None:
        return

    named = {element.get(_ABOUT): element for element in root if element.get(_ABOUT)}
    for item in root:
        if _is_item(item):
            yield item.sourceline or 1, _record(item, _container(item, named))


def _is_item(element: Element) -> bool:
    """Return whether an element describes a reference rather than a part of one."""
    kind = text_of(first(element, "itemType"))
    if kind:
        return kind not in NOT_REFERENCES
    return first(element, "title") is not None and bool(children(element, *_CREATORS))


def _container(item: Element, named: dict[str, Element]) -> list[Element]:
    """Return the journals, books, series or sites that an item is part of."""
    containers: list[Element] = []
    for part in children(item, "isPartOf"):
        linked = named.get(part.get(_RESOURCE, ""))
        containers += [linked] if linked is not None else [each for each in part if name_of(each)]
    return containers


def _record(item: Element, containers: list[Element]) -> Raw:
    def text(name: str) -> str:
        """Return the first text of a name in the item, or in what it is part of."""
        found = (text_of(each) for part in (item, *containers) for each in children(part, name))
        return next(filter(None, found), "")

    identifiers = [
        text_of(each) for part in (item, *containers) for each in children(part, "identifier")
    ]
    address = next((text_of(each) for each in descendants(item, "URI")), "")
    dois = [each for each in identifiers if each.upper().startswith("DOI ")]
    about = item.get(_ABOUT, "")
    titles = (text_of(first(each, "title")) for each in containers)
    date = text("date")

    return {
        **identity(
            [
                *(registry_key(doi[4:], "doi") for doi in dois),
                *map(registry_key, (address, about, text("description"))),
            ],
            text("citationKey"),
            "zotero",
        ),
        "title": text_of(first(item, "title")) or text("shortTitle"),
        "abstract": text("abstract"),
        "authors": _people(item),
        "venue": next(filter(None, titles), "") or text("publicationTitle"),
        "year": date[:60] or None,
        "date": iso_date(date),
        "fields": [text_of(each) for each in children(item, "subject")],
        "kind": KINDS.get(text_of(first(item, "itemType")), ""),
        "details": {
            "volume": text("volume"),
            "number": text("number"),
            "pages": page_range(text("pages")),
            "publisher": text_of(first(item, "publisher", "Organization", "name")),
            "url": address,
        },
    }


def _people(item: Element) -> list[str]:
    """Return the names of the first kind of creators that an item has, given name first."""
    for creators in _CREATORS:
        groups = children(item, creators)
        people = [each for group in groups for each in descendants(group, "Person", "Organization")]
        names = [name for name in map(_name, people) if name]
        if names:
            return names
    return []


def _name(person: Element) -> str:
    given, family = children(person, "givenName"), children(person, "surname", "name")
    return " ".join(filter(None, map(text_of, [*given[:1], *family[:1]])))
