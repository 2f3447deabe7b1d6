"""Reads large sources in a process of its own, so that cleaning and indexing each have a core.

The reader (`python -m citewise.ingest.ahead`) writes frames to its standard output: a length, then a `Batch`.
"""

import gc
import itertools
import os
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
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
_LENGTH = struct.Struct("<I")


class Batch(msgspec.Struct):
    """Some papers, what was noted since the last batch, and how far the reader is."""

    entries: list[tuple[Entry, Place]] = []
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
    command = [sys.executable, "-m", "citewise.ingest.ahead", format, *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603 (our own module, no shell)
        try:
            for batch in _batches(process):
                report.replay(batch.events, batch.read)
                if batch.error:
                    raise _error(*batch.error)
                if batch.reading:
                    progress(batch.reading)
                yield from batch.entries
        finally:
            process.kill()


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


def _batches(process: "subprocess.Popen[bytes]") -> Iterator[Batch]:
    if process.stdout is None:
        return
    while header := process.stdout.read(_LENGTH.size):
        content = process.stdout.read(_LENGTH.unpack(header)[0]) if len(header) == _LENGTH.size else b""
        if not content:
            break
        yield _decode(content)
    if process.wait() != 0:
        raise CitewiseError(f"the reading process ended with code {process.returncode}; was it out of memory? "
                            "Nothing was added")


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
        entries = _entries(read(sys.argv[2:], report, sys.argv[1], lambda now: reading.__setitem__(slice(None), [now])))
        while True:
            some = list(itertools.islice(entries, _BATCH))
            batch = Batch(some, events, report.read - sent, reading[0] if reading else None)
            _send(output, batch)
            sent = report.read
            events.clear()
            if len(some) < _BATCH:
                break
    except CitewiseError as error:
        _send(output, Batch(events=events, error=(type(error).__name__, str(error))))
    except (BrokenPipeError, KeyboardInterrupt):  # the writer is gone
        os._exit(1)
    output.close()


def _send(output: IO[bytes], batch: Batch) -> None:
    content = _encode(batch)
    output.write(_LENGTH.pack(len(content)) + content)
    output.flush()


if __name__ == "__main__":
    main()
