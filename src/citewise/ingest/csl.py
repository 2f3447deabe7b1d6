"""Read CSL-JSON of Zotero, pandoc and Crossref: an array, an object a line, or one object."""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_stream import leading_objects, streamed_objects
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "csl"

KINDS = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "review": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "chapter",
    "entry-encyclopedia": "chapter",
    "thesis": "thesis",
    "report": "report",
    "article": "preprint",
    "manuscript": "preprint",
    "dataset": "dataset",
    "software": "software",
    "webpage": "",
    "document": "",
    "post": "",
    "post-weblog": "",
    "speech": "",
    "entry": "",
    "entry-dictionary": "chapter",
    "patent": "",
    "standard": "",
    "periodical": "",
    "motion_picture": "",
    "figure": "",
    "graphic": "",
    "interview": "",
    "legislation": "",
    "legal_case": "",
    "bill": "",
    "map": "",
    "pamphlet": "",
    "personal_communication": "",
    "review-book": "article",
    "song": "",
    "broadcast": "",
    "treaty": "",
    "event": "",
    # Crossref's own types
    "journal-article": "article",
    "proceedings-article": "inproceedings",
    "book-chapter": "chapter",
    "posted-content": "preprint",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "proceedings": "book",
    "book-section": "chapter",
    "peer-review": "",
    "other": "",
}

_FOREIGN = frozenset(
    ("authors", "authorships", "year", "publication_year", "paperId", "corpusid", "references")
)
"""Members of other formats' objects that no CSL item has."""

_TYPE_IN_HEAD = re.compile(rb'"type"\s*:\s*"([a-z_-]+)"')
_NOTED = re.compile(r"\b(arxiv|pmid|pmcid|doi)\s*:\s*(\S+)", re.IGNORECASE)
_RANGES = ((1000, 9999), (1, 12), (1, 31))
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?!\d)")


def detects(head: bytes) -> bool:
    """Return whether the first object has a CSL type and no members of other formats."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start not in (b"{", b"["):
        return False

    first = leading_objects(head)[:1]
    if first:
        return all(_is_item(item) for item in _items(first[0])[:1])

    # The first object is longer than the head.
    kind = _TYPE_IN_HEAD.search(head)
    return (
        kind is not None
        and kind[1].decode() in KINDS
        and b'"date-parts"' in head
        and b'"authorships"' not in head
    )


def _is_item(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and item.get("type") in KINDS
        and _FOREIGN.isdisjoint(item)
        and ("title" in item or "DOI" in item or "issued" in item)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line where the object starts, record)."""
    for line, value in streamed_objects(source, report):
        for item in _items(value):
            if isinstance(item, dict) and ("title" in item or "DOI" in item or "type" in item):
                yield line, _record(item)
            else:
                report.note("skipped", "not_a_csl_item", SourceLocation(source.name, line))


def _items(value: dict[str, Any]) -> list[Any]:
    """Return the items in a service's response, or a list of the object alone."""
    message = value.get("message")
    inner = message if isinstance(message, dict) else value
    items = inner.get("items")
    return items if isinstance(items, list) else [inner]


def _record(item: Mapping[str, Any]) -> Raw:
    date = _issued(item.get("issued"))
    venues = (_text(item.get(name)) for name in ("container-title", "event-title", "event"))

    return {
        **identity(_keys(item), _text(item.get("id")), "csl"),
        "title": _title(item),
        "abstract": _text(item.get("abstract")),
        "authors": _names(item.get("author")),
        "venue": next(filter(None, venues), ""),
        "year": date[:4] or None,
        "date": date,
        "fields": _keywords(item),
        "kind": KINDS.get(_text(item.get("type")), ""),
        "details": {
            "volume": _text(item.get("volume")),
            "number": _text(item.get("issue")),
            "pages": re.sub(r"\s*[-–—]+\s*", "-", _text(item.get("page"))),
            "publisher": _text(item.get("publisher")),
            "url": _text(item.get("URL")),
        },
    }


def _text(value: Any) -> str:
    """Return a value as a string, "" where it is none.

    Crossref puts single strings in a list, and some exporters write numbers.
    """
    if isinstance(value, list):
        value = next((part for part in value if part), "")
    return (
        str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    )


def _title(item: Mapping[str, Any]) -> str:
    title, subtitle = _text(item.get("title")), _text(item.get("subtitle"))
    return f"{title}: {subtitle}" if title and subtitle and subtitle not in title else title


def _keys(item: Mapping[str, Any]) -> list[str]:
    """Return the keys in an item's members and notes, "" where there is none."""
    notes = f"{_text(item.get('note'))} {_text(item.get('number'))}"[:10_000]
    noted = [registry_key(match[2], match[1].lower()) for match in _NOTED.finditer(notes)]

    return [
        registry_key(_text(item.get("DOI")), "doi"),
        registry_key(_text(item.get("PMID")), "pmid"),
        registry_key(_text(item.get("PMCID")), "pmcid"),
        registry_key(_text(item.get("URL"))),
        *noted,
    ]


def _names(value: Any) -> list[str]:
    return [name for name in map(_name, value if isinstance(value, list) else []) if name]


def _name(person: Any) -> str:
    if not isinstance(person, dict):
        return _text(person)
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return _text(person.get("literal") or person.get("name")) or " ".join(
        filter(None, (_text(person.get(part)).strip() for part in parts))
    )


def _issued(value: Any) -> str:
    """Return a date as ISO 8601, as precise as it is given, or ""."""
    if not isinstance(value, dict):
        return _leading_date(_text(value))

    parts = value.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [int(_text(part)) for part in first[:3] if _text(part).isdecimal()]

    # Year, month and day, up to the first that is out of range.
    ranges = zip(numbers, _RANGES, strict=False)
    valid = itertools.takewhile(lambda pair: pair[1][0] <= pair[0] <= pair[1][1], ranges)
    date = "-".join(f"{number:02}" for number, _ in valid)
    if date:
        return date
    return _leading_date(_text(value.get("raw")) or _text(value.get("literal")))


def _leading_date(value: str) -> str:
    date = _DATE.search(value)
    return date[0] if date else ""


def _keywords(item: Mapping[str, Any]) -> list[str]:
    words = item.get("keyword") or item.get("subject") or ""
    if isinstance(words, list):
        return [word for word in map(_text, words) if word]

    text = _text(words)
    return [word.strip() for word in text.split(";" if ";" in text else ",") if word.strip()]
