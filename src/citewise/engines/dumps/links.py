"""The seventh step: references become rows, one range of hashes of ids at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from citewise.arrays import Hashes, Rows
from citewise.engines.dumps.changes import Part
from citewise.engines.dumps.matching import within
from citewise.engines.dumps.parts import PARTS
from citewise.engines.dumps.plan import Build
from citewise.library.files import read_array, write_array
from citewise.library.tables import Adjacency, Edges, Lookup

LINKS = "links"
DIRECTIONS = ("references", "citers")
_SHIFT, _LOW = 32, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class ResolveReferences:
    """Finds the papers that references name, of one range of hashes."""

    build: Build
    number: int
    bounds: tuple[int, int]
    parts: tuple[Part, ...]

    @property
    def folder(self) -> Path:
        """Where the citations are."""
        return self.build.place(LINKS, self.number)

    def write(self, folder: Path) -> None:
        """Write citations, by the shard of the citing paper and by that of the cited one."""
        keys = Lookup.of(*self._found("keys"))
        references, sources = self._found("references")
        targets = keys.find(references)
        known = np.flatnonzero((targets >= 0) & (targets != sources))
        sources, targets = sources[known], targets[known]

        for name, one, other in zip(
            DIRECTIONS, (sources, targets), (targets, sources), strict=True
        ):
            self._save(folder, name, one, other)

    def _found(self, name: str) -> tuple[Hashes, Rows]:
        """Return the hashes of all parts in the range, and the rows that they belong to."""
        hashes, rows = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for number, part in enumerate(self.parts):
            lookup = Lookup.load(self.build.place(PARTS, number), name)
            found, local = within(lookup, self.bounds)
            hashes.append(found)
            rows.append(local + part.first_row)
        return np.concatenate(hashes), np.concatenate(rows)

    def _save(self, folder: Path, name: str, one: Rows, other: Rows) -> None:
        """Write pairs of rows as row of the shard << 32 | other row, shard by shard."""
        shards = self.build.plan.shards
        order = np.argsort(one % shards, kind="stable")
        edges = (one // shards << _SHIFT | other)[order]
        starts = np.searchsorted(one[order] % shards, np.arange(shards + 1))
        write_array(folder / name, edges, np.int64)
        write_array(folder / f"{name}.starts", starts, np.int64)


def adjacency(build: Build, tasks: Sequence[int], name: str, shard: int, rows: int) -> Adjacency:
    """Return one direction of the graph for the rows of a shard."""
    found: list[Edges] = [np.zeros(0, np.int64)]
    for number in tasks:
        folder = build.place(LINKS, number)
        starts = read_array(folder / f"{name}.starts", np.int64)
        found.append(read_array(folder / name, np.int64)[starts[shard] : starts[shard + 1]])

    edges = np.sort(np.concatenate(found))
    return Adjacency.of(edges[np.flatnonzero(np.diff(edges, prepend=-1))], rows)
