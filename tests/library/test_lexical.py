"""Term codes, against base 64 worked digit by digit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citewise.library.lexical import codes

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijklmnopqrstuvwxyz"


def in_base_64(number: int) -> str:
    """Return a number as five digits."""
    digits = ""
    for _ in range(5):
        number, digit = divmod(number, 64)
        digits = DIGITS[digit] + digits
    return digits


@given(st.lists(st.integers(0, 2**30 - 1), max_size=20))
def test_codes_are_numbers_in_base_64(terms: list[int]) -> None:
    assert codes(np.array(terms, np.int64)) == "".join(f"{in_base_64(term)} " for term in terms)
