"""The matrix of libraries and defaults: what `best` and `evidence` find in libraries of every kind,
against `bm25`.

    python benchmarks/defaults.py [100]

100 queries of each world; some ten minutes of a core, the libraries not counted.

Rows are kinds of libraries, made from the three collections of citing sentences and from `cs` and
`elife`; columns are the default for drafts, the default for sentences without and with their draft,
and `best` asked for a sentence. Queries are those of dev; each row pools the queries of all worlds.
"""

import functools
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import citewise
from citewise.arrays import Rows
from citewise.evaluate import Hits, parse_measures
from citewise.evaluate.measures import significance
from citewise.memory import MemoryStores
from citewise.types import Query
from measuring import save
from worlds import (
    Asked,
    World,
    collection,
    corpus,
    in_no_language,
    small,
    together,
    with_citations,
    with_evidence,
    without_abstracts,
    without_years,
)

MEASURES, DEPTH = parse_measures("R@10 MRR@100"), 100
IN_MEMORY = 2_000
"""A library of fewer papers is made in memory."""

DRAFTS, ALONE, WITH_DRAFT = "drafts", "sentences", "sentences with their draft"
BEST = "best for sentences"
COLUMNS = {DRAFTS: "best", ALONE: "evidence", WITH_DRAFT: "evidence", BEST: "best"}
"""The system that is compared with bm25, by what is asked."""

Kinds = dict[str, Callable[[Sequence[World]], Iterable[World]]]


def each(*changes: Callable[[World], World]) -> Callable[[Sequence[World]], Iterator[World]]:
    """Return the kind of library that some changes make of every world."""

    def changed(world: World) -> World:
        return functools.reduce(lambda poorer, change: change(poorer), changes, world)

    return lambda worlds: map(changed, worlds)


def of_size(size: int, *changes: Callable[[World], World]) -> Callable[..., Iterator[World]]:
    """Return the kind of small libraries."""
    return lambda worlds: (few for world in each(*changes)(worlds) for few in small(world, size))


ANY: Kinds = {
    "no abstracts": each(without_abstracts),
    "no years": each(without_years),
    "letters exchanged: no stop word, no English ending": each(in_no_language),
    "several fields in one library": lambda worlds: [together(worlds)],
    "ten papers": of_size(10),
    "100 papers": of_size(100),
    "200 papers": of_size(200),
    "1,000 papers": of_size(1_000),
}
KINDS: dict[str, Kinds] = {
    "collections of citing sentences": {
        "all evidence": each(),
        "a tenth of the evidence": each(with_evidence(10)),
        "a hundredth of the evidence": each(with_evidence(1)),
        "no evidence": each(with_evidence(0)),
        **ANY,
        "a tenth of the evidence, no abstracts": each(with_evidence(10), without_abstracts),
        "a tenth of the evidence, 1,000 papers": of_size(1_000, with_evidence(10)),
    },
    "papers with references, no citing sentences": {
        "all citations": each(),
        "a tenth of the citations": each(with_citations(10)),
        "a hundredth of the citations": each(with_citations(1)),
        "no citations": each(with_citations(0)),
        **ANY,
    },
}


WORLDS: dict[str, tuple[Callable[[str], World], tuple[str, ...]]] = {
    "collections of citing sentences": (collection, ("peerread", "scisummnet", "evoeco")),
    "papers with references, no citing sentences": (corpus, ("cs", "elife")),
}


def main() -> None:
    with ProcessPoolExecutor(2) as processes:
        found = dict(zip(KINDS, processes.map(rows_of, KINDS), strict=True))
    save("defaults", {"measures": [*map(str, MEASURES)], "rows": found, **below(found)})


def rows_of(group: str) -> dict[str, dict]:
    """Return the rows of a group, by kind of library."""
    make, names = WORLDS[group]
    worlds = [*map(make, names)]
    found = {}
    for kind, made in KINDS[group].items():
        found[kind] = row_of(made(worlds))
        print(group, "|", kind, "|", found[kind], flush=True)
    return found


