"""Read the metadata of S2ORC's releases of 2019 and 2020: a paper a line, with what it cites."""

from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.fulltext.s2orc import paper_of
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.report import Report
from citewise.ingest.source import Source

NAME = "s2orc-metadata"


def detects(head: bytes) -> bool:
    """Return whether the first records have S2ORC's id and outbound citations."""
    return any(
        "paper_id" in record
        and not record.keys().isdisjoint(("outbound_citations", "has_outbound_citations"))
        for record in first_objects(head)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record)."""
    for line, record in objects(source, report):
        cited, fields = record.get("outbound_citations"), record.get("mag_field_of_study")
        yield line, {**paper_of(record), "references": _keys(cited), "fields": fields}


def _keys(value: Any) -> Any:
    """Return corpus ids as keys; a value that is no list is returned for `clean` to report."""
    if not isinstance(value, list):
        return value
    return [f"s2:{item}" for item in value if isinstance(item, str | int)]
