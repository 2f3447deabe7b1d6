"""Read Zotero's own JSON: Better BibTeX JSON, and items of the Zotero API."""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.json_values import at, text_in
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import iso_date, page_range
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source
from citewise.ingest.zotero_types import KINDS, NOT_REFERENCES

NAME = "zotero-json"

_PAGE = "items"
_VENUES = (
    "publicationTitle",
    "proceedingsTitle",
    "bookTitle",
    "conferenceName",
    "repository",
    "university",
    "websiteTitle",
    "blogTitle",
    "encyclopediaTitle",
    "dictionaryTitle",
    "forumTitle",
    "meetingName",
)
_NOTED = re.compile(r"^\s*(DOI|PMID|PMCID|arXiv)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


def detects(head: bytes) -> bool:
    """Return whether the first objects are items of Zotero, which have a type and creators."""
    return any("itemType" in _item(record) for record in first_objects(head, page=_PAGE))


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); notes, attachments and what is no item are reported."""
    for line, record in objects(source, report, _PAGE):
        item = _item(record)
        kind = text_in(item.get("itemType"))
        if kind and kind not in NOT_REFERENCES:
            yield line, _record(item)
        else:
            location = SourceLocation(source.name, line)
            report.note("skipped", "not_a_reference", location, detail=kind or "no itemType")


def _item(record: dict[str, Any]) -> dict[str, Any]:
    """Return the item of a record: in the API's, it is under `data`."""
    data = record.get("data")
    return data if isinstance(data, dict) else record


def _record(item: dict[str, Any]) -> Raw:
    date = text_in(item.get("date"))
    venues = (text_in(item.get(name)) for name in _VENUES)

    return {
        **identity(_keys(item), _citation_key(item), "bib"),
        "title": text_in(item.get("title")) or text_in(item.get("caseName")),
        "abstract": text_in(item.get("abstractNote")),
        "authors": _people(item.get("creators")),
        "venue": next(filter(None, venues), ""),
        "year": date[:60] or None,
        "date": iso_date(date),
        "fields": [word for word in map(_tag, _list(item.get("tags"))) if word],
        "kind": KINDS.get(text_in(item.get("itemType")), ""),
        "details": {
            "volume": text_in(item.get("volume")),
            "number": text_in(item.get("issue")) or text_in(item.get("number")),
            "pages": page_range(text_in(item.get("pages"))),
            "publisher": text_in(item.get("publisher")) or text_in(item.get("institution")),
            "url": text_in(item.get("url")),
        },
    }


def _citation_key(item: dict[str, Any]) -> str:
    return text_in(item.get("citationKey")) or text_in(item.get("citekey"))


def _keys(item: dict[str, Any]) -> list[str]:
    noted = _NOTED.findall(text_in(item.get("extra"))[:10_000])
    return [
        registry_key(text_in(item.get("DOI")), "doi"),
        *(registry_key(value, scheme.lower()) for scheme, value in noted),
        registry_key(text_in(item.get("archiveID"))),
        registry_key(text_in(item.get("url"))),
    ]


def _people(creators: Any) -> list[str]:
    """Return the authors, or all creators where none is called author."""
    people = [person for person in _list(creators) if isinstance(person, dict)]
    authors = [person for person in people if person.get("creatorType") == "author"]
    return [name for name in map(_name, authors or people) if name]


def _name(person: dict[str, Any]) -> str:
    parts = (text_in(person.get(part)).strip() for part in ("firstName", "lastName"))
    return text_in(person.get("name")) or " ".join(filter(None, parts))


def _tag(tag: Any) -> str:
    return text_in(at(tag, "tag") if isinstance(tag, dict) else tag)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
