"""Retrieval by vectors: compared with the cosines of all papers, and with known citations."""

from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.embed.query_vectors import query_vectors
from citewise.errors import MissingData
from citewise.recommend import scope_of
from citewise.retrieve.nnselect import NNSelect, Selection
from citewise.systems import System
from citewise.types import Query, Scope
from corpora import GOLDEN

QUERY = Query("Robot swarms", "Bees and ants find food by pheromone trails.", year=2005)


def cosines_of_all(library: Library, query: Query) -> dict[int, float]:
    vectors = query_vectors(library.stores, "nnselect")
    papers = library.stores.papers
    rows = papers.rows[papers.in_scope(papers.rows, scope_of(papers, query))]
    cosines = vectors.papers.of(rows).astype(np.float64) @ vectors.of(query)
    return {row: cosine for row, cosine in zip(rows.tolist(), cosines, strict=True) if cosine > 0}


def test_dense_is_the_order_of_all_cosines(stored: Library) -> None:
    expected = cosines_of_all(stored, QUERY)
    found = stored.recommender("dense").rank(QUERY, 500)
    assert set(found.rows.tolist()) == set(expected)
    assert found.scores == pytest.approx([expected[row] for row in found.rows.tolist()], abs=1e-6)
    assert (np.diff(found.scores) <= 0).all()


@pytest.mark.parametrize(("neighbours", "depth"), [(0, 8), (3, 12), (5, 30)])
def test_nnselect_is_the_nearest_and_what_they_cite(
    stored: Library, neighbours: int, depth: int
) -> None:
    stores, scope = stored.stores, scope_of(stored.stores.papers, QUERY)
    every = stored.recommender("dense").rank(QUERY, 500).rows
    nearest = every[:depth]

    citing = [
        row for row in nearest.tolist() if stores.graph.references(_rows(row), scope).values.size
    ]
    cited = {
        each
        for row in citing[:neighbours]
        for each in stores.graph.references(_rows(row), scope).values.tolist()
        if stores.papers.in_scope(_rows(each), scope)[0]
    }
    joining = (cited & {*every.tolist()}) - {*nearest.tolist()}
    select = NNSelect(
        stores, query_vectors(stores, "nnselect"), Selection(neighbours=neighbours, depth=depth)
    )
    found = select.retrieve(QUERY, depth, scope)

    assert len(joining) <= depth // 2, "otherwise not all of them would fit"
    assert {*found.rows.tolist()} >= joining
    assert {*found.rows.tolist()} - joining == {*nearest[: depth - len(joining)].tolist()}
    assert (np.diff(found.scores) <= 0).all()


def _rows(row: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([row])


def test_fewer_are_the_first_of_more(stored: Library) -> None:
    for system in ("nnselect", "citeomatic"):
        whole = stored.recommender(system).rank(QUERY, 60)
        assert stored.recommender(system).rank(QUERY, 7).rows.tolist() == whole.rows[:7].tolist()


def test_citations_that_are_not_seen_find_nothing(stored: Library) -> None:
    select = NNSelect(stored.stores, query_vectors(stored.stores, "nnselect"), Selection())
    found = select.retrieve(QUERY, 60, Scope(year=1900))
    assert not len(found)
    early = select.retrieve(QUERY, 60, Scope(year=1992))
    assert len(early) and stored.stores.papers.years(early.rows).max() <= 1992


def test_hybrid_is_the_fusion_of_both(stored: Library) -> None:
    words, vectors = (stored.recommender(each).rank(QUERY, 1000) for each in ("bm25", "dense"))
    found = stored.recommender("hybrid").rank(QUERY, 500)
    ranks = [
        {row: rank for rank, row in enumerate(each.rows.tolist(), 1)} for each in (words, vectors)
    ]
    expected = [
        sum(1 / (60 + each[row]) for each in ranks if row in each) for row in found.rows.tolist()
    ]
    assert found.scores == pytest.approx(expected)


@pytest.mark.parametrize("system", ["dense", "nnselect", "hybrid", "citeomatic"])
def test_a_library_without_vectors_says_how_to_make_them(tmp_path: Path, system: str) -> None:
    citewise.add(GOLDEN, tmp_path, vectors=False)
    bare = citewise.open(tmp_path)
    with pytest.raises(MissingData, match="citewise encode --library LIBRARY --model nnselect"):
        bare.recommend("bees", system=system)
    with pytest.raises(MissingData, match="--model minilm --papers"):
        bare.recommend("bees", system="dense(vectors=minilm)")


def test_identities_change_with_the_vectors(stored: Library, golden_library: Path) -> None:
    other = citewise.open(golden_library).stores
    for system in ("dense", "nnselect", "hybrid", "citeomatic"):
        parsed = System.parse(system)
        assert parsed.identity(stored.stores) != parsed.identity(other)


def test_reasons_speak_of_meaning(stored: Library) -> None:
    for system in ("dense", "nnselect", "citeomatic"):
        first = stored.answer(QUERY, 5, system, explain=True)[0]
        assert any("Similar in meaning to your draft" in each.sentence for each in first.reasons)
        parts = sum(each.value for each in first.contributions)
        assert first.base + parts == pytest.approx(first.score)
