"""Fusion of rankings: by hand, and what both ways promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.scoring.fusion import FUSIONS, interleaved, reciprocal_rank, rrf

LISTS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), min_size=1, max_size=4)


def test_by_hand() -> None:
    # row 7 is first and third, row 2 second and first, row 5 third of the first list alone, row 9
    # second of the second list alone
    lists = [np.array([7, 2, 5]), np.array([2, 9, 7])]
    rows, scores = rrf(lists)
    assert rows.tolist() == [2, 5, 7, 9]
    assert scores == pytest.approx([1 / 62 + 1 / 61, 1 / 63, 1 / 61 + 1 / 63, 1 / 62])
    rows, scores = interleaved(lists)
    assert rows.tolist() == [2, 5, 7, 9]
    assert scores == pytest.approx([1, 1 / 3, 1, 1 / 2])
    assert reciprocal_rank(np.array([1, 2])) == pytest.approx([1 / 61, 1 / 62])


@pytest.mark.parametrize("name", FUSIONS)
@given(lists=LISTS)
def test_every_row_once_with_a_score(name: str, lists: list[list[int]]) -> None:
    rows, scores = FUSIONS[name]([np.array(each, np.int64) for each in lists])
    assert rows.tolist() == sorted({row for each in lists for row in each})
    assert (scores > 0).all() and scores.size == rows.size


@pytest.mark.parametrize("name", FUSIONS)
@given(rows=st.lists(st.integers(0, 30), unique=True, max_size=20))
def test_one_list_keeps_its_order(name: str, rows: list[int]) -> None:
    found, scores = FUSIONS[name]([np.array(rows, np.int64)])
    assert found[np.argsort(-scores, kind="stable")].tolist() == rows
