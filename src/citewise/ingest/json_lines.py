"""JSON objects out of a stream: one a line, or a whole array, with what is malformed reported."""

from collections.abc import Iterator
from typing import Any

import msgspec

from citewise.ingest.report import Place, Report
from citewise.ingest.source import Source, lines

_decode = msgspec.json.Decoder().decode


def objects(source: Source, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of the lines that hold a JSON object; broken UTF-8 is repaired, the rest reported."""
    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, Place(source.name, line))

    for number, line in lines(source, damaged):
        if number == 1 and line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        record = decoded(line)
        if isinstance(record, dict):
            yield number, record
        elif line.strip(b" \t\r\n[],"):  # the brackets of an array written one object a line
            report.note("skipped", "malformed_json" if record is None else "not_an_object", Place(source.name, number))


def decoded(line: bytes) -> Any:
    """Return the JSON value of a line, a trailing comma and broken UTF-8 forgiven, or None where there is none."""
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _decode(line.decode("utf-8", "replace").strip().rstrip(",").encode())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def first_objects(head: bytes, most: int = 5) -> list[dict[str, Any]]:
    """Return the objects among a source's first lines, for a format to recognise itself by."""
    found = (decoded(line.removeprefix(b"\xef\xbb\xbf")) for line in head.split(b"\n")[: most * 2] if line.strip())
    return [record for record in found if isinstance(record, dict)][:most]
