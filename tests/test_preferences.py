"""Preferences: what each does, what none may do, and what is refused, for every system."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from corpora import GOLDEN, random_papers
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import total
from test_cli import run as run
from test_contracts import PAPERS, QUERIES, SIZES, YEARS
from test_contracts import held as held

import citewise
from citewise import ids, opened
from citewise.rank.diversity import diverse_order, neighbour_likeness, word_likeness
from citewise.systems import SYSTEMS as ALL_SYSTEMS
from citewise.types import Paper, Query, Scope

SYSTEMS = [name for name in ALL_SYSTEMS if name not in ("evidence", "ilciter")]
"""Those that answer for drafts; what answers for a sentence does not explain its scores."""

AUTHORS = ("Otto Wabe", "K. Frischmann")
OWN = {paper.id for paper in PAPERS if {"Otto Wabe", "Karla Frischmann"} & {*paper.authors}}
WISHES = st.fixed_dictionaries({}, optional={
    "prefer_recent": st.floats(-1, 1), "prefer_cited": st.floats(-1, 1), "diversify": st.floats(0, 1),
    "no_self_citations": st.booleans()})


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> citewise.OpenLibrary:
    folder = tmp_path_factory.mktemp("sample") / "library"
    opened.build_sample(folder)
    return citewise.open(folder)


@given(query=QUERIES, k=SIZES, wishes=WISHES)
@settings(max_examples=40)
def test_what_holds_whatever_is_wished(held: citewise.OpenLibrary, query: Query, k: int, wishes: dict) -> None:
    asked = dataclasses.replace(query, authors=AUTHORS, **wishes)
    for name in SYSTEMS:
        everything = [each.paper.id for each in held.answer(dataclasses.replace(query, authors=AUTHORS), 500, name)]
        answers = held.answer(asked, 500, name, explain=True)
        found = [each.paper.id for each in answers]
        assert sorted(found) == sorted(set(everything) - (OWN if asked.no_self_citations else set())), "none added"
        scores = [each.score for each in answers]
        assert scores == sorted(scores, reverse=True)
        assert [total(each) for each in answers] == pytest.approx(scores, abs=1e-6)
        assert [each.paper.id for each in held.answer(asked, k, name)] == found[:k], "fewer are the first of more"
        if query.since is not None or query.year is not None:
            assert all((query.since or 0) <= YEARS[paper] <= (query.year or 9999) for paper in found)


def test_nothing_wished_changes_nothing(held: citewise.OpenLibrary, system: str) -> None:
    query = Query("Citation ranking of bees", authors=AUTHORS)
    zero = dataclasses.replace(query, prefer_recent=0, prefer_cited=-0.0, diversify=0)
    assert held.answer(zero, 50, system) == held.answer(query, 50, system)


@pytest.mark.parametrize(("name", "of"), [("prefer_recent", "year"), ("prefer_cited", "citations")])
def test_a_stronger_wish_does_more(sample: citewise.OpenLibrary, system: str, name: str, of: str) -> None:
    library = sample.library
    known = {"year": library.years(library.rows).astype(float),
             "citations": np.log1p(library.citers(library.rows).lengths.astype(float))}[of]
    means = []
    for weight in (-1, -0.5, 0, 0.5, 1):
        ranked = [sample.recommender(system).rank(Query(title, **{name: weight}), 10).rows
                  for title in ("Ranking documents for a query", "Citation analysis", "Word vectors for retrieval")]
        means.append(float(np.mean([known[np.searchsorted(library.rows, rows)].mean() for rows in ranked])))
    assert means == sorted(means) and means[0] < means[2] < means[-1]


def test_a_wish_is_weighed_as_it_is_written(tmp_path: Path) -> None:
    # Four papers with the same words, one letter apart: equal scores but for the wish, which would have no unit then.
    # With one better match the scores have a spread s, and the log ages of 1, 1, 1, 1, 3 a spread of their own.
    papers = [Paper(f"p{number}", "Bees in hives", year=2000) for number in range(4)]
    citewise.add([*papers, Paper("old", "Bees in hives of bees", year=1998)], tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library")
    plain = library.recommend("bees", system="bm25", year=2001)
    wished = library.recommend("bees", system="bm25", year=2001, prefer_recent=0.5)
    scores, ages = [each.score for each in plain], [2001 - each.paper.year for each in plain]
    logs = np.log1p(ages)
    expected = {each.paper.id: score - 0.5 * np.std(scores) * (log - logs.mean()) / logs.std()
                for each, score, log in zip(plain, scores, logs, strict=True)}
    assert {each.paper.id: each.score for each in wished} == pytest.approx(expected)


def test_unknown_years_and_empty_answers(held: citewise.OpenLibrary, system: str) -> None:
    assert held.recommend("xyzzy", system=system, prefer_recent=1, prefer_cited=1, diversify=1) == []
    undated = next(each for each in held.recommend("undated note on swarms of bees", system=system, prefer_recent=1)
                   if each.paper.year is None)
    assert undated.signals["prefer_recent"] == 0


# Self-citations


def test_self_citations_are_left_out_and_others_move_up(held: citewise.OpenLibrary, system: str) -> None:
    query = Query("Honey bees dance and ant colonies", authors=AUTHORS)
    everything = [each.paper.id for each in held.answer(query, 500, system)]
    assert OWN & {*everything}
    found = [each.paper.id for each in held.answer(dataclasses.replace(query, no_self_citations=True), 5, system)]
    assert found == [name for name in everything if name not in OWN][:5]


@pytest.mark.parametrize(("one", "other", "same"), [
    ("Xin Luna Dong", "Dong, Xin Luna", True), ("X. L. Dong", "Dong, Xin Luna", True),
    ("XL Dong", "Xin Luna Dong", True), ("Dong, X.", "Xin Luna Dong", True),
    ("Dong", "Xin Luna Dong", True), ("Xin Dong", "Xiao Dong", False),
    ("José García", "Jose Garcia", True), ("Jose\u0301 García", "J. Garcia", True),
    ("Jan Novák", "Jan Novakova", False),
    ("Jean-Pierre Serre", "J.-P. Serre", True), ("Jean-Pierre Serre", "J.-M. Serre", False),
    ("Søren Kierkegaard", "S. Kierkegaard", True), ("Mathieu d'Aquin", "d'Aquin, Mathieu", True), ("", "", False),
    ("Wei Wang", "Wang, W.", True), ("Wei Wang", "Wei Wan", False), ("Ralf M Haefner", "R. Haefner", True),
    (",", ",", False), ("Vincent van Gogh", "van Gogh, V.", True), ("王伟", "王伟", True)])
def test_spellings_of_a_person(one: str, other: str, same: bool) -> None:
    assert ids.same_person(one, other) is ids.same_person(other, one) is same


# Variety


def test_variety_by_hand(tmp_path: Path) -> None:
    # "a" and "b" have the same words and the same two citers, "c" neither. With relevances 1, 0.9 and 0 and weight 0.6:
    # after "a", b has 0.4 * 0.9 - 0.6 * 1 = -0.24 and c 0 - 0 = 0: c comes second. With 0.3, b: 0.63 - 0.3 > 0.
    papers = [Paper("a", "Bees dance"), Paper("b", "Bees dance"), Paper("c", "Walls stand"),
              Paper("x", "Survey", references=("a", "b")), Paper("y", "Another survey", references=("a", "b"))]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library").library
    rows, scores = np.arange(3), np.array([2.0, 1.9, 1.0])
    for alike in (neighbour_likeness(library, rows, Scope()), word_likeness(library, rows)):
        assert alike[np.triu_indices(3, 1)] == pytest.approx([1, 0, 0])
    assert diverse_order(library, rows, scores, 0.6, Scope()).tolist() == [0, 2, 1]
    assert diverse_order(library, rows, scores, 0.3, Scope()).tolist() == [0, 1, 2]


def test_likeness_against_loops(sample: citewise.OpenLibrary) -> None:
    library, scope = sample.library, Scope(year=2015)
    rows = library.rows[::4]
    near = [{*library.references(row[None], scope).values.tolist(), *library.citers(row[None], scope).values.tolist()}
            for row in rows]
    found = neighbour_likeness(library, rows, scope)
    for one in range(rows.size):
        for other in range(one):
            both = math.sqrt(len(near[one]) * len(near[other]))
            assert found[one, other] == pytest.approx(len(near[one] & near[other]) / both if both else 0)


def test_more_variety_makes_answers_less_alike(sample: citewise.OpenLibrary) -> None:
    def alike(weight: float) -> float:
        found = []
        for title in ("Ranking documents for a query", "Citation analysis", "Word vectors for retrieval"):
            rows = sample.recommender().rank(Query(title, diversify=weight), 20).rows
            each = neighbour_likeness(sample.library, rows, Scope()) + word_likeness(sample.library, rows)
            found.append(each[np.triu_indices(rows.size, 1)].mean())
        return float(np.mean(found))

    assert alike(0) > alike(0.5) > alike(0.9)


# What is refused, and where wishes come from


@pytest.mark.parametrize(("wish", "message"), [
    ({"prefer_recent": 1.5}, "prefer_recent is a number from -1 to 1, not 1.5"), ({"prefer_cited": -2}, "prefer_cited"),
    ({"diversify": -0.1}, "diversify is a number from 0 to 1"), ({"diversify": math.nan}, "diversify"),
    ({"prefer_recent": "much"}, "prefer_recent is a number"), ({"prefer_cited": True}, "prefer_cited is a number"),
    ({"no_self_citations": True}, "name the draft's authors"), ({"no_self_citations": "yes"}, "true or false"),
    ({"no_self_citations": True, "authors": ["", ","]}, "name the draft's authors")])
def test_wishes_without_meaning_are_refused(held: citewise.OpenLibrary, system: str, wish: dict, message: str) -> None:
    with pytest.raises(citewise.BadInput, match=message):
        held.recommend("bees", system=system, **wish)


def test_the_command_line_refuses_them_too(run, golden_library: Path) -> None:
    for option in ("--prefer-recent=7", "--diversify=-1", "--no-self-citations"):
        done = run("recommend", "-l", golden_library, "--title", "bees", option)
        assert done.code == 2 and done.err.startswith("citewise: ") and done.err.count("\n") == 1
    done = run("run", "-l", golden_library, "--queries", "-", "--prefer-cited=3", stdin=b'{"id": "q", "title": "bees"}')
    assert done.code == 2 and "prefer_cited is a number from -1 to 1" in done.err


def test_the_command_line_passes_wishes_on(run, golden_library: Path) -> None:
    done = run("recommend", "-l", golden_library, "--title", "bees", "--format", "json", "--author", "Otto Wabe",
               "--author", "Mina Uhr", "--no-self-citations", "--prefer-recent", "0.5", "--diversify", "0.2")
    said, held = json.loads(done.out), citewise.open(golden_library)
    expected = held.recommend("bees", authors=["Otto Wabe", "Mina Uhr"], no_self_citations=True, prefer_recent=0.5,
                              diversify=0.2)
    assert [each["paper"]["id"] for each in said["recommendations"]] == [each.paper.id for each in expected]
    assert [each["score"] for each in said["recommendations"]] == [each.score for each in expected]
    assert not {"doi:10.1000/dance", "doi:10.1000/clock"} & {each.paper.id for each in expected}
    assert said["query"]["authors"] == ["Otto Wabe", "Mina Uhr"] and said["query"]["diversify"] == 0.2


def test_queries_in_a_file_have_wishes(run, golden_library: Path) -> None:
    lines = [{"id": "a", "title": "bees"}, {"id": "b", "title": "bees", "prefer_recent": -1},
             {"id": "c", "title": "bees", "authors": ["Otto Wabe"], "no_self_citations": True, "since": 1980},
             {"id": "d", "title": "bees", "diversify": 3}, {"id": "e", "title": "bees", "authors": "Otto Wabe"},
             {"id": "f", "title": "bees", "no_self_citations": True}, {"id": "g", "title": "bees", "since": "long ago"}]
    done = run("run", "-l", golden_library, "--queries", "-", "-k", "9", "--prefer-recent", "1",
               stdin="\n".join(map(json.dumps, lines)).encode())
    held, found = citewise.open(golden_library), [line.split(" ")[:3] for line in done.out.splitlines()]
    asked = {"a": {"prefer_recent": 1}, "b": {"prefer_recent": -1},
             "c": {"prefer_recent": 1, "authors": ["Otto Wabe"], "no_self_citations": True, "since": 1980}}
    assert found == [[name, "Q0", "%20".join(each.paper.id.split())] for name, wishes in asked.items()
                     for each in held.recommend("bees", k=9, **wishes)]
    assert "not_a_query4" in "".join(done.err.split())
    done = run("run", "-l", golden_library, "--queries", "-", "-k", "9", "--no-self-citations",
               stdin="\n".join(map(json.dumps, lines[:3])).encode())
    assert {line.split(" ")[0] for line in done.out.splitlines()} == {"c"}, "the others name no authors"
    assert "not_a_query2" in "".join(done.err.split())


def test_a_pool_deeper_than_k_is_wished_over(tmp_path: Path) -> None:
    papers = [Paper(f"n{number}", "Bees " * 3 + "hive", year=2000) for number in range(40)]
    papers += [Paper("young", "Bees of a hive in the city", year=2020), *GOLDEN, *random_papers(30, seed=1)]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library")
    for name in ("bm25", "navigation", "best"):
        first = library.recommend("bees hive", system=name, k=1, prefer_recent=1)[0]
        assert first == library.recommend("bees hive", system=name, k=60, prefer_recent=1)[0]
