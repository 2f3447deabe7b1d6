"""Read EndNote's tagged export (.enw), which is also Refer's and Google Scholar's."""

import re
from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import given_first, iso_date, keywords, kind_of, page_range
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.ingest.tagged import Grammar, TaggedRecord, tagged_records

NAME = "enw"

_TAG = re.compile(r"\s{0,3}%([0-9A-Z!@#$&()*+,:;<=>?\[\\\]^_{|}~/-])(?:\s+(.*)|$)")
_FIRST = re.compile(rb"(?:\xef\xbb\xbf)?\s*%[0-9A-Z@!?#$+^&*(\[<>=~-](?:\s|$)")
_TELLING = re.compile(rb"^\s{0,3}%(?:0|T)\s+\S", re.MULTILINE)
_LATEX = re.compile(rb"^[ \t]{0,20}(?:\\[a-z]|@[a-z]+\s*[{(])", re.MULTILINE | re.IGNORECASE)


def detects(head: bytes) -> bool:
    """Return whether the source starts with a tag such as %0, and gives a type or a title."""
    return (
        _FIRST.match(head) is not None
        and _TELLING.search(head) is not None
        and _LATEX.search(head) is None
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record)."""
    for record in tagged_records(source, report, _GRAMMAR):
        yield record.line, _record(record)


def _starts(tag: str, record: TaggedRecord, after_gap: bool) -> bool:
    """Return whether a tag starts a record: a second type or title, or the first tags of one after
    an empty line. An abstract may have empty lines too.
    """
    if tag in ("0", "T"):
        return tag in record.values or (tag == "0" and after_gap)
    return after_gap and tag == "A" and "0" not in record.values


_GRAMMAR = Grammar(_TAG, _starts)


def _record(record: TaggedRecord) -> Raw:
    links = record.texts("U", ">", "3")
    keys = [
        registry_key(record.first("R"), "doi"),
        *map(registry_key, [*links, *record.texts("M", "Z", "X")[:5]]),
    ]
    label = record.first("F")
    date, year = record.first("8"), record.first("D")

    return {
        **identity(keys, label, "enw"),
        "title": record.first("T", "Q", "!"),
        "abstract": record.first("X"),
        "authors": [given_first(name) for name in record.texts("A") or record.texts("E", "?", "Y")],
        "venue": record.first("J", "B", "S"),
        "year": (year or date)[:60] or None,
        "date": iso_date(date) or iso_date(f"{date} {year}") or iso_date(year),
        "fields": keywords(record.texts("K")),
        "kind": kind_of(record.first("0") or record.first("9")),
        "details": {
            "volume": record.first("V"),
            "number": record.first("N"),
            "pages": page_range(record.first("P")),
            "publisher": record.first("I"),
            "url": links[0] if links else "",
        },
    }
