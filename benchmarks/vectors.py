"""The search for a paper's nearest neighbours: how many of the exact ones are found, and how fast,
beside hnswlib and usearch on the same vectors.

    python benchmarks/vectors.py            (some twenty minutes, four gigabytes)
    python benchmarks/vectors.py cs         (one collection only; the others' figures are kept)
    python benchmarks/vectors.py 2000000 --alone          (without the rivals)

`cs` are the vectors of that corpus by the model that ships, asked by drafts of 2021. The others are
synthetic, as many as their name says: topics of very different sizes, with most of the variation
within a topic in a few directions. Searches run in turns, on one thread. A rival that is not
installed is left out: pip install hnswlib usearch.
"""

import argparse
import gc
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.embed.query_vectors import query_vectors
from citewise.embed.word_models import NNSELECT
from citewise.library.embeddings.codes import Probe, Runs, coded, scale_of
from citewise.library.embeddings.lists import InvertedLists, assigned, centroids_of
from lab import CORPORA, library_of, split_of
from measuring import RESULTS, save

COLLECTIONS, SIZE, K, QUERIES, ROUNDS = ("cs", "315000", "2000000"), 128, 100, 100, 3
"""SIZE is that of synthetic vectors."""
TOPICS, DIRECTIONS, CHUNK = 2_000, 24, 50_000
LINKS, BUILD_DEPTH, DEPTHS = 16, 100, (50, 100, 200, 400)

