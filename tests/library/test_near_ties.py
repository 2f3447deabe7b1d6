"""Hits whose scores were rounded come in the order of the exact ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citewise.arrays import Column, Rows
from citewise.library.near_ties import in_exact_order

ROUNDING = 4.3e-7
"""The largest that was seen, as a share of the score."""


def test_by_hand() -> None:
    """Rows 5 and 3 nearly tie and change places; 8 and 2 tie and come by row; 7 stands alone."""
    rows, scores = np.array([7, 5, 3, 8, 2]), np.array([9.0, 8.000001, 8.0, 4.0, 4.0])
    exact = {5: 8.0000001, 3: 8.0000002, 8: 4.0, 2: 4.0}
    asked: list[int] = []

    def look_up(some: Rows) -> Column:
        asked.extend(some.tolist())
        return np.array([exact[row] for row in some.tolist()])

    assert in_exact_order(rows, scores, look_up).tolist() == [7, 3, 5, 2, 8]
    assert asked == [5, 3, 8, 2]


@given(
    steps=st.lists(st.sampled_from([0.0, 1e-9, 3e-7, 1e-6, 2e-6, 3e-6, 1e-3]), max_size=40),
    seed=st.integers(0, 99),
)
def test_rounding_changes_nothing(steps: list[float], seed: int) -> None:
    dice = np.random.default_rng(seed)
    exact = 10 * np.cumprod(1 - np.array([0.0, *steps]))
    rows = dice.permutation(exact.size)
    by_row = exact[np.argsort(rows)]
    in_order = rows[np.lexsort((rows, -exact))]

    for _ in range(2):
        rounded = exact * (1 + dice.uniform(-ROUNDING, ROUNDING, exact.size))
        best_first = np.argsort(-rounded, kind="stable")
        found = in_exact_order(rows[best_first], rounded[best_first], by_row.take)
        assert found.tolist() == in_order.tolist()
