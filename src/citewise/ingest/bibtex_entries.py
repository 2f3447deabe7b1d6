"""Read BibTeX entries one at a time, with macros and cross-references resolved."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bibtexparser.entrypoint import parse_string
from bibtexparser.exceptions import ParsingException
from bibtexparser.library import Library
from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ImplicitComment

from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source
from citewise.ingest.text_lines import text_lines

# Malformed entries go to the report instead.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())

LONGEST_VALUE = 1_000_000
LONGEST_MACRO = 10_000
"""Characters; without bounds, macros that concatenate macros grow exponentially."""

MOST_PARENTS = 50_000
MOST_PENDING = 10_000
"""Entries kept for cross-references: parents, and children whose parent has not been read yet."""

START = re.compile(r"\s*(%*)\s*@\s*([A-Za-z]+)[ \t]*[{(]")
_PARENT_TYPES = (
    "proceedings",
    "mvproceedings",
    "book",
    "mvbook",
    "collection",
    "mvcollection",
    "periodical",
)
_INHERITED = ("year", "date", "month", "publisher", "volume", "number", "booktitle")
_NOT_ENTRIES = ("comment", "preamble", "string", "set", "xdata", "control")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_BRACE = re.compile(r"(?<!\\)[{}]")
_BRACE_OR_QUOTE = re.compile(r'(?<!\\)[{}"]')
_WORD = re.compile(r'[^\s{}",#=]+')
_LOST_FIELDS = re.compile(r'\s*,\s*[A-Za-z][\w-]*\s*=\s*[{"\d]')


@dataclass(slots=True)
class BibEntry:
    """An entry: type and field names in lower case, values as LaTeX without delimiters."""

    line: int
    type: str
    key: str
    fields: dict[str, str]


class MalformedError(Exception):
    """The text of an entry is not BibTeX; the message gives the reason."""


def entries(source: Source, report: Report) -> Iterator[BibEntry]:
    """Yield the entries in the order of the file.

    An entry whose parent (crossref) is further down comes right after the parent.
    """
    parents: dict[str, dict[str, str]] = {}
    pending: dict[str, list[BibEntry]] = {}
    for entry in _entries(source, report):
        name = entry.key.lower()
        if entry.type in _PARENT_TYPES and len(parents) < MOST_PARENTS:
            parents[name] = entry.fields

        parent = entry.fields.get("crossref", "").strip().lower()
        known = parent in ("", name) or parent in parents
        if known or sum(map(len, pending.values())) >= MOST_PENDING:
            yield _inheriting(entry, parents.get(parent, {}))
        else:
            pending.setdefault(parent, []).append(entry)

        for child in pending.pop(name, []):
            yield _inheriting(child, entry.fields)

    for children in pending.values():
        yield from children


def _inheriting(entry: BibEntry, parent: dict[str, str]) -> BibEntry:
    """Return an entry with the fields of its parent that it does not have itself."""
    fields = {name: parent[name] for name in _INHERITED if name in parent}
    if "title" in parent and entry.type not in _PARENT_TYPES:
        fields.setdefault("booktitle", parent["title"])
    return BibEntry(entry.line, entry.type, entry.key, {**fields, **entry.fields})


def _entries(source: Source, report: Report) -> Iterator[BibEntry]:
    """Yield the entries with macros resolved; malformed ones are reported."""
    macros = {month[:3].lower(): month for month in _MONTHS}
    for line, text in _chunks(source, report):
        location = SourceLocation(source.name, line)
        try:
            library = parse_string(text, parse_stack=[])
            _check(library, text)
            for string in library.strings:
                macros[string.key.lower()] = _value(string.value, macros)[:LONGEST_MACRO]

            for parsed in _parsed(library):
                entry = _entry(parsed, line, macros)
                if entry.type not in _NOT_ENTRIES:
                    _note_repairs(parsed, entry, report, location)
                    yield entry
        except (MalformedError, ParsingException) as error:
            report.note("skipped", "malformed_bibtex", location, detail=str(error))


def _chunks(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each entry, up to the line where the next one starts.

    Entries that are commented out by % are left out.
    """
    start, size, parts = 0, 0, list[str]()
    for number, line in text_lines(source, report):
        head = START.match(line)
        if head:
            if parts:
                yield start, "\n".join(parts)
            start, size, parts = number, len(line), ([] if head[1] else [line])
        elif parts:
            size += len(line) + 1
            parts.append(line)
            if size > LONGEST_RECORD:
                report.note("skipped", "record_too_long", SourceLocation(source.name, start))
                parts = []

    if parts:
        yield start, "\n".join(parts)


