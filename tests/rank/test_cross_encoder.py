"""Re-ranking by opinions: no pair is scored twice, none is lost, weights of 0 change nothing."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from citewise.memory import MemoryStores
from citewise.protocols import ScoredBy
from citewise.rank.cross_encoder import Opinion, OpinionRanker, PairScores, Reranker
from citewise.rank.final_order import COSINE, FIXED, LOGIT, FinalOrder, standardised
from citewise.types import Paper, Query, Ranking, Scope, ServedBy

STORES = MemoryStores.of(
    [Paper(f"p{number}", f"Title {'x' * number}", year=2000) for number in range(12)]
)
QUERY, SCOPE = Query("A draft", "About x."), Scope()


class Lengths:
    """A scorer whose score is the length of the candidate; it remembers what it was asked."""

    about = ScoredBy("lengths", "fp32", "0", "longest-first")

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked += pairs
        return np.array([len(candidate) for _, candidate in pairs], np.float32)


def ranking_of(rows: Sequence[int], scores: Sequence[float] | None = None) -> Ranking:
    given = scores if scores is not None else np.arange(len(rows), 0, -1)
    return Ranking(np.array(rows, np.int64), np.array(given, np.float64))


def test_the_scorer_reads_title_and_abstract_of_both_sides() -> None:
    scorer = Lengths()
    PairScores(STORES, scorer)(QUERY, np.array([3]))
    assert scorer.asked == [("A draft\nAbout x.", "Title xxx")]


def test_no_pair_of_a_query_is_scored_twice() -> None:
    scorer = Lengths()
    scores = PairScores(STORES, scorer)
    first = scores(QUERY, np.array([1, 2, 3]))
    again = scores(QUERY, np.array([3, 4, 1]))
    assert first.tolist() == [7, 8, 9]
    assert again.tolist() == [9, 10, 7]
    assert len(scorer.asked) == 4
    scores(Query("Another draft"), np.array([1]))
    assert len(scorer.asked) == 5


def test_a_ranker_by_one_opinion_goes_by_its_scores_alone() -> None:
    found = OpinionRanker(LOGIT, PairScores(STORES, Lengths())).rank(
        QUERY, ranking_of([2, 7, 4]), ranking_of([2, 7, 4]), SCOPE
    )
    assert found.rows.tolist() == [7, 4, 2]
    assert found.signals[LOGIT].tolist() == found.scores.tolist()


def reranker(weights: dict[str, float], seconds: float = 0.0) -> Reranker:
    opinions: dict[str, Opinion] = {
        LOGIT: PairScores(STORES, Lengths()),
        COSINE: lambda query, rows: -rows.astype(np.float64),
    }
    return Reranker(opinions, FinalOrder(weights), None, seconds)


def test_scores_are_worked_out_by_hand() -> None:
    candidates = ranking_of([1, 2, 3], [4.0, 2.0, 0.0])  # the spread is sqrt(8 / 3)
    found = reranker({LOGIT: 1.0}).rank(QUERY, candidates, candidates, SCOPE)
    spread = np.sqrt(8 / 3)
    opinion = np.array([-1.0, 0.0, 1.0]) / np.sqrt(2 / 3)  # logits 7, 8, 9
    expected = np.array([4.0, 2.0, 0.0]) + spread * opinion
    assert np.allclose(found.scores, np.sort(expected)[::-1])
    assert found.signals["first_score"].tolist() == [4.0, 2.0, 0.0]


@given(
    rows=st.lists(st.integers(0, 11), unique=True, min_size=1),
    weights=st.fixed_dictionaries({LOGIT: st.floats(0, 4), COSINE: st.floats(0, 4)}),
    data=st.data(),
)
def test_it_neither_adds_nor_drops_and_parts_add_up(
    rows: list[int], weights: dict[str, float], data: st.DataObject
) -> None:
    drawn = data.draw(
        st.lists(st.floats(-5, 5), min_size=len(rows), max_size=len(rows)), label="scores"
    )
    candidates = ranking_of(rows, sorted(drawn, reverse=True))
    stage = reranker(weights)
    found = stage.rank(QUERY, candidates, candidates, SCOPE)
    assert sorted(found.rows.tolist()) == sorted(rows)
    assert np.all(np.diff(found.scores) <= 1e-9)
    assert {*stage.writes} <= {*found.signals}

    parts = stage.contributions(QUERY, found, found.rows)
    assert np.allclose(parts.base + sum(parts.parts.values(), np.zeros(len(rows))), found.scores)


def test_weights_of_0_leave_the_order_as_it_is_and_read_nothing() -> None:
    scorer = Lengths()
    stage = Reranker({LOGIT: PairScores(STORES, scorer)}, FinalOrder({LOGIT: 0.0}), None)
    candidates = ranking_of([5, 1, 9])
    found = stage.rank(QUERY, candidates, candidates, SCOPE)
    assert found.rows.tolist() == [5, 1, 9]
    assert found.scores.tolist() == candidates.scores.tolist()
    assert not scorer.asked
    assert "not re-ranked" in found.served_by.note


def test_when_time_is_over_the_others_follow_in_their_order() -> None:
    stage = Reranker({LOGIT: PairScores(STORES, Lengths())}, FIXED, None, seconds=1e-9)
    candidates = ranking_of(range(12))
    found = stage.rank(QUERY, candidates, candidates, SCOPE)
    assert found.rows[8:].tolist() == [8, 9, 10, 11]
    assert sorted(found.rows[:8].tolist()) == [*range(8)]
    assert found.served_by.note == "re-ranked: 8 of 12 papers read, fixed weights"
    assert np.isnan(found.signals[LOGIT][8:]).all()


def test_notes_are_joined() -> None:
    noted = Ranking(np.array([1, 2]), np.array([1.0, 0.0]), served_by=ServedBy(note="by bm25"))
    found = reranker({LOGIT: 1.0}).rank(QUERY, noted, noted, SCOPE)
    assert found.served_by.note.startswith("by bm25, re-ranked: 2 of 2")


def test_unknown_opinions_count_nothing() -> None:
    values = standardised(np.array([1.0, np.nan, 3.0]))
    assert values.tolist() == [-1.0, 0.0, 1.0]
    assert standardised(np.array([np.nan])).tolist() == [0.0]
    assert standardised(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]
    assert FinalOrder({LOGIT: 2.0}).parts(np.array([1.0, 1.0]), {}) == {}


def test_equal_first_scores_leave_room_for_opinions() -> None:
    parts = FinalOrder({LOGIT: 2.0}).parts(np.zeros(2), {LOGIT: np.array([1.0, 3.0])})
    assert parts[LOGIT].tolist() == pytest.approx([-2.0, 2.0])
