"""Cuts a library into shards: row r of the library is row r // S of shard r % S.

So papers keep the rows that they have in the library, and ties are broken as they are there.
"""

import datetime
import math
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from citewise.arrays import Ragged, Rows
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.cutting_evidence import cut_evidence
from citewise.engines.shards.cutting_vectors import cut_embeddings, cut_text_vectors
from citewise.engines.shards.manifest import (
    COORDINATOR,
    ShardEntry,
    ShardsManifest,
    VectorSet,
    folder_name,
    shard_name,
)
from citewise.engines.version import installed_version
from citewise.errors import BadInput
from citewise.library.files import checksum, sync, walk, write_array
from citewise.library.folder import LibraryFolder
from citewise.library.lexical import LexicalWriter
from citewise.library.manifest import FileEntry
from citewise.library.segment import PER_ROW, Segment, SegmentWriter
from citewise.library.tables import Adjacency, Lookup, Tables
from citewise.protocols import FIELDS

MOST_SHARDS = 1_000

_BATCH = 4_096
"""Papers that are copied at once."""

_PADDING = (1 << 30) - 1
"""The term of documents that are there for the mean length only; no vocabulary is that large."""

_FEWEST_INDEXED = 1 << 16
"""A shard's index has at least this many documents, or as many as the library: so its mean length
is the library's to within 1e-5 terms.
"""

_GENERATION = re.compile(r"\d{6,}(\.new)?")

Progress = Callable[[int, int | None], None]
"""Called with the number of shards that are written, and of all."""


def cut(
    library: Path | str,
    shards: int,
    output: Path | str,
    progress: Progress = lambda done, total: None,
) -> ShardsManifest:
    """Cut the current generation of a library into shards, as a new generation in `output`.

    It is there completely or not at all. The generation before it stays for those who read it;
    older ones are removed.
    """
    if not 1 <= shards <= MOST_SHARDS:
        raise BadInput(f"a library is cut into 1 to {MOST_SHARDS:,} shards, not {shards}")
    source, folder = LibraryFolder(library), Path(output)
    generation = _next_generation(folder)

    fresh = folder / f"{folder_name(generation)}.new"
    fresh.mkdir(parents=True)
    try:
        written = _write(source, shards, fresh, generation, progress)
        fresh.replace(folder / folder_name(generation))
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise

    sync(folder)
    manifests.save(folder, written)
    _remove_older(folder, generation - 1)
    return written


def _next_generation(folder: Path) -> int:
    """Return the number of the next generation; what a killed writer left is removed."""
    if not manifests.is_shards(folder):
        others = [
            file.name
            for file in (folder.iterdir() if folder.is_dir() else ())
            if not _GENERATION.fullmatch(file.name)
        ]
        if others:
            raise BadInput(
                f"{folder}: this folder has other files in it ({', '.join(sorted(others)[:3])}) "
                "and no shards; name a new or an empty folder"
            )

    current = manifests.load(folder).generation if manifests.is_shards(folder) else 0
    for file in folder.glob("*") if folder.is_dir() else ():
        if _GENERATION.fullmatch(file.name) and int(file.name.removesuffix(".new")) > current:
            shutil.rmtree(file)
    return current + 1


def _remove_older(folder: Path, generation: int) -> None:
    """Remove the generations before one."""
    for file in folder.iterdir():
        if _GENERATION.fullmatch(file.name) and int(file.name.removesuffix(".new")) < generation:
            shutil.rmtree(file, ignore_errors=True)


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
        entries.append(_Cut(source, shard, shards, folder / shard_name(shard)).write())
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
        files=_files(folder),
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


def _files(folder: Path) -> dict[str, FileEntry]:
    """Return the sizes and checksums of all files, which are made durable.

    Models are left out: they may be replaced, and have a checksum of their own.
    """
    files = {}
    for file in walk(folder):
        sync(file)
        name = file.relative_to(folder).as_posix()
        if file.suffix != ".lock" and not name.startswith(f"{COORDINATOR}/models/"):
            files[name] = FileEntry(file.stat().st_size, checksum(file))
    for parent in {file.parent for file in walk(folder)}:
        sync(parent)
    return files


