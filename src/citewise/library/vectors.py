"""Vectors of texts, stored beside the generations: found by a digest of the text, so that they
stay valid after any import.

`vectors/manifest.json` names the files that readers see, `unfinished.json` those of work that is
not finished, so that it can go on after a crash. When it is done, all is written as one part of
each kind and the manifest is replaced. So it is in `vectors/` for the encoder of spans, and in a
folder in it for each further encoder of papers.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Hashes, Rows
from citewise.errors import BadLibrary
from citewise.library.checks import check_at_opening, file_problem
from citewise.library.embeddings.store import EmbeddingSet
from citewise.library.evidence.reader import EvidenceStore
from citewise.library.files import checksum, read_array, replace, sync, write_array
from citewise.library.manifest import FileEntry
from citewise.library.own_files import is_own
from citewise.library.papers import PaperStore
from citewise.library.seal import sealed, unsealed
from citewise.protocols import EncodedBy, Encoder, PaperVectors
from citewise.scoring import distances
from citewise.text.ids import digest
from citewise.types import Paper, Scope

Kind = Literal["spans", "papers"]

VECTORS, _FINISHED, _UNFINISHED = "vectors", "manifest.json", "unfinished.json"
_SET = re.compile(r"[0-9a-f]{16}")
"""What the folder of a further set of papers' vectors is called."""
_ATTEMPTS = 20
_PART = 8_192
"""Vectors that are read, compared or copied at once."""
_STEP = 256
"""Texts that are encoded and then written, so that a crash loses no more than these: half a minute
of work for a large model.
"""
_DIGITS_COMPARED = 9
"""Similarities that differ less are equal."""
_LENGTH_ERROR = 0.01
"""How far the length of a vector may be from 1: it is stored as 16-bit numbers."""


class Part(msgspec.Struct, frozen=True):
    """Vectors of one kind in two files: the sorted digests, and the vectors in the same order."""

    name: str
    kind: Kind
    files: dict[str, FileEntry]


class VectorManifest(msgspec.Struct, frozen=True):
    """The files with vectors, and the encoder that made them."""

    encoder: EncodedBy
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorReader:
    """Parts of vectors, memory-mapped."""

    manifest: VectorManifest
    parts: tuple[tuple[Kind, Hashes, NDArray[np.float16]], ...]

    @classmethod
    def of(cls, folder: Path, manifest: VectorManifest) -> "VectorReader":
        """Open the files that a manifest names."""
        size = manifest.encoder.size

        return cls(
            manifest,
            tuple(
                (
                    part.kind,
                    read_array(folder / f"{part.name}.keys", "<u8"),
                    read_array(folder / f"{part.name}.values", "<f2").reshape(-1, size),
                )
                for part in manifest.parts
            ),
        )

    def find(self, kind: Kind, hashes: Hashes) -> NDArray[np.float16]:
        """Return the vector of each digest, NaN where there is none."""
        vectors = np.full((hashes.size, self.manifest.encoder.size), np.nan, np.float16)
        for keys, values in self._of(kind):
            at, known = _lookup(keys, hashes)
            vectors[known] = values[at[known]]
        return vectors

    def has_vectors(self, kind: Kind, hashes: Hashes) -> NDArray[np.bool_]:
        """Return for each digest whether it has a vector."""
        known = np.zeros(hashes.size, np.bool_)
        for keys, _ in self._of(kind):
            known |= _lookup(keys, hashes)[1]
        return known

    def has(self, kind: Kind) -> bool:
        """Return whether there are vectors of a kind."""
        return any(len(keys) for keys, _ in self._of(kind))

    def keys(self, kind: Kind) -> Hashes:
        """Return the digests that have a vector, sorted."""
        return np.unique(
            np.concatenate([np.zeros(0, np.uint64), *(keys for keys, _ in self._of(kind))])
        )

    def values(self, kind: Kind) -> NDArray[np.float16]:
        """Return the vectors in the order of their digests; finished work has one part a kind."""
        (found,) = (values for _, values in self._of(kind))
        return found

    def _of(self, kind: Kind) -> Iterator[tuple[Hashes, NDArray[np.float16]]]:
        return ((keys, values) for each, keys, values in self.parts if each == kind)


_Numbers = TypeVar("_Numbers", Hashes, Rows)


