"""Pools: for each query a few papers that it cites among many that it does not, the same for every
system.

The benchmark MDCR is made of them (Medić and Šnajder, Large-scale evaluation of transformer-based
article encoders on the task of citation recommendation, 2022, section 4). `pool_building` makes
pools, `pool_scores` scores systems on them, `published` reads those of others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadInput, MissingData
from citewise.evaluate import guard as guards
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.recommend import scope_of
from citewise.systems import BASELINE
from citewise.types import Query

GRAPH, MOST_CITED, RANDOM = "graph", "most-cited", "random"
"""The kinds of negatives beside those that systems give, which have the systems' names."""

CITED = "cited"


class PoolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a pool is made of; the defaults are MDCR's."""

    systems: tuple[str, ...] = (BASELINE,)
    """The systems whose best answers become negatives."""
    models: int = 3
    """How many of them are used: the ones whose negatives have the least in common."""
    queries: int = 200
    """At most this many a field."""
    cited: int = 5
    negatives: int = 10
    """Of each kind."""
    depth: int = 200
    """Negatives are drawn from this many of a system's best and of a field's most cited papers."""
    abstract: bool = True
    """Whether only papers with an abstract are in pools."""
    prefilter: bool = False
    """Whether only papers with a year, a title, an abstract of at least 30 characters and at least
    3 citations are asked and drawn, as in MDCR.
    """
    newest: bool = False
    """Whether a field's queries are its newest papers; only those of one year are then drawn at
    random.
    """
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise BadInput for a setting that makes no sense."""
        least = min(self.models, self.queries, self.cited, self.negatives, self.depth)
        if least < 1 or not self.systems:
            raise BadInput(
                "pools need at least one system, query, cited paper and negative, drawn from at "
                "least one"
            )


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """A query's papers, by their ids."""

    id: str
    field: str
    cited: tuple[str, ...]
    negatives: dict[str, tuple[str, ...]]
    """By kind."""
    hidden: tuple[str, ...] = ()
    """Other versions and near-duplicates of the query."""


