"""Signals of vectors for the best candidates, worked out by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

from citewise.api import Library
from citewise.embed.draft_vectors import SetVectors
from citewise.rank.dense_signals import dense_signals
from citewise.rank.graph_signals import Citers, Weighted
from citewise.types import Query, Scope
from dense_library import dense_library

CLOSE = 0.005
ROOT = math.sqrt(0.5)
ALL = np.arange(7)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return dense_library(tmp_path_factory.mktemp("dense") / "library")


def signals(library: Library, query: Query, seeds: Weighted) -> dict[str, np.ndarray]:
    stores, vectors = library.stores, SetVectors(library.stores, "nnselect")
    return dense_signals(stores, vectors, query, ALL, seeds, Citers.of(stores, ALL, Scope()))


def test_similarity_to_the_papers_found_first(library: Library) -> None:
    # Bees weigh 3 and ants 1: their centre is (3, 1) / sqrt(10). The hive has no vector and counts
    # nothing.
    seeds = Weighted(np.array([0, 1, 3]), np.array([3.0, 1.0, 5.0]))
    found = signals(library, Query("Bees"), seeds)["dense_feedback"]
    expected = np.array([3, 1, 4 * ROOT]) / math.sqrt(10)
    assert found[:3] == pytest.approx(expected, abs=CLOSE)
    assert np.isnan(found[3:6]).all()


def test_similarity_to_what_the_draft_cites(library: Library) -> None:
    seeds = Weighted(np.array([0]), np.array([1.0]))
    found = signals(library, Query("Bees", cited=("ants",)), seeds)["dense_seeds"]
    assert found[:3] == pytest.approx([0, 1, ROOT], abs=CLOSE)
    assert np.isnan(signals(library, Query("Bees"), seeds)["dense_seeds"]).all(), "it cites nothing"


def test_citers_near_the_draft(library: Library) -> None:
    # the hive is cited by bees (1) and mixed (.7), the hill by ants (0) and young bees (1)
    seeds = Weighted(np.array([0]), np.array([1.0]))
    found = signals(library, Query("Bees"), seeds)
    near, far = math.exp(12 * (ROOT - 1)), math.exp(-12)
    assert found["dense_citers"][3:5] == pytest.approx([1 + near, 1 + far], rel=0.05)
    assert found["dense_citers_mean"][3:5] == pytest.approx([(1 + near) / 2, 0.5], rel=0.05)
    assert found["dense_citers_best"][3:5] == pytest.approx([1, 1], abs=CLOSE)
    assert found["dense_citers"][0] == 0, "nobody cites the bees"


def test_unknown_without_vectors(tmp_path: Path) -> None:
    library = dense_library(tmp_path / "library")
    vectors = SetVectors(library.stores, "other")
    seeds = Weighted(np.array([0]), np.array([1.0]))
    citers = Citers.of(library.stores, ALL, Scope())
    found = dense_signals(library.stores, vectors, Query("Bees"), ALL, seeds, citers)
    assert found and all(np.isnan(column).all() for column in found.values())
