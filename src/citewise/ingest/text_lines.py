"""Read lines of text from a source, for the formats whose records span lines."""

import re
from collections.abc import Iterator

from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import HEAD, Source, lines
from citewise.text.encoding import guessed_encoding, is_utf8

_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")


def text_lines(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line number, line without its end) of the non-empty lines.

    Line feeds, carriage returns and both together end a line. Text that is not UTF-8 is decoded as
    far as its encoding can be guessed, and reported; lines that are too long are skipped.
    """

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    extra = 0
    decoder = _Decoder(source, report)
    for number, line in lines(source, damaged):
        for position, part in enumerate(_CARRIAGE_RETURN.split(decoder.text(number, line))):
            extra += 1 if position else 0
            if part and not part.isspace():
                yield number + extra, part.rstrip("\r\n")


class _Decoder:
    """Decodes the lines of one source; its encoding is guessed at the first one that needs it."""

    def __init__(self, source: Source, report: Report) -> None:
        self._source, self._report = source, report
        self._guessed = ""

    def text(self, number: int, line: bytes) -> str:
        """Return the text of a line."""
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.isascii() or is_utf8(line):
            return line.decode()

        location = SourceLocation(self._source.name, number)
        if guessed_encoding(line) == "utf-8":
            self._report.note("repaired", "not_utf8", location)
            return line.decode("utf-8", "replace")
        if not self._guessed:
            self._guessed = guessed_encoding(line + self._more_like_it())
            detail = f"read as {self._guessed}"
            self._report.note("repaired", "encoding_guessed", location, detail=detail)
        return line.decode(self._guessed, "replace")

    def _more_like_it(self) -> bytes:
        """Return the next lines that are not UTF-8, as far as they are in memory."""
        ahead = self._source.stream.peek(HEAD)[:HEAD].splitlines(keepends=True)[:-1]
        return b"".join(line for line in ahead if not line.isascii() and not is_utf8(line))
