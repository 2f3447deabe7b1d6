"""Read JSON objects from a source wherever its lines end: an array, objects in a row, or the
array inside an API's page.
"""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.json_values import decoded
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source, pieces

_TOKEN = re.compile(rb'"(?:[^"\\\n]++|\\[^\n])*+(?P<end>["\n])?|[][{}:,\n]')
_CHARACTER = re.compile(rb"\S")
_CLOSERS = {b"{": b"}", b"[": b"]"}

Scanned = tuple[int, bytes, str]
"""The line where an object starts, its bytes, and ""; b"" and a reason where it is malformed."""


class ObjectScanner:
    """Cuts a stream of bytes into its outermost objects; keeps at most one of them in memory.

    An object that is not closed does not affect the others: at a brace where JSON allows none, or
    a line end within a string, it is given up, and the next object starts at that brace, or at the
    next line that starts with one.

    With a `page`, the objects in an array of that name, within objects only, count as outermost,
    and the rest of the object around them is passed over: memory does not grow with the page.
    """

    def __init__(self, page: str = "") -> None:
        self._page = f'"{page}"'.encode() if page else b""
        self._name = b""
        self._around = 0
        self._in_page = False
        self._buffer = b""
        self._at = 0
        self._line = 1
        self._open: list[bytes] = []
        self._start = self._start_line = 0
        self._before = b""
        self._lost = False
        self._line_is_blank = True

    def feed(self, piece: bytes, last: bool = False) -> Iterator[Scanned]:
        """Yield the objects that end within a piece; after the `last` piece, also what is left."""
        self._buffer += piece
        for token in _TOKEN.finditer(self._buffer, self._at):
            if token[0][:1] == b'"' and not token["end"] and not last:
                break
            if token[0] == b"[" and self._may_start_page() and not self._next(token) and not last:
                break

            self._at = token.end()
            if token[0][-1] in b'":,':  # most tokens, and nothing begins or ends with them
                if token[0] == b":":
                    self._name = self._before
                self._before = token[0]
                self._line_is_blank = self._line_is_blank and token[0] == b","
            else:
                yield from self._take(token)

        kept = self._start if self._open else self._at
        self._buffer, self._at, self._start = self._buffer[kept:], self._at - kept, 0

        if last and (self._open or self._around):
            self._around = 0
            yield self._give_up("malformed_json")
        elif len(self._buffer) > LONGEST_RECORD:
            if not self._lost:
                yield self._give_up("record_too_long")
            self._buffer, self._at, self._lost = b"", 0, True

    def _take(self, token: re.Match[bytes]) -> Iterator[Scanned]:
        """Process a bracket or a line end."""
        text = token[0]
        if text.endswith(b"\n"):
            if text != b"\n" and self._open:
                yield self._give_up("malformed_json")
                self._lost = True
            self._line += 1
            self._line_is_blank = True
            return

        if self._around and not self._open and not (self._in_page and text == b"{"):
            self._pass_over(text)
        elif text == b"{":
            yield from self._take_opening(token.start())
        elif text == b"[" and self._may_start_page() and self._next(token) in (b"{", b"]"):
            self._around, self._in_page, self._open = len(self._open), True, []
        elif text == b"[" and self._open:
            self._open.append(text)
        elif text in (b"}", b"]") and self._open:
            yield from self._take_closing(text, token.end())

        self._before = text
        self._line_is_blank = self._line_is_blank and text == b"["

    def _next(self, token: re.Match[bytes]) -> bytes:
        """Return the character behind a token, b"" where it has not come yet. A page has objects;
        an inverted abstract with a word of the page's name has numbers behind it.
        """
        following = _CHARACTER.search(self._buffer, token.end())
        return following[0] if following else b""

    def _may_start_page(self) -> bool:
        """Return whether a bracket begins the array of a page, if objects are in it."""
        return (
            bool(self._page and self._open)
            and not self._around
            and self._before == b":"
            and self._name == self._page
            and b"[" not in self._open
        )

    def _pass_over(self, text: bytes) -> None:
        """Process a bracket of the object around a page, outside the page's own objects."""
        if self._in_page:
            self._in_page = text != b"]"
        else:
            self._around += 1 if text in _CLOSERS else -1

    @property
    def unfinished(self) -> bytes:
        """Return the bytes so far of the object that is not closed yet, b"" where none is open."""
        return self._buffer[self._start :] if self._open else b""

    def _take_opening(self, at: int) -> Iterator[Scanned]:
        if self._open and self._before not in ((b":",) if self._open[-1] == b"{" else (b"[", b",")):
            yield self._give_up("malformed_json")
        if not self._open:
            if self._lost and not self._line_is_blank:
                return
            self._start, self._start_line, self._lost = at, self._line, False
        self._open.append(b"{")

    def _take_closing(self, text: bytes, end: int) -> Iterator[Scanned]:
        if _CLOSERS[self._open[-1]] != text:
            yield self._give_up("malformed_json")
            return
        self._open.pop()
        if not self._open:
            yield self._start_line, self._buffer[self._start : end], ""

    def _give_up(self, reason: str) -> Scanned:
        self._open = []
        return self._start_line or self._line, b"", reason


def streamed_objects(
    source: Source, report: Report, page: str = ""
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line where it starts, object) of a source's JSON objects, or of those in a page.

    Objects that are malformed or longer than `LONGEST_RECORD` are reported.
    """

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    for line, text, reason in _scanned(source, damaged, page):
        record = decoded(text) if text else None
        if isinstance(record, dict):
            yield line, record
        else:
            damaged(line, reason or "malformed_json")


def _scanned(source: Source, damaged: Any, page: str) -> Iterator[Scanned]:
    scanner = ObjectScanner(page)
    for piece in pieces(source, damaged):
        yield from scanner.feed(piece)
    yield from scanner.feed(b"", last=True)