def _lookup(keys: _Numbers, wanted: _Numbers) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the positions of digests or rows among sorted keys, and whether each is there."""
    positions = np.searchsorted(keys, wanted)
    known = positions < keys.size
    known[known] = keys[positions[known]] == wanted[known]
    return positions, known


def text_of(paper: Paper) -> str:
    """Return the text of a paper that is encoded: its title and abstract."""
    return f"{paper.title} {paper.abstract}".strip()


def text_hashes(papers: Iterable[Paper]) -> Hashes:
    """Return the digests of papers' texts."""
    return np.array([digest(text_of(paper)) for paper in papers], np.uint64)


class VectorStore:
    """`protocols.Vectors` over a folder: `sets` are those of the generation; what an encoder made
    belongs to no generation, and its vectors of papers are the set named after its model.
    """

    def __init__(
        self,
        library: Path,
        papers: PaperStore,
        evidence: EvidenceStore,
        sets: Mapping[str, EmbeddingSet],
    ) -> None:
        self._library, self._papers, self._evidence = library, papers, evidence
        self.sets = dict(sets)

    @property
    def has_encoded_papers(self) -> bool:
        """Whether the encoder of spans made vectors of papers, too."""
        return self.reader is not None and self.reader.has("papers")

    @cached_property
    def reader(self) -> VectorReader | None:
        """The vectors as they were when first read; None where there are none."""
        return load(self._library)

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors of spans; None where the library has none."""
        return self.reader.manifest.encoder if self.reader is not None else None

    def of_spans(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span, NaN where it has none."""
        if self.reader is None or not self.reader.has("spans"):
            return np.full((spans.size, 1), np.nan, np.float32)
        return self.reader.find("spans", self._evidence.hashes(spans)).astype(np.float32)

    def span_count(self) -> int:
        """Return the number of spans that have a vector."""
        if self.reader is None:
            return 0
        spans = self._evidence.hashes(self._evidence.cited_spans())
        return int(self.reader.has_vectors("spans", spans).sum())

    def names(self) -> tuple[str, ...]:
        """Return the names of the sets of papers' vectors, sorted."""
        return tuple(sorted({*self.sets, *self._encoded}))

    def papers(self, name: str) -> PaperVectors | None:
        """Return a set of papers' vectors; None where there is none of that name."""
        return self.sets[name] if name in self.sets else self._encoded.get(name)

    def encoded(self, name: str) -> "EncodedPapers | None":
        """Return a set as its encoder made it, even where the generation has a copy with lists;
        None where no paper is left in it.
        """
        return self._encoded.get(name)

    @cached_property
    def _encoded(self) -> "dict[str, EncodedPapers]":
        """The sets that encoders made, by the names of their models."""
        own = [load_folder(folder) for folder in set_folders(self._library)]
        found = [reader for reader in (self.reader, *own) if reader and reader.has("papers")]
        return {
            reader.manifest.encoder.model: EncodedPapers(reader, self._papers) for reader in found
        }


