"""Files against what the manifest says of them: what is looked at when a library is opened, and
what is found out when reading goes wrong.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from citewise.errors import BadLibrary, CitewiseError
from citewise.library.files import checksum
from citewise.library.manifest import FileEntry

CHECKED_AT_OPENING = 64 << 20
"""Bytes whose checksums are compared whenever a library is opened, the smallest files first: some
40 ms, and all of a library with some thirty thousand papers.
"""


def file_problem(
    library: Path,
    name: str,
    entry: FileEntry,
    digest: Callable[[Path], str] | None = checksum,
) -> str:
    """Return what is wrong with a file, "" if nothing is; without `digest`, only by its size."""
    file = library / name
    if not file.is_file():
        return f"{name}: missing"

    size = file.stat().st_size
    if size != entry.size:
        return f"{name}: {size:,} bytes instead of {entry.size:,}"
    if digest is not None and digest(file) != entry.checksum:
        return f"{name}: content changed since it was written"
    return ""


def check_at_opening(library: Path, files: Mapping[str, FileEntry]) -> None:
    """Raise ValueError where a file has another size or, among the smallest, another checksum."""
    left = CHECKED_AT_OPENING
    for name, entry in sorted(files.items(), key=lambda each: each[1].size):
        left -= entry.size
        problem = file_problem(library, name, entry, checksum if left >= 0 else None)
        if problem:
            raise ValueError(problem)


def damaged(library: Path, problem: str) -> BadLibrary:
    """Return the error that says what is wrong with a library, and what to do."""
    return BadLibrary(
        f"{library}: damaged ({problem}). See all of it with: citewise verify --library {library}; "
        "then restore a backup, or index the sources again into a new folder"
    )


@contextlib.contextmanager
def blaming_damage(library: Path, files: Mapping[str, FileEntry]) -> Iterator[None]:
    """Where reading a library fails, compare every checksum: if a file is damaged, that is the
    error; if none is, the failure is ours and stays as it is.
    """
    try:
        yield
    except (CitewiseError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # a panic of tantivy is no Exception
        problem = next(
            filter(None, (file_problem(library, name, entry) for name, entry in files.items())), ""
        )
        if problem:
            raise damaged(library, problem) from None
        raise