def row_of(worlds: Iterable[World]) -> dict:
    """Return a row of the matrix: each column's cell, of the queries of all worlds together."""
    rankings: dict[str, list[tuple[Rows, Rows]]] = defaultdict(list)
    gold: dict[str, list[list[int]]] = defaultdict(list)
    for world in worlds:
        for column, one, other, wanted in answered(world):
            rankings[column].append((one, other))
            gold[column].append(wanted)

    return {
        column: cell(*zip(*rankings[column], strict=True), gold[column])
        for column in COLUMNS
        if rankings[column]
    }


def answered(world: World) -> Iterator[tuple[str, Rows, Rows, list[int]]]:
    """Yield for each query the column, the answers of bm25 and of the default, and what is wanted;
    a query is left out whose papers are not in the library.
    """
    with LibraryOf(world) as library:
        by_words = functools.cache(
            lambda query: library.recommender("bm25").rank(query, DEPTH).rows
        )
        for column, asked in questions(world).items():
            default = library.recommender(COLUMNS[column])
            for query, keys in asked:
                rows = library.stores.papers.find(keys)
                if (rows >= 0).any():
                    found = default.rank(query, DEPTH).rows
                    yield column, by_words(query.alone), found, rows[rows >= 0].tolist()


def questions(world: World) -> dict[str, list[tuple[Query, tuple[str, ...]]]]:
    """Return the queries of each column with the ids of what they should find."""

    def pairs(every: Iterable[Asked]) -> list[tuple[Query, tuple[str, ...]]]:
        return [(asked.query, asked.gold) for asked in every]

    claims = pairs(world.claims)
    return {
        DRAFTS: pairs(world.drafts),
        ALONE: [(query.alone, keys) for query, keys in claims],
        WITH_DRAFT: claims,
        BEST: claims,
    }


class LibraryOf:
    """The library of a world, in memory or in a folder that is deleted afterwards."""

    def __init__(self, world: World) -> None:
        self._world, self._folder = world, Path()

    def __enter__(self) -> citewise.Library:
        records = [*self._world.papers, *self._world.sentences]
        if len(self._world.papers) < IN_MEMORY:
            return citewise.Library(MemoryStores.of(records))

        self._folder = Path(tempfile.mkdtemp())
        citewise.add(records, self._folder / "library", keep_versions=True)
        return citewise.open(self._folder / "library")

    def __exit__(self, *raised: object) -> None:
        if self._folder.name:
            shutil.rmtree(self._folder)


def cell(words: Sequence[Rows], found: Sequence[Rows], gold: list[list[int]]) -> dict:
    """Return by measure the values of bm25 and of the default, their ratio and the p-value."""
    one, other = Hits.of(words, gold, DEPTH), Hits.of(found, gold, DEPTH)
    cells: dict = {"queries": len(gold)}
    for measure in MEASURES:
        base, value = measure.of(one), measure.of(other)
        cells[str(measure)] = {
            "bm25": round(base, 4),
            "default": round(value, 4),
            "ratio": round(value / max(base, 1e-9), 3),
            "p": round(significance(measure.each(one), measure.each(other)), 4),
        }
    return cells


def below(found: dict[str, dict[str, dict]]) -> dict:
    """Return how many comparisons there are, and which are below bm25 beyond chance (p < .05)."""
    compared = [
        (f"{group}, {kind}: {column}, {measure}", values[str(measure)])
        for group, kinds in found.items()
        for kind, row in kinds.items()
        for column, values in row.items()
        for measure in MEASURES
    ]
    return {
        "comparisons": len(compared),
        "below bm25 beyond chance": [
            name for name, each in compared if each["ratio"] < 1 and each["p"] < 0.05
        ],
    }


if __name__ == "__main__":
    main()
