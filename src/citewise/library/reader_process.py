"""Reads large sources in a process of its own, so that cleaning and indexing each have a core.

The reader (`main` in a Python of its own) writes to its standard output: a length, then a `Frame`,
and so on.
"""

import contextlib
import gc
import itertools
import os
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise import errors
from citewise.arrays import Ragged
from citewise.errors import CitewiseError
from citewise.ingest import Progress, Reading, read
from citewise.ingest.report import Event, Report
from citewise.ingest.spans import Extractor
from citewise.library.entries import Batch, Entries, batches
from citewise.library.evidence.sentences import Sentences

WORTH_A_PROCESS = 8_000_000
"""Bytes of input from which starting the reader pays."""

_FRAMES_QUEUED = 8
_MOST_EVENTS = 10_000
"""Events that are kept before they are sent; a file of nothing but broken entries has millions."""

_PIPE = 1 << 20
"""Bytes, where the system lets us choose (Linux): each time that a pipe runs empty, its ends wait
for one another.
"""
_LENGTH = struct.Struct("<I")
_TYPES = ("<i2", "<u8", "<u8", "<i8", "<u8", "<i8", "<u8", "<i8", "?")


class Frame(msgspec.Struct):
    """A batch, the events since the last one, and how far the reader is."""

    file: str = ""
    lines: list[int] = []
    contents: list[bytes] = []
    arrays: list[bytes] = []
    sentences: Sentences | None = None
    events: list[Event] = []
    read: int = 0
    reading: Reading | None = None
    error: tuple[str, str] | None = None

    @classmethod
    def of(cls, batch: Batch) -> "Frame":
        """Return a batch as a frame."""
        entries = batch.entries
        arrays: list[NDArray[Any]] = [
            entries.years,
            entries.titles,
            entries.keys.values,
            entries.keys.starts,
            entries.references.values,
            entries.references.starts,
            entries.authors.values,
            entries.authors.starts,
            entries.light,
        ]

        packed = [array.astype(kind).tobytes() for array, kind in zip(arrays, _TYPES, strict=True)]
        return cls(batch.file, batch.lines, entries.contents, packed, batch.sentences)

    def batch(self) -> Batch:
        """Return the batch that was packed."""
        years, titles, *lists, light = (
            np.frombuffer(array, kind) for array, kind in zip(self.arrays, _TYPES, strict=True)
        )
        keys, references, authors = (Ragged(*lists[start : start + 2]) for start in (0, 2, 4))
        entries = Entries(self.contents, years, titles, keys, references, authors, light)
        return Batch(entries, self.file, self.lines, self.sentences)


_encode = msgspec.msgpack.Encoder(
    enc_hook=lambda array: (array.dtype.str, array.shape, array.tobytes())
).encode
_decode = msgspec.msgpack.Decoder(Frame, dec_hook=lambda kind, packed: _unpacked(*packed)).decode


def _unpacked(dtype: str, shape: list[int], content: bytes) -> NDArray[Any]:
    return np.frombuffer(content, dtype).reshape(shape)


def read_ahead(
    paths: Iterable[str | Path],
    report: Report,
    format: str = "",
    progress: Progress = lambda reading: None,
    mentions: bool = False,
) -> Iterator[Batch]:
    """Yield the papers and citing sentences of sources, ready for a library; a second process reads
    them where they are large. With `mentions`, sentences are parsed.
    """
    names = [str(path) for path in paths]
    if not sys.executable or _size(names) < WORTH_A_PROCESS:
        yield from batches(read(names, report, format, progress), Extractor(mentions).spans)
        return

    command = [
        sys.executable,
        "-c",
        f"from {__name__} import main; main()",
        format,
        "mentions" if mentions else "",
        *names,
    ]

    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, pipesize=_PIPE) as process,  # noqa: S603 (our own module)
        contextlib.closing(_frames(process)) as frames,
    ):
        for frame in frames:
            report.replay(frame.events, frame.read)
            if frame.error:
                raise error_of(*frame.error)
            if frame.reading:
                progress(frame.reading)
            if frame.contents or frame.sentences:
                yield frame.batch()


def _size(names: list[str]) -> int:
    """Return the number of bytes below the paths; standard input and pipes may be endless, so they
    count as large.
    """
    total = 0
    for path in map(Path, names):
        if path.is_dir():
            total += sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        elif path.is_file():
            total += path.stat().st_size
        elif str(path) == "-" or path.is_fifo():
            total += WORTH_A_PROCESS
    return total


def _frames(process: "subprocess.Popen[bytes]") -> Generator[Frame, None, None]:
    """Yield the frames that the reader sends; a thread takes them off the pipe, so that the reader
    seldom waits.
    """
    frames: queue.Queue[bytes] = queue.Queue(_FRAMES_QUEUED)
    drain = threading.Thread(target=_drain, args=(process.stdout, frames), daemon=True)
    drain.start()

    try:
        while content := frames.get():
            yield _decode(content)
        if process.wait() != 0:
            raise CitewiseError(
                f"the reading process ended with code {process.returncode}; was it out of memory? "
                "Nothing was added"
            )
    finally:
        process.kill()
        while drain.is_alive():  # it may wait for room
            with contextlib.suppress(queue.Empty):
                frames.get(timeout=0.05)


def _drain(pipe: IO[bytes], frames: "queue.Queue[bytes]") -> None:
    """Move frames from a pipe to a queue; an empty one marks the end."""
    while len(header := pipe.read(_LENGTH.size)) == _LENGTH.size:
        size = _LENGTH.unpack(header)[0]
        content = pipe.read(size)
        if len(content) < size:
            break
        frames.put(content)
    frames.put(b"")


def error_of(name: str, message: str) -> CitewiseError:
    """Return the error of another process, by the name of its class and its message."""
    kind = getattr(errors, name, CitewiseError)
    known = isinstance(kind, type) and issubclass(kind, CitewiseError)

    error = kind.__new__(kind) if known else CitewiseError()
    error.args = (message,)  # not by the constructor: that of MissingExtra takes something else
    return error


def main() -> None:
    """Write the batches of the sources named on the command line to standard output."""
    gc.disable()  # records have no cycles, and collecting costs a twentieth of the time
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    events: list[Event] = []

    def listen(event: Event) -> None:
        """Keep an event; many are sent without waiting for a paper, which may never come."""
        events.append(event)
        if len(events) >= _MOST_EVENTS:
            _send(output, Frame(events=events))
            events.clear()

    report = Report(listener=listen)
    reading: list[Reading] = []
    sent = 0

    try:
        format, mentions, *names = sys.argv[1:]
        packed = batches(
            read(names, report, format, lambda now: reading.__setitem__(slice(None), [now])),
            Extractor(bool(mentions)).spans,
        )

        # an empty frame at the end for the events behind the last batch
        for frame in itertools.chain(map(Frame.of, packed), [Frame()]):
            frame.events = events
            frame.read = report.read - sent
            frame.reading = reading[0] if reading else None
            _send(output, frame)
            sent = report.read
            events.clear()
    except CitewiseError as error:
        _send(output, Frame(events=events, error=(type(error).__name__, str(error))))
    except (BrokenPipeError, KeyboardInterrupt):  # the writer is gone
        os._exit(1)
    output.close()


def _send(output: IO[bytes], frame: Frame) -> None:
    content = _encode(frame)
    output.write(_LENGTH.pack(len(content)) + content)
    output.flush()
