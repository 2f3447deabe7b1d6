"""Read CSL-JSON of Zotero, Mendeley, pandoc and DOI services, in any layout."""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.json_values import text_in
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import page_range
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

_MEMBERS = frozenset(("title", "DOI", "issued", "author", "container-title", "URL"))
_PAGE = "items"
_BLOCK = re.compile(
    r"</?(?:jats:)?(?:p|sec|title|list|list-item|label)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
_NOTED = re.compile(r"\b(arxiv|pmid|pmcid|doi)\s*:\s*(\S+)", re.IGNORECASE)
_RANGES = ((1000, 9999), (1, 12), (1, 31))
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?!\d)")


def detects(head: bytes) -> bool:
    """Return whether the first object has a CSL type and no members of other formats."""
    return any(map(_is_item, map(item_in, first_objects(head, 1, _PAGE))))


def item_in(value: dict[str, Any]) -> dict[str, Any]:
    """Return the item in a service's answer, or the value itself."""
    message = value.get("message")
    return message if isinstance(message, dict) else value


def _is_item(item: dict[str, Any]) -> bool:
    return (
        text_in(item.get("type")) in KINDS
        and _FOREIGN.isdisjoint(item)
        and not _MEMBERS.isdisjoint(item)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line where the object starts, record)."""
    for line, value in objects(source, report, _PAGE):
        item = item_in(value)
        if "title" in item or "DOI" in item or "type" in item:
            yield line, record_of(item)
        else:
            report.note("skipped", "not_a_csl_item", SourceLocation(source.name, line))


def record_of(item: Mapping[str, Any]) -> Raw:
    """Return the raw record of a CSL item."""
    date = issued(item.get("issued"))
    venues = (text_in(item.get(name)) for name in ("container-title", "event-title", "event"))

    return {
        **identity(_keys(item), text_in(item.get("id")), "csl"),
        "title": _title(item),
        "abstract": _BLOCK.sub(" ", text_in(item.get("abstract"))[:200_000]),
        "authors": _names(item.get("author")) or _names(item.get("editor")),
        "venue": next(filter(None, venues), ""),
        "year": date[:4] or None,
        "date": date,
        "fields": _keywords(item),
        "kind": KINDS.get(text_in(item.get("type")), ""),
        "details": {
            "volume": text_in(item.get("volume")),
            "number": text_in(item.get("issue")),
            "pages": page_range(text_in(item.get("page"))),
            "publisher": text_in(item.get("publisher")),
            "url": text_in(item.get("URL")),
        },
    }


def _title(item: Mapping[str, Any]) -> str:
    title, subtitle = text_in(item.get("title")), text_in(item.get("subtitle"))
    return f"{title}: {subtitle}" if title and subtitle and subtitle not in title else title


def _keys(item: Mapping[str, Any]) -> list[str]:
    """Return the keys in an item's members and notes, "" where there is none."""
    notes = f"{text_in(item.get('note'))} {text_in(item.get('number'))}"[:10_000]
    noted = [registry_key(match[2], match[1].lower()) for match in _NOTED.finditer(notes)]

    return [
        registry_key(text_in(item.get("DOI")), "doi"),
        registry_key(text_in(item.get("PMID")), "pmid"),
        registry_key(text_in(item.get("PMCID")), "pmcid"),
        registry_key(text_in(item.get("URL"))),
        *noted,
    ]


def _names(value: Any) -> list[str]:
    return [name for name in map(_name, value if isinstance(value, list) else []) if name]


def _name(person: Any) -> str:
    if not isinstance(person, dict):
        return text_in(person)
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return text_in(person.get("literal") or person.get("name")) or " ".join(
        filter(None, (text_in(person.get(part)).strip() for part in parts))
    )


def issued(value: Any) -> str:
    """Return a date as ISO 8601, as precise as it is given, or ""."""
    if not isinstance(value, dict):
        return _leading_date(text_in(value))

    parts = value.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [int(text_in(part)) for part in first[:3] if text_in(part).isdecimal()]

    # Year, month and day, up to the first that is out of range.
    ranges = zip(numbers, _RANGES, strict=False)
    valid = itertools.takewhile(lambda pair: pair[1][0] <= pair[0] <= pair[1][1], ranges)
    date = "-".join(f"{number:02}" for number, _ in valid)
    if date:
        return date
    return _leading_date(text_in(value.get("raw")) or text_in(value.get("literal")))


def _leading_date(value: str) -> str:
    date = _DATE.search(value)
    return date[0] if date else ""


def _keywords(item: Mapping[str, Any]) -> list[str]:
    words = item.get("keyword") or item.get("subject") or ""
    if isinstance(words, list):
        return [word for word in map(text_in, words) if word]

    text = text_in(words)
    return [word.strip() for word in text.split(";" if ";" in text else ",") if word.strip()]
