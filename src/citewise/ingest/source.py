"""Open sources (files, folders, standard input; plain or compressed) and read them in pieces."""

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from citewise.errors import BadInput, MissingData
from citewise.ingest.decompress import DAMAGE, decompressed
from citewise.ingest.library_folders import library_around
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.transcode import Transcoded
from citewise.text.encoding import marked_encoding

LONGEST_RECORD = 32 * 1024 * 1024
"""Bytes; a longer line or entry is skipped, which bounds memory."""

HEAD = 65_536
"""Bytes of a source by which its format is recognised."""


@dataclass(slots=True)
class Siblings:
    """The files that are read in one call; formats keep in `found` what they need of all."""

    files: tuple[str, ...] = ()
    found: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Source:
    """An open, decompressed stream with a name for reports; `size` is that of its file in bytes."""

    name: str
    stream: io.BufferedReader
    size: int | None = None
    raw: IO[bytes] | None = None
    transcoded: bool = False
    """Whether the stream was made UTF-8 from UTF-16 or UTF-32."""
    siblings: Siblings = field(default_factory=Siblings)

    @property
    def bytes_read(self) -> int:
        """Return how many bytes of the (compressed) file have been read, for progress."""
        return self.raw.tell() if self.raw is not None and self.raw.seekable() else 0

    def head(self) -> bytes:
        """Return the first bytes, with line feeds as line ends, without consuming them."""
        try:
            start = self.stream.peek(HEAD)[:HEAD]
            return start.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        except DAMAGE as error:
            raise BadInput(
                f"{self.name}: cannot be decompressed ({error}); is the file whole?"
            ) from None

    def close(self) -> None:
        """Close the stream and its file, unless that is standard input."""
        self.stream.close()
        if self.raw is not None and self.raw is not sys.stdin.buffer:
            self.raw.close()


def find(
    paths: Iterable[str | Path], left_out: Callable[[Path], None] = lambda library: None
) -> Iterator[str]:
    """Yield the paths of files ("-": standard input), and those of the files in folders.

    A folder's files are sorted; hidden ones are left out, and so are citewise libraries, for each
    of which `left_out` is called.
    """
    for path in map(str, paths):
        given = Path(path)
        if path == "-" or given.is_file() or given.is_fifo():
            yield path
        elif given.is_dir():
            inside = (file for file in given.rglob("*") if file.is_file())
            visible = sorted(file for file in inside if not _hidden(file, given))
            around = {file: library_around(file, given) for file in visible}
            for library in sorted({each for each in around.values() if each is not None}):
                left_out(library)

            files = [file for file in visible if around[file] is None]
            if not files:
                raise MissingData(f"{path}: no files in this folder that are no library's own")
            yield from map(str, files)
        else:
            raise MissingData(f"{path}: no such file or folder")


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def open_source(path: str) -> Source:
    """Open a file, or standard input for "-"; compressed content is decompressed, UTF-16 and
    UTF-32 become UTF-8.
    """
    try:
        raw: IO[bytes] = sys.stdin.buffer if path == "-" else open(path, "rb")
    except OSError as error:
        raise MissingData(f"{path}: cannot be opened ({error.strerror})") from None

    buffered = (
        raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    )
    content = decompressed(buffered, buffered.peek(6))
    stream: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, content), HEAD)
    encoding = _marked_encoding(stream)
    if encoding:
        stream = io.BufferedReader(Transcoded(stream, encoding), HEAD)

    size = None if path == "-" else Path(path).stat().st_size
    name = "standard input" if path == "-" else path
    return Source(name, stream, size, buffered, transcoded=bool(encoding))


def _marked_encoding(stream: io.BufferedReader) -> str:
    """Return the encoding that the first bytes of a stream show, "" for one like ASCII."""
    try:
        return marked_encoding(stream.peek(HEAD)[:200])
    except DAMAGE:  # the reader meets it again, and reports it
        return ""


def lines(source: Source, damaged: Callable[[int, str], None]) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line) of the non-empty lines.

    `damaged` is called with (line number, reason) for each line that is too long, and where the
    compressed stream is broken.
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
    """Yield the bytes in pieces of at most `size`.

    `damaged` is called with (line number, reason) where the compressed stream is broken.
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


def content_of(source: Source, report: Report, largest: int = 0) -> bytes | None:
    """Return all bytes of a source; None, and a report, where it is damaged or too large.

    That is more than `largest` bytes, or `LONGEST_RECORD`.
    """

    def damaged(line: int, reason: str) -> None:
        report.note("skipped", reason, SourceLocation(source.name, line))

    parts: list[bytes] = []
    before, size = report.total("skipped"), 0
    for piece in pieces(source, damaged):
        parts.append(piece)
        size += len(piece)
        if size > (largest or LONGEST_RECORD):
            damaged(1, "record_too_long")
            break

    return b"".join(parts) if report.total("skipped") == before else None


def _skip_line(stream: io.BufferedReader) -> None:
    """Read up to the end of the line in bounded memory."""
    while True:
        piece = stream.readline(HEAD)
        if not piece or piece.endswith(b"\n"):
            return
