"""The user's feedback: answers that were accepted or rejected, in a file of their own.

The file has one JSON object a line, in the order in which they were given. It is outside of the
library, which may be read-only or shared.
"""

import contextlib
import errno
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Literal

import filelock
import msgspec
import platformdirs

from citewise.errors import BadInput, CitewiseError, LibraryBusy, NoPermission
from citewise.types import Query

Verdict = Literal["accepted", "rejected", "cleared"]
"""What the user says of an answer; "cleared" takes an earlier verdict back."""

_WAIT = 10.0
"""Seconds that a writer waits for another one."""

_UNREADABLE = (ValueError, CitewiseError, RecursionError)
"""What a line that is no entry raises: msgspec's errors are ValueErrors."""

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class FeedbackEntry:
    """What the user said of one paper as an answer to one query."""

    paper: str
    """The paper's id."""
    verdict: Verdict
    query: Query | None = None
    """What was asked; None for a paper that was judged without a query."""
    rank: int | None = None
    """The paper's rank in the answer, from 1."""
    time: str = field(default_factory=_now)
    """When, in UTC (ISO 8601)."""


@dataclass(frozen=True, slots=True)
class FeedbackContent:
    """A feedback file as it was read."""

    entries: tuple[FeedbackEntry, ...]
    """In the order in which they were given."""
    damaged: tuple[int, ...]
    """Numbers (from 1) of the lines that are no entries; they stay in the file."""


class Feedback:
    """A feedback file; several processes may write to it at the same time."""

    def __init__(self, path: str | Path) -> None:
        """`path` need not exist: the first entry makes the file and its folder."""
        self.path = Path(path)

    @classmethod
    def of(cls, library: str | Path) -> "Feedback":
        """Return the user's feedback on a library, which is named by its folder or address."""
        return cls(feedback_file(library))

    def record(self, entry: FeedbackEntry) -> None:
        """Append an entry."""
        line = _line(entry)
        with self._locked():
            # It is the user's alone: entries have the text of drafts.
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            with open(os.open(self.path, flags, 0o600), "rb+", buffering=0) as file:
                _append(file, b"\n" + line if _is_torn(self.path) else line)

    def read(self) -> FeedbackContent:
        """Return every entry, and which lines are damaged; a file that is not there is empty."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return FeedbackContent((), ())
        except OSError as error:
            raise self._failed("read", error) from None

        entries, damaged = [], []
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    entries.append(msgspec.json.decode(line, type=FeedbackEntry))
                except _UNREADABLE:
                    damaged.append(number)
        return FeedbackContent(tuple(entries), tuple(damaged))

    def entries(self) -> tuple[FeedbackEntry, ...]:
        """Return every entry, in the order in which they were given."""
        return self.read().entries

    def verdicts(self) -> tuple[FeedbackEntry, ...]:
        """Return the last verdict on each paper for each text, without those taken back."""
        last = {(entry.paper, asked(entry)): entry for entry in self.entries()}
        return tuple(entry for entry in last.values() if entry.verdict != "cleared")

    def clear(self) -> None:
        """Delete the file."""
        if self.path.exists():
            with self._locked():
                self.path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other writers out; the folder is made where it is not there yet."""
        name = self.path.with_name(f"{self.path.name}.lock")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(name, timeout=_WAIT):
                yield
        except filelock.Timeout:
            raise LibraryBusy(
                f"{self.path}: another process has been writing to this file for {_WAIT:.0f} "
                "seconds; try again when it is done"
            ) from None
        except OSError as error:
            raise self._failed("changed", error) from None

    def _failed(self, what: str, error: OSError) -> CitewiseError:
        """Return the error of a file that cannot be read, or changed."""
        denied = isinstance(error, PermissionError) or error.errno == errno.EROFS
        kind = NoPermission if denied else CitewiseError
        return kind(
            f"{self.path}: this file of feedback cannot be {what} ({error.strerror}); make room "
            "for it and let it be written (on Linux, XDG_DATA_HOME can name another folder)"
        )


def asked(entry: FeedbackEntry) -> tuple[str, str, str]:
    """Return the text that was asked for: title, abstract and sentence.

    Years, preferences and what the draft cites change while its author works on one question.
    """
    query = entry.query or Query()
    return query.title, query.abstract, query.sentence


def feedback_file(library: str | Path) -> Path:
    """Return the path of the user's feedback on a library: a name of its own for each library, in
    the user's data folder (`$XDG_DATA_HOME/citewise/feedback`, or what other systems have).
    """
    address = isinstance(library, str) and _ADDRESS.match(library)
    location = str(library) if address else str(Path(library).resolve())

    digest = hashlib.blake2b(location.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    name = _NOT_IN_NAMES.sub("-", Path(location).name)[:60]
    folder = platformdirs.user_data_path("citewise", appauthor=False) / "feedback"
    return folder / f"{name}-{digest}.jsonl"


def encoded(entry: FeedbackEntry) -> str:
    """Return an entry as the JSON object of a feedback file."""
    return _line(entry).decode().rstrip("\n")


def _line(entry: FeedbackEntry) -> bytes:
    """Return an entry as a line of the file."""
    try:
        line = msgspec.json.encode(entry)
        msgspec.json.decode(line, type=FeedbackEntry)
    except _UNREADABLE as error:  # a lone surrogate, a verdict of another name, …
        raise BadInput(f"feedback on {entry.paper!r} cannot be kept: {error}") from None
    return line + b"\n"


def _append(file: FileIO, content: bytes) -> None:
    """Write all of a content at the end of a file, or, where that fails, nothing of it."""
    end = file.seek(0, os.SEEK_END)
    try:
        while content:  # on a disk that is nearly full, only a part is written at first
            content = content[file.write(content) :]
    except OSError:
        file.truncate(end)
        raise


def _is_torn(path: Path) -> bool:
    """Return whether a file ends within a line: a writer was stopped there."""
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
