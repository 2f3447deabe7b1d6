"""Rankings as columns."""

import math

import numpy as np

from citewise.types import Ranking


def test_a_ranking_followed_by_others() -> None:
    first = Ranking(np.array([4]), np.array([2.0]), {"votes": np.array([1.0])})
    wider = first.followed_by(np.array([7]))
    assert wider.rows.tolist() == [4, 7] and wider.scores.tolist() == [2, 0]
    assert wider.signals["votes"][0] == 1 and math.isnan(wider.signals["votes"][1])


def test_a_ranking_above_the_rest() -> None:
    first = Ranking(np.array([4]), np.array([2.0]), {"votes": np.array([1.0])})
    rest = Ranking(np.array([7, 8]), np.array([9.0, 5.0]), {"age": np.array([3.0, 4.0])})
    both = first.above(rest)
    assert both.rows.tolist() == [4, 7, 8]
    assert both.scores.tolist() == [2, -1, -5], "one below the lowest, and their distances stay"
    assert both.signals.keys() == {"votes"} and math.isnan(both.signals["votes"][1])
    assert first.above(rest.take(slice(0))) is first
