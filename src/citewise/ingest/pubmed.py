"""Read PubMed's tagged export (.nbib, MEDLINE), and ERIC's, which has no PMID."""

import re
from collections.abc import Iterator

from citewise.ingest import ris
from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import given_first, iso_date, keywords, kind_of, page_range
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.ingest.tagged import Grammar, TaggedRecord, tagged_records
from citewise.text.ids import LONGEST_KEY

NAME = "pubmed"

_START = re.compile(rb"^(?:\xef\xbb\xbf)?(?:PMID- ?\d|OWN ?- ?[A-Z])", re.MULTILINE)
_FIELD = re.compile(rb"^(?:TI|BTI|AB|AU|FAU|DP|JT|TA) {0,2}- ", re.MULTILINE)
_FIRST = ("PMID", "OWN")
_NAMED_DOI = re.compile(r"(\S+) ?\[doi\]", re.IGNORECASE)


def detects(head: bytes) -> bool:
    """Return whether a line gives a PubMed id or the owner of a record, and others its fields."""
    return (
        _START.search(head) is not None
        and _FIELD.search(head) is not None
        and not ris.detects(head)
        and head.lstrip(b"\xef\xbb\xbf \t\n")[:1] not in (b"{", b"[", b"<")
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record)."""
    for record in tagged_records(source, report, _GRAMMAR):
        yield record.line, _record(record)


def _starts(tag: str, record: TaggedRecord, after_gap: bool) -> bool:
    """Return whether a tag starts a record: each has PMID first, or OWN where it has no PMID."""
    if tag not in _FIRST:
        return False
    if tag == "OWN" and record.values.keys() == {"PMID"}:
        return False
    return after_gap or tag in record.values


_GRAMMAR = Grammar(re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*)|$)"), _starts)


def _record(record: TaggedRecord) -> Raw:
    ids = [text[: LONGEST_KEY + 10] for text in record.texts("LID", "AID")]
    named = [match[1] for match in map(_NAMED_DOI.match, ids) if match]
    keys = [
        *(registry_key(doi, "doi") for doi in named),
        *map(registry_key, ids),
        registry_key(record.first("DOI"), "doi"),
        registry_key(record.first("PMID"), "pmid"),
        registry_key(record.first("PMC"), "pmcid"),
    ]
    local = record.first("OID")
    date = record.first("DP", "DEP", "DA")

    return {
        **identity(keys, local, record.first("OWN").lower() or "pubmed"),
        "title": record.first("TI", "BTI", "TT", "CTI"),
        "abstract": record.first("AB", "OAB"),
        "authors": [given_first(name) for name in _authors(record)],
        "venue": record.first("JT", "TA", "BTI" if record.first("TI") else "VTI"),
        "year": date[:60] or None,
        "date": iso_date(date),
        "fields": keywords(record.texts("MH"))[:50],
        "key_phrases": keywords(record.texts("OT"))[:50],
        "kind": _kind(record),
        "details": {
            "volume": record.first("VI"),
            "number": record.first("IP"),
            "pages": page_range(record.first("PG")),
            "publisher": record.first("PB"),
        },
    }


def _authors(record: TaggedRecord) -> list[str]:
    people = record.texts("FAU") or record.texts("AU")
    return people or record.texts("CN", "FED", "ED")


def _kind(record: TaggedRecord) -> str:
    kinds = [*map(kind_of, record.texts("PT"))]
    return next((kind for kind in ("preprint", "article") if kind in kinds), "") or next(
        filter(None, kinds), ""
    )
