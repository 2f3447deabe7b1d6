"""The only way to change a library: add, remove, compact; each change is a new generation, visible at once."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from citewise.errors import MissingData
from citewise.hash_table import Hashes
from citewise.library import manifest as manifests
from citewise.library.entries import Batch
from citewise.library.generation import Generation, collect_garbage
from citewise.library.intake import Intake
from citewise.library.library import Library
from citewise.library.lock import writer_lock
from citewise.library.vectors import Kind, VectorWriter, text_hashes, text_of
from citewise.protocols import EncodedBy, Encoder
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


def encode(path: Path | str, encoder: Encoder, about: EncodedBy, papers: bool = False,
           progress: Callable[[str, int, int], None] = lambda what, done, all_: None) -> int:
    """Give a library the vectors that it lacks: of spans, and of papers if wanted or had; return how many.

    Readers see all of them or none, and vectors of texts that are gone are dropped. Killed, it goes on the next time.
    """
    manifests.load(Path(path))
    with writer_lock(Path(path)):
        library = Library(path)
        spans, evidence = library.evidence.spans(), library.evidence
        made = VectorWriter(library.path, encoder, about)
        wanted: dict[Kind, Hashes] = {"spans": evidence.span_hashes(spans)}
        done = made.encode("spans", wanted["spans"], lambda places: evidence.span_texts(spans[places]),
                           partial(progress, "spans"))
        if papers or (library.vectors is not None and library.vectors.has("papers")):
            wanted["papers"] = text_hashes(library.papers(library.rows))
            done += made.encode("papers", wanted["papers"], lambda places: [
                text_of(paper) for paper in library.papers(library.rows[places])], partial(progress, "papers"))
        made.finish(wanted)
    return done