Floats = NDArray[np.float32]
Search = Callable[[Floats], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Built:
    """An engine with the vectors in it."""

    search: Search
    seconds: float
    megabytes: float


def synthetic(count: int) -> tuple[Floats, Floats]:
    """Return vectors, and queries from the same topics."""
    dice = np.random.default_rng(0)
    topics = dice.normal(size=(TOPICS, SIZE))
    directions = dice.normal(size=(DIRECTIONS, SIZE)) * np.linspace(1, 0.2, DIRECTIONS)[:, None]
    own = np.minimum(dice.zipf(1.3, count + QUERIES), 10**6) % TOPICS

    vectors = np.empty((own.size, SIZE), np.float32)
    for start in range(0, own.size, CHUNK):
        here = own[start : start + CHUNK]
        within = dice.normal(size=(here.size, DIRECTIONS)) @ directions
        noise = dice.normal(size=(here.size, SIZE))
        vectors[start : start + CHUNK] = topics[here] + 0.5 * within + 0.3 * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors[:count], vectors[count:]


def of_papers(corpus: str) -> tuple[Floats, Floats]:
    """Return the vectors of a corpus's papers, and those of some of its dev drafts."""
    stores = library_of(corpus).stores
    named = query_vectors(stores, NNSELECT)
    questions = split_of(corpus, library_of(corpus), CORPORA[corpus][0]).questions(stores, "dev")
    drafts = np.array([named.of(each.query) for each in questions[:QUERIES]], np.float32)
    vectors = named.papers.of(stores.papers.rows)
    return vectors[~np.isnan(vectors).any(1)], drafts


def memory() -> float:
    """Return the megabytes of this process that are in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def ours(codes: Runs, scale: float) -> tuple[Built, dict[str, float]]:
    """Return the lists over the codes, and what making each part took."""
    before, start = memory(), time.perf_counter()
    centroids = centroids_of(codes, scale)
    trained = time.perf_counter()
    lists = np.concatenate([*assigned(codes, scale, centroids)])
    listed = time.perf_counter()
    inverted = InvertedLists(codes, lists, centroids, scale)
    filled = time.perf_counter()
    everything = np.ones(len(codes), np.bool_)

    def search(vector: Floats) -> NDArray[np.int64]:
        rows = inverted.search(vector, K, everything, len(codes))
        cosines = Probe(vector, scale).cosines(codes, rows)
        return rows[np.lexsort((rows, -cosines))[:K]]

    parts = {"centroids": trained - start, "lists": listed - trained, "opening": filled - listed}
    return Built(search, filled - start, memory() - before), parts


def exact(codes: Runs, size: int) -> Search:
    """Return a search by faiss that compares all codes of vectors with `size` numbers."""
    import faiss

    scale = scale_of(size)
    index = faiss.IndexScalarQuantizer(
        size, faiss.ScalarQuantizer.QT_8bit_uniform, faiss.METRIC_INNER_PRODUCT
    )
    trained = np.array([-128.5 * scale, 255 * scale], np.float32)
    faiss.copy_array_to_vector(trained, index.sq.trained)
    index.is_trained = True
    for chunk in codes.chunks(CHUNK):
        index.add(chunk.astype(np.float32) * np.float32(scale))
    return lambda vector: index.search(vector[np.newaxis], K)[1][0]


def hnswlib_of(vectors: Floats) -> Callable[[int], Built]:
    import hnswlib

    before, start = memory(), time.perf_counter()
    index = hnswlib.Index(space="ip", dim=vectors.shape[1])
    index.init_index(len(vectors), ef_construction=BUILD_DEPTH, M=LINKS, random_seed=1)
    index.add_items(vectors)
    seconds, grown = time.perf_counter() - start, memory() - before

    def at(depth: int) -> Built:
        def search(vector: Floats) -> NDArray[np.int64]:
            index.set_ef(max(depth, K))
            return index.knn_query(vector, K, num_threads=1)[0][0].astype(np.int64)

        return Built(search, seconds, grown)

    return at


def usearch_of(vectors: Floats) -> Callable[[int], Built]:
    from usearch.index import Index

    before, start = memory(), time.perf_counter()
    index: Any = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="i8",
        connectivity=LINKS,
        expansion_add=BUILD_DEPTH,
    )
    index.add(np.arange(len(vectors)), vectors)
    seconds, grown = time.perf_counter() - start, memory() - before

    def at(depth: int) -> Built:
        def search(vector: Floats) -> NDArray[np.int64]:
            index.expansion_search = max(depth, K)
            return index.search(vector, K, threads=1).keys.astype(np.int64)

        return Built(search, seconds, grown)

    return at


RIVALS = {"hnswlib": hnswlib_of, "usearch": usearch_of}


def compared(searches: dict[str, Search], queries: Floats) -> dict[str, dict[str, float]]:
    """Return recall and time of each search; "exact" is what the others are compared with."""
    found = {name: [search(query) for query in queries] for name, search in searches.items()}
    times: dict[str, list[float]] = {name: [] for name in searches}
    for _ in range(ROUNDS):
        for query in queries:
            for name, search in searches.items():
                start = time.perf_counter()
                search(query)
                times[name].append(time.perf_counter() - start)

    milliseconds = {name: 1000 * float(np.median(each)) for name, each in times.items()}
    return {
        name: {
            "recall@100": round(float(np.mean([*map(_recall, found["exact"], rows)])), 4),
            "milliseconds": round(milliseconds[name], 3),
            "of exact's time": round(milliseconds[name] / milliseconds["exact"], 3),
        }
        for name, rows in found.items()
    }


def _recall(wanted: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    return float(np.isin(wanted, found).mean())


def measured(collection: str, rivals: Mapping[str, Callable[[Floats], Any]]) -> dict:
    """Return what we and rivals make of the vectors of a corpus, or of as many synthetic ones."""
    synthesised = collection.isdigit()
    vectors, queries = synthetic(int(collection)) if synthesised else of_papers(collection)
    count, size = vectors.shape
    codes = Runs([coded(vectors, scale_of(size))])
    built, parts = ours(codes, scale_of(size))
    searches = {"exact": exact(codes, size), "citewise": built.search}
    engines = {"citewise": built}

    for name, rival in rivals.items():
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed, and left out", file=sys.stderr)
            continue
        at = rival(vectors)
        engines[name] = at(K)
        searches |= {f"{name}, depth {depth}": at(depth).search for depth in DEPTHS}
    del vectors
    gc.collect()

    return {
        "of": "synthetic" if synthesised else collection,
        "vectors": count,
        "size": size,
        "codes in MB": round(count * size / 1e6, 1),
        "seconds of ours": {name: round(each, 2) for name, each in parts.items()},
        "built": {
            name: {"seconds": round(each.seconds, 1), "MB": round(each.megabytes, 1)}
            for name, each in engines.items()
        },
        "searches": compared(searches, queries),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()

    found = {_name(each): each for each in before()}
    for collection in asked.collections:
        found[collection] = measured(collection, {} if asked.alone else RIVALS)
    save("vectors", {"k": K, "measured": [*found.values()]})


def before() -> list[dict]:
    """Return what an earlier run measured."""
    file = RESULTS / "vectors.json"
    return json.loads(file.read_text())["measured"] if file.exists() else []


def _name(found: dict) -> str:
    return str(found["vectors"]) if found["of"] == "synthetic" else str(found["of"])


if __name__ == "__main__":
    main()
