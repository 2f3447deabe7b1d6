"""Read the DBLP and PubMed sets of Ren et al. (2014), ClusCite: tables without headings.

Each file has one kind of record a line, its columns between tabs, the paper's number first. All but
`papers.txt` become patches: records without a title, which the library merges into the paper of
that number. The layout was taken from how the authors of Citeomatic read it; the sets themselves
were never seen here.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from citewise.ingest.clean import Raw
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source
from citewise.ingest.text_lines import text_lines

NAME = "ren"

_NUMBER = re.compile(r"\d{1,18}")
_WEIGHT = re.compile(r"\s*[(\[][\d.]+[)\]]$")
"""How often a key phrase occurs, which follows it in brackets."""

_Values = Callable[[list[str]], list[str]]


def detects(head: bytes) -> bool:
    """Return False: columns of numbers are no sign of this format, which has to be named."""
    return False


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record) of one of the files, which is known by its name; the line of a patch is
    that of its first part.
    """
    name = Path(source.name).name
    kind = _FILES.get(name.partition(".")[0])
    if kind is None:
        known = ", ".join(f"{each}.txt" for each in _FILES)
        detail = f"the files of this format are {known}"
        report.note("skipped", "unknown_format", SourceLocation(source.name, 1), detail=detail)
        return
    yield from kind(_rows(source, report))


def _rows(source: Source, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, columns) of the lines that begin with a paper's number and have more columns."""
    for line, text in text_lines(source, report):
        columns = [column.strip() for column in text.split("\t")]
        if _NUMBER.fullmatch(columns[0]) and len(columns) > 1:
            yield line, columns
        else:
            location = SourceLocation(source.name, line)
            detail = "a line is a number, a tab and more columns"
            report.note("skipped", "malformed_row", location, columns[0][:40], detail)


def _papers(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Raw]]:
    """Yield the papers: number, something that is not read, year, title."""
    for line, columns in rows:
        year, title = [*columns[2:], "", ""][:2]
        yield line, {"id": columns[0], "year": year, "title": title}


def _abstracts(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Raw]]:
    for line, columns in rows:
        yield line, {"id": columns[0], "abstract": columns[1]}


def _listed(
    field: str, values: _Values = lambda columns: columns[1:2]
) -> Callable[[Iterator[tuple[int, list[str]]]], Iterator[tuple[int, Raw]]]:
    """Return a reader of files with a value of a list a line, of a paper's lines taken together."""

    def read(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Raw]]:
        gathered: dict[str, tuple[int, list[str]]] = {}
        for line, columns in rows:
            gathered.setdefault(columns[0], (line, []))[1].extend(filter(None, values(columns)))
        for number, (line, found) in gathered.items():
            yield line, {"id": number, field: found}

    return read


def _venues(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Raw]]:
    for line, columns in rows:
        yield line, {"id": columns[0], "venue": columns[1]}


def _phrases(columns: list[str]) -> list[str]:
    """Return the key phrases of a line, without the numbers in brackets behind them."""
    return [_WEIGHT.sub("", column) for column in columns[1:]]


_FILES: dict[str, Callable[[Iterator[tuple[int, list[str]]]], Iterator[tuple[int, Raw]]]] = {
    "papers": _papers,
    "abstracts": _abstracts,
    "paper_paper": _listed("references"),
    "paper_author": _listed("authors"),
    "paper_venue": _venues,
    "paper_keyphrases": _listed("key_phrases", _phrases),
}
"""Readers by the file's name, without what follows its first point."""
