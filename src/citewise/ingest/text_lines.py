"""Read lines of text from a source, for the formats whose records span lines."""

from collections.abc import Iterator

from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source, lines
from citewise.text.encoding import is_utf8, text_of


def text_lines(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line number, line without its end) of the non-empty lines.

    Lines that are not UTF-8 are repaired and reported; lines that are too long are skipped.
    """

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    for number, line in lines(source, damaged):
        if not line.isascii() and not is_utf8(line):
            report.note("repaired", "not_utf8", SourceLocation(source.name, number))
        yield number, text_of(line).rstrip("\r\n")
