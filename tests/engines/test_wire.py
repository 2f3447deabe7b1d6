"""Messages arrive as they were sent, in fewer bytes."""

import pickle
from typing import Any

import numpy as np
import pytest

from citewise.arrays import Ragged
from citewise.engines.ray.wire import packed, unpacked
from citewise.protocols import Citations, Matches
from citewise.types import Occurrence, Scope, Span

NUMBERS = np.arange(5_000)


def assert_equal(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype and np.array_equal(found, expected, equal_nan=True)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
    elif hasattr(expected, "__slots__"):
        for name in expected.__slots__:
            assert_equal(getattr(found, name), getattr(expected, name))
    else:
        assert found == expected


@pytest.mark.parametrize(
    "value",
    [
        [NUMBERS, NUMBERS[:0], -NUMBERS, NUMBERS << 40],
        (NUMBERS.astype(np.float64) / 3, np.full(300, np.nan)),
        Matches(NUMBERS, NUMBERS % 9, (NUMBERS % 7 + 1).astype(np.float64)),
        [(Ragged(NUMBERS, np.array([0, 2, 5_000])), NUMBERS)],
        Citations(NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS - 1, NUMBERS),
        [[Occurrence("a", -1, 0, "", "Text", Span(0, 4, "clause"), ((1, 2),), 3)]],
        (0, "hits", (NUMBERS, None, 5, Scope(year=2000, hidden=(1, 2), within=()))),
        [b"bytes", "text", {1: "problem"}, np.ones((300, 4), np.float32)],
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_message_arrives_as_it_was(value: Any) -> None:
    assert_equal(unpacked(packed(value)), value)


def test_small_numbers_take_few_bytes() -> None:
    matches = Matches(NUMBERS, NUMBERS % 9, (NUMBERS % 7 + 1).astype(np.float64))
    assert len(packed(matches)) < len(pickle.dumps(matches)) / 5
