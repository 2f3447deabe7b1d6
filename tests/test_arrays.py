"""Look-ups and orders of rows and of hashes, against lists and dictionaries."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.arrays import HashTable, Ragged, RowIndex, by_score, distinct, is_among

HASHES = (
    st.integers(1, 2**64 - 1)
    | st.integers(1, 40).map(lambda low: low << 40 | 7)
    | st.integers(1, 40)
    | st.integers(2**56 - 40, 2**56 - 1)
)
"""Also such that meet in a slot, the first or the last: the slot is chosen by the bits above the
fortieth.
"""

ROWS = st.integers(0, 60) | st.integers(0, 2**40)
"""Also far apart: beyond a table over all rows."""


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


def test_a_large_table_uses_all_its_slots() -> None:
    # 2 ** 26 slots, of which nothing is written and so no memory is used
    table = HashTable()
    table._size, table._keys = 1 << 26, np.zeros(1 << 26, np.uint64)
    hashes = np.array([1 << 38, 3 << 62, 2**64 - 1], np.uint64)
    assert table._probe(hashes).tolist() == [1, 3 << 24, (1 << 26) - 1]


@given(rows=st.lists(ROWS, unique=True), sought=st.lists(ROWS | st.just(-1)))
def test_positions_of_rows(rows: list[int], sought: list[int]) -> None:
    found = RowIndex(np.array(rows, np.int64)).of(np.array(sought, np.int64))
    assert found.tolist() == [rows.index(row) if row in rows else -1 for row in sought]


@pytest.mark.slow
def test_positions_of_many_rows_far_apart() -> None:
    rows = np.random.default_rng(2).permutation(2**22)[:5_000] * 1_000
    index = RowIndex(rows)
    assert (index.of(rows) == np.arange(rows.size)).all()
    assert (index.of(rows + 1) == -1).all()


@given(rows=st.lists(ROWS))
def test_distinct_rows(rows: list[int]) -> None:
    assert distinct(np.array(rows, np.int64)).tolist() == sorted(set(rows))


@given(
    rows=st.lists(ROWS | st.integers(0, 30) | st.just(-1)),
    others=st.lists(st.integers(0, 30), max_size=25) | st.lists(ROWS, min_size=17, max_size=25),
)
def test_rows_among_others(rows: list[int], others: list[int]) -> None:
    found = [row in others for row in rows]
    assert is_among(np.array(rows, np.int64), others).tolist() == found
    assert is_among(np.array(rows, np.int64), np.array(others, np.int64)).tolist() == found


def test_positions_of_more_rows_than_16_bits_can_number() -> None:
    for count in (2**15 - 1, 2**15, 2**16 + 1):
        rows = np.random.default_rng(count).permutation(count)
        index = RowIndex(rows)
        assert (index.of(rows) == np.arange(count)).all()
        assert index.of(np.array([count, -1])).tolist() == [-1, -1]


@given(scores=st.lists(st.sampled_from([-2.0, 0.0, 0.5, 0.5000001, 3.0])), rows=st.randoms())
def test_positions_by_score_then_row(scores: list[float], rows: random.Random) -> None:
    given_rows = rows.sample(range(1000), len(scores))
    found = by_score(np.array(scores), np.array(given_rows, np.int64))
    assert found.tolist() == sorted(
        range(len(scores)), key=lambda position: (-scores[position], given_rows[position])
    )


@given(lists=st.lists(st.lists(st.tuples(st.integers(0, 9), st.booleans()))))
def test_lists_with_only_some_of_their_values(lists: list[list[tuple[int, bool]]]) -> None:
    ragged = Ragged.of([np.array([value for value, _ in each], np.int64) for each in lists])
    keep = np.array([kept for each in lists for _, kept in each], np.bool_)
    assert [each.tolist() for each in ragged.kept(keep)] == [
        [value for value, kept in each if kept] for each in lists
    ]
