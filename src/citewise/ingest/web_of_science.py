"""Read Web of Science's plain-text export (and ISI's, Inspec's and Medline's of the same form)."""

import re
from collections.abc import Iterator

from citewise.ingest import ris
from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import (
    dois_in,
    iso_date,
    keywords,
    kind_of,
    page_range,
    people,
)
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.ingest.tagged import Grammar, TaggedRecord, tagged_records

NAME = "wos"

_START = re.compile(rb"^(?:\xef\xbb\xbf)?PT \S", re.MULTILINE)
_FIELD = re.compile(rb"^(?:AU|TI|SO|UT|PY) ", re.MULTILINE)
_LISTED = ("AU", "AF", "BA", "BF", "CA", "GP", "BE", "ED", "CR", "C1")

_GRAMMAR = Grammar(
    re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)"),
    starts=lambda tag, record, after_gap: tag == "PT" and bool(record.values),
    end="ER",
    ignored=("FN", "VR", "EF"),
    listed=_LISTED,
)


def detects(head: bytes) -> bool:
    """Return whether a line gives the type of a publication, and others its fields."""
    return (
        _START.search(head) is not None
        and _FIELD.search(head) is not None
        and not ris.detects(head)
        and head.lstrip(b"\xef\xbb\xbf \t\n")[:1] not in (b"{", b"[", b"<", b"%")
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); references are the cited works of which a DOI is given."""
    for record in tagged_records(source, report, _GRAMMAR):
        yield record.line, record_of(record)


def record_of(record: TaggedRecord) -> Raw:
    """Return the raw record of values by Web of Science's tags."""
    own, year = record.first("UT"), record.first("PY")
    medline = own.removeprefix("MEDLINE:") if own.startswith("MEDLINE:") else ""
    keys = [
        registry_key(record.first("DI"), "doi"),
        registry_key(record.first("D2"), "doi"),
        registry_key(record.first("PM") or medline, "pmid"),
        registry_key(record.first("AR"), "arxiv"),
    ]
    date = f"{record.first('PD')} {year}"
    start, end = record.first("BP"), record.first("EP")

    return {
        **identity(keys, own.partition(":")[2] or own, "wos"),
        "title": record.first("TI"),
        "abstract": record.first("AB"),
        "authors": _authors(record),
        "venue": record.first("SO", "JI", "J9"),
        "year": (year or record.first("PD", "EY"))[:60] or None,
        "date": iso_date(date),
        "references": dois_in(record.texts("CR")),
        "fields": keywords(record.texts("ID", "WC")),
        "key_phrases": keywords(record.texts("DE")),
        "kind": _kind(record),
        "details": {
            "volume": record.first("VL"),
            "number": record.first("IS"),
            "pages": page_range(start, end) if start else record.first("PS", "AR"),
            "publisher": record.first("PU"),
        },
    }


def _authors(record: TaggedRecord) -> list[str]:
    """Return the authors, with full names where they are known."""
    for tags in (("AF",), ("AU",), ("BF",), ("BA",), ("CA", "GP"), ("BE", "ED")):
        names = record.texts(*tags)
        if names:
            return [name for text in names for name in people(text)]
    return []


def _kind(record: TaggedRecord) -> str:
    kinds = {"J": "article", "B": "book", "S": "chapter", "C": "inproceedings"}
    return kind_of(record.first("DT")) or kinds.get(record.first("PT")[:1], "")
