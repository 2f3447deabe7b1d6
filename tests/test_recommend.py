"""The composer: which stages fit together, how their candidates meet, and how a cascade ranks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from citewise.api import Library
from citewise.embed.draft_vectors import sets_of_vectors
from citewise.errors import BadInput
from citewise.expand.authors import Authors
from citewise.expand.neighbours import Neighbours
from citewise.expand.seeds import Seeds
from citewise.ground import EvidenceGrounder
from citewise.protocols import Stores
from citewise.rank.learned import LinearRanker, TreeRanker
from citewise.rank.sentence_ranker import SentenceRanker
from citewise.rank.trees import DRAFT_MODEL, SENTENCE_MODEL, shipped_model
from citewise.recommend import RankStep, Recommender, Stages, scope_of
from citewise.retrieve.bm25 import Bm25, Bm25Parameters, Bm25Ranker
from citewise.retrieve.engine import Engine
from citewise.scoring.fusion import FUSIONS
from citewise.spans.profiles import ClaimSearch
from citewise.systems import SYSTEMS, BestSettings
from citewise.types import Query, Scope

QUERY = Query("Citation ranking of bees", "neural graph networks", cited=("p1", "p2"))


def words(stores: Stores) -> Bm25:
    return Bm25(stores, Bm25Parameters())


def simple(stores: Stores) -> Stages:
    """Return BM25 alone."""
    return Stages((words(stores),), EvidenceGrounder(stores, ClaimSearch(stores)))


# Stages that do not fit


def linear(stores: Stores) -> LinearRanker:
    model = shipped_model(DRAFT_MODEL).linear
    assert model is not None
    return LinearRanker(stores, model, shipped=True)


def trees(stores: Stores) -> TreeRanker:
    return TreeRanker(stores, shipped_model(DRAFT_MODEL), sets_of_vectors(stores, "nnselect"))


def by_sentences(stores: Stores) -> SentenceRanker:
    return SentenceRanker(stores, ClaimSearch(stores), shipped_model(SENTENCE_MODEL))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda stores: {"retrievers": ()}, "at least one retriever"),
        (lambda stores: {"fusion": "mean"}, "unknown fusion 'mean'; known: rrf"),
        (
            lambda stores: {"rankers": (RankStep(Bm25Ranker(stores, Bm25Parameters()), 0),)},
            "a depth of at least 1",
        ),
        (
            lambda stores: {"rankers": (RankStep(linear(stores)),)},
            "LinearRanker reads the signal 'authored', which no stage before it writes",
        ),
        (
            lambda stores: {"rankers": (RankStep(by_sentences(stores)),)},
            "SentenceRanker reads the signal 'context_votes'",
        ),
        (
            lambda stores: {
                "retrievers": (Engine(stores),),
                "expanders": (Seeds(stores), Authors(stores)),
                "rankers": (RankStep(linear(stores)),),
            },
            "LinearRanker reads the signal 'dense_citer'",
        ),
        (
            lambda stores: {
                "retrievers": (Engine(stores),),
                "expanders": (Seeds(stores), Authors(stores), Neighbours(stores)),
                "rankers": (RankStep(trees(stores)), RankStep(linear(stores))),
            },
            "TreeRanker reads the signal 'age'",
        ),
    ],
)
def test_stages_that_do_not_fit_are_refused(
    stored: Library, change: Callable[[Stores], dict[str, Any]], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        replace(simple(stored.stores), **change(stored.stores))


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_stages_of_every_system_fit(stored: Library, name: str) -> None:
    assert SYSTEMS[name].over(stored.stores).retrievers


# Candidates


def test_every_candidate_has_the_signals_of_every_expander(stored: Library) -> None:
    """Also those that a later expander, or the caller, brought."""
    stores = stored.stores
    query = replace(QUERY, authors=("Otto Wabe",))
    stages = BestSettings().candidate_stages(stores, sets_of_vectors(stores, "nnselect"))
    scope = scope_of(stores.papers, query, within=range(20))
    pool = Recommender(stores, stages).candidates(query, 50, scope)
    alone = stages.retrievers[0].retrieve(query, 5000, replace(scope, within=None))
    assert pool.rows[: len(alone)].tolist() == alone.rows.tolist(), "none is moved"
    assert len(pool) > len(alone)

    for name in ("seeds_linked", "authored", "authors_cite", "votes", "vote_count"):
        assert not np.isnan(pool.signals[name]).any(), name
    allowed = np.arange(20)[stores.papers.in_scope(np.arange(20), scope)]
    assert set(allowed.tolist()) <= set(pool.rows.tolist())


@pytest.mark.parametrize("fusion", FUSIONS)
def test_several_retrievers_are_fused(stored: Library, fusion: str) -> None:
    stores = stored.stores
    both = replace(simple(stores), retrievers=(words(stores), Engine(stores)), fusion=fusion)
    found = Recommender(stores, both).rank(QUERY, 30)
    scope = scope_of(stores.papers, QUERY)
    lists = [each.retrieve(QUERY, 30, scope) for each in both.retrievers]
    rows, scores = FUSIONS[fusion]([each.rows for each in lists])
    best = sorted(zip((-scores).tolist(), rows.tolist(), strict=True))[:30]
    assert found.rows.tolist() == [row for _, row in best]
    assert found.scores.tolist() == [-score for score, _ in best]

    # each signal is that of its retriever, unknown for papers that only the other one found
    for ranking, name in zip(lists, ("bm25", "hit_rank"), strict=True):
        known = dict(zip(ranking.rows.tolist(), ranking.signals[name].tolist(), strict=True))
        expected = [known.get(row, np.nan) for row in found.rows.tolist()]
        assert np.array_equal(found.signals[name], expected, equal_nan=True)


# The cascade


def test_a_ranker_ranks_the_best_of_those_before_it(stored: Library) -> None:
    stores = stored.stores
    ranker = Bm25Ranker(stores, Bm25Parameters())
    start = replace(simple(stores), retrievers=(Engine(stores),))
    before = Recommender(stores, start).rank(QUERY, 40).rows.tolist()
    found = Recommender(stores, replace(start, rankers=(RankStep(ranker, 5),))).rank(QUERY, 40)
    assert sorted(found.rows[:5].tolist()) == sorted(before[:5])
    assert found.rows[5:].tolist() == before[5:], "the others follow in their order"
    assert (np.diff(found.scores) <= 0).all()
    scores = words(stores).scores(found.rows[:5], QUERY)
    assert found.scores[:5].tolist() == scores.tolist()


def test_papers_of_within_are_always_ranked(stored: Library) -> None:
    stores = stored.stores
    ranker = Bm25Ranker(stores, Bm25Parameters())
    stages = replace(simple(stores), retrievers=(Engine(stores),), rankers=(RankStep(ranker, 1),))
    found = Recommender(stores, stages).rank(QUERY, 10, within=[30, 31, 32])
    expected = words(stores).scores(found.rows, QUERY)
    assert sorted(found.rows.tolist()) == [30, 31, 32]
    assert found.scores.tolist() == expected.tolist()


def test_a_settled_order_is_not_ranked_again(stored: Library) -> None:
    """Where no citation is seen, words decide in `best`, and the trees leave it as it is."""
    early = Query("The dance language of honey bees", year=1968)
    found = stored.recommender("best").rank(early, 20)
    assert found.settled and "linear_score" not in found.signals
    assert found.scores.tolist() == found.signals["bm25"].tolist()


# What a query may see


def test_a_scope_by_hand(stored: Library) -> None:
    papers = stored.stores.papers
    own, cited, hidden = papers.find(["p1", "p2", "p3"]).tolist()
    query = Query("bees", id="p1", year=2000, since=1990, cited=("p2", "?"), hidden=("p3",))
    assert scope_of(papers, query, [7]) == Scope(
        year=2000,
        since=1990,
        hidden=tuple(sorted((own, cited, hidden))),
        unseen=tuple(sorted((own, hidden))),
        unseen_keys=("p1", "p3"),
        within=(7,),
    )
    sentence = scope_of(papers, replace(query, sentence="Bees dance."))
    assert sentence.hidden == tuple(sorted((own, hidden))), "it may be cited again"
