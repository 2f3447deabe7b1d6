"""Co-citation, coupling and popularity: by hand, and against loops."""

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.arrays import Ragged
from citewise.rank.graph_signals import Citers, Weighted, co_citation, coupling, popularity
from citewise.types import Paper, Scope
from corpora import corpora
from oracles import PlainLibrary
from properties import examples

NOBODY = Weighted(np.zeros(0, np.int64), np.zeros(0))


def test_co_citation_by_hand(tmp_path: Path) -> None:
    # X cites A, B and C; Y cites A and B; Z cites C alone. Seed: A, weight 1, with two citers: each
    # pulls 1/sqrt(3).
    #   B: cited together with A by X and Y: 2/sqrt(3), over the root of its 2 citations + 1: 2/3
    #   C: by X: 1/sqrt(3), over sqrt(3): 1/3; A itself: 0, for a paper is not co-cited with itself
    papers = [Paper(name, f"On {name} alone") for name in "ABC"]
    papers += [
        Paper("X", "On X alone", references=("A", "B", "C")),
        Paper("Y", "On Y alone", references=("A", "B")),
        Paper("Z", "On Z alone", references=("C",)),
    ]
    citewise.add(papers, tmp_path)
    found = co_citation(
        citewise.open(tmp_path).stores,
        rows=np.arange(3),
        citations=np.array([2.0, 2.0, 2.0]),
        seeds=Weighted(np.array([0]), np.ones(1)),
        near=Weighted(np.array([3]), np.array([0.5])),
        scope=Scope(),
    )
    root = math.sqrt(3)
    assert found["cocited"] == pytest.approx([0, 2 / root, 1 / root])
    assert found["cocited_share"] == pytest.approx([0, 2 / 3, 1 / 3])
    assert found["cocited_strong"] == pytest.approx([0, 2 / 3 / root, 1 / 3 / root])
    assert found["cocited_near"] == pytest.approx([0, 0.5 / root, 0.5 / root]), (
        "only X is similar to the draft"
    )


@given(lists=st.lists(st.lists(st.integers(0, 20), unique=True)))
def test_sums_and_maxima_over_citers(lists: list[list[int]]) -> None:
    citers = Citers(Ragged.of([np.array(each, np.int64) for each in lists]))
    assert citers.rows.tolist() == sorted({row for each in lists for row in each})

    value = {row: row - 7.5 for row in range(21)}
    each = citers.each(np.array([value[row] for row in citers.rows.tolist()]))
    assert citers.summed(each).tolist() == [sum(value[row] for row in some) for some in lists]
    assert citers.highest(each).tolist() == [
        max([0.0, *(value[row] for row in some)]) for some in lists
    ]


def test_popularity_by_hand(golden_library: Path) -> None:
    # The dance is of 1967, cited in 1985, 2011 and 2019; seen from 2013: by two, one of them two
    # years before.
    stores = citewise.open(golden_library).stores
    rows = stores.papers.find(["doi:10.1000/dance", "arxiv:1203.00002", "own 8"])
    found = popularity(stores, rows, Scope(year=2013))
    assert found["citations"].tolist() == [2, 0, 0]
    assert [found[f"citations{span}"][0] for span in (1, 2, 3)] == [0, 1, 1]
    assert found["age"][:2].tolist() == [46, 1] and math.isnan(found["age"][2])

    ahead = popularity(stores, rows, Scope(year=9999))
    assert ahead["age"][:2].tolist() == [46, 1], (
        "a year far ahead counts as the one after the youngest paper's"
    )


@pytest.mark.slow
@given(
    papers=corpora(12),
    year=st.none() | st.integers(1990, 1997),
    unseen=st.sets(st.integers(0, 11), max_size=2),
)
@examples(25)
def test_graph_signals_against_loops(
    tmp_path_factory: pytest.TempPathFactory,
    papers: list[Paper],
    year: int | None,
    unseen: set[int],
) -> None:
    plain, count = PlainLibrary(papers), len(papers)
    folder = tmp_path_factory.mktemp("oracle") / "library"
    citewise.add(papers, folder)
    stores = citewise.open(folder).stores
    away = tuple(sorted(row for row in unseen if row < count))
    scope = Scope(year=year, unseen=away, hidden=away)
    rows, weights = np.arange(count), np.arange(1.0, count + 1)
    seeds = Weighted(rows[: count // 2 + 1], weights[: count // 2 + 1])

    cites = {row: plain.references(row, year, away) for row in range(count)}
    citers = {row: {other for other in cites if row in cites[other]} for row in cites}
    citations = np.array([float(len(citers[row])) for row in range(count)])
    assert popularity(stores, rows, scope)["citations"].tolist() == citations.tolist()

    together: dict[int, float] = defaultdict(float)
    for seed, weight in zip(seeds.rows.tolist(), seeds.weights, strict=True):
        for citer in citers[seed]:
            for other in cites[citer] - {seed}:
                together[other] += weight / math.sqrt(len(citers[seed]) + 1)
    found = co_citation(stores, rows, citations, seeds, NOBODY, scope)
    assert found["cocited"] == pytest.approx([together[row] for row in range(count)])
    assert not found["cocited_near"].any()

    pairs = coupling(stores, rows, weights, scope)
    assert pairs["cites_candidates"].tolist() == [
        sum(weights[other] for other in cites[row]) for row in cites
    ]
    assert pairs["cited_by_candidates"].tolist() == [
        sum(weights[other] for other in citers[row]) for row in cites
    ]