class _About(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a file of pools."""

    library: str
    settings: PoolSettings
    fields: dict[str, tuple[str, ...]]
    overlaps: dict[str, float]


@dataclass(frozen=True, slots=True)
class ResolvedPool:
    """A pool with the rows of a library."""

    field: str
    question: Question
    """Its gold rows are what it cites, and only the pool is ranked for it."""
    rows: Rows
    names: tuple[str, ...]
    """The ids of the rows, in their order."""
    negatives: dict[str, Rows]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The pools that a library can answer, and how much was left out."""

    pools: tuple[ResolvedPool, ...]
    absent_queries: int
    """Pools whose query, or all that it cites, the library lacks."""
    absent: int
    """Papers of the other pools that the library lacks."""
    unseen: int
    """Papers that their query may not see, younger than it or versions of it; 0 for published
    pools, which are scored as they are.
    """
    published: bool
    """Whether others made the pools."""


@dataclass(frozen=True, slots=True)
class Pools:
    """Pools by field, made for one state of a library, or published by others."""

    pools: tuple[Pool, ...]
    library: str = ""
    """The library's fingerprint; "" for published pools, which any library with their papers can
    answer.
    """
    settings: PoolSettings | None = None
    fields: Mapping[str, Sequence[str]] | None = None
    """Groups of labels, as given."""
    overlaps: Mapping[str, float] | None = None
    """For each system that was run, the mean Jaccard index of its best negatives with those of the
    others.
    """

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of negatives."""
        return tuple(dict.fromkeys(kind for pool in self.pools for kind in pool.negatives))

    def shortages(self) -> dict[str, tuple[int, int]]:
        """Return for each kind that lacks papers the number of such pools and of lacking papers."""
        if self.settings is None:
            return {}

        wanted = {CITED: self.settings.cited, **dict.fromkeys(self.kinds, self.settings.negatives)}
        lacking = {
            kind: [count - len(_of(pool, kind)) for pool in self.pools]
            for kind, count in wanted.items()
        }

        return {
            kind: (sum(count > 0 for count in counts), sum(counts))
            for kind, counts in lacking.items()
            if any(counts)
        }

    def resolve(self, stores: Stores, *, stale: bool = False) -> Resolved:
        """Return the pools with a library's rows; with `stale`, the library may have changed since
        they were made.
        """
        if self.library and stores.info.fingerprint != self.library and not stale:
            raise BadInput(
                f"the pools were made for a library with fingerprint {self.library}, "
                f"and {stores.info.location} now "
                f"has {stores.info.fingerprint}: build them again, or proceed with --stale "
                "(in Python: stale=True)"
            )

        names = sorted({name for pool in self.pools for name in (pool.id, *_all(pool))})
        rows = dict(zip(names, stores.papers.find(names).tolist(), strict=True))
        return _resolved(
            stores,
            self.pools,
            rows,
            near_known=stores.info.fingerprint == self.library,
            published=not self.library,
        )

    def save(self, path: str | Path) -> None:
        """Write a line about all pools, then a line for each, as JSON."""
        Path(path).write_bytes(b"".join(line + b"\n" for line in self.lines()))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of a saved file."""
        if self.settings is None:
            raise BadInput(
                "pools that were published by others are not written again: keep their file"
            )

        groups = {name: tuple(labels) for name, labels in (self.fields or {}).items()}
        yield msgspec.json.encode(
            _About(
                library=self.library,
                settings=self.settings,
                fields=groups,
                overlaps=dict(self.overlaps or {}),
            )
        )
        yield from map(msgspec.json.encode, self.pools)

    @classmethod
    def load(cls, path: str | Path) -> "Pools":
        """Read a file that `save` wrote."""
        try:
            first, *lines = Path(path).read_bytes().splitlines() or [b""]
            about = msgspec.json.decode(first, type=_About)
            pools = tuple(msgspec.json.decode(line, type=Pool) for line in lines if line.strip())
        except FileNotFoundError:
            raise MissingData(f"{path}: no such file; make it with: citewise pools build") from None
        except msgspec.MsgspecError as error:
            raise BadInput(f"{path}: not a file of pools ({error})") from None
        return cls(pools, about.library, about.settings, about.fields, about.overlaps)


def _of(pool: Pool, kind: str) -> tuple[str, ...]:
    """Return the ids of a pool's papers of a kind."""
    return pool.cited if kind == CITED else pool.negatives.get(kind, ())


def _all(pool: Pool) -> Iterator[str]:
    """Yield the papers of a pool, each once: a published one may have a paper in two kinds."""
    return iter(
        dict.fromkeys((*pool.cited, *(name for names in pool.negatives.values() for name in names)))
    )


def _resolved(
    stores: Stores,
    pools: Sequence[Pool],
    rows: Mapping[str, int],
    near_known: bool,
    published: bool,
) -> Resolved:
    """Return the pools with rows; `near_known`: their near-duplicates are hidden already."""
    own = np.unique([row for row in (rows[pool.id] for pool in pools) if row >= 0]).astype(np.int64)
    near = dict.fromkeys(own.tolist(), ()) if near_known else guards.near(stores, own)

    queries = {
        row: guards.query_of(paper, [other.id for other in stores.papers.read(near[row])])
        for row, paper in zip(own.tolist(), stores.papers.read(own), strict=True)
    }

    whole = [
        (pool, _with_rows(stores, pool, queries[rows[pool.id]], rows, published))
        for pool in pools
        if rows[pool.id] >= 0
    ]

    kept = [(pool, each) for pool, each in whole if each.question.gold]
    known = [{rows[name] for name in _all(pool)} - {-1} for pool, _ in kept]
    return Resolved(
        tuple(each for _, each in kept),
        absent_queries=len(pools) - len(kept),
        absent=sum(rows[name] < 0 for pool, _ in kept for name in _all(pool)),
        unseen=sum(map(len, known)) - sum(len(each.names) for _, each in kept),
        published=published,
    )


def _with_rows(
    stores: Stores, pool: Pool, query: Query, rows: Mapping[str, int], published: bool
) -> ResolvedPool:
    """Return a pool with rows; one of our own making without papers that its query may not see, a
    published one as it is.
    """
    query = replace(query, hidden=tuple(dict.fromkeys((*pool.hidden, *query.hidden))))
    names = {rows[name]: name for name in reversed([*_all(pool)]) if rows[name] >= 0}
    within = np.array(sorted(names), np.int64)
    if not published:
        within = within[stores.papers.in_scope(within, scope_of(stores.papers, query))]

    gold = {rows[name] for name in pool.cited}.intersection(within.tolist())
    wrong = {*within.tolist()} - gold
    negatives = {
        kind: np.array(sorted(wrong.intersection(rows[name] for name in names_of_kind)), np.int64)
        for kind, names_of_kind in pool.negatives.items()
    }

    question = Question(
        pool.id,
        query,
        tuple(sorted(gold)),
        within=tuple(within.tolist()),
        as_given=published,
    )
    return ResolvedPool(
        pool.field, question, within, tuple(names[row] for row in within.tolist()), negatives
    )
