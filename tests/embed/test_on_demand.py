"""Vectors on demand: encoded once, kept in the cache, right after a text has changed."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from citewise.embed.on_demand import TextCosines, VectorCache, cache_file
from citewise.memory import MemoryStores
from citewise.protocols import EncodedBy
from citewise.types import Paper, Query


class Counting:
    """An encoder of bees and ants that remembers what it was asked."""

    def __init__(self, distance: str = "cosine") -> None:
        self.about = EncodedBy("counting", "fp32", "abc", 2, distance)  # type: ignore[arg-type]
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        counted = [[text.count("bee") + 1e-9, text.count("ant")] for text in texts]
        vectors = np.array(counted, np.float32)
        if self.about.distance == "l2":
            return vectors
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


STORES = MemoryStores.of(
    [Paper("b", "bee"), Paper("a", "ant"), Paper("both", "bee", "ant"), Paper("c", "bee bee")]
)
ROWS = np.array([0, 1, 2])


def test_cosines_are_those_of_the_texts(tmp_path: Path) -> None:
    encoder = Counting()
    found = TextCosines(STORES.papers, encoder, VectorCache(tmp_path / "c", 2))(Query("bee"), ROWS)
    assert np.allclose(found, [1, 0, np.sqrt(0.5)], atol=1e-6)


def test_distances_count_where_a_model_is_compared_by_them(tmp_path: Path) -> None:
    cosines = TextCosines(STORES.papers, Counting("l2"), VectorCache(tmp_path / "c", 2))
    assert np.allclose(cosines(Query("bee"), np.array([0, 3, 1])), [0, -1, -np.sqrt(2)], atol=1e-6)


def test_what_is_known_is_not_encoded_again(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    file = tmp_path / "cache" / "c"
    one = TextCosines(STORES.papers, first, VectorCache(file, 2))(Query("bee"), ROWS[:2])
    other = TextCosines(STORES.papers, second, VectorCache(file, 2))(Query("bee"), ROWS)
    assert sorted(first.asked) == ["ant", "bee", "bee"]
    assert sorted(second.asked) == ["bee", "bee ant"]  # the query, and the new paper
    assert np.allclose(one, other[:2])


def test_a_text_that_has_changed_is_encoded(tmp_path: Path) -> None:
    encoder, cache = Counting(), VectorCache(tmp_path / "c", 2)
    TextCosines(STORES.papers, encoder, cache)(Query("bee"), ROWS[:1])
    changed = MemoryStores.of([Paper("b", "ant")])
    found = TextCosines(changed.papers, encoder, cache)(Query("bee"), ROWS[:1])
    assert np.allclose(found, 0, atol=1e-6)


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    cosines = TextCosines(STORES.papers, Counting(), VectorCache(tmp_path / "file" / "c", 2))
    assert np.allclose(cosines(Query("bee"), ROWS[:2]), [1, 0], atol=1e-6)


def test_a_damaged_cache_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"no database" * 100)
    cosines = TextCosines(STORES.papers, Counting(), VectorCache(tmp_path / "c", 2))
    assert np.allclose(cosines(Query("bee"), ROWS[:2]), [1, 0], atol=1e-6)


def test_the_cache_is_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_file(Counting()) == tmp_path / "citewise" / "vectors" / "abc-fp32.sqlite"


def test_nothing_asked_is_nothing_found(tmp_path: Path) -> None:
    cosines = TextCosines(STORES.papers, Counting(), VectorCache(tmp_path / "c", 2))
    assert cosines(Query("bee"), ROWS[:0]).size == 0
