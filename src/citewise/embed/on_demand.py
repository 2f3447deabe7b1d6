"""Vectors of papers that are encoded only when a query asks for them, and kept in the user's cache.

Encoding a whole library takes hours; a query's first papers take a second. What is kept is found by
a hash of the text, so that it is right for any library that holds it.
"""

import contextlib
import functools
import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import Encoder, Papers, form_of
from citewise.types import Query

Floats = NDArray[np.float32]

_QUERIES_KEPT = 4
_VARIABLES = 500
"""Keys that are looked up at once: SQLite takes 999 in one statement in its oldest versions."""


class VectorCache:
    """Vectors of one model by the text that they were made of, in a file; in memory where no file
    can be written.
    """

    def __init__(self, file: Path, size: int) -> None:
        self._size, self._lock = size, threading.Lock()
        self._database = _opened(file)

    def of(self, texts: Sequence[str], encode: Callable[[list[str]], Floats]) -> Floats:
        """Return one vector a text; those that are not known are encoded, and kept."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        with self._lock:
            known = self._known(list(dict.fromkeys(keys)))

        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = encode([*missing.values()]).astype("<f4")
            fresh = {key: vector.tobytes() for key, vector in zip(missing, made, strict=True)}
            with self._lock:
                self._keep(fresh)
            known |= fresh
        vectors = [np.frombuffer(known[key], "<f4") for key in keys]
        return np.stack(vectors) if vectors else np.zeros((0, self._size), np.float32)

    def _known(self, keys: list[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _VARIABLES):
            some = keys[start : start + _VARIABLES]
            marks = ",".join("?" * len(some))
            rows = self._database.execute(
                f"SELECT key, vector FROM vectors WHERE key IN ({marks})",  # noqa: S608 (marks only)
                some,
            )
            found |= {key: vector for key, vector in rows if len(vector) == 4 * self._size}
        return found

    def _keep(self, vectors: dict[bytes, bytes]) -> None:
        # a full or read-only disk costs the time to encode again, not the answer
        with contextlib.suppress(sqlite3.OperationalError), self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)", vectors.items()
            )


def _opened(file: Path) -> sqlite3.Connection:
    """Return a database with the table of vectors: that of the file, or one in memory where the
    file cannot be used.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return _with_table(str(file))
    except (OSError, sqlite3.Error):
        return _with_table(":memory:")


def _with_table(name: str) -> sqlite3.Connection:
    database = sqlite3.connect(name, timeout=10, check_same_thread=False)
    with database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
    return database


def cache_file(encoder: Encoder) -> Path:
    """Return the file in the user's cache for the vectors of an encoder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewise"
    return cache / "vectors" / f"{encoder.about.digest}-{encoder.about.precision}.sqlite"


class TextCosines:
    """How similar papers are to a query by an encoder, which encodes them when they are asked for:
    the cosine, or less their distance for models that are compared by it.
    """

    def __init__(self, papers: Papers, encoder: Encoder, cache: VectorCache | None = None) -> None:
        self._papers, self._encoder = papers, encoder
        self._cache = cache or VectorCache(cache_file(encoder), encoder.about.size)
        self._query = functools.lru_cache(_QUERIES_KEPT)(self._encoded)

    def __call__(self, query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the similarity of each paper to the query."""
        form = form_of(self._encoder)
        fields = (query.sentence, "") if query.sentence.strip() else (query.title, query.abstract)
        vector = self._query(form.query(*fields))
        texts = [form.paper(each.title, each.abstract) for each in self._papers.read(rows)]
        vectors = self._cache.of(texts, self._encoder.encode)

        if self._encoder.about.distance == "l2":
            return np.asarray(-np.linalg.norm(vectors - vector, axis=1), np.float64)
        return (vectors @ vector).astype(np.float64)

    def _encoded(self, text: str) -> Floats:
        vector: Floats = self._encoder.encode([text])[0]
        return vector
