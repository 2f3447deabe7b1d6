"""Query files in, TREC runs out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadInput
from citewise.ingest.json_lines import objects
from citewise.ingest.source import open_source
from citewise.rank.preferences import check
from citewise.report import Place, Report
from citewise.types import Query

_LONGEST_YEAR = 4
_WISHES = ("no_self_citations", "prefer_recent", "prefer_cited", "diversify")


def read_queries(path: str | Path, report: Report, usual: Query | None = None) -> Iterator[Query]:
    """Yield the queries of a JSON-lines file ("-": standard input); lines that are no query go to the report.

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
                report.note("skipped", "not_a_query", Place(source.name, line), name, str(error))
                continue
            if query.id in seen:
                report.note("skipped", "duplicate_query", Place(source.name, line), name, f"{name} was asked before")
                continue
            seen.add(query.id)
            yield query
    finally:
        source.close()


def _query(record: dict[str, Any], usual: Query) -> Query:
    """Return the query; what would change its answer and cannot be read is refused, not ignored."""
    name, title, abstract, sentence = (record.get(field) or "" for field in ("id", "title", "abstract", "sentence"))
    name = str(name) if isinstance(name, int) else name
    if not all(isinstance(text, str) for text in (name, title, abstract, sentence)) or not name.strip():
        raise BadInput('"id", "title", "abstract" and "sentence" must be strings, and the id not empty')
    if not (title.strip() or abstract.strip() or sentence.strip()):
        raise BadInput('a query needs a "title", an "abstract" or a "sentence"')
    query = replace(usual, title=title, abstract=abstract, id=name.strip(), year=_year(record, "year"),
                    since=_year(record, "since"), cited=_texts(record, "cited", "ids"),
                    hidden=_texts(record, "hidden", "ids"), authors=_texts(record, "authors", "names"),
                    sentence=sentence, **{field: record[field] for field in _WISHES if record.get(field) is not None})
    check(query)
    return query


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


def write_run(file: IO[str], query: str, papers: Sequence[str], scores: Sequence[float], tag: str) -> None:
    """Append a query's answers in TREC's format: query Q0 paper rank score tag; white space in an id becomes %20."""
    for rank, (paper, score) in enumerate(zip(papers, _falling(scores).tolist(), strict=True), 1):
        file.write(f"{token(query)} Q0 {token(paper)} {rank} {np.float32(score)!s} {token(tag)}\n")


def _falling(scores: Sequence[float]) -> NDArray[np.float32]:
    """Return scores that fall from each to the next: trec_eval, which reads 32 bits, orders equal ones by their ids."""
    values = np.array(scores, np.float32)
    for place in np.flatnonzero(np.diff(values) >= 0).tolist():
        for later in range(place + 1, values.size):
            if values[later] < values[later - 1]:
                break
            values[later] = np.nextafter(values[later - 1], np.float32(-np.inf))
    return values


def token(text: str) -> str:
    """Return an id as TREC's formats hold it, without white space."""
    return "%20".join(text.split())
