"""After how long an answer of a node is unusually late."""

import pytest

from citewise.engines.ray.usual_time import UsualTime


def noted(*seconds: float) -> UsualTime:
    usual = UsualTime()
    for each in seconds:
        usual.add(each)
    return usual


def test_nothing_is_usual_before_some_answers() -> None:
    assert noted(*[0.01] * 19).longest == 2.0


def test_it_is_three_times_what_most_answers_took() -> None:
    assert noted(*[0.2] * 39, 9.0).longest == pytest.approx(0.6)
    assert noted(*[0.1] * 20, *[0.2] * 20).longest == pytest.approx(0.6)


def test_it_has_bounds() -> None:
    assert noted(*[0.001] * 50).longest == 0.3
    assert noted(*[60.0] * 50).longest == 2.0


def test_old_answers_are_forgotten() -> None:
    assert noted(*[0.6] * 50, *[0.2] * 100).longest == pytest.approx(0.6)
