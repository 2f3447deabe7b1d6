"""Query files in, TREC runs out."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from citewise.errors import BadInput
from citewise.ingest.json_lines import objects
from citewise.ingest.source import open_source
from citewise.report import Place, Report
from citewise.types import Query, Recommendation

_LONGEST_YEAR = 4


def read_queries(path: str | Path, report: Report) -> Iterator[Query]:
    """Yield the queries of a JSON-lines file ("-": standard input); lines that are no query go to the report."""
    source = open_source(str(path))
    seen: set[str] = set()
    try:
        for line, record in objects(source, report):
            report.read += 1
            name = str(record.get("id", ""))[:100]
            try:
                query = _query(record)
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


def _query(record: dict[str, Any]) -> Query:
    """Return the query; what would change its answer and cannot be read is refused, not ignored."""
    name, title, abstract = (record.get(field) or "" for field in ("id", "title", "abstract"))
    name = str(name) if isinstance(name, int) else name
    if not all(isinstance(text, str) for text in (name, title, abstract)) or not name.strip():
        raise BadInput('"id", "title" and "abstract" must be strings, and the id not empty')
    if not (title.strip() or abstract.strip()):
        raise BadInput('a query needs a "title" or an "abstract"')
    year, cited = record.get("year"), record.get("cited") or []
    if year is not None and not (str(year).isdigit() and len(str(year)) <= _LONGEST_YEAR):
        raise BadInput(f'"year" must be a year, not {str(year)[:40]!r}')
    if not isinstance(cited, list) or not all(isinstance(key, str) for key in cited):
        raise BadInput('"cited" must be a list of ids')
    return Query(title=title, abstract=abstract, id=name.strip(), year=None if year is None else int(year),
                 cited=tuple(cited))


def write_run(file: IO[str], query: Query, answers: list[Recommendation], tag: str) -> None:
    """Append a query's answers in TREC's format: query Q0 paper rank score tag; white space in an id becomes %20."""
    for each in answers:
        file.write(f"{_token(query.id)} Q0 {_token(each.paper.id)} {each.rank} {each.score:.6f} {_token(tag)}\n")


def _token(text: str) -> str:
    return "%20".join(text.split())
