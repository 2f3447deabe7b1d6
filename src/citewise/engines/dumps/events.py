"""What tasks have to report: events, a JSON object a line, and counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from citewise.ingest.report import Event, Report

_EVENTS, _COUNTS = "events.jsonl", "counts.json"
KEPT = (_EVENTS, _COUNTS)
"""The files of a task that stay until the end, though its other files are used up."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Event).decode


class Counts(msgspec.Struct, frozen=True):
    """What a task has counted."""

    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    records: int = 0
    """Records that were kept, or merged."""
    keys: int = 0
    """Ids of all records of a file."""


@contextmanager
def reporting(folder: Path) -> Iterator[Report]:
    """Give a report whose events are written as they happen."""
    with (folder / _EVENTS).open("wb") as file:
        yield Report(listener=lambda event: file.write(_encode(event) + b"\n"))


def save_counts(folder: Path, counts: Counts) -> None:
    """Write the counts of a task."""
    (folder / _COUNTS).write_bytes(_encode(counts))


def counts_of(folder: Path) -> Counts:
    """Return the counts of a task that is done."""
    return msgspec.json.decode((folder / _COUNTS).read_bytes(), type=Counts)


def replay(folder: Path, report: Report) -> None:
    """Report what a task has reported."""
    counts = counts_of(folder)
    report.added += counts.added
    report.updated += counts.updated
    report.unchanged += counts.unchanged
    with (folder / _EVENTS).open("rb") as file:
        report.replay(map(_decode, file), counts.read)
