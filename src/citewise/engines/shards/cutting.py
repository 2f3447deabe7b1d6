"""Cuts a library into shards: row r of the library is row r // S of shard r % S.

So papers keep the rows that they have in the library, and ties are broken as they are there.
"""

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from citewise.arrays import Rows
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.cutting_evidence import Kind, cut_evidence
from citewise.engines.shards.cutting_vectors import cut_embeddings, cut_text_vectors
from citewise.engines.shards.generations import (
    check_shards,
    make_current,
    next_generation,
    only_writer,
    remove_unfinished,
    unfinished,
)
from citewise.engines.shards.manifest import (
    COORDINATOR,
    ShardEntry,
    ShardsManifest,
    VectorSet,
    shard_name,
)
from citewise.engines.shards.writing import (
    PaperWriter,
    file_entries,
    write_columns,
    write_sentence_table,
)
from citewise.engines.version import installed_version
from citewise.library.files import write_array
from citewise.library.folder import LibraryFolder
from citewise.library.graph import Lists
from citewise.library.tables import Adjacency
from citewise.library.vocabulary import save_words

Progress = Callable[[int, int | None], None]
"""Called with the number of shards that are written, and of all."""


def cut(
    library: Path | str,
    shards: int,
    output: Path | str,
    progress: Progress = lambda done, total: None,
) -> ShardsManifest:
    """Cut the current generation of a library into shards, as a new generation in `output`.

    It is there completely or not at all. The generation before it, and those that clusters serve,
    stay for those who read them; older ones are removed.
    """
    check_shards(shards)
    source, folder = LibraryFolder(library), Path(output)
    with only_writer(folder):
        return _cut(source, shards, folder, progress)


def _cut(source: LibraryFolder, shards: int, folder: Path, progress: Progress) -> ShardsManifest:
    """Cut a library while no other process writes into the folder."""
    generation = next_generation(folder)
    remove_unfinished(folder, generation)

    fresh = unfinished(folder, generation)
    fresh.mkdir(parents=True)
    try:
        written = _write(source, shards, fresh, generation, progress)
        make_current(folder, written)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return written


def _write(
    source: LibraryFolder,
    shards: int,
    folder: Path,
    generation: int,
    progress: Progress,
) -> ShardsManifest:
    """Write all shards and what coordinators have; return their manifest, which is written too."""
    _write_coordinator(source, folder / COORDINATOR)
    entries = []
    for shard in range(shards):
        progress(shard, shards)
        entries.append(_write_shard(source, (shard, shards), folder / shard_name(shard)))
    progress(shards, shards)

    encoder = source.vectors.encoded_by()
    manifest = ShardsManifest(
        generation=generation,
        version=installed_version(),
        written=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        library=source.info,
        rows=source.manifest.rows,
        papers=len(source.papers),
        lengths=source.manifest.lengths,
        evidence=source.evidence.counts(),
        shards=tuple(entries),
        files=file_entries(folder),
        vectors=_vector_sets(source),
        encoder=encoder,
        span_vectors=source.vectors.span_count(),
    )
    manifests.save(folder, manifest)
    return manifest


def _vector_sets(source: LibraryFolder) -> dict[str, VectorSet]:
    found = {}
    for name in source.vectors.names():
        papers = source.vectors.papers(name)
        own = source.vectors.sets.get(name)
        lists = len(own.files.centroids) if own is not None else 0
        if papers is not None:
            found[name] = VectorSet(papers.about, len(papers), lists)
    return found


def _write_coordinator(source: LibraryFolder, folder: Path) -> None:
    """Write what every coordinator has: the vocabulary with its document frequencies, years and
    lengths of papers, the table of sentences, models.
    """
    folder.mkdir()
    tables, vocabulary = source.tables.whole, source.vocabulary
    save_words(vocabulary.words(), vocabulary.hashes(), folder)
    for name, frequencies in tables.frequencies.items():
        write_array(folder / f"{name}.frequencies", frequencies, np.uint32)
    write_array(folder / "deleted", tables.deleted, np.int64)

    write_columns(source.segments, folder)
    lengths = np.diff(tables.references.starts)
    write_array(folder / "citing", np.flatnonzero(lengths), np.int64)
    write_sentence_table(source.evidence.tables, folder)

    models = source.path / "models"
    if models.is_dir():
        shutil.copytree(models, folder / "models")


class _Library:
    """A library as shards are written from it."""

    def __init__(self, library: LibraryFolder) -> None:
        self.segments, self.deleted = library.segments, library.tables.deleted
        self.lengths, self._tables = library.manifest.lengths, library.tables

    def graph(self, rows: Rows) -> tuple[Adjacency, Adjacency]:
        """Return the references and the citers of some rows."""
        return _part(self._tables.references, rows), _part(self._tables.citers, rows)


def _write_shard(source: LibraryFolder, key: tuple[int, int], folder: Path) -> ShardEntry:
    """Write a shard's folder; `key` is its number and the number of shards. Return what the
    manifest says of it.
    """
    papers = PaperWriter(_Library(source), *key, folder)
    indexed = papers.write()
    vectors = cut_embeddings(source, papers.rows, folder)
    kinds: tuple[Kind, ...] = ("spans", "received")
    for kind in kinds:
        cut_evidence(source, kind, key, folder / "evidence" / kind)
    cut_text_vectors(source, papers.rows, folder)
    return ShardEntry(
        rows=papers.rows.size,
        papers=papers.rows.size - papers.deleted.size,
        indexed=indexed,
        vectors=vectors,
    )


def _part(direction: Lists, rows: Rows) -> Adjacency:
    """Return the lists of some rows; what is in the lists are rows of the whole library."""
    lists = direction.lists(rows)
    return Adjacency(lists.starts, lists.values.astype(np.uint32))
