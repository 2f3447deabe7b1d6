"""Vectors of 8-bit codes: rounding worked by hand, and sums that are exact."""

import numpy as np
import pytest

from citewise.library.embeddings.codes import Probe, Runs, coded, decoded, has_vector, scale_of


def test_codes_are_rounded_and_cut() -> None:
    vectors = np.array([[0.6, -0.8], [np.nan, np.nan], [3, -3]], np.float32)
    codes = coded(vectors, 0.01)
    assert codes.tolist() == [[60, -80], [-128, -128], [127, -127]]
    assert has_vector(codes).tolist() == [True, False, True]
    back = decoded(codes, 0.01)
    assert back[0].tolist() == pytest.approx([0.6, -0.8])
    assert np.isnan(back[1]).all()


def test_the_scale_covers_six_deviations() -> None:
    """A unit vector of 256 numbers has a root mean square of 1/16."""
    assert scale_of(256) * 127 == pytest.approx(6 / 16)
    assert scale_of(2) * 127 == 1, "no component of a unit vector is larger"


@pytest.mark.parametrize("size", [2, 8, 100, 128, 256, 768])
def test_cosines_are_those_of_plain_arithmetic(size: int) -> None:
    dice = np.random.default_rng(size)
    codes = dice.integers(-127, 128, (3_000, size), dtype=np.int8)
    codes[7] = -128
    vector = dice.normal(size=size).astype(np.float32)
    vector /= np.linalg.norm(vector)

    rows = dice.permutation(3_000)
    found = Probe(vector, 0.01).cosines(Runs([codes[:1_000], codes[1_000:]]), rows)
    expected = (codes[rows].astype(np.float64) * 0.01) @ vector.astype(np.float64)
    expected[rows == 7] = np.nan
    assert found == pytest.approx(expected, abs=2e-3 if size == 768 else 1e-4, nan_ok=True)


def test_equal_codes_have_equal_cosines_wherever_they_stand() -> None:
    dice = np.random.default_rng(1)
    codes = np.tile(dice.integers(-127, 128, (1, 256), dtype=np.int8), (2_501, 1))
    vector = dice.normal(size=256).astype(np.float32)
    found = Probe(vector / np.linalg.norm(vector), 0.003).cosines(Runs([codes]), np.arange(2_501))
    assert np.unique(found).size == 1


def test_a_query_without_a_vector_has_no_cosines() -> None:
    probe = Probe(np.full(2, np.nan, np.float32), 0.01)
    assert np.isnan(probe.cosines(Runs([np.ones((2, 2), np.int8)]), np.arange(2))).all()


def test_runs_are_read_as_one_array() -> None:
    runs = Runs([np.arange(3), np.arange(0), np.arange(3, 10)])
    assert len(runs) == 10
    assert runs.take(np.array([9, 0, 3, 2])).tolist() == [9, 0, 3, 2]
    assert [each.tolist() for each in runs.chunks(4, 2)] == [[2], [3, 4, 5, 6], [7, 8, 9]]
