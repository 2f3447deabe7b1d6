"""Read citewise's own format: a JSON object a line."""

from collections.abc import Iterator

import msgspec

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects_or_structs
from citewise.ingest.plain_records import PlainRecord, plain_record
from citewise.ingest.report import Report
from citewise.ingest.source import Source

NAME = "jsonl"
_SCHEMES = ("doi", "arxiv", "openalex", "s2", "pmid")


def detects(head: bytes) -> bool:
    """Return whether the first objects have an id and a title, an abstract or references."""
    return any(
        "id" in record and not record.keys().isdisjoint(("title", "abstract", "references"))
        for record in first_objects(head)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw | PlainRecord]]:
    """Yield (line, record); ids may be in `ids` or fields of their own (`doi`, `arxiv`, ...)."""
    for line, record in objects_or_structs(source, report, plain_record):
        yield line, record if isinstance(record, PlainRecord) else _with_ids(record)


def _with_ids(record: dict[str, object]) -> Raw:
    """Return a record with the ids that are fields of their own added to `ids`."""
    if record.keys().isdisjoint(_SCHEMES):
        return record
    named = {scheme: record[scheme] for scheme in _SCHEMES if scheme in record}
    if not isinstance(record.get("ids", {}), dict):
        return record
    return {**record, "ids": {**named, **msgspec.convert(record.get("ids", {}), dict[str, object])}}