def _write_coordinator(source: LibraryFolder, folder: Path) -> None:
    """Write what every coordinator has: the vocabulary with its document frequencies, years and
    lengths of papers, the table of sentences, models.
    """
    folder.mkdir()
    tables = source.path / "tables" / source.manifest.tables
    frequencies = [f"{name}.frequencies" for name in source.tables.frequencies]
    words = ["words.text", "words.starts", "words.hashes", "words.numbers"]
    for name in (*words, *frequencies, "deleted"):
        shutil.copyfile(tables / name, folder / name)

    for name in ("years", *(f"{field}.lengths" for field in FIELDS)):
        columns = [segment.array(name) for segment in source.segments]
        whole = np.concatenate([np.zeros(0, PER_ROW[name]), *columns])
        write_array(folder / name, whole, PER_ROW[name])

    lengths = np.diff(source.tables.references.starts)
    write_array(folder / "citing", np.flatnonzero(lengths), np.int64)
    evidence = source.evidence.tables
    replace(
        evidence,
        identities=Lookup(np.zeros(0, np.uint64), np.zeros(0, np.uint32)),
        numbers=evidence.numbers[:0],
        starts=np.zeros(1, np.int64),
        rows=evidence.rows[:0],
        sentences=evidence.sentences[:0],
        uses=evidence.uses[:0],
        by_cited_starts=np.zeros(1, np.int64),
        by_cited=evidence.by_cited[:0],
    ).save(folder)

    models = source.path / "models"
    if models.is_dir():
        shutil.copytree(models, folder / "models")


class _Cut:
    """One shard of a library, while it is written."""

    def __init__(self, source: LibraryFolder, shard: int, shards: int, folder: Path) -> None:
        self._source, self._folder = source, folder
        self._shard, self._shards = shard, shards
        self._rows = np.arange(shard, source.manifest.rows, shards)
        deleted = source.tables.deleted
        self._deleted = deleted[deleted % shards == shard] // shards

    def write(self) -> ShardEntry:
        """Write the shard's folder; return what the manifest says of it."""
        segment, indexed = self._write_papers()
        self._write_tables(segment)
        vectors = cut_embeddings(self._source, self._rows, self._folder)
        for kind in ("spans", "received"):
            cut_evidence(
                self._source, kind, (self._shard, self._shards), self._folder / "evidence" / kind
            )
        cut_text_vectors(self._source, self._rows, self._folder)
        return ShardEntry(
            rows=self._rows.size,
            papers=self._rows.size - self._deleted.size,
            indexed=indexed,
            vectors=vectors,
        )

    def _write_papers(self) -> tuple[Segment, int]:
        """Write papers, forward index and inverted index; return the documents of the latter."""
        segment = SegmentWriter(self._folder / "segment")
        lexical = LexicalWriter(self._folder / "lexical")
        alive = np.ones(self._rows.size, np.bool_)
        alive[self._deleted] = False

        papers, terms = 0, 0
        for start in range(0, self._rows.size, _BATCH):
            rows, first = self._rows[start : start + _BATCH], segment.rows
            fields = self._copy(segment, rows)
            years = self._source.papers.years(rows)
            for run in _runs(np.flatnonzero(alive[start : start + _BATCH])):
                texts = [field.take(run) for field in fields]
                lexical.add(first + int(run[0]), years[run].tolist(), texts)
                papers += run.size
                terms += sum(text.values.size for text in texts)

        segment.close()
        documents, padding = self._padding(papers, terms)
        empty = np.zeros(documents - papers + 1, np.int64)
        if documents > papers:
            empty[1:] = padding  # the first document has all of the padding, the others are empty
            text = Ragged(np.full(padding, _PADDING), empty)
            lexical.add(self._rows.size, [0] * (documents - papers), [text])
        lexical.close()
        return Segment(self._folder / "segment", self._rows.size), documents

    def _copy(self, segment: SegmentWriter, rows: Rows) -> list[Ragged]:
        """Copy papers, which are sorted by row; return each field's terms."""
        parts = [segment.copy(part, local) for part, _, local in self._source.segments.split(rows)]
        return [Ragged.join([part[field] for part in parts]) for field in range(len(FIELDS))]

    def _padding(self, papers: int, terms: int) -> tuple[int, int]:
        """Return how many documents the index needs, and how many terms the added ones have, for
        its mean length to be the library's.
        """
        whole = sum(self._source.manifest.lengths.values())
        mean = whole / max(len(self._source.papers), 1)
        if not papers or not mean:
            return papers, 0

        fewest = min(len(self._source.papers), _FEWEST_INDEXED)
        documents = max(papers, math.ceil(terms / mean - 1e-9), fewest)
        padding = max(round(documents * mean) - terms, 0)
        return max(documents, papers + (padding > 0)), padding

    def _write_tables(self, segment: Segment) -> None:
        """Write keys, titles and authors with their rows, and both directions of the graph."""
        own, whole = Tables.build([segment], self._deleted), self._source.tables
        replace(
            own,
            references=_part(whole.references, self._rows),
            citers=_part(whole.citers, self._rows),
        ).save(self._folder / "tables")


def _part(direction: Adjacency, rows: Rows) -> Adjacency:
    """Return the lists of some rows; what is in the lists are rows of the whole library."""
    lists = direction.lists(rows)
    return Adjacency(lists.starts, lists.values.astype(np.uint32))


def _runs(positions: Rows) -> Iterator[Rows]:
    """Yield the runs of consecutive numbers among sorted ones."""
    breaks = np.flatnonzero(np.diff(positions) != 1) + 1
    runs: Sequence[Rows] = np.split(positions, breaks)
    yield from (run for run in runs if run.size)
