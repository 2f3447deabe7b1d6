"""The metadata of S2ORC's releases of 2019 and 2020: a paper a line, its citations as Semantic
Scholar's corpus ids.
"""

from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.fulltext.s2orc import paper_of
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.report import Report
from citewise.ingest.source import Source

NAME = "s2orc-metadata"


def detects(head: bytes) -> bool:
    """Whether the source starts with a record that has S2ORC's id and says whom the paper cites."""
    return any(
        "paper_id" in record
        and not record.keys().isdisjoint(("outbound_citations", "has_outbound_citations"))
        for record in first_objects(head)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record)."""
    for line, record in objects(source, report):
        yield (
            line,
            {
                **paper_of(record),
                "references": _keys(record.get("outbound_citations")),
                "fields": record.get("mag_field_of_study"),
            },
        )


def _keys(value: Any) -> Any:
    """Return corpus ids as keys; what is no list stays as it is, for `clean` to refuse."""
    return (
        [f"s2:{item}" for item in value if isinstance(item, str | int)]
        if isinstance(value, list)
        else value
    )
