"""Variety among the best papers: by hand, and against loops."""

import math
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.preferences import Preferences
from citewise.rank.diversity import diverse_order, graph_similarity, word_similarity
from citewise.types import Paper, Query, Scope


def test_variety_by_hand(tmp_path: Path) -> None:
    # "a" and "b" have the same words and the same two citers, "c" neither. With relevances 1, 0.9
    # and 0 and weight 0.6: after "a", b has 0.4 * 0.9 - 0.6 * 1 = -0.24 and c 0 - 0 = 0: c comes
    # second. With 0.3, b: 0.63 - 0.3 > 0.
    papers = [
        Paper("a", "Bees dance"),
        Paper("b", "Bees dance"),
        Paper("c", "Walls stand"),
        Paper("x", "Survey", references=("a", "b")),
        Paper("y", "Another survey", references=("a", "b")),
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    stores = citewise.open(tmp_path / "library").stores
    rows, scores = np.arange(3), np.array([2.0, 1.9, 1.0])
    for similarity in (graph_similarity(stores, rows, Scope()), word_similarity(stores, rows)):
        assert similarity[np.triu_indices(3, 1)] == pytest.approx([1, 0, 0])
    assert diverse_order(stores, rows, scores, 0.6, Scope()).tolist() == [0, 2, 1]
    assert diverse_order(stores, rows, scores, 0.3, Scope()).tolist() == [0, 1, 2]


def test_similarity_against_loops(sample: Library) -> None:
    graph, scope = sample.stores.graph, Scope(year=2015)
    rows = sample.stores.papers.rows[::4]
    near = [
        {
            *graph.references(row[None], scope).values.tolist(),
            *graph.citers(row[None], scope).values.tolist(),
        }
        for row in rows
    ]
    found = graph_similarity(sample.stores, rows, scope)
    for one in range(rows.size):
        for other in range(one):
            both = math.sqrt(len(near[one]) * len(near[other]))
            shared = len(near[one] & near[other])
            assert found[one, other] == pytest.approx(shared / both if both else 0)


def test_more_variety_makes_answers_less_similar(sample: Library) -> None:
    titles = ("Ranking documents for a query", "Citation analysis", "Word vectors for retrieval")

    def mean_similarity(weight: float) -> float:
        found = []
        for title in titles:
            query = Query(title, preferences=Preferences(diversify=weight))
            rows = sample.recommender().rank(query, 20).rows
            each = graph_similarity(sample.stores, rows, Scope())
            each = each + word_similarity(sample.stores, rows)
            found.append(each[np.triu_indices(rows.size, 1)].mean())
        return float(np.mean(found))

    assert mean_similarity(0) > mean_similarity(0.5) > mean_similarity(0.9)
