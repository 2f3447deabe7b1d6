"""The eighth step: one task writes one shard, with the code that cuts a library."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.engines.dumps.changes import Part
from citewise.engines.dumps.links import DIRECTIONS, adjacency
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.words import WORDS, numbered_segments
from citewise.engines.shards.cutting_evidence import Kind, cut_evidence
from citewise.engines.shards.cutting_vectors import RUN
from citewise.engines.shards.generations import unfinished
from citewise.engines.shards.manifest import ShardEntry, shard_name
from citewise.engines.shards.writing import PaperWriter, file_entries
from citewise.library import writer
from citewise.library.embeddings.codes import Runs, rows_with_vector, scale_of
from citewise.library.embeddings.lists import LARGE, assigned, centroids_of
from citewise.library.embeddings.store import FOLDER
from citewise.library.embeddings.writing import embedded
from citewise.library.files import read_array, write_array
from citewise.library.folder import LibraryFolder
from citewise.library.lexical import LexicalReader
from citewise.library.manifest import FileEntry, RunEntry, VectorSetEntry
from citewise.library.segment import Segment
from citewise.library.segments import Segments
from citewise.library.tables import Adjacency
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import FIELDS, EncodedBy, TermNumbers

NOTHING, CENTROIDS, FINISHED = "nothing", "centroids", "finished"


def shard_folder(build: Build, shard: int) -> Path:
    """Return the folder of a shard while its generation is written."""
    output = Path(build.plan.output)
    return unfinished(output, build.plan.generation) / shard_name(shard)


@dataclass(frozen=True, slots=True)
class MakeNothing:
    """Makes a library of nothing, from which the evidence of every shard is cut."""

    build: Build

    @property
    def folder(self) -> Path:
        """Where the library is."""
        return self.build.place(NOTHING)

    def write(self, folder: Path) -> None:
        """Write the library."""
        writer.add(folder, [])


class PartsSource:
    """The parts of a build as shards are written from them (`shards.writing.ShardSource`)."""

    def __init__(self, build: Build, parts: Sequence[Part], shard: int, links: int) -> None:
        self._build, self._shard, self._links = build, shard, links
        self.segments = numbered_segments(build, parts)
        self.deleted: Rows = np.zeros(0, np.int64)
        self.lengths = field_lengths(self.segments)

    def graph(self, rows: Rows) -> tuple[Adjacency, Adjacency]:
        """Return the references and the citers of the shard's rows."""
        references, citers = (
            adjacency(self._build, range(self._links), name, self._shard, rows.size)
            for name in DIRECTIONS
        )
        return references, citers


def field_lengths(segments: Segments) -> dict[str, int]:
    """Return the number of terms in all papers, by field."""
    return {
        field: sum(int(each.array(f"{field}.lengths").sum(dtype=np.int64)) for each in segments)
        for field in FIELDS
    }


@dataclass(frozen=True, slots=True)
class WriteShard:
    """Writes the papers of a shard, their graph, indexes and vectors."""

    build: Build
    shard: int
    parts: tuple[Part, ...]
    links: int
    """How many tasks have resolved references."""

    @property
    def folder(self) -> Path:
        """The shard's folder."""
        return shard_folder(self.build, self.shard)

    def write(self, folder: Path) -> None:
        """Write all but the inverted lists of vectors, which need the vectors of all shards."""
        shards = self.build.plan.shards
        source = PartsSource(self.build, self.parts, self.shard, self.links)
        papers = PaperWriter(source, self.shard, shards, folder)
        papers.write()

        nothing = LibraryFolder(self.build.place(NOTHING))
        kinds: tuple[Kind, ...] = ("spans", "received")
        for kind in kinds:
            cut_evidence(nothing, kind, (self.shard, shards), folder / "evidence" / kind)
        self._embed(Segments([Segment(folder / "segment", papers.rows.size)]), folder)

    def _embed(self, segments: Segments, folder: Path) -> None:
        """Write the vectors of the shard's papers, by each model."""
        vocabulary = Vocabulary(self.build.place(WORDS))

        def words(terms: TermNumbers) -> list[str]:
            return [vocabulary.word(term) for term in terms.tolist()]

        for name, model in self.build.models().items():
            (folder / FOLDER / name).mkdir(parents=True)
            entry = VectorSetEntry(model.about, scale_of(model.about.size))
            with (folder / FOLDER / name / f"{RUN}.codes").open("wb") as file:
                for codes in embedded(model, segments, words, 0, entry):
                    file.write(np.ascontiguousarray(codes, np.int8).data)


