"""Decode JSON that may be damaged, and look into values of any type."""

import re
from typing import Any

import msgspec

from citewise.text.encoding import text_of

_decode = msgspec.json.Decoder().decode

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[][{},]', re.DOTALL)
_DEEPEST = 500
"""Levels of brackets, beyond which nothing is a reference."""

_CLOSERS = {b"{": b"}", b"[": b"]"}


def decoded(line: bytes) -> Any:
    """Return the JSON value of a line, or None.

    Invalid UTF-8, and the comma and brackets of an array written one object a line, are accepted.
    """
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass

    try:
        text = text_of(line).strip().rstrip(",")
        return _decode(text.removeprefix("[").removesuffix("]").rstrip(",").encode())
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def closed(text: bytes) -> bytes:
    """Return JSON that is cut off as whole JSON: up to its last comma, with brackets closed.

    '[{"a": 1, "b": {"c": 2, "d' becomes '[{"a": 1, "b": {"c": 2}}]'; what is nested very deep, b"".
    """
    cut, closing, closers = 0, b"", b""
    for token in _TOKEN.finditer(text):
        if len(closers) > _DEEPEST:
            return b""
        if token[0] in _CLOSERS:
            closers = _CLOSERS[token[0]] + closers
        elif token[0] in (b"}", b"]"):
            closers = closers[1:]
        elif token[0] == b",":
            cut, closing = token.start(), closers

    return text[:cut] + closing


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


def text_in(value: Any) -> str:
    """Return a value as a string, "" where it is none.

    Crossref puts single strings in a list, and some exporters write numbers.
    """
    if isinstance(value, list):
        value = next((part for part in value if part), "")
    return (
        str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    )
