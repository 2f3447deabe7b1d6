"""Look-ups of rows and of hashes, against lists and dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.arrays import HashTable, RowIndex

HASHES = (
    st.integers(1, 2**64 - 1)
    | st.integers(1, 40).map(lambda low: low << 40 | 7)
    | st.integers(1, 40)
)
"""Also such that meet in a slot: the slot is chosen by the bits above the fortieth."""


@pytest.mark.slow
@given(
    st.lists(st.dictionaries(HASHES, st.integers(0, 2**40), max_size=30), max_size=6),
    st.lists(HASHES, max_size=10),
)
def test_it_answers_as_a_dictionary_does(rounds: list[dict[int, int]], others: list[int]) -> None:
    table, expected = HashTable(), dict[int, int]()
    for added in rounds:
        table.put(np.array([*added], np.uint64), np.array([*added.values()], np.int64))
        expected |= added
        asked = [*expected, *others]
        assert table.find(np.array(asked, np.uint64)).tolist() == [
            expected.get(each, -1) for each in asked
        ]


def test_it_grows() -> None:
    table = HashTable()
    hashes = np.unique(
        np.random.default_rng(1).integers(2, 2**64 - 2, 150_000, np.uint64) * np.uint64(2)
    )
    for start in range(0, hashes.size, 25_000):
        table.put(
            hashes[start : start + 25_000], np.arange(start, start + 25_000)[: hashes.size - start]
        )
    assert (table.find(hashes) == np.arange(hashes.size)).all()
    assert (table.find(hashes + np.uint64(1)) == -1).all()


@given(rows=st.lists(st.integers(0, 40), unique=True), sought=st.lists(st.integers(0, 60)))
def test_positions_of_rows(rows: list[int], sought: list[int]) -> None:
    found = RowIndex(np.array(rows, np.int64)).of(np.array(sought, np.int64))
    assert found.tolist() == [rows.index(row) if row in rows else -1 for row in sought]