def _check(library: Library, text: str) -> None:
    """Raise an error for an entry that is not closed, or closed before its last field."""
    head = START.match(text)
    ignored = head is not None and head[2].lower() in ("comment", "preamble")
    for block in library.blocks:
        if isinstance(block, ImplicitComment) and _LOST_FIELDS.match(block.comment) and not ignored:
            raise MalformedError("fields after the closing brace")

    failed = [
        block for block in library.failed_blocks if not isinstance(block, DuplicateFieldKeyBlock)
    ]
    if failed and not ignored:
        raise MalformedError(getattr(failed[0].error, "abort_reason", "") or "not an entry")


def _parsed(library: Library) -> list[Entry]:
    """Return the entries, those with a repeated field included."""
    repeated = (
        block for block in library.failed_blocks if isinstance(block, DuplicateFieldKeyBlock)
    )
    inner = (block.ignore_error_block for block in repeated)
    return [*library.entries, *(block for block in inner if isinstance(block, Entry))]


def _entry(parsed: Entry, line: int, macros: dict[str, str]) -> BibEntry:
    """Return an entry with macros resolved; as in BibTeX, the first of repeated fields counts."""
    fields: dict[str, str] = {}
    for field in parsed.fields:
        fields.setdefault(field.key.lower(), _value(field.value, macros))
    return BibEntry(line, parsed.entry_type.lower(), parsed.key, fields)


def _note_repairs(parsed: Entry, entry: BibEntry, report: Report, location: SourceLocation) -> None:
    if len(entry.fields) < len(parsed.fields):
        report.note("repaired", "duplicate_field", location, entry.key)
    if not entry.key:
        report.note("repaired", "no_citation_key", location)


def _value(raw: str, macros: dict[str, str]) -> str:
    """Return the text of a field: parts in braces or quotes, numbers and macros, joined by #."""
    parts: list[str] = []
    position = size = 0
    while True:
        part, position = _piece(raw, position, macros)
        size += len(part)
        if size > LONGEST_VALUE:
            raise MalformedError("field too long")
        parts.append(part)

        rest = raw[position : position + 1_000].lstrip()
        if not rest:
            return "".join(parts)
        if rest[0] != "#":
            raise MalformedError("a comma is missing between fields")
        position = raw.index("#", position) + 1


def _piece(raw: str, position: int, macros: dict[str, str]) -> tuple[str, int]:
    """Return the text of one part of a field that starts at a position, and where it ends."""
    while position < len(raw) and raw[position].isspace():
        position += 1

    delimiter = raw[position : position + 1]
    if delimiter in ("{", '"') and delimiter:
        end = _closing(raw, position)
        return raw[position + 1 : end], end + 1

    word = _WORD.match(raw, position)
    if not word:
        raise MalformedError("a field has no value")
    return macros.get(word[0].lower(), word[0]), word.end()


def _closing(raw: str, start: int) -> int:
    """Return the position of the brace or quote that closes the one at `start`."""
    depth = 0
    quoted = raw[start] == '"'
    for match in (_BRACE_OR_QUOTE if quoted else _BRACE).finditer(raw, start + 1):
        if depth == 0 and match[0] == ('"' if quoted else "}"):
            return match.start()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    raise MalformedError("unbalanced braces")
