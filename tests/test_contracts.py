"""What every system promises, whatever its stages."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from corpora import GOLDEN, random_papers
from hypothesis import given, settings
from hypothesis import strategies as st

import citewise
from citewise.errors import BadInput
from citewise.opened import OpenLibrary
from citewise.recommend import scope_of
from citewise.retrieve.bm25 import Bm25Settings
from citewise.systems import SYSTEMS, System
from citewise.types import CitationGroup, CitingSentence, Query

PAPERS = [*GOLDEN, *random_papers(60, seed=3)]
SENTENCES = [CitingSentence(f"elsewhere {number}", f"{paper.title}. {paper.abstract} [1]", (CitationGroup(
    len(f"{paper.title}. {paper.abstract} "), len(f"{paper.title}. {paper.abstract} [1]"), (paper.id,)),), year=1950)
    for number, paper in enumerate(PAPERS)]
"""Somebody once cited each paper for what it says."""
YEARS = {paper.id: paper.year for paper in PAPERS}
IDS = st.sampled_from([paper.id for paper in PAPERS])
QUERIES = st.builds(
    Query, title=st.sampled_from([paper.title for paper in PAPERS]),
    abstract=st.sampled_from(["", *(paper.abstract for paper in PAPERS[:12])]),
    id=st.one_of(st.just(""), IDS, st.just("unknown")), year=st.none() | st.integers(1960, 2025),
    since=st.none() | st.integers(1960, 1995), cited=st.lists(IDS | st.just("unknown"), max_size=30).map(tuple),
    hidden=st.lists(IDS | st.just("unknown"), max_size=5).map(tuple),
).filter(lambda query: query.year is None or query.since is None or query.since <= query.year)
SIZES = st.integers(1, 80)
BY_WORDS = [name for name, usual in SYSTEMS.items() if isinstance(usual, Bm25Settings)]
"""Systems that promise more: a paper's score depends on the query and the paper alone, not on the other candidates."""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> OpenLibrary:
    folder = tmp_path_factory.mktemp("contracts") / "library"
    citewise.add([*PAPERS, *SENTENCES], folder)
    return citewise.open(folder)


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return request.param


@given(query=QUERIES, k=SIZES)
@settings(max_examples=60)
def test_answers(held: OpenLibrary, query: Query, k: int) -> None:
    for system in SYSTEMS:
        answers = held.answer(query, k, system)
        found = [answer.paper.id for answer in answers]
        assert len(found) <= k
        assert len(set(found)) == len(found), "each once"
        assert not {query.id, *query.cited, *query.hidden} & set(found)
        assert [answer.rank for answer in answers] == list(range(1, len(answers) + 1))
        scores = [answer.score for answer in answers]
        assert scores == sorted(scores, reverse=True)
        if query.year is not None or query.since is not None:
            years = [YEARS[name] for name in found]
            assert None not in years, "a paper without a year is out where years matter"
            assert all((query.since or 0) <= year <= (query.year or 9999) for year in years if year)
        assert all(answer.paper == held[answer.paper.id] for answer in answers)
        assert held.answer(query, k, system) == answers, "same input, same output"


@given(query=QUERIES, k=SIZES)
@settings(max_examples=30)
def test_fewer_are_the_first_of_more(held: OpenLibrary, query: Query, k: int) -> None:
    everything = held.answer(query, 500, "bm25")
    reaching = held.answer(query, k, "bm25(reach=500)")
    assert reaching == everything[:k]


@given(query=QUERIES)
@settings(max_examples=30)
def test_years_and_the_hidden_only_take_away(held: OpenLibrary, query: Query) -> None:
    """Of systems by words; where citations count, years and the hidden also take citations away."""
    for system in BY_WORDS:
        free = held.answer(dataclasses.replace(query, year=None, since=None, id="", cited=(), hidden=()), 500, system)
        hidden = {query.id, *query.cited, *query.hidden}
        bounded = query.year is not None or query.since is not None
        expected = [answer.paper.id for answer in free if answer.paper.id not in hidden and not (bounded and not (
            YEARS[answer.paper.id] and (query.since or 0) <= YEARS[answer.paper.id] <= (query.year or 9999)))]
        assert [answer.paper.id for answer in held.answer(query, 500, system)] == expected


@given(query=QUERIES, within=st.lists(st.integers(0, len(PAPERS) - 1), max_size=20), k=SIZES)
@settings(max_examples=30)
def test_some_papers_are_ranked_as_among_all(held: OpenLibrary, query: Query, within: list[int], k: int) -> None:
    """Of systems by words; a learned score compares a paper with the other candidates."""
    for system in BY_WORDS:
        everything = held.recommender(system).rank(query, 500)
        expected = everything.take(np.isin(everything.rows, within)).take(slice(k))
        found = held.recommender(system).rank(query, k, within)
        assert found.rows.tolist() == expected.rows.tolist()
        assert found.scores.tolist() == pytest.approx(expected.scores.tolist())


@given(query=QUERIES, within=st.lists(st.integers(0, len(PAPERS) - 1), max_size=20), k=SIZES)
@settings(max_examples=30)
def test_of_some_papers_only_those_are_ranked(held: OpenLibrary, query: Query, within: list[int], k: int) -> None:
    for system in SYSTEMS:
        found = held.recommender(system).rank(query, k, within)
        asked = np.unique(np.array(within, np.int64))
        asked = asked[held.library.in_scope(asked, scope_of(held.library, query))]
        assert set(found.rows.tolist()) <= set(asked.tolist())
        assert np.isfinite(found.scores).all() and (np.diff(found.scores) <= 0).all()
        if system == "best":
            assert len(found) == min(k, asked.size), "its ranker gives every one of them a score"


