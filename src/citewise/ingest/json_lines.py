"""JSON objects out of a stream: one a line, or a whole array, with what is malformed reported."""

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
    """Yield (line number, object) of the lines that hold JSON objects; broken UTF-8 is repaired,
    the rest reported.

    A line may hold one object, an array of them, or an API's page: an object with an array of them
    under `page`.
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
    """Return the JSON value of a line, or None; broken UTF-8 and the marks of an array around it
    are forgiven.
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


def first_objects(head: bytes, most: int = 5, page: str = "") -> list[dict[str, Any]]:
    """Return the objects among a source's first lines, for a format to recognise itself by.

    An object that the end of the head cuts off is returned with the members that are whole.
    """
    found: list[dict[str, Any]] = []
    *whole, last = head.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    for line in whole[: most * 2]:
        found += [record for record in _listed(decoded(line), page) if isinstance(record, dict)]
    if len(found) < most:
        value = decoded(last) or decoded(_closed(last))
        found += [record for record in _listed(value, page) if isinstance(record, dict)]
    return found[:most]


def at(value: Any, *names: str) -> Any:
    """Return what stands at a path of names, or None where a step is missing or is no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def each(value: Any, *names: str) -> Any:
    """Return what stands at a path in each item of a list; what is no list stays as it is, for
    `clean` to refuse.
    """
    return [at(item, *names) for item in value] if isinstance(value, list) else value


def _listed(value: Any, page: str) -> list[Any]:
    if page and isinstance(value, dict) and isinstance(value.get(page), list):
        value = value[page]
    return value if isinstance(value, list) else [value]


def _closed(line: bytes) -> bytes:
    """Return a line that was cut off, cut back to its last comma outside strings, with its open
    brackets closed.
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
