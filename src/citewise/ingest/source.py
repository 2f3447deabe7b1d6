"""Where records come from: files, folders and standard input, plain or compressed, in bounded
memory.
"""

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from citewise.errors import BadInput, MissingData
from citewise.ingest.decompress import DAMAGE, decompressed
from citewise.ingest.report import Report, SourceLocation

LONGEST_RECORD = 32 * 1024 * 1024
"""Bytes; a longer line or entry is skipped, so that no record can exhaust memory."""

HEAD = 65_536
"""Bytes of a source that a format may look at to recognise itself."""


@dataclass(slots=True)
class Source:
    """An open, decompressed stream with a name to report; `bytes_read` counts what came off the
    disk.
    """

    name: str
    stream: io.BufferedReader
    size: int | None = None
    raw: IO[bytes] | None = None

    @property
    def bytes_read(self) -> int:
        """Return how much of the (compressed) file has been read, for progress."""
        return self.raw.tell() if self.raw is not None and self.raw.seekable() else 0

    def head(self) -> bytes:
        """Return the first bytes without consuming them."""
        try:
            return self.stream.peek(HEAD)[:HEAD]
        except DAMAGE as error:
            raise BadInput(
                f"{self.name}: cannot be decompressed ({error}); is the file whole?"
            ) from None

    def text(self) -> io.TextIOWrapper:
        """Return the rest as text: UTF-8 (with or without a byte-order mark), broken bytes replaced
        by U+FFFD.
        """
        return io.TextIOWrapper(self.stream, encoding="utf-8-sig", errors="replace", newline=None)

    def close(self) -> None:
        """Close the stream and the file below it."""
        self.stream.close()
        if self.raw is not None and self.raw is not sys.stdin.buffer:
            self.raw.close()


def find(paths: Iterable[str | Path]) -> Iterator[str]:
    """Yield the files that the paths name: "-" for standard input, a folder's files in order,
    hidden ones left out.
    """
    for path in map(str, paths):
        place = Path(path)
        if path == "-" or place.is_file() or place.is_fifo():
            yield path
        elif place.is_dir():
            files = sorted(
                file for file in place.rglob("*") if file.is_file() and not _hidden(file, place)
            )
            if not files:
                raise MissingData(f"{path}: no files in this folder")
            yield from map(str, files)
        else:
            raise MissingData(f"{path}: no such file or folder")


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def open_source(path: str) -> Source:
    """Open a file by path, or standard input by "-", decompressing what its first bytes say is
    compressed.
    """
    try:
        raw: IO[bytes] = sys.stdin.buffer if path == "-" else open(path, "rb")
    except OSError as error:
        raise MissingData(f"{path}: cannot be opened ({error.strerror})") from None
    buffered = (
        raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    )
    stream = decompressed(buffered, buffered.peek(6))
    size = None if path == "-" else Path(path).stat().st_size
    name = "standard input" if path == "-" else path
    return Source(name, io.BufferedReader(cast(io.RawIOBase, stream), HEAD), size, buffered)


def lines(source: Source, damaged: Callable[[int, str], None]) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line) of non-empty lines; tell `damaged` of overlong lines and of
    a broken stream.
    """
    number = 0
    while True:
        try:
            line = source.stream.readline(LONGEST_RECORD)
            overlong = len(line) >= LONGEST_RECORD and not line.endswith(b"\n")
            if overlong:
                _skip_line(source.stream)
        except DAMAGE:
            damaged(number + 1, "broken_compression")
            return
        if not line:
            return
        number += 1
        if overlong:
            damaged(number, "record_too_long")
        elif not line.isspace():
            yield number, line


def pieces(
    source: Source, damaged: Callable[[int, str], None], size: int = 1 << 20
) -> Iterator[bytes]:
    """Yield the bytes in pieces, whatever the lines; tell `damaged` of a broken stream, by the line
    where it breaks.
    """
    line = 1
    while True:
        try:
            piece = source.stream.read(size)
        except DAMAGE:
            damaged(line, "broken_compression")
            return
        if not piece:
            return
        line += piece.count(b"\n")
        yield piece


def content_of(source: Source, report: Report) -> bytes | None:
    """Return all bytes of a source that is one document; one that is damaged or too large is
    reported.
    """

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    parts: list[bytes] = []
    before, size = report.total("skipped"), 0
    for piece in pieces(source, damaged):
        parts.append(piece)
        size += len(piece)
        if size > LONGEST_RECORD:
            damaged(1, "record_too_long")
            break
    return b"".join(parts) if report.total("skipped") == before else None


def _skip_line(stream: io.BufferedReader) -> None:
    while True:
        piece = stream.readline(HEAD)
        if not piece or piece.endswith(b"\n"):
            return