class EncodedPapers:
    """`protocols.PaperVectors` over the vectors of papers' texts that an encoder made."""

    def __init__(self, reader: VectorReader, papers: PaperStore) -> None:
        self._reader, self._papers = reader, papers

    @property
    def about(self) -> EncodedBy:
        """What made the vectors."""
        return self._reader.manifest.encoder

    def __len__(self) -> int:
        return int(self._placed[0].size)

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """Return the vector of each paper's title and abstract, NaN where it has none."""
        known_rows, places = self._placed
        at, known = _lookup(known_rows, rows)
        values = self._reader.values("papers")
        found = np.full((rows.size, values.shape[1]), np.nan, np.float32)
        found[known] = values[places[at[known]]]
        return found

    def cosines(self, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return the cosine of each paper with a vector, NaN where it has none."""
        return distances.cosines(self.of(rows), vector, self.about.distance)

    def similarities(self, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return how similar each paper is to a vector, NaN where it has none."""
        return distances.similarities(self.of(rows), vector, self.about.distance)

    def nearest(
        self,
        vector: NDArray[np.float32],
        k: int,
        scope: Scope,
        among: Rows | None = None,
    ) -> tuple[Rows, Column]:
        """Return the k papers in scope that are most similar to a vector, best first.

        Exact: every vector is compared, a chunk at a time.
        """
        rows, positions = self._placed
        kept = self._papers.in_scope(rows, scope)
        if among is not None:
            kept &= np.isin(rows, among)
        rows, found = rows[kept], self._similar(positions[kept], vector)

        # the most similar first, equal ones by row
        order = np.lexsort((rows, -np.round(found, _DIGITS_COMPARED)))[:k]
        return rows[order], found[order]

    def _similar(self, positions: Rows, vector: NDArray[np.float32]) -> Column:
        """Return how similar the vectors at some positions of the file are to another; where most
        of them are asked for, all are compared in their order, which is faster.
        """
        values = self._reader.values("papers")
        whole = 2 * positions.size > len(values)
        wanted = np.arange(len(values)) if whole else positions
        parts = (
            distances.similarities(
                values[start : start + _PART] if whole else values[wanted[start : start + _PART]],
                vector,
                self.about.distance,
            )
            for start in range(0, wanted.size, _PART)
        )
        found = np.concatenate([np.zeros(0), *parts])
        return found[positions] if whole else found

    @cached_property
    def _placed(self) -> tuple[Rows, Rows]:
        """The rows that have a vector, and its position in the file; reads every paper once."""
        rows = self._papers.rows
        batches = (rows[start : start + _PART] for start in range(0, rows.size, _PART))
        hashes = [text_hashes(self._papers.read(batch)) for batch in batches]
        every = np.concatenate([np.zeros(0, np.uint64), *hashes])
        positions, known = _lookup(self._reader.keys("papers"), every)
        return rows[known], positions[known]


def load(library: Path) -> VectorReader | None:
    """Return a library's vectors, None where it has none; should they be replaced meanwhile, the
    newer ones.
    """
    return load_folder(library / VECTORS)


def set_folder(library: Path, model: str) -> Path:
    """Return the folder for the papers' vectors of an encoder that is not the one of spans."""
    return library / VECTORS / f"{digest(model):016x}"


def set_folders(library: Path) -> list[Path]:
    """Return the folders of further sets of papers' vectors, finished or not."""
    found = (library / VECTORS).glob("*") if (library / VECTORS).is_dir() else ()
    return sorted(each for each in found if _SET.fullmatch(each.name) and each.is_dir())


def load_folder(folder: Path) -> VectorReader | None:
    """Return the vectors that a folder's manifest names; None where it has none."""
    for _ in range(_ATTEMPTS):
        manifest = _read(folder / _FINISHED)
        if manifest is None:
            return None
        try:
            check_at_opening(folder, _files(manifest))
            return VectorReader.of(folder, manifest)
        except (FileNotFoundError, ValueError) as error:  # gone, or damaged
            problem = str(error)
    raise _damaged(folder, problem)


def _files(manifest: VectorManifest) -> dict[str, FileEntry]:
    return {name: entry for part in manifest.parts for name, entry in part.files.items()}


def _damaged(folder: Path, problem: str) -> BadLibrary:
    is_set = _SET.fullmatch(folder.name) is not None
    library, papers = (
        (folder.parents[1], " --papers --model NAME") if is_set else (folder.parent, "")
    )
    return BadLibrary(
        f"{folder}: damaged ({problem}); delete this folder, which the library can do without, "
        f"and make the vectors anew with: citewise encode --library {library}{papers}"
    )


def _read(file: Path) -> VectorManifest | None:
    try:
        return msgspec.json.decode(unsealed(file.read_bytes()), type=VectorManifest)
    except FileNotFoundError:
        return None
    except ValueError as error:  # msgspec's errors are ValueErrors
        raise _damaged(file.parent, f"{file.name}: {error}") from None


class VectorWriter:
    """Gives a library vectors of one encoder; its user must have the library's writer lock."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        """Go on with the vectors of the same encoder; those of another stay until `finish`."""
        self._folder, self._encoder, about = folder, encoder, encoder.about
        manifests = (_read(self._folder / name) for name in (_UNFINISHED, _FINISHED))
        self._manifest = next(
            (each for each in manifests if each and each.encoder == about), VectorManifest(about)
        )

    def encode(
        self,
        kind: Kind,
        hashes: Hashes,
        texts: Callable[[NDArray[np.int64]], Sequence[str]],
        progress: Callable[[int, int], None],
    ) -> int:
        """Encode the texts that have no vector yet; return how many these were.

        `texts` returns the texts at some positions in `hashes`.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        wanted, positions = np.unique(hashes, return_index=True)
        positions = np.sort(positions[~self._reader().has_vectors(kind, wanted)])

        for start in range(0, positions.size, _STEP):
            here = positions[start : start + _STEP]
            vectors = self._encoder.encode(texts(here))
            if kind == "spans" and self._encoder.about.distance == "l2":
                vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
            order = np.argsort(hashes[here])
            self._keep(kind, hashes[here][order], [vectors[order].astype(np.float16)])
            replace(self._folder / _UNFINISHED, sealed(msgspec.json.encode(self._manifest)))
            progress(start + here.size, positions.size)
        return int(positions.size)

    def finish(self, wanted: dict[Kind, Hashes]) -> None:
        """Write all vectors of wanted digests anew, as one part of each kind, and switch readers to
        them.
        """
        reader = self._reader()
        if _read(self._folder / _FINISHED) == self._manifest and all(
            np.isin(reader.keys(kind), hashes).all() for kind, hashes in wanted.items()
        ):
            return

        self.copy(reader, wanted)

    def copy(self, reader: VectorReader, wanted: dict[Kind, Hashes]) -> None:
        """Write the vectors of wanted digests that a reader has, and switch readers to them."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._manifest = VectorManifest(self._manifest.encoder)
        for kind, hashes in wanted.items():
            keys = np.intersect1d(reader.keys(kind), hashes)
            if not keys.size:
                continue
            self._keep(
                kind,
                keys,
                (
                    reader.find(kind, keys[start : start + _PART])
                    for start in range(0, keys.size, _PART)
                ),
            )

        replace(self._folder / _FINISHED, sealed(msgspec.json.encode(self._manifest)))
        self._collect_garbage()

    def _reader(self) -> VectorReader:
        return VectorReader.of(self._folder, self._manifest)

    def _keep(self, kind: Kind, keys: Hashes, vectors: Iterable[NDArray[np.float16]]) -> None:
        """Write a part, durably, and add it to the manifest in memory."""
        own = [file for file in self._folder.glob("*.keys") if is_own(VECTORS, file.name)]
        name = f"{1 + max((int(file.stem) for file in own), default=0):06d}"
        files = {suffix: self._folder / f"{name}.{suffix}" for suffix in ("keys", "values")}

        write_array(files["keys"], keys, np.uint64)
        with files["values"].open("wb") as file:
            for each in vectors:
                file.write(each.astype("<f2").tobytes())

        for written in files.values():
            sync(written)
        sync(self._folder)

        entries = {
            path.name: FileEntry(path.stat().st_size, checksum(path)) for path in files.values()
        }
        self._manifest = VectorManifest(
            self._manifest.encoder, (*self._manifest.parts, Part(name, kind, entries))
        )

    def _collect_garbage(self) -> None:
        used = {name for part in self._manifest.parts for name in part.files} | {_FINISHED}
        for file in self._folder.iterdir():
            if file.name not in used and is_own(VECTORS, file.name):
                with contextlib.suppress(OSError):  # still open (on Windows)
                    file.unlink()


def problems(library: Path) -> Iterator[str]:
    """Yield what is wrong with a library's vectors, one message a problem."""
    for folder in (library / VECTORS, *set_folders(library)):
        yield from _folder_problems(folder, folder.relative_to(library).as_posix())


def _folder_problems(folder: Path, shown: str) -> Iterator[str]:
    try:
        manifest, unfinished = _read(folder / _FINISHED), _read(folder / _UNFINISHED)
    except BadLibrary as error:
        yield str(error)
        return

    files = {
        name: entry
        for each in (unfinished, manifest)
        if each
        for name, entry in _files(each).items()
    }
    found = (file_problem(folder, name, entry) for name, entry in files.items())
    damaged = [f"{shown}/{problem}" for problem in found if problem]
    yield from damaged
    if manifest is None or damaged:
        return

    for part, (_, keys, values) in zip(
        manifest.parts, VectorReader.of(folder, manifest).parts, strict=True
    ):
        if keys.size != len(values) or not (keys[1:] > keys[:-1]).all():
            yield f"{shown}/{part.name}: its digests and its vectors do not belong together"
        are_units = part.kind == "spans" or manifest.encoder.distance == "cosine"
        for start in range(0, len(values), _PART):
            lengths = np.linalg.norm(values[start : start + _PART].astype(np.float32), axis=1)
            if not np.isfinite(lengths).all():
                yield f"{shown}/{part.name}: vectors {start:,} and following are not all numbers"
            elif are_units and not (np.abs(lengths - 1) < _LENGTH_ERROR).all():
                yield f"{shown}/{part.name}: vectors {start:,} and following are not of length 1"
