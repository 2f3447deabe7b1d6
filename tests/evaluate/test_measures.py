"""Measures: hand-worked numbers, ir_measures as the oracle, intervals and tests that mean what they
say.
"""

import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.errors import BadInput
from citewise.evaluate.measures import (
    FORMULAS,
    Hits,
    Measure,
    interval,
    parse_measures,
    significance,
)
from properties import examples

THEIRS = {"P": "P", "R": "R", "MRR": "RR", "MAP": "AP", "nDCG": "nDCG", "hit": "Success"}
"""Our names to those of ir_measures."""

PAPERS = 40
CASES = st.lists(
    st.tuples(
        st.lists(st.integers(0, PAPERS - 1), unique=True, max_size=30),
        st.sets(st.integers(0, PAPERS - 1), min_size=1, max_size=12),
    ),
    min_size=1,
    max_size=8,
)


def hits_of(cases: list[tuple[list[int], set[int]]], depth: int = 30) -> Hits:
    return Hits.of(
        [np.array(ranking, np.int64) for ranking, _ in cases],
        [sorted(gold) for _, gold in cases],
        depth,
    )


def theirs(
    measures: list[str], cases: list[tuple[list[int], set[int]]], scores: list[list[float]]
) -> dict[str, float]:
    qrels = {
        f"q{place}": {f"p{row:02}": 1 for row in gold} for place, (_, gold) in enumerate(cases)
    }
    run = {
        f"q{place}": {f"p{row:02}": score for row, score in zip(ranking, values, strict=True)}
        for place, ((ranking, _), values) in enumerate(zip(cases, scores, strict=True))
    }
    parsed = [ir_measures.parse_measure(name) for name in measures]
    return {
        str(name): value for name, value in ir_measures.calc_aggregate(parsed, qrels, run).items()
    }


@pytest.mark.slow
@given(CASES, st.integers(1, 30))
@examples(150)
def test_as_ir_measures_does(cases: list[tuple[list[int], set[int]]], k: int) -> None:
    falling = [
        [float(len(ranking) - place) for place in range(len(ranking))] for ranking, _ in cases
    ]
    expected = theirs([f"{name}@{k}" for name in THEIRS.values()], cases, falling)
    hits = hits_of(cases)
    for ours, name in THEIRS.items():
        assert Measure(ours, k).of(hits) == pytest.approx(expected[f"{name}@{k}"], abs=1e-9), ours
    precision, recall = expected[f"P@{k}"], expected[f"R@{k}"]
    harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert Measure("F1", k).of(hits) == pytest.approx(harmonic, abs=1e-9)


TWO = hits_of([([1, 2, 3, 4], {2, 4, 9}), ([], {5})], depth=4)
"""One query that finds two of three papers at ranks 2 and 4, and one without an answer."""


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("P@4", (2 / 4 + 0) / 2),
        ("P@2", (1 / 2) / 2),
        ("R@4", (2 / 3) / 2),
        ("R@1", 0),
        ("hit@2", 1 / 2),
        ("hit@1", 0),
        ("F1@4", 2 * 0.25 * (1 / 3) / (0.25 + 1 / 3)),
        ("MRR@4", (1 / 2) / 2),
        ("MRR@1", 0),
        ("MAP@4", ((1 / 2 + 2 / 4) / 3) / 2),
        ("MAP@3", ((1 / 2) / 3) / 2),
        (
            "nDCG@4",
            (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3) + 1 / math.log2(4)) / 2,
        ),
        ("nDCG@2", (1 / math.log2(3)) / (1 + 1 / math.log2(3)) / 2),
        ("P@1000", (2 / 1000) / 2),
    ],
)
def test_by_hand(measure: str, value: float) -> None:
    assert Measure.parse(measure).of(TWO) == pytest.approx(value, abs=1e-12)


def test_f1_is_of_means_and_no_mean_of_f1s() -> None:
    hits = hits_of([([1, 2], {1, 2, 3, 4}), ([1, 2], {1})], depth=2)
    assert Measure.parse("F1@2").each(hits).tolist() == [[1.0, 0.5], [0.5, 1.0]]
    assert Measure.parse("F1@2").of(hits) == pytest.approx(0.75), "each query's own is 2/3"


@pytest.mark.parametrize("name", FORMULAS)
def test_a_measure_prints_as_it_parses(name: str) -> None:
    assert str(Measure.parse(f"{name}@20")) == f"{name}@20"
    assert (
        Measure.parse(f" {name.upper()}@20 ")
        == Measure.parse(f"{name.lower()}@20")
        == Measure(name, 20)
    )


def test_several_measures_are_read_once_each() -> None:
    assert [*map(str, parse_measures(" F1@20, mrr@1000  R@1000 f1@20"))] == [
        "F1@20",
        "MRR@1000",
        "R@1000",
    ]


@pytest.mark.parametrize(
    "text", ["", "F1", "F1@", "F1@0", "F2@20", "RR@10", "P@-1", "P@1.5", "@20", "P@20@30"]
)
def test_a_wrong_measure_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="unknown measure"):
        Measure.parse(text)


def test_no_queries_measure_nothing() -> None:
    nothing = Hits.of([], [], 10)
    assert [Measure(name, 5).of(nothing) for name in FORMULAS] == [0.0] * len(FORMULAS)
    assert interval(Measure("F1", 5).each(nothing)) == (0.0, 0.0)
    assert significance(np.zeros((0, 1)), np.zeros((0, 1))) == 1.0


@pytest.mark.slow
def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    dice = np.random.default_rng(7)
    covered = 0
    for trial in range(200):
        low, high = interval((dice.random((60, 1)) < 0.4).astype(float), seed=trial)
        covered += low <= 0.4 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_the_interval_of_a_mean_is_about_that_of_the_normal() -> None:
    values = np.random.default_rng(3).normal(0.5, 0.2, (400, 1))
    low, high = interval(values)
    error = values.std() / math.sqrt(400)
    assert (low, high) == pytest.approx(
        (values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.003
    )
    assert interval(values) == (low, high), "the same seed gives the same interval"


def test_significance_is_that_of_all_exchanges() -> None:
    one = np.array([[0.9], [0.8], [0.7], [0.9], [0.6], [0.9]])
    other = one - np.array([[0.3], [0.2], [0.1], [0.4], [-0.1], [0.2]])
    differences = (one - other)[:, 0]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1)
    exact = (abs(differences @ signs) >= abs(differences.sum()) - 1e-12).mean()
    assert significance(one, other) == pytest.approx(exact, abs=0.015)
    assert significance(one, one) == 1.0


@pytest.mark.slow
def test_no_difference_is_seldom_significant() -> None:
    dice = np.random.default_rng(11)
    values = []
    for trial in range(100):
        one, other = (dice.random((2, 50, 2)) < 0.5).astype(float)
        values.append(significance(one, other, trial))
    assert np.mean(np.array(values) < 0.05) <= 0.12
