"""A sharded library as its readers see it: a coordinator with its tables, and shards to ask."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.evidence import ShardedEvidence
from citewise.engines.shards.manifest import COORDINATOR, ShardsManifest, folder_name
from citewise.engines.shards.papers import RowYears, ShardedDirections, ShardedPapers
from citewise.engines.shards.scatter import Scatter
from citewise.engines.shards.terms import ShardedIndex, ShardedTerms
from citewise.engines.shards.transport import LocalTransport, Transport
from citewise.engines.shards.vectors import ShardedVectors
from citewise.errors import BadLibrary
from citewise.library.checks import check_at_opening
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.files import read_array
from citewise.library.graph import GraphStore
from citewise.library.lexical import LexicalStore
from citewise.library.models import ModelStore
from citewise.library.tables import Adjacency, Lookup, Tables
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import FIELDS, Together
from citewise.types import StoreInfo


class ShardedStores:
    """`protocols.Stores` over shards; it stays at the generation that it was opened at.

    Stages that know a library by its protocols give the same answers over it as over the library
    that was cut.
    """

    def __init__(
        self, folder: Path, manifest: ShardsManifest, transport: Transport, location: str
    ) -> None:
        """`location` is what `citewise.open` takes to open the same shards."""
        self.manifest, self._location = manifest, location
        coordinator = folder / folder_name(manifest.generation) / COORDINATOR
        try:
            check_at_opening(coordinator, manifest.files_of(COORDINATOR))
            self._open(coordinator, Scatter(transport, len(manifest.shards)))
        except (FileNotFoundError, ValueError) as error:
            raise BadLibrary(
                f"{coordinator}: damaged ({error}); restore its files from a copy, or cut the "
                "library again with: citewise shard"
            ) from None

    @classmethod
    def local(cls, folder: Path | str) -> "ShardedStores":
        """Open the current generation of a folder of shards, all of them in this process."""
        where = Path(folder)
        manifest = manifests.load(where)
        return cls(where, manifest, LocalTransport(where, manifest), str(where))

    def _open(self, folder: Path, scatter: Scatter) -> None:
        manifest, tables = self.manifest, _tables(folder)
        years = RowYears(read_array(folder / "years", np.int16))
        self._terms_known, lengths = (
            Vocabulary(folder),
            {field: read_array(folder / f"{field}.lengths", np.uint32) for field in FIELDS},
        )
        citing = read_array(folder / "citing", np.int64)

        self.papers = ShardedPapers(self._location, years, tables, scatter)
        directions = ShardedDirections(citing, scatter)
        self._scatter = scatter
        self.graph = GraphStore(directions, years.years)
        self.terms = ShardedTerms(
            years,
            tables,
            self._terms_known,
            manifest.papers,
            (manifest.lengths, lengths),
            scatter,
        )
        index = ShardedIndex(self.terms, manifest.papers, directions.references, scatter)
        self.lexical = LexicalStore(index, self.papers, self.terms)
        self.evidence = ShardedEvidence(
            EvidenceTables.load(folder), manifest.evidence, self.papers, scatter
        )
        self.vectors = ShardedVectors(manifest, self.papers, directions.references, scatter)
        self.models = ModelStore(folder)

    @property
    def together(self) -> Together:
        """What runs functions that ask the shards: they share round trips."""
        return self._scatter.together

    @property
    def info(self) -> StoreInfo:
        """What this library is, and which state of it is open."""
        return replace(
            self.manifest.library,
            location=self._location,
            generation=self.manifest.generation,
            written=self.manifest.written,
            segments=len(self.manifest.shards),
            bytes_on_disk=self.manifest.bytes_on_disk,
        )


def _tables(folder: Path) -> Tables:
    """Return what a coordinator has of the library's tables: frequencies, and deleted rows."""
    nothing = Lookup(np.zeros(0, np.uint64), np.zeros(0, np.uint32))
    nobody = Adjacency(np.zeros(1, np.int64), np.zeros(0, np.uint32))
    return Tables(
        deleted=read_array(folder / "deleted", np.int64),
        keys=nothing,
        titles=nothing,
        authors=nothing,
        references=nobody,
        citers=nobody,
        frequencies={
            name: read_array(folder / f"{name}.frequencies", np.uint32)
            for name in (*FIELDS, "text")
        },
    )
