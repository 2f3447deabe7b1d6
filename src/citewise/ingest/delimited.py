"""Read tables of references: CSV of Scopus, IEEE Xplore, PubMed, Zotero, Springer and others, and
Web of Science's tab-delimited export.
"""

import csv
import io
from collections import deque
from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import (
    dois_in,
    iso_date,
    keywords,
    kind_of,
    page_range,
    people,
)
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source
from citewise.ingest.tagged import TaggedRecord
from citewise.ingest.text_lines import text_lines
from citewise.ingest.web_of_science import record_of as record_of_tags

NAME = "csv"

MOST_LINES = 500
"""Lines of one row; a quote that is not closed by then was none, so that it takes no others with
it.
"""

COLUMNS = {
    "title": ("title", "document title", "article title", "item title", "titles", "paper title"),
    "authors": (
        "author full names",
        "authors",
        "author",
        "author(s)",
        "author names",
        "creators",
        "editor",
    ),
    "year": ("year", "publication year", "pub year", "publication_year", "year of publication"),
    "date": ("date", "publication date", "cover date", "published", "create date"),
    "doi": ("doi", "item doi", "doi link", "digital object identifier", "article doi"),
    "abstract": ("abstract", "abstract note", "summary"),
    "venue": (
        "source title",
        "publication title",
        "journal",
        "journal title",
        "journal/book",
        "venue",
        "container title",
        "booktitle",
        "book title",
        "source",
        "conference name",
    ),
    "volume": ("volume", "journal volume"),
    "number": ("issue", "number", "journal issue"),
    "pages": ("pages", "page range"),
    "start": ("page start", "start page", "first page"),
    "end": ("page end", "end page", "last page"),
    "publisher": ("publisher",),
    "url": ("url", "link", "article url", "urls", "full text url", "pdf link"),
    "keywords": ("author keywords", "keywords", "index keywords", "manual tags", "tags"),
    "kind": (
        "document type",
        "item type",
        "publication type",
        "content type",
        "reference type",
        "type",
        "document identifier",
    ),
    "pmid": ("pubmed id", "pmid"),
    "pmcid": ("pmcid",),
    "arxiv": ("arxiv", "arxiv id"),
    "references": ("references", "cited references"),
    "own": ("eid", "citation key", "citekey", "key", "id", "accession number"),
}
"""The columns of each field by their names in lower case, best first."""

_TELLING = ("authors", "year", "date", "doi", "abstract", "venue")
_TAGS = frozenset(("AU", "TI", "SO", "PY", "UT"))
_DELIMITERS = ",\t;|"
_NOT_A_TABLE = (b"{", b"[", b"<", b"%", b"@", b"\\")


def detects(head: bytes) -> bool:
    """Return whether the first line names the columns of references: a title and something else."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in _NOT_A_TABLE:
        return False
    first, *rest = start[:20_000].decode("utf-8", "replace").split("\n", 1)
    return bool(rest) and _delimiter(first) != ""


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record) of the rows."""
    numbered = _Lines(text_lines(source, report))
    heading = next(numbered, (0, ""))[1]
    delimiter = _delimiter(heading) or ","
    names = next(_cells([heading], delimiter), [])
    is_tagged = set(names) >= _TAGS

    for line, cells in _rows(numbered, delimiter, source, report):
        if len(cells) != len(names):
            detail = f"{len(cells)} cells under {len(names)} names of columns"
            location = SourceLocation(source.name, line)
            report.note("repaired", "row_of_wrong_length", location, detail=detail)
        # Of columns with the same name, the first counts.
        values = dict(reversed([*zip(names, cells, strict=False)]))
        yield line, _tagged(line, values) if is_tagged else _record(values)


class _Lines(Iterator[tuple[int, str]]):
    """Numbered lines, of which some can be given back."""

    def __init__(self, numbered: Iterator[tuple[int, str]]) -> None:
        self._numbered = numbered
        self._returned: deque[tuple[int, str]] = deque()

    def __next__(self) -> tuple[int, str]:
        return self._returned.popleft() if self._returned else next(self._numbered)

    def give_back(self, numbered: list[tuple[int, str]]) -> None:
        """Let lines come again."""
        self._returned.extendleft(reversed(numbered))


def _rows(
    numbered: _Lines, delimiter: str, source: Source, report: Report
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of each row, which ends with the line that closes its last quote."""
    for line, text in numbered:
        row, quotes, size = [(line, text)], text.count('"'), len(text)
        while quotes % 2 and len(row) < MOST_LINES and size < LONGEST_RECORD:
            following = next(numbered, None)
            if following is None:
                break
            row.append(following)
            quotes, size = quotes + following[1].count('"'), size + len(following[1])

        if quotes % 2:  # read as if this line had no quotes, and the others on their own
            numbered.give_back(row[1:])
            detail = "a quote is not closed"
            report.note("repaired", "broken_line", SourceLocation(source.name, line), "", detail)
            yield line, text.replace('"', "").split(delimiter)
        else:
            for cells in _cells([part for _, part in row], delimiter):
                yield line, cells


def _cells(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of the rows in some lines."""
    csv.field_size_limit(LONGEST_RECORD)  # there is one for the process, of 131,072 characters
    text = "\n".join(lines).replace("\x00", " ")
    yield from csv.reader(io.StringIO(text), delimiter=delimiter)


def _delimiter(heading: str) -> str:
    """Return what stands between the names of columns, "" where they name no references."""
    for delimiter in sorted(_DELIMITERS, key=heading.count, reverse=True):
        names = heading.replace('"', "").split(delimiter)
        if set(names) >= _TAGS:
            return delimiter
        known = {_plain(name) for name in names}
        fields = {field for field, columns in COLUMNS.items() if not known.isdisjoint(columns)}
        if len(names) > 1 and "title" in fields and not fields.isdisjoint(_TELLING):
            return delimiter
    return ""


def _plain(name: str) -> str:
    return " ".join(name.replace("\ufeff", "").strip().strip("\"'").lower().split())


def _tagged(line: int, values: dict[str, str]) -> Raw:
    """Return the record of a row whose columns have Web of Science's tags."""
    record = TaggedRecord(line)
    for tag, value in values.items():
        separate = tag in ("AU", "AF", "BA", "BF", "CA", "BE", "ED", "CR")
        for part in value.split(";") if separate else (value,):
            record.add(tag, part.strip())
    return record_of_tags(record)


def _record(values: dict[str, str]) -> Raw:
    known = {_plain(name): value.strip() for name, value in values.items()}

    def first(field: str) -> str:
        return next((known[name] for name in COLUMNS[field] if known.get(name)), "")

    keys = [
        registry_key(first("doi"), "doi"),
        registry_key(first("pmid"), "pmid"),
        registry_key(first("pmcid"), "pmcid"),
        registry_key(first("arxiv"), "arxiv"),
        registry_key(first("url")),
    ]
    own, date = first("own"), first("date")

    return {
        # An id that is a number only counts the rows of one table.
        **identity(keys, "" if own.isdecimal() else own, "csv"),
        "title": first("title"),
        "abstract": first("abstract"),
        "authors": people(first("authors")),
        "venue": first("venue"),
        "year": (first("year") or date)[:60] or None,
        "date": iso_date(date),
        "references": dois_in(first("references").split("; ")),
        "fields": keywords([first("keywords")]),
        "kind": kind_of(first("kind")),
        "details": {
            "volume": first("volume"),
            "number": first("number"),
            "pages": page_range(first("pages") or first("start"), first("end")),
            "publisher": first("publisher"),
            "url": first("url"),
        },
    }
