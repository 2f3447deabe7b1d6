"""Preferences: what each does, and what none may do, for every system."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.api import Library
from citewise.preferences import Preferences
from citewise.systems import SYSTEMS
from citewise.types import Paper, Query
from contracts import PAPERS, QUERIES, SIZES, YEARS
from corpora import GOLDEN, random_papers
from oracles import total
from properties import examples

AUTHORS = ("Otto Wabe", "K. Frischmann")
OWN = {paper.id for paper in PAPERS if {"Otto Wabe", "Karla Frischmann"} & {*paper.authors}}
PREFERENCES = st.builds(
    Preferences,
    prefer_recent=st.floats(-1, 1),
    prefer_cited=st.floats(-1, 1),
    diversify=st.floats(0, 1),
    no_self_citations=st.booleans(),
)


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
@given(query=QUERIES, k=SIZES, preferences=PREFERENCES, name=st.sampled_from([*SYSTEMS]))
@examples(75)
def test_what_is_true_whatever_is_preferred(
    stored: Library, query: Query, k: int, preferences: Preferences, name: str
) -> None:
    plain = replace(query, authors=AUTHORS)
    asked = replace(plain, preferences=preferences)
    left_out = OWN if preferences.no_self_citations else set()

    everything = {each.paper.id for each in stored.answer(plain, 500, name)}
    answer = stored.answer(asked, 500, name, explain=True)
    found = [each.paper.id for each in answer]
    assert sorted(found) == sorted(everything - left_out), "none added"
    scores = [each.score for each in answer]
    assert scores == sorted(scores, reverse=True)
    assert [total(each) for each in answer] == pytest.approx(scores, abs=1e-6)

    fewer = [each.paper.id for each in stored.answer(asked, k, name)]
    assert fewer == found[:k], "fewer are the first of more"
    if query.since is not None or query.year is not None:
        years = [YEARS[paper] or 0 for paper in found]
        assert all((query.since or 1) <= year <= (query.year or 9999) for year in years)


def test_no_preference_changes_nothing(stored: Library, system: str) -> None:
    query = Query("Citation ranking of bees", authors=AUTHORS)
    zero = replace(query, preferences=Preferences(0, -0.0, 0))
    answer = stored.answer(zero, 50, system)
    assert answer.recommendations == stored.answer(query, 50, system).recommendations


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prefer_recent", "prefer_cited"])
@pytest.mark.parametrize("system", [name for name in SYSTEMS if name != "ilciter"])
def test_a_stronger_preference_does_more(sample: Library, system: str, name: str) -> None:
    """Not of ilciter, which answers by citing sentences: the sample library has none."""
    stores = sample.stores
    rows = stores.papers.rows
    preferred = {
        "prefer_recent": stores.papers.years(rows).astype(np.float64),
        "prefer_cited": np.log1p(stores.graph.citers(rows).lengths.astype(np.float64)),
    }[name]
    titles = ("Ranking documents for a query", "Citation analysis", "Word vectors for retrieval")
    means = []
    for weight in (-1, -0.5, 0, 0.5, 1):
        preferences = Preferences.of({name: weight})
        ranked = [
            sample.recommender(system).rank(Query(title, preferences=preferences), 10).rows
            for title in titles
        ]
        each = [preferred[np.searchsorted(rows, found)].mean() for found in ranked]
        means.append(float(np.mean(each)))
    assert means == sorted(means) and means[0] < means[2] < means[-1]


def test_a_preference_is_weighed_as_it_is_written(tmp_path: Path) -> None:
    # Four papers with the same words, one letter apart: equal scores but for the preference, which
    # would have no unit then. With one better match the scores have a spread s, and the log ages
    # of 1, 1, 1, 1, 3 a spread of their own.
    papers = [Paper(f"p{number}", "Bees in hives", year=2000) for number in range(4)]
    papers.append(Paper("old", "Bees in hives of bees", year=1998))
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library")
    plain = library.recommend("bees", system="bm25", year=2001)
    preferred = library.recommend("bees", system="bm25", year=2001, prefer_recent=0.5)

    scores = [each.score for each in plain]
    logs = np.log1p([2001 - (each.paper.year or 0) for each in plain])
    expected = {
        each.paper.id: score - 0.5 * np.std(scores) * (log - logs.mean()) / logs.std()
        for each, score, log in zip(plain, scores, logs, strict=True)
    }
    assert {each.paper.id: each.score for each in preferred} == pytest.approx(expected)


def test_unknown_years_and_empty_answers(stored: Library, system: str) -> None:
    strong: dict[str, Any] = {"prefer_recent": 1.0, "prefer_cited": 1.0, "diversify": 1.0}
    assert not len(stored.recommend("xyzzy", system=system, **strong))
    found = stored.recommend("undated note on swarms of bees", system=system, prefer_recent=1)
    undated = next(each for each in found if each.paper.year is None)
    assert undated.signals["prefer_recent"] == 0


def test_self_citations_are_left_out_and_others_move_up(stored: Library, system: str) -> None:
    query = Query("Honey bees dance and ant colonies", authors=AUTHORS)
    everything = [each.paper.id for each in stored.answer(query, 500, system)]
    assert OWN & {*everything}
    asked = replace(query, preferences=Preferences(no_self_citations=True))
    found = [each.paper.id for each in stored.answer(asked, 5, system)]
    assert found == [name for name in everything if name not in OWN][:5]


def test_a_pool_deeper_than_k_is_looked_at(tmp_path: Path) -> None:
    papers = [Paper(f"n{number}", "Bees " * 3 + "hive", year=2000) for number in range(40)]
    papers += [
        Paper("young", "Bees of a hive in the city", year=2020),
        *GOLDEN,
        *random_papers(30, seed=1),
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library")
    for name in ("bm25", "navigation", "best"):
        first = library.recommend("bees hive", system=name, k=1, prefer_recent=1)[0]
        assert first == library.recommend("bees hive", system=name, k=60, prefer_recent=1)[0]