class DealtCodes(Runs):
    """The vectors of all shards in the order of the library: row r is row r // S of shard r % S."""

    def __init__(self, shards: Sequence[NDArray[np.int8]]) -> None:
        super().__init__(shards)

    def take(self, rows: Rows) -> NDArray[np.int8]:
        """Return some rows, in that order."""
        taken = np.zeros((rows.size, self.arrays[0].shape[1]), np.int8)
        for shard, codes in enumerate(self.arrays):
            here = np.flatnonzero(rows % len(self.arrays) == shard)
            taken[here] = codes[rows[here] // len(self.arrays)]
        return taken

    def chunks(self, chunk: int, start: int = 0) -> Iterator[NDArray[np.int8]]:
        """Yield all rows from `start` on, at most `chunk` at a time."""
        for first in range(start, len(self), chunk):
            yield self.take(np.arange(first, min(first + chunk, len(self))))


class FoundSet(msgspec.Struct, frozen=True):
    """A set of vectors over all shards."""

    about: EncodedBy
    papers: int
    """Papers that have a vector."""
    rows: int
    lists: int
    """Inverted lists, 0 where the set is too small for any."""


@dataclass(frozen=True, slots=True)
class FindCentroids:
    """Computes the centroids of large sets of vectors, as for one library."""

    build: Build

    @property
    def folder(self) -> Path:
        """Where the centroids are."""
        return self.build.place(CENTROIDS)

    def write(self, folder: Path) -> None:
        """Write the centroids of each set that has lists, and what is known of every set."""
        found = {}
        for name, model in self.build.models().items():
            about = model.about
            codes = DealtCodes(
                [
                    _codes(shard_folder(self.build, shard), name, about)
                    for shard in range(self.build.plan.shards)
                ]
            )
            papers, centroids = rows_with_vector(codes).size, np.zeros((0, about.size), np.float32)
            if papers >= LARGE:
                centroids = centroids_of(codes, scale_of(about.size))
                write_array(folder / f"{name}.centroids", centroids, np.float32)
            found[name] = FoundSet(about, papers, len(codes), len(centroids))
        (folder / "sets.json").write_bytes(msgspec.json.encode(found))


def _codes(shard: Path, name: str, about: EncodedBy) -> NDArray[np.int8]:
    return read_array(shard / FOLDER / name / f"{RUN}.codes", np.int8).reshape(-1, about.size)


def found_sets(build: Build) -> dict[str, FoundSet]:
    """Return the sets of vectors of a build."""
    content = (build.place(CENTROIDS) / "sets.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, FoundSet])


class FinishedShard(msgspec.Struct, frozen=True):
    """What the manifest says of a shard, and its files."""

    entry: ShardEntry
    files: dict[str, FileEntry]


@dataclass(frozen=True, slots=True)
class FinishShard:
    """Adds the inverted lists of vectors to a shard, and makes it durable."""

    build: Build
    shard: int

    @property
    def folder(self) -> Path:
        """Where the manifest's entry is."""
        return self.build.place(FINISHED, self.shard)

    def write(self, folder: Path) -> None:
        """Write what is missing in the shard's folder, then the entry; again gives the same."""
        own = shard_folder(self.build, self.shard)
        vectors = {name: self._listed(own, name, each) for name, each in self._sets().items()}
        rows = read_array(own / "segment" / "years", np.int16).size
        entry = ShardEntry(
            rows=rows, papers=rows, indexed=len(LexicalReader(own / "lexical")), vectors=vectors
        )
        finished = FinishedShard(entry, file_entries(own))
        (folder / "shard.json").write_bytes(msgspec.json.encode(finished))

    def _sets(self) -> dict[str, FoundSet]:
        return found_sets(self.build)

    def _listed(self, shard: Path, name: str, known: FoundSet) -> VectorSetEntry:
        """Return the entry of a set in the shard; its lists are written where it is large."""
        about, scale = known.about, scale_of(known.about.size)
        codes = _codes(shard, name, about)
        runs = (RunEntry(RUN, len(codes)),)
        if not known.lists:
            return VectorSetEntry(about, scale, runs)

        file = self.build.place(CENTROIDS) / f"{name}.centroids"
        centroids = read_array(file, np.float32).reshape(-1, about.size)
        lists = [np.zeros(0, np.uint16), *assigned(Runs([codes]), scale, centroids)]
        write_array(shard / FOLDER / name / f"{RUN}.lists", np.concatenate(lists), np.uint16)
        write_array(shard / FOLDER / name / f"{RUN}.centroids", centroids, np.float32)
        return VectorSetEntry(about, scale, runs, runs, RUN, known.rows)


def finished_shard(build: Build, shard: int) -> FinishedShard:
    """Return what is known of a shard that is finished."""
    content = (build.place(FINISHED, shard) / "shard.json").read_bytes()
    return msgspec.json.decode(content, type=FinishedShard)