def test_a_query_paper_is_hidden_under_every_spelling(held: OpenLibrary, system: str) -> None:
    dance = GOLDEN[0]
    for spelling in (dance.id, "https://doi.org/10.1000/DANCE", "PMID:101"):
        for query in (Query(dance.title, id=spelling), Query(dance.title, cited=(spelling,))):
            assert dance.id not in [answer.paper.id for answer in held.answer(query, 100, system)]


def test_a_title_of_two_words_is_answered(held: OpenLibrary, system: str) -> None:
    found = [each.paper.id for each in held.recommend("Robot swarms", system=system)]
    assert "openalex:W2015000100" in found[:1 if system in BY_WORDS else 3]


def test_an_abstract_alone_is_answered(held: OpenLibrary, system: str) -> None:
    first = held.recommend(abstract="Pheromone trails of ants lead from nest to food.", system=system)[0]
    assert first.paper.id == "arxiv:1101.00001"


def test_an_abstract_of_a_book_length_is_answered(held: OpenLibrary, system: str) -> None:
    assert held.recommend("Robot swarms", " ".join(paper.abstract for paper in PAPERS) * 50, k=3, system=system)


@pytest.mark.parametrize("title", ["xyzzy plugh", "the of and", "—", "?", "w" * 100_000])
def test_unknown_words_find_nothing(held: OpenLibrary, system: str, title: str) -> None:
    assert held.recommend(title, system=system) == []


@pytest.mark.parametrize("query", [Query(), Query(" ", "\n\t"), Query(id="own-7")])
def test_an_empty_query_is_refused(held: OpenLibrary, system: str, query: Query) -> None:
    with pytest.raises(BadInput, match="empty"):
        held.answer(query, 10, system)


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(held: OpenLibrary, system: str, k: int) -> None:
    with pytest.raises(BadInput, match="k must be at least 1"):
        held.recommend("bees", k=k, system=system)


def test_years_that_exclude_each_other_are_refused(held: OpenLibrary, system: str) -> None:
    with pytest.raises(BadInput, match="since 2001"):
        held.recommend("bees", since=2001, year=2000, system=system)


@pytest.mark.parametrize("years", [{"year": 1}, {"year": -5}, {"year": 1900}, {"since": 3000}, {"since": 99_999},
                                   {"year": 2**70}, {"since": 1, "year": 99_999}])
def test_years_beyond_those_of_the_library(held: OpenLibrary, system: str, years: dict[str, int]) -> None:
    found = [answer.paper.id for answer in held.recommend("bees", k=500, system=system, **years)]
    everything = held.recommend("bees", k=500, system=system)
    dated = [answer.paper.id for answer in everything if answer.paper.year]
    if system in BY_WORDS or years.get("year", 0) < 3000:
        assert found == (dated if years.get("year", 0) > 3000 else [])
    else:
        assert found and set(found) <= set(dated), "the order may differ: citations by undated papers are not seen"


@pytest.mark.parametrize("years", [{"year": 0}, {"since": -5}, {"year": -2**70}, {"since": 2**70}])
def test_years_that_no_paper_can_have(held: OpenLibrary, system: str, years: dict[str, int]) -> None:
    found = held.recommend("bees", k=500, system=system, **years)
    assert len(found) > 0 if years.get("since", 1) < 0 else not found


def test_an_empty_library_answers_nothing(tmp_path: Path, system: str) -> None:
    citewise.add([], tmp_path / "library")
    assert citewise.open(tmp_path / "library").recommend("bees", year=2000, system=system) == []


def test_threads_get_the_same_answers(held: OpenLibrary, system: str) -> None:
    from concurrent.futures import ThreadPoolExecutor
    queries = [Query(paper.title, paper.abstract, year=paper.year) for paper in PAPERS[:30]]
    fresh = citewise.open(held.library.path)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: fresh.answer(query, 20, system), queries * 4))
    assert found == [held.answer(query, 20, system) for query in queries] * 4


@pytest.mark.parametrize("text", ["bm25", "bm25(k1=0.9,b=0.4)", "bm25-title(delta=1.0)", "bm25-keyterms(keyterms=7)",
                                  "evidence", "evidence(kept=50)", "ilciter(prefetched=20,dense=never)",
                                  "best", "best(kept=100)", "best(depth=300,neighbours=20,kept=100)"])
def test_a_system_prints_as_it_parses(text: str) -> None:
    assert str(System.parse(text)) == text
    assert System.parse(str(System.parse(text))) == System.parse(text)


@pytest.mark.parametrize(("text", "message"), [
    ("bm26", "unknown system"), ("", "unknown system"), ("bm25(", "unknown system"), ("bm25(k3=1)", "unknown setting"),
    ("bm25(k1)", "unknown setting"), ("bm25(k1=x)", "k1 takes a float"), ("bm25(keyterms=1.5)", "keyterms takes a int"),
    ("evidence(kept=0)", "at least 1"), ("ilciter(prefetched=0)", "prefetched >= 1"),
    ("ilciter(dense=sometimes)", "conditional, always or never"), ("bm25(b=2)", "0 <= b <= 1"),
    ("best(k1=1)", "unknown setting"), ("best(kept=0)", "at least 1"),
    ("best(depth=1.5)", "depth takes a int"), ("bm25(form=abstract)", "unknown query form")])
def test_a_wrong_system_is_refused(held: OpenLibrary, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        held.recommend("bees", system=text)
