"""Approximate search within a scope, against a comparison with every vector."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from citewise.arrays import Mask, Rows
from citewise.library.embeddings import lists
from citewise.library.embeddings.codes import Probe, Runs, coded, scale_of
from citewise.library.embeddings.lists import UNLISTED, InvertedLists, assigned, centroids_of

COUNT, SIZE = 20_000, 32
SCALE = scale_of(SIZE)


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float32]:
    """Vectors around 200 centres; every tenth is missing, and some are there twice."""
    dice = np.random.default_rng(3)
    found = dice.normal(size=(200, SIZE))[dice.integers(0, 200, COUNT)]
    found += 0.7 * dice.normal(size=(COUNT, SIZE))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found[::10] = np.nan
    found[5_001:5_009] = found[5_001]
    return found.astype(np.float32)


@pytest.fixture(scope="module")
def codes(vectors: NDArray[np.float32]) -> Runs:
    every = coded(vectors, SCALE)
    return Runs([every[:7_000], every[7_000:]])


@pytest.fixture(scope="module")
def inverted(codes: Runs) -> InvertedLists:
    centroids = centroids_of(codes, SCALE)
    return InvertedLists(codes, _assigned(codes, centroids), centroids, SCALE)


def _assigned(codes: Runs, centroids: NDArray[np.float32]) -> lists.Lists:
    return np.concatenate([*assigned(codes, SCALE, centroids)])


def _queries(vectors: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    return (vectors[row] for row in range(1, COUNT, 997) if row % 10)


def _exact(codes: Runs, vector: NDArray[np.float32], k: int, allowed: Mask) -> Rows:
    rows = np.flatnonzero(allowed)
    cosines = Probe(vector, SCALE).cosines(codes, rows)
    order = np.lexsort((rows, -cosines))
    return rows[order][: min(k, int((~np.isnan(cosines)).sum()))]


def test_each_vector_is_in_the_list_of_its_nearest_centroid(
    codes: Runs, vectors: NDArray[np.float32]
) -> None:
    centroids = centroids_of(codes, SCALE)
    assert np.linalg.norm(centroids, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(centroids, centroids_of(codes, SCALE)), "the same each time"

    found = _assigned(codes, centroids)
    known = ~np.isnan(vectors[:, 0])
    assert (found[~known] == UNLISTED).all()
    nearest = (vectors[known] @ centroids.T).argmax(axis=1)
    assert (found[known] == nearest).mean() > 0.99, "but for the rounding of vectors"


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_where_all_lists_are_searched_the_answer_is_exact(
    codes: Runs,
    vectors: NDArray[np.float32],
    inverted: InvertedLists,
    share: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lists, "_PROBED", 1.0)
    allowed = np.random.default_rng(5).random(COUNT) < share
    for vector in _queries(vectors):
        found = inverted.search(vector, 50, allowed, int(allowed.sum()))
        cosines = Probe(vector, SCALE).cosines(codes, found)
        best = found[np.lexsort((found, -cosines))][:50]
        assert best.tolist() == _exact(codes, vector, 50, allowed).tolist()


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_few_of_the_nearest_are_missed(
    codes: Runs, vectors: NDArray[np.float32], inverted: InvertedLists, share: float
) -> None:
    allowed = np.random.default_rng(5).random(COUNT) < share
    recall = [
        np.isin(
            _exact(codes, vector, 100, allowed),
            inverted.search(vector, 100, allowed, int(allowed.sum())),
        ).mean()
        for vector in _queries(vectors)
    ]
    assert np.mean(recall) > 0.97


def test_threads_get_the_same_answers(
    vectors: NDArray[np.float32], inverted: InvertedLists
) -> None:
    everything = np.ones(COUNT, np.bool_)

    def search(vector: NDArray[np.float32]) -> list[int]:
        return [int(row) for row in inverted.search(vector, 20, everything, COUNT)]

    queries = list(_queries(vectors))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(search, queries * 5)) == [search(each) for each in queries] * 5
