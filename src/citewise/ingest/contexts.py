"""Read files of citing sentences: a JSON object a line, with `[REF]` for the citation marks."""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "contexts"

_MARK = re.compile(r"\[(?:REF|OTHER)\]")


def detects(head: bytes) -> bool:
    """Return whether the first objects have a citing id, cited ids and a text."""
    return any(
        record.keys() >= {"citing_id", "cited_ids", "text"} for record in first_objects(head)
    )


def sentences(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, raw sentence): `citing`, `text`, `groups` of (start, end, keys), ..."""
    for line, record in objects(source, report):
        groups = _groups(record, report, SourceLocation(source.name, line))
        yield line, {**record, "citing": record.get("citing_id"), "groups": groups}


def _groups(
    record: dict[str, Any], report: Report, location: SourceLocation
) -> list[tuple[int, int, Any]]:
    """Return the (start, end, keys) of a record's groups, one for each mark.

    Ids of which the mark is unknown are an empty group at the sentence's end.
    """
    text, cited, given = record.get("text"), record.get("cited_ids"), record.get("groups")
    if not isinstance(text, str) or not isinstance(cited, list):
        return []

    marks = [mark.span() for mark in _MARK.finditer(text)]
    own_marks = [mark for mark in marks if text.startswith("[REF]", mark[0])]
    lists = _lists(cited, given, len(own_marks))
    with_mark = {str(key) for keys in lists for key in keys} if lists is not None else set()
    rest = [key for key in cited if str(key) not in with_mark]
    if rest:
        citing = str(record.get("citing_id", ""))[:100]
        detail = f"{len(own_marks)} [REF], {len(rest)} ids that belong to none"
        report.note("repaired", "citation_without_mark", location, citing, detail)

    by_mark = dict(zip(own_marks, lists or [[] for _ in own_marks], strict=True))
    groups = [(*mark, by_mark.get(mark, [])) for mark in marks]
    return [*groups, (len(text), len(text), rest)] if rest else groups


def _lists(cited: list[Any], given: Any, marks: int) -> list[list[Any]] | None:
    """Return the ids that each of the marks cites, or None where that is not clear."""
    if (
        isinstance(given, list)
        and len(given) == marks
        and all(isinstance(keys, list) for keys in given)
    ):
        return given
    return [cited] * marks if given is None and marks and (marks == 1 or len(cited) == 1) else None
