"""Files that are whole or absent: arrays on disk, checksums, and the durable rename that makes them
visible.
"""

import contextlib
import mmap
import os
import shutil
import zlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_CHUNK = 1 << 17
_MAPPED = 1 << 18
"""Bytes from which on a file is memory-mapped instead of read."""
_LARGE = 1 << 28
"""Bytes of an array of which an answer needs but a little here and there; smaller ones are looked
through when a library is opened.
"""
_scattered = ContextVar("scattered", default=False)


def read_array(path: Path, dtype: DTypeLike) -> NDArray[Any]:
    """Return a file as an array: memory-mapped, or read where it is small, since a mapping keeps
    the file open.
    """
    if path.stat().st_size < _MAPPED:
        return np.fromfile(path, dtype)
    mapped = np.memmap(path, dtype, "r")
    if _scattered.get() and mapped.nbytes >= _LARGE and hasattr(mmap, "MADV_RANDOM"):
        mapped._mmap.madvise(mmap.MADV_RANDOM)  # type: ignore[attr-defined]
    return np.asarray(mapped)


@contextlib.contextmanager
def scattered(wanted: bool) -> Iterator[None]:
    """If that is wanted, let the system read no more of large arrays than is asked for, where they
    are opened in this context. Else it reads 128 kB for a paper's terms: that pays where all of a
    file soon is in memory, and drives out what is needed where it never will be.
    """
    before = _scattered.set(wanted)
    try:
        yield
    finally:
        _scattered.reset(before)


def write_array(path: Path, array: NDArray[Any], dtype: DTypeLike) -> None:
    """Write an array as plain little-endian values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:  # not `tofile`, whose error on a full disk says nothing
        file.write(np.ascontiguousarray(array, np.dtype(dtype).newbyteorder("<")).data)


def checksum(path: Path) -> str:
    """Return the CRC-32 of a file: it detects damage, not tampering; a third of a second a
    gigabyte.
    """
    total, chunk = 0, memoryview(bytearray(_CHUNK))
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(chunk):
            total = zlib.crc32(chunk[:size], total)
    return f"{total:08x}"


def sync(path: Path) -> None:
    """Make a file's or a folder's content survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # some file systems cannot sync a folder
        if not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def replace(path: Path, content: bytes) -> None:
    """Give a file new content in one step: a reader sees the old or the new, never a part."""
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())

    fresh.replace(path)
    sync(path.parent)


def link_folder(old: Path, new: Path) -> None:
    """Fill a new folder with the old one's files, by hard links where the file system has them."""
    new.mkdir(parents=True)

    for file in old.iterdir():
        if file.suffix == ".lock":
            continue
        if file.suffix == ".json":  # rewritten by its owner: must not be shared
            shutil.copyfile(file, new / file.name)
            continue
        try:
            os.link(file, new / file.name)
        except OSError:
            shutil.copyfile(file, new / file.name)
            sync(new / file.name)


def walk(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder in order."""
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def give_usual_modes(folder: Path) -> None:
    """Give a folder's files the permissions of any new file: tantivy writes some for their owner
    alone, and then nobody else can read the library.
    """
    probe = folder / "mode.new"
    probe.touch()
    mode = probe.stat().st_mode & 0o777
    probe.unlink()

    for file in folder.iterdir():
        if file.stat().st_mode & 0o777 != mode:
            with contextlib.suppress(PermissionError):  # a link to a file of another user
                file.chmod(mode)
