"""BibTeX text to entries: one at a time, macros and cross-references resolved, the malformed ones
reported.
"""

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

logging.getLogger("bibtexparser").addHandler(
    logging.NullHandler()
)  # what is malformed goes to the report instead

LONGEST_VALUE = 1_000_000
LONGEST_MACRO = 10_000
"""Characters; without bounds, macros that concatenate macros grow exponentially."""
MOST_PARENTS = 50_000
MOST_WAITING = 10_000
"""Entries kept for cross-references: parents already met, and children whose parent has not come
yet.
"""

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
    """An entry as it stands: type and field names in lower case, values in LaTeX without their
    delimiters.
    """

    line: int
    type: str
    key: str
    fields: dict[str, str]


class MalformedError(Exception):
    """The entry's text is not BibTeX; the message says where it stopped being so."""


def entries(source: Source, report: Report) -> Iterator[BibEntry]:
    """Yield the entries in the order of the file, save that one waits for a parent (crossref) that
    comes later.
    """
    parents: dict[str, dict[str, str]] = {}
    waiting: dict[str, list[BibEntry]] = {}
    for entry in _entries(source, report):
        name = entry.key.lower()
        if entry.type in _PARENT_TYPES and len(parents) < MOST_PARENTS:
            parents[name] = entry.fields
        parent = entry.fields.get("crossref", "").strip().lower()
        if (
            parent in ("", name)
            or parent in parents
            or sum(map(len, waiting.values())) >= MOST_WAITING
        ):
            yield _inheriting(entry, parents.get(parent, {}))
        else:
            waiting.setdefault(parent, []).append(entry)
        for child in waiting.pop(name, []):
            yield _inheriting(child, entry.fields)
    for children in waiting.values():
        yield from children


def _inheriting(entry: BibEntry, parent: dict[str, str]) -> BibEntry:
    fields = {name: parent[name] for name in _INHERITED if name in parent}
    if "title" in parent and entry.type not in _PARENT_TYPES:
        fields.setdefault("booktitle", parent["title"])
    return BibEntry(entry.line, entry.type, entry.key, {**fields, **entry.fields})


def _entries(source: Source, report: Report) -> Iterator[BibEntry]:
    macros = {month[:3].lower(): month for month in _MONTHS}
    for line, text in _chunks(source, report):
        place = SourceLocation(source.name, line)
        try:
            library = parse_string(text, parse_stack=[])
            _check(library, text)
            for string in library.strings:
                macros[string.key.lower()] = _value(string.value, macros)[:LONGEST_MACRO]
            for found in _found(library):
                entry = _entry(found, line, macros)
                if entry.type not in _NOT_ENTRIES:
                    _note_repairs(found, entry, report, place)
                    yield entry
        except (MalformedError, ParsingException) as error:
            report.note("skipped", "malformed_bibtex", place, detail=str(error))


def _chunks(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line, text) from each line that starts an entry to the next; what is commented out by
    % is left out.
    """
    start, size, parts = 0, 0, list[str]()
    for number, line in text_lines(source, report):
        found = START.match(line)
        if found:
            if parts:
                yield start, "\n".join(parts)
            start, size, parts = number, len(line), ([] if found[1] else [line])
        elif parts:
            size += len(line) + 1
            parts.append(line)
            if size > LONGEST_RECORD:
                report.note("skipped", "record_too_long", SourceLocation(source.name, start))
                parts = []
    if parts:
        yield start, "\n".join(parts)


def _check(library: Library, text: str) -> None:
    """Refuse what the parser could not close, and an entry that a stray brace closed before its
    last field.
    """
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


def _found(library: Library) -> list[Entry]:
    repeated = (
        block for block in library.failed_blocks if isinstance(block, DuplicateFieldKeyBlock)
    )
    inner = (block.ignore_error_block for block in repeated)
    return [*library.entries, *(block for block in inner if isinstance(block, Entry))]


def _entry(found: Entry, line: int, macros: dict[str, str]) -> BibEntry:
    fields: dict[str, str] = {}
    for field in found.fields:
        fields.setdefault(
            field.key.lower(), _value(field.value, macros)
        )  # of a repeated field BibTeX takes the first
    return BibEntry(line, found.entry_type.lower(), found.key, fields)


def _note_repairs(found: Entry, entry: BibEntry, report: Report, place: SourceLocation) -> None:
    if len(entry.fields) < len(found.fields):
        report.note("repaired", "duplicate_field", place, entry.key)
    if not entry.key:
        report.note("repaired", "no_citation_key", place)


def _value(raw: str, macros: dict[str, str]) -> str:
    """Return the text of a field: braced, quoted, a number or a macro, or several of these joined
    by #.
    """
    parts: list[str] = []
    at = size = 0
    while True:
        part, at = _piece(raw, at, macros)
        size += len(part)
        if size > LONGEST_VALUE:
            raise MalformedError("field too long")
        parts.append(part)
        rest = raw[at : at + 1_000].lstrip()
        if not rest:
            return "".join(parts)
        if rest[0] != "#":
            raise MalformedError("a comma is missing between fields")
        at = raw.index("#", at) + 1


def _piece(raw: str, at: int, macros: dict[str, str]) -> tuple[str, int]:
    while at < len(raw) and raw[at].isspace():
        at += 1
    delimiter = raw[at : at + 1]
    if delimiter in ("{", '"') and delimiter:
        end = _closing(raw, at)
        return raw[at + 1 : end], end + 1
    word = _WORD.match(raw, at)
    if not word:
        raise MalformedError("a field has no value")
    return macros.get(word[0].lower(), word[0]), word.end()


def _closing(raw: str, start: int) -> int:
    depth = 0
    quoted = raw[start] == '"'
    for match in (_BRACE_OR_QUOTE if quoted else _BRACE).finditer(raw, start + 1):
        if depth == 0 and match[0] == ('"' if quoted else "}"):
            return match.start()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    raise MalformedError("unbalanced braces")
