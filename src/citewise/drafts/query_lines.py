"""Read files of queries: a JSON object a line."""

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
    """Yield the queries of a JSON-lines file ("-": standard input).

    Lines that are no query are reported and skipped. Fields that a line does not have are taken
    from `usual`.
    """
    for query, _ in located_queries(path, report, usual):
        yield query


def located_queries(
    path: str | Path, report: Report, usual: Query | None = None
) -> Iterator[tuple[Query, SourceLocation]]:
    """Yield the same as `read_queries`, each with the line that it is from."""
    source = open_source(str(path))
    seen: set[str] = set()
    try:
        for line, record in objects(source, report):
            report.read += 1
            name, location = str(record.get("id", ""))[:100], SourceLocation(source.name, line)
            try:
                query = _query(record, usual or Query())
            except BadInput as error:
                report.note("skipped", "not_a_query", location, name, str(error))
                continue

            if query.id in seen:
                detail = f"another query has the id {name}"
                report.note("skipped", "duplicate_query", location, name, detail)
                continue

            seen.add(query.id)
            yield query, location
    finally:
        source.close()


def _query(record: dict[str, Any], usual: Query) -> Query:
    """Return the query of a record; a field that cannot be read is an error, never ignored."""
    name, title, abstract, sentence, venue = (
        record.get(field) or "" for field in ("id", "title", "abstract", "sentence", "venue")
    )
    name = str(name) if isinstance(name, int) else name

    are_strings = all(isinstance(text, str) for text in (name, title, abstract, sentence, venue))
    if not are_strings or not name.strip():
        raise BadInput(
            '"id", "title", "abstract", "sentence" and "venue" must be strings, and the id not '
            "empty"
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
        venue=venue,
        key_phrases=_texts(record, "key_phrases", "phrases"),
        preferences=_preferences(record, usual.preferences),
    )

    if query.preferences.no_self_citations and not any(map(ids.surname, query.authors)):
        raise BadInput("to leave self-citations out, name the draft's authors")
    return query


def _preferences(record: dict[str, Any], usual: Preferences) -> Preferences:
    """Return the record's own preferences, and the usual ones for what it does not set."""
    own = {knob.name: record[knob.name] for knob in KNOBS if record.get(knob.name) is not None}
    return replace(usual, **own)


def _year(record: dict[str, Any], field: str) -> int | None:
    year = record.get(field)
    if year is not None and not (str(year).isdecimal() and len(str(year)) <= _LONGEST_YEAR):
        raise BadInput(f'"{field}" must be a year, not {str(year)[:40]!r}')
    return None if year is None else int(year)


def _texts(record: dict[str, Any], field: str, what: str) -> tuple[str, ...]:
    texts = record.get(field) or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInput(f'"{field}" must be a list of {what}')
    return tuple(texts)
