"""Read works of Crossref: a work, an API's answer, a list of works, or the public data file.

A work is a CSL item with lists in place of some strings, and with what it cites.
"""

from collections.abc import Iterator
from typing import Any

from citewise.ingest import csl
from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.json_values import at, text_in
from citewise.ingest.keys import registry_key
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "crossref"

_PAGE = "items"
_MARKS = frozenset(
    (
        "is-referenced-by-count",
        "references-count",
        "reference-count",
        "content-domain",
        "deposited",
        "indexed",
        "prefix",
    )
)
_DATES = ("issued", "published", "published-print", "published-online", "posted", "created")


def detects(head: bytes) -> bool:
    """Return whether the first objects have a DOI and members that only Crossref has."""
    return any(
        "DOI" in work and len(_MARKS & work.keys()) >= 2
        for work in map(csl.item_in, first_objects(head, page=_PAGE))
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); references are those of which Crossref knows the DOI."""
    for line, value in objects(source, report, _PAGE):
        work = csl.item_in(value)
        if "DOI" in work or "title" in work:
            yield line, _record(work)
        else:
            report.note("skipped", "not_a_work", SourceLocation(source.name, line))


def _record(work: dict[str, Any]) -> Raw:
    dated = next((name for name in _DATES if csl.issued(work.get(name))), "issued")
    cited = work.get("reference")
    dois = [at(entry, "DOI") for entry in cited] if isinstance(cited, list) else []

    return {
        **csl.record_of({**work, "issued": work.get(dated), "id": None}),
        "references": [*filter(None, (registry_key(text_in(doi), "doi") for doi in dois))],
    }
