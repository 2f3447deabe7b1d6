"""Query files in, TREC runs out."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from citewise.ingest.json_lines import objects
from citewise.ingest.source import open_source
from citewise.report import Place, Report
from citewise.types import Query, Recommendation


def read_queries(path: str | Path, report: Report) -> Iterator[Query]:
    """Yield the queries of a JSON-lines file ("-": standard input); lines that are no query go to the report."""
    source = open_source(str(path))
    try:
        for line, record in objects(source, report):
            report.read += 1
            query = _query(record)
            if query is None:
                report.note("skipped", "not_a_query", Place(source.name, line), str(record.get("id", ""))[:100],
                            'a query needs a string "id" and a "title" or an "abstract"')
            else:
                yield query
    finally:
        source.close()


def _query(record: dict[str, Any]) -> Query | None:
    name, title, abstract = (record.get(field) or "" for field in ("id", "title", "abstract"))
    name = str(name) if isinstance(name, int) else name
    if not all(isinstance(text, str) for text in (name, title, abstract)) or not name.strip():
        return None
    if not (title.strip() or abstract.strip()):
        return None
    year, cited = record.get("year"), record.get("cited") or []
    cited = cited if isinstance(cited, list) else []
    return Query(title=title, abstract=abstract, id=name.strip(), year=year if isinstance(year, int) else None,
                 cited=tuple(key for key in cited if isinstance(key, str)))


def write_run(file: IO[str], query: Query, answers: list[Recommendation], tag: str) -> None:
    """Append a query's answers in TREC's format: query Q0 paper rank score tag; white space in an id becomes %20."""
    for each in answers:
        file.write(f"{_token(query.id)} Q0 {_token(each.paper.id)} {each.rank} {each.score:.6f} {_token(tag)}\n")


def _token(text: str) -> str:
    return "%20".join(text.split())
