"""Read JSON objects from the lines of a source: one or an array of them in each line."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source, lines

_decode = msgspec.json.Decoder().decode

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[][{},]', re.DOTALL)
_CLOSERS = {b"{": b"}", b"[": b"]"}


def objects(source: Source, report: Report, page: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of all JSON objects; lines that are malformed are reported.

    A line is an object, an array of objects, or an API's page: an object that has an array of them
    under the name `page`.
    """

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    for number, line in lines(source, damaged):
        value = decoded(line if number > 1 else line.removeprefix(_BYTE_ORDER_MARK))
        if not page and isinstance(value, dict):
            yield number, value
            continue
        for record in _listed(value, page):
            if isinstance(record, dict):
                yield number, record
            elif line.strip(b" \t\r\n[],"):  # the brackets of an array written one object a line
                damaged(number, "malformed_json" if value is None else "not_an_object")


def decoded(line: bytes) -> Any:
    """Return the JSON value of a line, or None.

    Invalid UTF-8, and the comma and brackets of an array written one object a line, are accepted.
    """
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass

    try:
        text = line.decode("utf-8", "replace").strip().rstrip(",")
        return _decode(text.removeprefix("[").removesuffix("]").rstrip(",").encode())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def first_objects(head: bytes, limit: int = 5, page: str = "") -> list[dict[str, Any]]:
    """Return at most `limit` objects of a source's first bytes, to recognise its format.

    An object that is cut off at the end has those of its members that are complete.
    """
    records: list[dict[str, Any]] = []
    *whole, last = head.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    for line in whole[: limit * 2]:
        records += [record for record in _listed(decoded(line), page) if isinstance(record, dict)]

    if len(records) < limit:
        value = decoded(last) or decoded(_closed(last))
        records += [record for record in _listed(value, page) if isinstance(record, dict)]
    return records[:limit]


def at(value: Any, *names: str) -> Any:
    """Return the value at a path of names, or None where a step is missing or is no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def each(value: Any, *names: str) -> Any:
    """Return the value at a path in each item of a list.

    A value that is no list is returned as it is, for `clean` to report.
    """
    return [at(item, *names) for item in value] if isinstance(value, list) else value


def _listed(value: Any, page: str) -> list[Any]:
    """Return the items of an array or of an API's page, or a list of the value alone."""
    if page and isinstance(value, dict) and isinstance(value.get(page), list):
        value = value[page]
    return value if isinstance(value, list) else [value]


def _closed(line: bytes) -> bytes:
    """Return a line that is cut off as whole JSON: up to its last comma, with brackets closed.

    '[{"a": 1, "b": {"c": 2, "d' becomes '[{"a": 1, "b": {"c": 2}}]'.
    """
    cut, closing, closers = 0, b"", b""
    for token in _TOKEN.finditer(line):
        if token[0] in _CLOSERS:
            closers = _CLOSERS[token[0]] + closers
        elif token[0] in (b"}", b"]"):
            closers = closers[1:]
        elif token[0] == b",":
            cut, closing = token.start(), closers

    return line[:cut] + closing
