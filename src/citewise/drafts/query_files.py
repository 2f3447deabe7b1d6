"""Files of queries, one a line."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from citewise.errors import BadInput
from citewise.ingest.json_lines import objects
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import open_source
from citewise.preferences import KNOBS, Preferences
from citewise.text import ids
from citewise.types import Query

_LONGEST_YEAR = 4


def read_queries(path: str | Path, report: Report, usual: Query | None = None) -> Iterator[Query]:
    """Yield the queries of a JSON-lines file ("-": standard input); lines that are no query go to
    the report.

    What a line leaves open is as in `usual`.
    """
    source = open_source(str(path))
    seen: set[str] = set()
    try:
        for line, record in objects(source, report):
            report.read += 1
            name = str(record.get("id", ""))[:100]
            try:
                query = _query(record, usual or Query())
            except BadInput as error:
                report.note(
                    "skipped", "not_a_query", SourceLocation(source.name, line), name, str(error)
                )
                continue
            if query.id in seen:
                report.note(
                    "skipped",
                    "duplicate_query",
                    SourceLocation(source.name, line),
                    name,
                    f"{name} was asked before",
                )
                continue
            seen.add(query.id)
            yield query
    finally:
        source.close()


def _query(record: dict[str, Any], usual: Query) -> Query:
    """Return the query; what would change its answer and cannot be read is refused, not ignored."""
    name, title, abstract, sentence = (
        record.get(field) or "" for field in ("id", "title", "abstract", "sentence")
    )
    name = str(name) if isinstance(name, int) else name
    if (
        not all(isinstance(text, str) for text in (name, title, abstract, sentence))
        or not name.strip()
    ):
        raise BadInput(
            '"id", "title", "abstract" and "sentence" must be strings, and the id not empty'
        )
    if not (title.strip() or abstract.strip() or sentence.strip()):
        raise BadInput('a query needs a "title", an "abstract" or a "sentence"')
    query = replace(
        usual,
        title=title,
        abstract=abstract,
        id=name.strip(),
        year=_year(record, "year"),
        since=_year(record, "since"),
        cited=_texts(record, "cited", "ids"),
        hidden=_texts(record, "hidden", "ids"),
        authors=_texts(record, "authors", "names"),
        sentence=sentence,
        preferences=_preferences(record, usual.preferences),
    )
    if query.preferences.no_self_citations and not any(map(ids.surname, query.authors)):
        raise BadInput("to leave self-citations out, name the draft's authors")
    return query


def _preferences(record: dict[str, Any], usual: Preferences) -> Preferences:
    """Return the usual preferences with those that the record has itself."""
    own = {knob.name: record[knob.name] for knob in KNOBS if record.get(knob.name) is not None}
    return replace(usual, **own)


def _year(record: dict[str, Any], field: str) -> int | None:
    year = record.get(field)
    if year is not None and not (str(year).isdecimal() and len(str(year)) <= _LONGEST_YEAR):
        raise BadInput(f'"{field}" must be a year, not {str(year)[:40]!r}')
    return None if year is None else int(year)


def _texts(record: dict[str, Any], field: str, what: str) -> tuple[str, ...]:
    found = record.get(field) or []
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadInput(f'"{field}" must be a list of {what}')
    return tuple(found)
