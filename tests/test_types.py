"""Rankings as columns."""

import math

import numpy as np

from citewise.types import Ranking


def test_a_ranking_followed_by_others() -> None:
    first = Ranking(np.array([4]), np.array([2.0]), {"votes": np.array([1.0])})
    wider = first.followed_by(np.array([7]))
    assert wider.rows.tolist() == [4, 7] and wider.scores.tolist() == [2, 0]
    assert wider.signals["votes"][0] == 1 and math.isnan(wider.signals["votes"][1])


def test_candidates_are_taken_with_their_signals() -> None:
    columns = {"votes": np.array([1.0, 2.0, 3.0, 4.0]), "age": np.array([9.0, 8.0, 7.0, 6.0])}
    ranking = Ranking(np.array([4, 7, 8, 9]), np.array([4.0, 3.0, 2.0, 1.0]), columns)

    ordered = ranking.take(np.array([3, 1, 0]))
    assert ordered.rows.tolist() == [9, 7, 4] and ordered.scores.tolist() == [1, 3, 4]
    assert {name: column.tolist() for name, column in ordered.signals.items()} == {
        "votes": [4, 2, 1],
        "age": [6, 8, 9],
    }
    assert "votes" in ordered.signals and "year" not in ordered.signals
    assert ordered.signals.get("year") is None and len(ordered.signals) == 2

    for index in (slice(1, 3), np.array([1, 2]), np.array([False, True, True])):
        part = ordered.take(index)
        assert part.rows.tolist() == [7, 4]
        assert part.signals["votes"].tolist() == [2, 1]
        assert {**part.signals}["age"].tolist() == [8, 9]
    assert ranking.take(slice(2)).signals["age"].tolist() == [9, 8]


def test_a_ranking_above_the_rest() -> None:
    first = Ranking(np.array([4]), np.array([2.0]), {"votes": np.array([1.0])})
    rest = Ranking(np.array([7, 8]), np.array([9.0, 5.0]), {"age": np.array([3.0, 4.0])})
    both = first.above(rest)
    assert both.rows.tolist() == [4, 7, 8]
    assert both.scores.tolist() == [2, -1, -5], "one below the lowest, and their distances stay"
    assert both.signals.keys() == {"votes"} and math.isnan(both.signals["votes"][1])
    assert first.above(rest.take(slice(0))) is first
