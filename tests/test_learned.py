"""The system `best`: votes and co-citation by hand and against loops, leaks, fallbacks, and the model that ships."""

import dataclasses
import importlib.resources
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from corpora import GOLDEN, corpora, random_papers
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import PlainLibrary, stems

import citewise
from citewise.expand.authors import Authors
from citewise.expand.neighbours import DEPTHS, Neighbourhood, Neighbours, neighbourhood, votes
from citewise.expand.seeds import Seeds, ties
from citewise.library.library import Library
from citewise.likeness import Bag
from citewise.places import Places
from citewise.rank import model
from citewise.rank.features import features, first_features
from citewise.rank.graph_signals import Weighted, co_citation, coupling, popularity
from citewise.rank.learned import Learned
from citewise.rank.text_signals import text_signals
from citewise.recommend import scope_of
from citewise.retrieve.engine import Engine
from citewise.types import Paper, Query, Ranking, Scope

PAPERS = [*GOLDEN, *random_papers(120, seed=5)]
NOBODY = Weighted(np.zeros(0, np.int64), np.zeros(0))


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> citewise.OpenLibrary:
    folder = tmp_path_factory.mktemp("learned") / "library"
    citewise.add(PAPERS, folder)
    return citewise.open(folder)


def opened(folder: Path, papers: Sequence[Paper]) -> citewise.OpenLibrary:
    citewise.add(papers, folder)
    return citewise.open(folder)


# By hand


def test_votes_by_hand() -> None:
    # Two neighbours: the first (likeness 1, of this year) cites A and B, the second (0.5, two years old) B and C.
    #   votes: A 1, B 1 + 0.5^2 = 1.25, C 0.25; sharp: A 1, B 1 + 0.5^4, C 0.5^4; sharpest with the 8th power
    #   recent: the second's count half, for it is one half-life old: A 1, B 1.125, C 0.125
    #   shared: the sharp ones over the root of the neighbour's two references; D has no vote
    near = Neighbourhood(np.array([10, 11]), np.array([1.0, 0.5]), np.array([1, 2, 2, 3]), np.array([0, 0, 1, 1]),
                         np.array([0.0, 2.0]))
    found = votes(near, np.array([0, 1, 1, 2]), count=4, most=500)
    assert found["votes"].tolist() == [1, 1.25, 0.25, 0]
    assert found["votes_sharp"].tolist() == [1, 1.0625, 0.0625, 0]
    assert found["votes_sharpest"].tolist() == [1, 1 + 1 / 256, 1 / 256, 0]
    assert found["votes_recent"].tolist() == [1, 1.125, 0.125, 0]
    assert found["votes_shared"] == pytest.approx([1 / math.sqrt(2), 1.0625 / math.sqrt(2), 0.0625 / math.sqrt(2), 0])
    assert found["vote_count"].tolist() == [1, 2, 1, 0]
    assert found["nearest_citer_rank"].tolist() == [1, 1, 2, 501]
    assert found["nearest_citer"].tolist() == [1, 1, 0.5, 0]
    assert found["votes10"].tolist() == found["votes"].tolist()


def test_votes_in_the_golden_library(library: Path) -> None:
    # Of the golden papers that cite, "Swarm optimization with artificial bees" is most like this title. It cites the
    # ants and the clock; the clock is also cited by the pesticides, and the dance by the clock, the ants and these.
    stores = citewise.open(library).library
    query = Query("Swarm optimization with artificial bees search")
    ranking = Neighbours(stores).expand(query, Engine(stores).retrieve(query, 5000, Scope()), Scope())
    at = Places(ranking.rows).of(stores.rows_of(["arxiv:1101.00001", "doi:10.1000/clock", "doi:10.1000/dance"]))
    assert ranking.signals["nearest_citer_rank"][at[:2]].tolist() == [1, 1]
    assert ranking.signals["vote_count"][at[1]] == 2
    assert ranking.signals["votes"][at[1]] > ranking.signals["votes"][at[0]] == 1


