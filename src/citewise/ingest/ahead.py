"""Reads large sources in a process of its own, so that cleaning and indexing each have a core.

The reader (`main` in a Python of its own) writes frames to its standard output: a length, then a `Batch`.
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
from typing import IO

import msgspec

from citewise import errors
from citewise.errors import CitewiseError
from citewise.ingest import Progress, Reading, read
from citewise.library.entry import Entry
from citewise.report import Event, Place, Report
from citewise.types import Paper

WORTH_A_PROCESS = 8_000_000
"""Bytes of input from which starting the reader pays."""

_BATCH = 500
_FRAMES_AHEAD = 16
_LENGTH = struct.Struct("<I")


class Batch(msgspec.Struct):
    """Some papers of one file, what was noted since the last batch, and how far the reader is."""

    file: str = ""
    lines: list[int] = []
    entries: list[Entry] = []
    events: list[Event] = []
    read: int = 0
    reading: Reading | None = None
    error: tuple[str, str] | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Batch).decode


def read_ahead(paths: Iterable[str | Path], report: Report, format: str = "",
               progress: Progress = lambda reading: None) -> Iterator[tuple[Entry, Place]]:
    """Yield the papers of sources as entries for a library; where there are many, a second process makes them."""
    names = [str(path) for path in paths]
    if not sys.executable or _size(names) < WORTH_A_PROCESS:
        yield from _entries(read(names, report, format, progress))
        return
    command = [sys.executable, "-c", f"from {__name__} import main; main()", format, *names]
    with (subprocess.Popen(command, stdout=subprocess.PIPE) as process,  # noqa: S603 (our own module, no shell)
          contextlib.closing(_batches(process)) as batches):
        for batch in batches:
            report.replay(batch.events, batch.read)
            if batch.error:
                raise _error(*batch.error)
            if batch.reading:
                progress(batch.reading)
            for line, entry in zip(batch.lines, batch.entries, strict=True):
                yield entry, Place(batch.file, line)


def _entries(papers: Iterable[tuple[Paper, Place]]) -> Iterator[tuple[Entry, Place]]:
    return ((Entry.of(paper), place) for paper, place in papers)


def _size(names: list[str]) -> int:
    """Return the bytes below the paths; standard input and pipes may be endless, so they count as large."""
    total = 0
    for path in map(Path, names):
        if path.is_dir():
            total += sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        elif path.is_file():
            total += path.stat().st_size
        elif str(path) == "-" or path.is_fifo():
            total += WORTH_A_PROCESS
    return total


def _batches(process: "subprocess.Popen[bytes]") -> Generator[Batch, None, None]:
    """Yield what the reader sends; a thread takes it off the pipe, which alone lets the reader not run ahead."""
    frames: queue.Queue[bytes] = queue.Queue(_FRAMES_AHEAD)
    drain = threading.Thread(target=_drain, args=(process.stdout, frames), daemon=True)
    drain.start()
    try:
        while content := frames.get():
            yield _decode(content)
        if process.wait() != 0:
            raise CitewiseError(f"the reading process ended with code {process.returncode}; was it out of memory? "
                                "Nothing was added")
    finally:
        process.kill()
        while drain.is_alive():  # it may wait for room
            with contextlib.suppress(queue.Empty):
                frames.get(timeout=0.05)


def _drain(pipe: IO[bytes], frames: "queue.Queue[bytes]") -> None:
    """Move frames from a pipe to a queue; an empty one says that there are no whole ones left."""
    while len(header := pipe.read(_LENGTH.size)) == _LENGTH.size:
        size = _LENGTH.unpack(header)[0]
        content = pipe.read(size)
        if len(content) < size:
            break
        frames.put(content)
    frames.put(b"")


def _error(name: str, message: str) -> CitewiseError:
    kind = getattr(errors, name, CitewiseError)
    return kind(message) if isinstance(kind, type) and issubclass(kind, CitewiseError) else CitewiseError(message)


def main() -> None:
    """Write the batches of the sources named on the command line to standard output."""
    gc.disable()  # records have no cycles, and collecting costs a twentieth of the time
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    events: list[Event] = []
    report = Report(listener=events.append)
    reading: list[Reading] = []
    sent = 0
    try:
        format, *names = sys.argv[1:]
        for batch in _made_batches(read(names, report, format, lambda now: reading.__setitem__(slice(None), [now]))):
            batch.events, batch.read, batch.reading = events, report.read - sent, reading[0] if reading else None
            _send(output, batch)
            sent = report.read
            events.clear()
    except CitewiseError as error:
        _send(output, Batch(events=events, error=(type(error).__name__, str(error))))
    except (BrokenPipeError, KeyboardInterrupt):  # the writer is gone
        os._exit(1)
    output.close()


def _made_batches(papers: Iterable[tuple[Paper, Place]]) -> Iterator[Batch]:
    """Yield batches of papers of one file each, and an empty one at the end for what was noted last."""
    for file, run in itertools.groupby(_entries(papers), key=lambda each: each[1].file):
        while some := list(itertools.islice(run, _BATCH)):
            yield Batch(file, [place.line for _, place in some], [entry for entry, _ in some])
    yield Batch()


def _send(output: IO[bytes], batch: Batch) -> None:
    content = _encode(batch)
    output.write(_LENGTH.pack(len(content)) + content)
    output.flush()
