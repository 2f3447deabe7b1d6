"""The only way to change a library: add, remove, compact; each change is a new generation, visible at once."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from citewise.errors import MissingData
from citewise.library import manifest as manifests
from citewise.library.entries import Batch
from citewise.library.generation import Generation, collect_garbage
from citewise.library.intake import Intake
from citewise.library.library import Library
from citewise.library.lock import writer_lock
from citewise.report import Report


def add(path: Path | str, batches: Iterable[Batch], report: Report | None = None,
        keep_versions: bool = False) -> Library:
    """Create or extend a library; with `keep_versions`, equal titles alone do not merge papers."""
    with _writing(Path(path)) as generation:
        Intake(generation, report or Report(), keep_versions).take(batches)
        generation.commit()
    return Library(path)


def remove(path: Path | str, keys: Iterable[str]) -> Library:
    """Remove papers by any of their ids; if one is unknown, nothing is removed."""
    names = list(keys)
    with _writing(Path(path), must_exist=True) as generation:
        rows = Library(path).rows_of(names).tolist()
        unknown = [name for name, row in zip(names, rows, strict=True) if row < 0]
        if unknown:
            others = f" (nor {len(unknown) - 1} others)" if len(unknown) > 1 else ""
            raise MissingData(f"{path}: no paper {unknown[0]!r}{others}; nothing was removed")
        generation.remove(sorted(set(rows)))
        generation.commit()
    return Library(path)


def compact(path: Path | str) -> Library:
    """Rewrite a library without what was removed, in one segment; rows are numbered anew."""
    with _writing(Path(path), must_exist=True, from_scratch=True) as generation:
        generation.copy_all()
        generation.commit()
    return Library(path)


@contextlib.contextmanager
def _writing(path: Path, must_exist: bool = False, from_scratch: bool = False) -> Iterator[Generation]:
    if must_exist:
        manifests.load(path)
    with writer_lock(path):
        old = Library(path) if (path / manifests.NAME).exists() else None
        collect_garbage(path, old.manifest if old is not None else None)
        generation = Generation(path, old, from_scratch)
        try:
            yield generation
        except BaseException:
            generation.abandon()
            raise
