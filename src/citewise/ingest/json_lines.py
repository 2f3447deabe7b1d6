"""Read JSON objects however they are laid out: one or an array of them in each line, or indented
over many lines.
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msgspec import Struct

from citewise.ingest.json_stream import ObjectScanner, streamed_objects
from citewise.ingest.json_values import closed, decoded
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import HEAD, Source, lines

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINES_SEEN = 10
_Record = TypeVar("_Record", bound=Struct)


def objects(source: Source, report: Report, page: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of all JSON objects; what is malformed is reported.

    With `page`, the members of an array of that name are the objects: an API's page.
    """
    if _is_line_by_line(source.head(), page):
        return _objects_of_lines(source, report, page, decoded)
    return streamed_objects(source, report, page)


def objects_or_structs(
    source: Source, report: Report, struct: Callable[[bytes], _Record | None]
) -> Iterator[tuple[int, dict[str, Any] | _Record]]:
    """Yield the same as `objects`, and in place of a line's object what `struct` makes of the line,
    unless that is None.
    """
    if not _is_line_by_line(source.head(), ""):
        return streamed_objects(source, report, "")
    return _objects_of_lines(source, report, "", lambda line: struct(line) or decoded(line))


def _is_line_by_line(head: bytes, page: str) -> bool:
    """Return whether each line is JSON of its own, which reads five times as fast as a stream.

    The first line decides that has more than brackets, and where it is damaged, the next ones. One
    that is longer than the head is an object of its own, unless it may be a page.
    """
    every = head.removeprefix(_BYTE_ORDER_MARK).splitlines(keepends=True)
    telling = [line for line in every if line.strip(b" \t\n[],")][:_LINES_SEEN]
    if not telling:
        return False
    if telling[0].rstrip()[-1:] in b",[{:" and not isinstance(decoded(telling[0]), dict | list):
        return bool(telling[1:]) and telling[1].lstrip()[:1] not in (b'"', b"{", b"[", b"}")
    if len(telling) == 1 and not telling[0].endswith(b"\n") and len(head) >= HEAD // 2:
        return telling[0].startswith(b"{") and not page
    return any(isinstance(decoded(line), dict | list) for line in telling)


def _objects_of_lines(
    source: Source, report: Report, page: str, decode: Callable[[bytes], Any]
) -> Iterator[tuple[int, Any]]:
    """Yield (line number, object) of the objects, arrays and pages of lines."""

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    for number, line in lines(source, damaged):
        value = decode(line if number > 1 else line.removeprefix(_BYTE_ORDER_MARK))
        if not page and isinstance(value, dict | Struct):
            yield number, value
            continue
        for record in _listed(value, page):
            if isinstance(record, dict):
                yield number, record
            elif line.strip(b" \t\r\n[],"):  # the brackets of an array written one object a line
                damaged(number, "malformed_json" if value is None else "not_an_object")


@functools.lru_cache(maxsize=16)  # one source is shown to many formats
def first_objects(head: bytes, limit: int = 5, page: str = "") -> list[dict[str, Any]]:
    """Return at most `limit` objects of a source's first bytes, to recognise its format.

    An object that is cut off at the end has those of its members that are complete.
    """
    content = head.removeprefix(_BYTE_ORDER_MARK)
    if content.lstrip()[:1] not in (b"{", b"["):
        return []

    scanner = ObjectScanner(page)
    whole = (decoded(text) for _, text, _ in scanner.feed(content) if text)
    records = [*itertools.islice((record for record in whole if isinstance(record, dict)), limit)]
    if len(records) < limit:
        last = decoded(closed(scanner.unfinished))
        records += [last] if isinstance(last, dict) else []
    return records


def _listed(value: Any, page: str) -> list[Any]:
    """Return the items of an array or of an API's page, or a list of the value alone."""
    inside = _page_of(value, page) if page else None
    if inside is not None:
        return inside
    return value if isinstance(value, list) else [value]


def _page_of(value: Any, page: str) -> list[Any] | None:
    """Return the array of objects of the given name in an object or in the objects inside it, or
    None. An inverted abstract has such a name, too, where it has the word; with numbers behind it.
    """
    if not isinstance(value, dict):
        return None
    items = value.get(page)
    if isinstance(items, list) and (not items or any(isinstance(item, dict) for item in items)):
        return items
    inner = (_page_of(member, page) for member in value.values() if isinstance(member, dict))
    return next((found for found in inner if found is not None), None)
