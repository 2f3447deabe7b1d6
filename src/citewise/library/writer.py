"""Changes a library: adds and removes papers, compacts, encodes; each change is a new generation
that readers see whole.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes
from citewise.errors import MissingData
from citewise.ingest.report import Report
from citewise.library import manifest as manifests
from citewise.library.entries import Batch
from citewise.library.folder import LibraryFolder
from citewise.library.generation import Generation, collect_garbage
from citewise.library.intake import Intake
from citewise.library.location import folder_of
from citewise.library.lock import writer_lock
from citewise.library.own_files import SET_NAME
from citewise.library.process_memory import keep_freed_memory
from citewise.library.vectors import VECTORS, Kind, VectorWriter, set_folder, text_hashes
from citewise.protocols import EncodedBy, Encoder, WordModel, form_of

_READ = 8_192
"""Papers that are read at once."""

COPIED_FROM = 2_000
"""In libraries of fewer papers, reading all texts to find their vectors takes less than a tenth of
a second.
"""

ModelsOf = Callable[[LibraryFolder | None], Mapping[str, WordModel]]
"""Returns the models that embed what is added, given the library as it was, None for a new one."""


def _no_models(old: LibraryFolder | None) -> Mapping[str, WordModel]:
    return {}


class NothingAdded(MissingData):
    """No paper and no citing sentence was given for a new library."""


def add(
    path: Path | str,
    batches: Iterable[Batch],
    report: Report | None = None,
    keep_versions: bool = False,
    may_be_empty: bool = True,
    models: ModelsOf = _no_models,
) -> None:
    """Create or extend a library; with `keep_versions`, equal titles alone do not merge papers.

    Unless it `may_be_empty`, a library of nothing is not made: NothingAdded is raised. A new
    library gets a set of papers' vectors by each of the `models`. In one that exists, what is added
    gets vectors in the sets that it has, by the model of the same name; without it, none.
    """
    with _writing(folder_of(path), models=models) as generation:
        Intake(generation, report or Report(), keep_versions).take(batches)
        if generation.empty and not may_be_empty:
            raise NothingAdded(f"{path}: no library was made, since there was nothing to add")
        generation.commit()


def remove(path: Path | str, keys: Iterable[str]) -> None:
    """Remove papers by any of their ids; if one is unknown, nothing is removed."""
    names = list(keys)
    with _writing(folder_of(path), must_exist=True) as generation:
        rows = generation.find(names).tolist()
        unknown = [name for name, row in zip(names, rows, strict=True) if row < 0]
        if unknown:
            others = f" (nor {len(unknown) - 1} others)" if len(unknown) > 1 else ""
            raise MissingData(f"{path}: no paper {unknown[0]!r}{others}; nothing was removed")
        generation.remove(sorted(set(rows)))
        generation.commit()


def compact(path: Path | str) -> None:
    """Rewrite a library without what was removed, in one segment; rows are numbered anew."""
    with _writing(folder_of(path), must_exist=True, from_scratch=True) as generation:
        generation.copy_all()
        generation.commit()


def embed(path: Path | str, name: str, model: WordModel) -> None:
    """Give every paper of a library a vector by a model, as the set of that name; an older set of
    that name is replaced.
    """
    with _writing(folder_of(path), must_exist=True) as generation:
        generation.embeddings.make(name, model)
        generation.commit()


def drop_vectors(path: Path | str, name: str) -> None:
    """Remove a set of papers' vectors that `embed` or `add` made."""
    with _writing(folder_of(path), must_exist=True) as generation:
        generation.embeddings.drop(name)
        generation.commit()


@contextlib.contextmanager
def _writing(
    path: Path,
    must_exist: bool = False,
    from_scratch: bool = False,
    models: ModelsOf = _no_models,
) -> Iterator[Generation]:
    """Give a new generation to fill while the writer lock is ours; on an error it is abandoned."""
    if must_exist:
        manifests.load(path)

    keep_freed_memory()  # each batch makes the arrays that the last one freed
    with writer_lock(path):
        old = LibraryFolder(path) if (path / manifests.NAME).exists() else None
        collect_garbage(path, old.manifest if old is not None else None)
        generation = Generation(path, old, from_scratch, models(old))
        try:
            yield generation
        except OSError as error:
            generation.abandon()
            if error.filename is None:  # as on a full disk
                error.filename = str(path)
            raise
        except BaseException:
            generation.abandon()
            raise


