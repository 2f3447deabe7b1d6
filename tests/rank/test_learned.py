"""The rankers of `best`: contracts, leaks, and where words alone decide."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.embed.draft_vectors import sets_of_vectors
from citewise.rank.learned import trust
from citewise.rank.trees import DRAFT_MODEL, TreeModel, shipped_model
from citewise.recommend import Recommender, scope_of
from citewise.systems import BestSettings
from citewise.types import Paper, Query, Ranking
from corpora import GOLDEN, random_papers
from dense_library import dense_library

PAPERS = [*GOLDEN, *random_papers(120, seed=5)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return made(tmp_path_factory.mktemp("learned") / "library", PAPERS)


def made(folder: Path, papers: Sequence[Paper]) -> Library:
    """Return a library of some papers."""
    citewise.add(papers, folder)
    return citewise.open(folder)


def with_model(library: Library, model: TreeModel) -> Recommender:
    """Return `best` over a library with a given model."""
    return Recommender(library.stores, BestSettings().stages(library.stores, model))


# Contracts of the stages


def test_a_ranker_neither_adds_nor_drops(library: Library) -> None:
    stores, settings = library.stores, BestSettings()
    query = Query(
        "Citation ranking with bees", "neural graph networks", year=2008, cited=("p3", "p9")
    )
    scope = scope_of(stores.papers, query)
    stages = settings.over(stores)
    ranking = stages.retrievers[0].retrieve(query, 5000, scope)
    for expander in stages.expanders:
        expansion = expander.expand(query, ranking, scope)
        wider = ranking.followed_by(expansion.rows)
        assert len(set(wider.rows.tolist())) == len(wider)
        assert stores.papers.in_scope(expansion.rows, scope).all()
        signals = expansion.signals(wider.rows)
        assert signals.keys() == expander.writes
        ranking = wider.with_signals(signals)

    candidates = settings.candidate_stages(stores, sets_of_vectors(stores, settings.vectors))
    pool = Recommender(stores, candidates).candidates(query, 5000, scope)
    assert pool.rows.tolist() == ranking.rows.tolist(), "the composer makes the same"
    linear, trees = (step.ranker for step in stages.rankers)
    first = linear.rank(query, pool, pool, scope)
    for kept in (1, 7, 2000):
        best = first.take(slice(kept))
        found = trees.rank(query, best, first, scope)
        for before, after in ((pool, first), (best, found)):
            assert sorted(after.rows.tolist()) == sorted(before.rows.tolist())
            assert np.isfinite(after.scores).all() and (np.diff(after.scores) <= 0).all()
        assert linear.writes <= first.signals.keys()
        assert linear.writes | trees.writes <= found.signals.keys()


def test_what_the_trees_do_not_rank_stays_behind(library: Library) -> None:
    query = Query(
        "Citation ranking with bees", "neural graph networks", year=2008, cited=("p3", "p9")
    )
    every = library.recommender("best").rank(query, 500)
    few = library.recommender("best(kept=7)").rank(query, 500)
    assert sorted(few.rows.tolist()) == sorted(every.rows.tolist())
    assert np.isfinite(few.scores).all() and (np.diff(few.scores) <= 0).all()
    assert (np.diff(few.signals["linear_score"][7:]) <= 0).all(), "in the linear step's order"
    assert few.scores[6] > few.scores[7]


# Leaks


@pytest.mark.slow
def test_what_a_draft_could_not_see_changes_nothing(tmp_path: Path) -> None:
    plants = [
        Paper("query", "Bees and citation ranking", "A graph of bees.", 2005),
        Paper("version", "Bees and citation ranking again", "A graph of bees.", 2004),
        Paper("future", "Bees and citation ranking later", "A graph of bees.", 2006),
        Paper("sibling", "Bees and citation ranking too", "A graph of bees.", 2005),
    ]
    plants = [dataclasses.replace(each, authors=("Ada Byron",)) for each in plants]
    planted = [dataclasses.replace(each, references=("p3", "p5", "p8")) for each in plants]
    query = Query(
        "Bees and citation ranking",
        "A graph of bees.",
        "query",
        2005,
        cited=("p1",),
        hidden=("version",),
        authors=("Ada Byron",),
    )
    clean, leaky = (
        made(tmp_path / name, [*PAPERS, *each]).recommender("best").rank(query, 500)
        for name, each in (("clean", plants), ("leaky", planted))
    )
    assert (
        clean.rows.tolist() == leaky.rows.tolist()
        and clean.scores.tolist() == leaky.scores.tolist()
    )
    for name, column in clean.signals.items():
        assert np.array_equal(column, leaky.signals[name], equal_nan=True), name
    free = dataclasses.replace(query, id="", year=None, hidden=())
    seen = [
        made(tmp_path / name, []).recommender("best").rank(free, 500) for name in ("clean", "leaky")
    ]
    assert seen[0].scores.tolist() != seen[1].scores.tolist(), (
        "the plants are such that a leak would show"
    )


# Fallbacks

SLICES: dict[str, Callable[[Paper], Paper]] = {
    "no graph": lambda paper: dataclasses.replace(paper, references=()),
    "no years": lambda paper: dataclasses.replace(paper, year=None, date=""),
    "no abstracts": lambda paper: dataclasses.replace(paper, abstract=""),
    "nothing but titles": lambda paper: Paper(paper.id, paper.title),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SLICES)
def test_poor_libraries_are_answered(tmp_path: Path, name: str) -> None:
    poor = made(tmp_path / "library", [SLICES[name](paper) for paper in PAPERS])
    for query in (
        Query("Bees"),
        Query("Citation ranking of bees", "A graph of neural bees."),
        Query("", "Ant colonies"),
        Query("Bees", cited=("p1", "p2")),
    ):
        found = poor.recommender("best").rank(query, 500)
        assert len(found) and np.isfinite(found.scores).all() and (np.diff(found.scores) <= 0).all()


@pytest.mark.parametrize("name", ["no graph", "nothing but titles"])
def test_without_citations_words_decide(tmp_path: Path, name: str) -> None:
    poor = made(tmp_path / "library", [SLICES[name](paper) for paper in PAPERS])
    for query in (
        Query("Citation ranking of bees", "A graph of neural bees."),
        Query("Bees", cited=("p1",)),
    ):
        found, words = (
            poor.recommender(system).rank(query, 500) for system in ("best", "bm25(reach=500)")
        )
        assert found.rows.tolist() == words.rows.tolist()
        assert found.scores == pytest.approx(words.scores)


def test_a_year_before_every_citation_leaves_words(library: Library) -> None:
    query = Query("The dance language of honey bees", year=1968)
    assert [each.paper.id for each in library.answer(query, 20, "best")] == ["doi:10.1000/dance"]


@pytest.mark.parametrize("count", [1, 2])
def test_tiny_libraries_are_answered(tmp_path: Path, count: int) -> None:
    tiny = made(tmp_path / "library", GOLDEN[:count])
    assert tiny.recommend("bees", system="best")[0].paper.id in {
        paper.id for paper in GOLDEN[:count]
    }
    tied = tiny.recommend("xyzzy", cited=[GOLDEN[0].id], system="best")
    assert [answer.paper.id for answer in tied] == [paper.id for paper in GOLDEN[1:count]], (
        "citing the seed is enough"
    )


def test_what_is_cited_speaks_for_what_is_cited_with_it(tmp_path: Path) -> None:
    papers = [Paper(f"s{number}", f"Seed {number} of bees", year=1990) for number in range(4)]
    papers += [
        Paper(name, f"Wholly other words of a {name}", year=1991) for name in ("friend", "stranger")
    ]
    papers += [
        Paper(
            f"c{number}",
            f"Survey {number} of insects",
            year=1995,
            references=("s0", "s1", "s2", "friend"),
        )
        for number in range(5)
    ]
    found = made(tmp_path / "library", papers).recommend(
        "Bees", cited=["s0", "s1", "s2"], system="best(vectors=none)", k=50
    )
    names = [answer.paper.id for answer in found]
    assert "friend" in names and "stranger" not in names
    assert found[names.index("friend")].signals["seeds_cocited"] > 0


def test_few_citations_among_few_papers_leave_it_to_words(tmp_path: Path) -> None:
    # Forty papers share words, and one of them cites another: citations speak for a fortieth of the
    # candidates.
    papers = [
        Paper(
            f"s{number}",
            f"Ranking of papers, part {number}",
            f"word{number} ranking",
            1990 + number % 9,
        )
        for number in range(40)
    ]
    papers[9] = dataclasses.replace(papers[9], references=("s1",))
    library = made(tmp_path / "library", papers)
    query = Query("Ranking of papers, part 7")
    assert (
        library.recommender("best").rank(query, 20).rows.tolist()
        == library.recommender("bm25").rank(query, 20).rows.tolist()
    )
    shipped = shipped_model(DRAFT_MODEL)
    for model, trusted in ((shipped, False), (dataclasses.replace(shipped, shipped=False), True)):
        signals = with_model(library, model).rank(query, 20).signals
        assert ("linear_score" in signals) == trusted, "a model of its own serves"


def test_trust_grows_with_the_library() -> None:
    assert [trust(papers) for papers in (0, 10, 1_000, 2_000, 3_000, 4_000, 10**6)] == [
        *(0.25, 0.25, 0.25, 0.5, 0.75, 1.0, 1.0)
    ]


def test_in_a_small_library_the_orders_of_trees_and_words_are_fused(library: Library) -> None:
    query = Query("Citation ranking with bees", "neural graph networks", cited=("p3",))
    shipped = shipped_model(DRAFT_MODEL)

    def ranked(model: TreeModel) -> Ranking:
        return with_model(library, model).rank(query, 500)

    by_trees = ranked(dataclasses.replace(shipped, shipped=False)).rows.tolist()
    fused = ranked(shipped)
    assert fused.judge == "both"
    words = dict(zip(fused.rows.tolist(), fused.signals["bm25"].tolist(), strict=True))
    by_words = sorted(words, key=lambda row: (-words[row], row))

    places = {row: 0.25 / (1 + rank / 10) for rank, row in enumerate(by_trees)}
    for rank, row in enumerate(by_words):
        places[row] += 0.75 / (1 + rank / 10)
    assert fused.scores == pytest.approx([places[row] for row in fused.rows.tolist()])
    assert fused.scores.tolist() == sorted(fused.scores, reverse=True)


def test_vectors_whose_model_is_gone_are_named(tmp_path: Path) -> None:
    library = dense_library(tmp_path)
    library.stores.models.remove("nnselect")
    answer = citewise.open(tmp_path).recommend("Bees")
    assert "the model that made those of the papers is gone" in answer.served_by.note
    assert "citewise encode --library LIBRARY --model nnselect" in answer.served_by.note