def test_co_citation_by_hand(tmp_path: Path) -> None:
    # X cites A, B and C; Y cites A and B; Z cites C alone. Seed: A, weight 1, with two citers: each pulls 1/sqrt(3).
    #   B: cited together with A by X and Y: 2/sqrt(3), over the root of its 2 citations + 1: 2/3
    #   C: by X: 1/sqrt(3), over sqrt(3): 1/3; A itself: 0, for a paper is not co-cited with itself
    papers = [Paper(name, f"On {name} alone") for name in "ABC"]
    papers += [Paper("X", "On X alone", references=("A", "B", "C")), Paper("Y", "On Y alone", references=("A", "B")),
               Paper("Z", "On Z alone", references=("C",))]
    stores = opened(tmp_path / "library", papers).library
    rows = np.arange(3)
    found = co_citation(stores, rows, np.array([2.0, 2.0, 2.0]), Weighted(np.array([0]), np.ones(1)),
                        Weighted(np.array([3]), np.array([0.5])), Scope())
    root = math.sqrt(3)
    assert found["cocited"] == pytest.approx([0, 2 / root, 1 / root])
    assert found["cocited_share"] == pytest.approx([0, 2 / 3, 1 / 3])
    assert found["cocited_strong"] == pytest.approx([0, 2 / 3 / root, 1 / 3 / root])
    assert found["cocited_near"] == pytest.approx([0, 0.5 / root, 0.5 / root]), "only X is like the draft"
    tied, weights = ties(stores, np.array([0]), Scope(hidden=(0,)))
    assert dict(zip(tied.tolist(), weights, strict=True)) == pytest.approx(
        {1: 2 / 3, 2: 1 / 3, 3: 1 / root, 4: 1 / root})


def test_popularity_by_hand(library: Path) -> None:
    # The dance is of 1967, cited in 1985, 2011 and 2019; seen from 2013: by two, one of them two years before.
    stores = citewise.open(library).library
    rows = stores.rows_of(["doi:10.1000/dance", "arxiv:1203.00002", "own 8"])
    found = popularity(stores, rows, Scope(year=2013))
    assert found["citations"].tolist() == [2, 0, 0]
    assert [found[f"citations{span}"][0] for span in (1, 2, 3)] == [0, 1, 1]
    assert found["age"][:2].tolist() == [46, 1] and math.isnan(found["age"][2])
    ahead = popularity(stores, rows, Scope(year=9999))
    assert ahead["age"][:2].tolist() == [46, 1], "a year far ahead counts as the one after the youngest paper's"


# Against loops