def encode(
    path: Path | str,
    encoder: Encoder,
    papers: bool = False,
    spans: bool | None = None,
    progress: Callable[[str, int, int], None] = lambda what, done, all_: None,
) -> int:
    """Give a library the vectors that it lacks, and return how many: those of papers if `papers` or
    if this encoder made some, and those of spans unless `spans` is False.

    Where `spans` is None and papers are asked for, spans that have vectors of another encoder keep
    them: a library has one encoder of spans, and any number of encoders of papers. Readers see all
    of the new vectors or none, and vectors of texts that are gone are dropped. Where it was killed,
    the next call goes on.
    """
    manifests.load(folder_of(path))
    with writer_lock(folder_of(path)):
        library = LibraryFolder(path)
        stored, about = library.vectors.encoded_by(), encoder.about
        if spans is None:
            spans = not papers or stored in (None, about)

        # papers are with the spans of their encoder, in the format that older versions read
        own = set_folder(library.path, about.model)
        together = (spans or stored == about) and about.distance == "cosine" and not own.is_dir()
        with_papers = papers or (library.vectors.has_encoded_papers if together else own.is_dir())

        done = 0
        if spans or (with_papers and together):
            main = VectorWriter(library.path / VECTORS, encoder)
            done += _encode(main, library, encoder, (spans, with_papers and together), progress)
        if with_papers and not together:
            done += _encode(VectorWriter(own, encoder), library, encoder, (False, True), progress)
    if with_papers:
        _copy_by_row(library.path, about)
    return done


def _copy_by_row(path: Path, about: EncodedBy) -> None:
    """Copy what an encoder made into the library's generation, by row and in 8 bits: readers then
    find a paper's vector without reading its text, and large sets have lists for their search.

    Vectors that are compared by distance stay as they are, and so does a set whose name cannot be a
    folder's: that of a model that is not on the list of `citewise models`.
    """
    library = LibraryFolder(path)
    is_small = len(library.papers) < COPIED_FROM and about.model not in library.vectors.sets
    if is_small or about.distance != "cosine" or not SET_NAME.fullmatch(about.model):
        return

    with _writing(path, must_exist=True) as generation:
        vectors = LibraryFolder(path).vectors
        encoded, copied = vectors.encoded(about.model), vectors.sets.get(about.model)
        if encoded is not None and (
            copied is None or copied.about != about or len(copied) != len(encoded)
        ):
            generation.embeddings.copy(about.model, about, encoded.of)
        generation.commit()


def _encode(
    vectors: VectorWriter,
    library: LibraryFolder,
    encoder: Encoder,
    kinds: tuple[bool, bool],
    progress: Callable[[str, int, int], None],
) -> int:
    """Encode spans, papers or both (`kinds`), and return how many texts these were."""
    wanted: dict[Kind, Hashes] = {}
    done, evidence, rows = 0, library.evidence, library.papers.rows
    cited, form = evidence.cited_spans(), form_of(encoder)

    def texts_of_papers(positions: NDArray[np.int64]) -> list[str]:
        read = library.papers.read(rows[positions])
        return [form.paper(each.title, each.abstract) for each in read]

    wanted["spans"] = evidence.hashes(cited)
    if kinds[0]:
        done += vectors.encode(
            "spans",
            wanted["spans"],
            lambda positions: evidence.texts(cited[positions]),
            partial(progress, "spans"),
        )
    if kinds[1]:
        wanted["papers"] = _hashes_of_papers(library)
        done += vectors.encode(
            "papers", wanted["papers"], texts_of_papers, partial(progress, "papers")
        )

    vectors.finish(wanted)
    return done


def _hashes_of_papers(library: LibraryFolder) -> Hashes:
    rows = library.papers.rows
    parts = (rows[start : start + _READ] for start in range(0, rows.size, _READ))
    return np.concatenate(
        [np.zeros(0, np.uint64), *(text_hashes(library.papers.read(part)) for part in parts)]
    )
