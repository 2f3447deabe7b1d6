"""Fits of calibrations: a curve that is known is found again, and reliability by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from citewise.api import Library
from citewise.train.calibrating import (
    LEAST_QUERIES,
    Observation,
    Reliability,
    expected,
    fit_calibration,
    fit_curve,
    word_salads,
)
from citewise.types import Judge

pytestmark = pytest.mark.slow


def drawn(count: int, slope: float, judge: Judge = "model", seed: int = 0) -> list[Observation]:
    """Return queries whose candidates are cited with a chance that follows from score and fact."""
    dice, found = np.random.default_rng(seed), []
    for _ in range(count):
        scores, fact = -np.sort(-dice.normal(size=20)), np.full(20, dice.normal())
        chance = 1 / (1 + np.exp(-(slope * scores + 0.5 * fact - 1)))
        inputs = {
            "score": scores,
            "log rank": np.log1p(np.arange(20)),
            "known": fact,
            "constant": np.ones(20),
        }
        found.append(Observation(judge, inputs, dice.random(20) < chance))
    return found


def test_a_known_curve_is_found_again() -> None:
    curve = fit_curve(drawn(1500, 1.5))
    assert curve.weights["score"] + 0.1 == pytest.approx(1.6, abs=0.15)
    assert curve.weights["known"] == pytest.approx(0.5, abs=0.06)
    assert "constant" not in curve.weights
    judged = Reliability.of(*expected_of(drawn(500, 1.5, seed=1)))
    assert judged.error < 0.02 and judged.brier < judged.reference


def expected_of(observations: Sequence[Observation]) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances of observations by a curve that was fitted on others."""
    calibration = fit_calibration(drawn(1500, 1.5), "digest", "source")
    assert calibration is not None
    return expected(calibration, observations)


def test_what_disagrees_with_the_order_is_left_out() -> None:
    curve = fit_curve(drawn(300, -1.0))
    assert curve.weights.get("score", 0.0) >= 0 and curve.weights.get("log rank", 0.0) <= 0


def test_too_few_queries_have_no_curve() -> None:
    few = [*drawn(LEAST_QUERIES // 2, 1.0), *drawn(200, 1.0, "words")]
    calibration = fit_calibration(few, "digest", "source")
    assert calibration is not None and calibration.curves.keys() == {"words"}
    chances, cited = expected(calibration, few)
    assert chances.size == cited.size == 200 * 20, "what has no curve is left out"
    assert fit_calibration(few[:5], "digest", "source") is None


def test_reliability_by_hand() -> None:
    chances = np.array([0.1] * 10 + [0.8] * 10)
    cited = np.array([True] + [False] * 9 + [True] * 6 + [False] * 4)
    found = Reliability.of(chances, cited)
    # (0.9^2 + 9 * 0.1^2 + 6 * 0.2^2 + 4 * 0.8^2) / 20
    assert found.brier == pytest.approx((0.81 + 0.09 + 0.24 + 2.56) / 20)
    assert found.reference == pytest.approx(0.35 * 0.65, abs=1e-4)
    assert len(found.tenths) == 10 and sum(each["candidates"] for each in found.tenths) == 20


def test_perfect_chances_are_perfect() -> None:
    cited = np.arange(40) % 4 == 0
    found = Reliability.of(cited.astype(float), cited)
    assert (found.brier, found.error) == (0.0, 0.0)
    assert [each["cited"] for each in found.tenths] == [each["expected"] for each in found.tenths]


def test_salads_are_the_same_each_time(sample: Library) -> None:
    salads = word_salads(sample.stores, 16, 3)
    assert salads == word_salads(sample.stores, 16, 3) and not any(each.gold for each in salads)
    assert len({each.query.title for each in salads}) == 16
    assert all(each.query.sentence for each in word_salads(sample.stores, 4, 3, sentences=True))
