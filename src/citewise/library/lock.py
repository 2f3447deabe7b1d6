"""One writer at a time, and a message that says who it is."""

import contextlib
import datetime
import getpass
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import filelock
import msgspec

from citewise.errors import BadInput, LibraryBusy, NoPermission
from citewise.library.location import require_own_folder, require_writable


@contextlib.contextmanager
def writer_lock(library: Path) -> Iterator[None]:
    """Keep the library's writer lock; the system frees it however the process ends."""
    require_own_folder(library)
    require_writable(library)
    with locked(library):
        yield


@contextlib.contextmanager
def locked(library: Path) -> Iterator[None]:
    """Keep the writer lock of a folder, which is made if there is none."""
    made = _made(library)
    holder = library / "writer.json"
    lock = filelock.FileLock(library / "writer.lock", timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise LibraryBusy(
            f"{library}: {_described(holder)} is writing to this library; try again when it is done"
        ) from None
    except PermissionError:
        raise NoPermission(
            f"{library}: you may not open {library / 'writer.lock'} for writing, so the library "
            f"cannot be changed; its owner can allow that with: chmod g+w {library}/writer.lock"
        ) from None

    try:
        holder.write_bytes(msgspec.json.encode(_myself()))
        yield
    finally:
        holder.unlink(missing_ok=True)
        _tidy(library, made)
        lock.release()


def _made(library: Path) -> bool:
    """Make the library's folder if there is none; return whether it was made."""
    try:
        if library.is_dir():
            return False
        library.mkdir(parents=True, exist_ok=True)
        return True
    except OSError as error:
        raise BadInput(
            f"{library}: cannot be a folder ({error.strerror}); name another one for the library"
        ) from None


def _tidy(library: Path, made: bool) -> None:
    """Leave nothing behind where nothing was ever written; a folder that was there stays."""
    if {file.name for file in library.iterdir()} <= {"writer.lock"}:
        with contextlib.suppress(OSError):
            (library / "writer.lock").unlink(missing_ok=True)
            if made:
                library.rmdir()


def _myself() -> dict[str, str | int]:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"

    return {
        "process": os.getpid(),
        "host": platform.node(),
        "user": user,
        "command": " ".join(sys.argv)[:200],
        "since": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _described(holder: Path) -> str:
    try:
        who = msgspec.json.decode(holder.read_bytes(), type=dict[str, str | int])
        return (
            f"process {who['process']} of {who['user']} on {who['host']} "
            f"(since {who['since']}: {who['command']})"
        )
    except (OSError, msgspec.DecodeError, KeyError):
        return "another process"
