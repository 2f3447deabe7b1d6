"""Citing sentences made ready by others: one a line, `[REF]` where the cited papers are cited."""

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
    """Whether the source starts with an object that says who cites whom in which words."""
    return any(
        record.keys() >= {"citing_id", "cited_ids", "text"} for record in first_objects(head)
    )


def sentences(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, sentence) as `clean` expects it: `citing`, `text`, `groups` of (start, end,
    keys), `section`, ...
    """
    for line, record in objects(source, report):
        groups = _groups(record, report, SourceLocation(source.name, line))
        yield line, {**record, "citing": record.get("citing_id"), "groups": groups}


def _groups(
    record: dict[str, Any], report: Report, place: SourceLocation
) -> list[tuple[int, int, Any]]:
    """Return the groups of a record, one for each mark.

    Where it is not clear which mark cites what, the marks cite nothing known, and the sentence as a
    whole cites all.
    """
    text, cited, given = record.get("text"), record.get("cited_ids"), record.get("groups")
    if not isinstance(text, str) or not isinstance(cited, list):
        return []
    marks = [mark.span() for mark in _MARK.finditer(text)]
    ours = [mark for mark in marks if text.startswith("[REF]", mark[0])]
    lists = _lists(cited, given, len(ours))
    placed = {str(key) for keys in lists for key in keys} if lists is not None else set()
    rest = [key for key in cited if str(key) not in placed]
    if rest:
        report.note(
            "repaired",
            "citation_without_mark",
            place,
            str(record.get("citing_id", ""))[:100],
            f"{len(ours)} [REF], {len(rest)} ids that belong to none",
        )
    by_mark = dict(zip(ours, lists or [[] for _ in ours], strict=True))
    groups = [(*mark, by_mark.get(mark, [])) for mark in marks]
    return [*groups, (len(text), len(text), rest)] if rest else groups


def _lists(cited: list[Any], given: Any, marks: int) -> list[list[Any]] | None:
    """Return what each mark cites, or None where that cannot be said."""
    if (
        isinstance(given, list)
        and len(given) == marks
        and all(isinstance(keys, list) for keys in given)
    ):
        return given
    return [cited] * marks if given is None and marks and (marks == 1 or len(cited) == 1) else None