@given(papers=corpora(12), year=st.none() | st.integers(1990, 1997), unseen=st.sets(st.integers(0, 11), max_size=2))
@settings(max_examples=25)
def test_graph_signals_against_loops(tmp_path_factory: pytest.TempPathFactory, papers: list[Paper], year: int | None,
                                     unseen: set[int]) -> None:
    plain, count = PlainLibrary(papers), len(papers)
    stores = opened(tmp_path_factory.mktemp("oracle") / "library", papers).library
    away = tuple(sorted(row for row in unseen if row < count))
    scope, rows, weights = Scope(year=year, unseen=away, hidden=away), np.arange(count), np.arange(count) + 1.0
    seeds = Weighted(rows[: count // 2 + 1], weights[: count // 2 + 1])
    cites = {row: plain.references(row, year, away) for row in range(count)}
    citers = {row: {other for other in cites if row in cites[other]} for row in cites}
    citations = np.array([float(len(citers[row])) for row in range(count)])
    assert popularity(stores, rows, scope)["citations"].tolist() == citations.tolist()
    together = defaultdict(float)
    for seed, weight in zip(seeds.rows.tolist(), seeds.weights, strict=True):
        for citer in citers[seed]:
            for other in cites[citer] - {seed}:
                together[other] += weight / math.sqrt(len(citers[seed]) + 1)
    found = co_citation(stores, rows, citations, seeds, NOBODY, scope)
    assert found["cocited"] == pytest.approx([together[row] for row in range(count)])
    assert not found["cocited_near"].any()
    pairs = coupling(stores, rows, weights, scope)
    assert pairs["cites_candidates"].tolist() == [sum(weights[other] for other in cites[row]) for row in cites]
    assert pairs["cited_by_candidates"].tolist() == [sum(weights[other] for other in citers[row]) for row in cites]


@given(papers=corpora(12), year=st.none() | st.integers(1990, 1997))
@settings(max_examples=25)
def test_votes_against_loops(tmp_path_factory: pytest.TempPathFactory, papers: list[Paper], year: int | None) -> None:
    plain, query = PlainLibrary(papers), Query("bees ranking graph neural citation", year=year)
    stores = opened(tmp_path_factory.mktemp("oracle") / "library", papers).library
    scope = Scope(year=year)
    hits = Engine(stores).retrieve(query, 5000, scope)
    ranking = Neighbours(stores).expand(query, hits, scope)
    scores = plain.bm25(Counter(stems(query.title)), 1.6, 0.75)
    citing = [row for row in hits.rows.tolist() if plain.references(row, year)]
    best = max((scores[row] for row in citing), default=1)
    expected = defaultdict(float)
    for row in citing:
        for cited in plain.references(row, year):
            if year is None or (papers[cited].year or 9999) <= year:
                expected[cited] += (scores[row] / best) ** 2
    assert ranking.signals["votes"] == pytest.approx([expected[row] for row in ranking.rows.tolist()])
    assert set(expected) <= set(ranking.rows.tolist())
    assert ranking.rows[: len(hits)].tolist() == hits.rows.tolist(), "an expander keeps what it was given, in order"
    assert (ranking.signals["votes10"] <= ranking.signals["votes100"] + 1e-12).all() and DEPTHS == (10, 30, 100)


@given(rows=st.lists(st.integers(0, 40), unique=True), sought=st.lists(st.integers(0, 60)))
def test_places(rows: list[int], sought: list[int]) -> None:
    found = Places(np.array(rows, np.int64)).of(np.array(sought, np.int64))
    assert found.tolist() == [rows.index(row) if row in rows else -1 for row in sought]


# Contracts of the stages


def test_a_ranker_neither_adds_nor_drops(held: citewise.OpenLibrary) -> None:
    stores = held.library
    query = Query("Citation ranking with bees", "neural graph networks", year=2008, cited=("p3", "p9"))
    scope = scope_of(stores, query)
    ranking = Engine(stores).retrieve(query, 5000, scope)
    for expander in (Seeds(stores), Authors(stores), Neighbours(stores)):
        wider = expander.expand(query, ranking, scope)
        assert wider.rows[: len(ranking)].tolist() == ranking.rows.tolist()
        assert len(set(wider.rows.tolist())) == len(wider) and stores.in_scope(wider.rows, scope).all()
        ranking = wider
    for kept in (1, 7, 2000):
        found = Learned(stores, model.shipped(), kept).rank(query, ranking, scope)
        assert sorted(found.rows.tolist()) == sorted(ranking.rows.tolist())
        assert np.isfinite(found.scores).all() and (np.diff(found.scores) <= 0).all()
    few = Learned(stores, model.shipped(), 7).rank(query, ranking, scope)
    assert (np.diff(few.signals["first"][7:]) <= 0).all(), "behind, in the first step's order"
    assert few.scores[6] > few.scores[7]


# Leaks


def test_what_a_draft_could_not_see_changes_nothing(tmp_path: Path) -> None:
    plants = [Paper("query", "Bees and citation ranking", "A graph of bees.", 2005),
              Paper("version", "Bees and citation ranking again", "A graph of bees.", 2004),
              Paper("future", "Bees and citation ranking later", "A graph of bees.", 2006),
              Paper("sibling", "Bees and citation ranking too", "A graph of bees.", 2005)]
    plants = [dataclasses.replace(each, authors=("Ada Byron",)) for each in plants]
    planted = [dataclasses.replace(each, references=("p3", "p5", "p8")) for each in plants]
    query = Query("Bees and citation ranking", "A graph of bees.", "query", 2005, cited=("p1",), hidden=("version",),
                  authors=("Ada Byron",))
    clean, leaky = (opened(tmp_path / name, [*PAPERS, *each]).recommender("best").rank(query, 500)
                    for name, each in (("clean", plants), ("leaky", planted)))
    assert clean.rows.tolist() == leaky.rows.tolist() and clean.scores.tolist() == leaky.scores.tolist()
    for name, column in clean.signals.items():
        assert np.array_equal(column, leaky.signals[name], equal_nan=True), name
    free = dataclasses.replace(query, id="", year=None, hidden=())
    seen = [opened(tmp_path / name, []).recommender("best").rank(free, 500) for name in ("clean", "leaky")]
    assert seen[0].scores.tolist() != seen[1].scores.tolist(), "the plants are such that a leak would show"


# Fallbacks

SLICES = {
    "no graph": lambda paper: dataclasses.replace(paper, references=()),
    "no years": lambda paper: dataclasses.replace(paper, year=None, date=""),
    "no abstracts": lambda paper: dataclasses.replace(paper, abstract=""),
    "nothing but titles": lambda paper: Paper(paper.id, paper.title),
}


@pytest.mark.parametrize("name", SLICES)
def test_poor_libraries_are_answered(tmp_path: Path, name: str) -> None:
    poor = opened(tmp_path / "library", [SLICES[name](paper) for paper in PAPERS])
    for query in (Query("Bees"), Query("Citation ranking of bees", "A graph of neural bees."),
                  Query("", "Ant colonies"), Query("Bees", cited=("p1", "p2"))):
        found = poor.recommender("best").rank(query, 500)
        assert len(found) and np.isfinite(found.scores).all() and (np.diff(found.scores) <= 0).all()


@pytest.mark.parametrize("name", ["no graph", "nothing but titles"])
def test_without_citations_words_decide(tmp_path: Path, name: str) -> None:
    poor = opened(tmp_path / "library", [SLICES[name](paper) for paper in PAPERS])
    for query in (Query("Citation ranking of bees", "A graph of neural bees."), Query("Bees", cited=("p1",))):
        found, words = (poor.recommender(system).rank(query, 500) for system in ("best", "bm25(reach=500)"))
        assert found.rows.tolist() == words.rows.tolist()
        assert found.scores == pytest.approx(words.scores)


def test_a_year_before_every_citation_leaves_words(held: citewise.OpenLibrary) -> None:
    query = Query("The dance language of honey bees", year=1968)
    assert [each.paper.id for each in held.answer(query, 20, "best")] == ["doi:10.1000/dance"]


@pytest.mark.parametrize("count", [1, 2])
def test_tiny_libraries_are_answered(tmp_path: Path, count: int) -> None:
    tiny = opened(tmp_path / "library", GOLDEN[:count])
    assert tiny.recommend("bees", system="best")[0].paper.id in {paper.id for paper in GOLDEN[:count]}
    tied = tiny.recommend("xyzzy", cited=[GOLDEN[0].id], system="best")
    assert [answer.paper.id for answer in tied] == [paper.id for paper in GOLDEN[1:count]], "citing the seed is enough"


def test_what_is_cited_speaks_for_what_is_cited_with_it(tmp_path: Path) -> None:
    papers = [Paper(f"s{number}", f"Seed {number} of bees", year=1990) for number in range(4)]
    papers += [Paper(name, f"Wholly other words of a {name}", year=1991) for name in ("friend", "stranger")]
    papers += [Paper(f"c{number}", f"Survey {number} of insects", year=1995, references=("s0", "s1", "s2", "friend"))
               for number in range(5)]
    found = opened(tmp_path / "library", papers).recommend("Bees", cited=["s0", "s1", "s2"], system="best", k=50)
    names = [answer.paper.id for answer in found]
    assert "friend" in names and "stranger" not in names
    assert found[names.index("friend")].signals["seeds_cocited"] > 0


# The model


def test_the_model_is_small_readable_and_says_where_it_is_from() -> None:
    folder = importlib.resources.files("citewise") / "rank" / "models" / "default"
    sizes = {each.name: len(each.read_bytes()) for each in folder.iterdir()}
    assert sizes.keys() == {"trees.txt", "first.json", "provenance.json"} and sum(sizes.values()) < 600_000
    (folder / "trees.txt").read_text("ascii")
    told = json.loads((folder / "provenance.json").read_text("utf-8"))
    assert [each.num_trees() for each in model.shipped().trees or ()] == [told["trees"]] * 2
    assert {"corpus", "queries", "settings", "commit", "dev"} <= told.keys()


def test_every_feature_of_the_model_is_made(held: citewise.OpenLibrary) -> None:
    found = held.recommender("best").rank(Query("Citation ranking of bees", cited=("p1", "p2")), 50)
    shipped = model.shipped()
    assert features(found.signals, shipped.names).shape == (len(found), len(shipped.names))
    assert np.isfinite(first_features(found.signals, [*shipped.first.weights], shipped.first.depth)).all()
    assert len(set(shipped.names)) == len(shipped.names)


def test_features_by_hand() -> None:
    signals = {"votes": np.array([2.0, 4.0, 4.0, 0.0]), "nothing": np.full(4, np.nan)}
    signals |= {name: np.zeros(4) for name in ("citations", "citations2", "vote_count", "votes_sharp", "bm25",
                                               "query_weight")}
    signals["cosine"] = np.array([0.2, 0.4, 0.0, 0.2])
    found = features(signals, ["votes / best", "rank votes", "log votes", "votes", "nothing / best", "rank nothing"])
    assert found[:, 0].tolist() == [0.5, 1, 1, 0]
    assert found[:, 1] == pytest.approx(np.log([3, 1, 1, 4])), "equals share the best rank"
    assert found[:, 2] == pytest.approx(np.log([3, 5, 5, 1]))
    assert found[:, 3].tolist() == [2, 4, 4, 0]
    assert np.isnan(found[:, 4:]).all()
    signals["partly"] = np.array([np.nan, 3.0, 0.0, np.nan])
    assert features(signals, ["rank partly"])[:, 0] == pytest.approx(np.log([3, 1, 2, 3])), "the unknown are last"
    # The best cosine is 0.4; by votes, the others' shares of it are 0.5 * 2 + 1 * 4 + 0 * 4 of 10 votes: 0.5, and in
    # the plain mean of all four 0.5 as well.
    assert features(signals, ["voted_alike", "voted_alike_more"])[0] == pytest.approx([0.5, 1.0])


def test_the_cosine_against_a_loop(held: citewise.OpenLibrary) -> None:
    """sum of log(1 + tf) idf over shared terms, draft's vector of length 1, over the root of the paper's length."""
    stores, query = held.library, Query("Citation ranking of bees", "neural graph networks of bees and neural swarms")
    rows = Engine(stores).retrieve(query, 5000, Scope()).rows
    found = text_signals(stores, query, rows, Bag(np.zeros(0, np.int64), np.zeros(0)))["cosine"]
    texts = {each.id: (Counter(stems(each.title)), Counter(stems(each.abstract))) for each in PAPERS}
    holders = Counter(term for title, abstract in texts.values() for term in title | abstract)
    rarity = {term: math.log1p((len(texts) - held + 0.5) / (held + 0.5)) for term, held in holders.items()}
    draft = {term: math.log1p(count) * rarity[term] for term, count in Counter(stems(query.text)).items()
             if term in rarity}
    length = math.sqrt(sum(weight**2 for weight in draft.values()))
    for value, paper in zip(found, stores.papers(rows), strict=True):
        parts = [math.log1p(field[term]) * rarity[term] * draft[term] for field in texts[paper.id]
                 for term in field if term in draft]
        size = sum(field.total() for field in texts[paper.id])
        assert value == pytest.approx(sum(parts) / length / math.sqrt(size)), paper.id


def test_a_neighbourhood_is_ordered_by_likeness(held: citewise.OpenLibrary) -> None:
    stores, query = held.library, Query("Citation ranking of bees")
    hits = Engine(stores).retrieve(query, 5000, Scope())
    near = neighbourhood(stores, query, hits.rows, Scope(), 20)
    assert near.rows.size == 20 and near.likeness[0] == 1 and (np.diff(near.likeness) <= 0).all()
    assert isinstance(stores, Library) and (stores.references(near.rows).lengths > 0).all()


def test_a_ranking_followed_by_others() -> None:
    wider = Ranking(np.array([4]), np.array([2.0]), {"votes": np.array([1.0])}).followed_by(np.array([7]))
    assert wider.rows.tolist() == [4, 7] and wider.scores.tolist() == [2, 0]
    assert wider.signals["votes"][0] == 1 and math.isnan(wider.signals["votes"][1])


def test_without_lightgbm_the_linear_step_ranks(held: citewise.OpenLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    query = Query(GOLDEN[0].title, GOLDEN[0].abstract)
    with_trees = held.answer(query, 500)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    model.shipped.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="linear step alone"):
            found = citewise.open(held.library.path).answer(query, 500)
    finally:
        model.shipped.cache_clear()
    assert {each.paper.id for each in found} == {each.paper.id for each in with_trees}
    assert all(each.score == each.signals["first"] for each in found if "first" in each.signals)


def test_few_citations_among_few_papers_leave_it_to_words(tmp_path: Path) -> None:
    # Forty papers share words, and one of them cites another: citations speak for a fortieth of the candidates.
    papers = [Paper(f"s{number}", f"Ranking of papers, part {number}", f"word{number} ranking", 1990 + number % 9)
              for number in range(40)]
    papers[9] = dataclasses.replace(papers[9], references=("s1",))
    held = opened(tmp_path / "library", papers)
    query = Query("Ranking of papers, part 7")
    assert held.recommender("best").rank(query, 20).rows.tolist() == held.recommender("bm25").rank(
        query, 20).rows.tolist()
    ranking = held.recommender("best").candidates(query, 20, Scope())
    own = dataclasses.replace(model.shipped(), name=model.NAME)
    assert "first" in Learned(held.library, own).rank(query, ranking, Scope()).signals, "a model of its own serves"
