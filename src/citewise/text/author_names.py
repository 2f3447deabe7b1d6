"""Number authors by name, so that a sorted table finds all papers by the people a name can mean.

An author's number is 64 bits wide:

    | family name and first initial (44 bits) | first given name (20 bits) |

The lower part is 0 where only the initial is known. All authors that share a family name and an
initial are therefore one range of numbers.
"""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes
from citewise.text import ids

_Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Where parts of a text begin, and where they end."""

_FIRST_NAMES = 1 << 20

_BATCH = 2048
"""Names numbered at once."""

_LONGEST = 120
"""Bytes of a name; longer ones are not numbered in bulk."""

_LETTER, _GAP, _COMMA, _END, _OTHER = range(5)
_CLASSES = np.full(256, _OTHER, np.uint8)
_CLASSES[[code for code in range(128) if not chr(code).isalnum()]] = _GAP
_CLASSES[[code for code in range(128) if chr(code).isalpha()]] = _LETTER
_CLASSES[[ord(","), ord("\n")]] = _COMMA, _END
_LOWERED = np.frombuffer(bytes(range(256)).lower(), np.uint8).astype(np.uint64) + np.uint64(1)

_BASE = 0x9E3779B97F4A7C15
_MIXERS = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


def author_numbers(names: Sequence[str]) -> Hashes:
    """Return the number of each author, as the module describes; 0 for a name without any word.

    Family and first name are those of `ids.surname` and `ids.first_name`. Plain names, of ASCII
    letters only, are split in bulk.
    """
    parts = [_numbers(names[start : start + _BATCH]) for start in range(0, len(names), _BATCH)]
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def namesakes(author: str) -> list[tuple[int, int]]:
    """Return the ranges (first, last) of the numbers of all authors that this name can mean.

    A full first name agrees with itself and with its initial, an initial with every first name
    that begins with it.
    """
    number = int(author_numbers([author])[0])
    if not number:
        return []

    initial_only = number // _FIRST_NAMES * _FIRST_NAMES
    if number == initial_only:
        return [(initial_only, initial_only + _FIRST_NAMES - 1)]
    return [(initial_only, initial_only), (number, number)]


def _numbers(names: Sequence[str]) -> Hashes:
    """Return the numbers of a batch of names: plain ones in bulk, the others one by one."""
    joined = "\n".join(names).encode("utf-8", "surrogatepass")
    if joined.count(b"\n") != len(names) - 1:
        return _numbers_one_by_one(names)

    text = np.frombuffer(joined, np.uint8)
    plain, families, firsts = _split_plain(_CLASSES[text])
    numbers, is_other = np.zeros(len(names), np.uint64), np.ones(len(names), np.bool_)
    is_other[plain] = False

    # ASCII capitals have bit 0x20 unset: a first name of a few capitals only is initials.
    # capitals[i] is their number among the first i bytes.
    lengths, capitals = firsts[1] - firsts[0], np.append(0, np.cumsum(text & 0x20 == 0))
    all_capitals = capitals[firsts[1]] - capitals[firsts[0]] == lengths
    initials = (lengths <= ids.MAX_INITIALS) & all_capitals
    full = ~initials & (lengths > 1)
    numbers[plain] = _hashed(text, families, firsts, _LOWERED[text[firsts[0]]], full)

    others = np.flatnonzero(is_other)
    numbers[others] = _numbers_one_by_one([names[index] for index in others.tolist()])
    return numbers


def _split_plain(classes: NDArray[np.uint8]) -> tuple[NDArray[np.int64], _Bounds, _Bounds]:
    """Return the indices of the plain names, and the bounds of their family names and first names.

    A plain name has ASCII letters with gaps between them and at most one comma: "Ada Lovelace",
    "Lovelace, Ada". `classes` has one entry for each byte of the names, which are joined by _END.
    """
    ends = np.append(np.flatnonzero(classes == _END), classes.size)
    starts = np.append(0, ends[:-1] + 1)
    gaps, commas = (np.flatnonzero(classes == kind) for kind in (_GAP, _COMMA))
    gaps, commas = np.append(gaps, classes.size), np.append(commas, classes.size)

    # "Ada King Lovelace"   first name up to the first gap, family name after the last one
    # "Lovelace, Ada King"  family name up to the comma, first name after the comma and a space
    # commas[searchsorted(commas, i)] is the first comma from byte i on, the same for gaps.
    comma = commas[np.searchsorted(commas, starts)]
    reversed_name = comma < ends
    after_comma = np.minimum(comma + 2, ends)
    first_begins = np.where(reversed_name, after_comma, starts)
    first_ends = np.minimum(gaps[np.searchsorted(gaps, first_begins)], ends)

    family_ends = np.where(reversed_name, comma, ends)
    last_gap = np.searchsorted(gaps, family_ends) - 1
    family_begins = np.maximum(np.where(last_gap >= 0, gaps[last_gap] + 1, 0), starts)

    # others[i] is the number of other bytes among the first i: equal at both ends, if none between
    others = np.append(0, np.cumsum(classes == _OTHER))
    plain = (others[ends] == others[starts]) & (ends - starts <= _LONGEST)
    plain &= (first_ends > first_begins) & (family_ends > family_begins)

    spaced = np.append(classes, _GAP)[np.minimum(comma + 1, classes.size)] == _GAP
    one_comma = np.searchsorted(commas, ends) - np.searchsorted(commas, starts) == 1
    plain &= np.where(reversed_name, spaced & one_comma, family_begins > first_ends)

    indices = np.flatnonzero(plain)
    families = family_begins[indices], family_ends[indices]
    return indices, families, (first_begins[indices], first_ends[indices])


def _numbers_one_by_one(names: Sequence[str]) -> Hashes:
    """Return the numbers of names of any form."""
    pairs = [_family_and_first(name) for name in names]
    parts = [part.encode("utf-8", "surrogatepass") for pair in pairs for part in pair]
    text = np.frombuffer(b"".join(parts), np.uint8)

    # The text is family, first, family, first, ...: even bounds begin a family name.
    bounds = np.append(0, np.cumsum(np.array([len(part) for part in parts], np.int64)))
    families, firsts, ends = bounds[:-1:2], bounds[1::2], bounds[2::2]

    initials = np.array([ord(first[0]) + 1 if first else 0 for _, first in pairs], np.uint64)
    full = np.array([len(first) > 1 for _, first in pairs], np.bool_)
    numbers = _hashed(text, (families, firsts), (firsts, ends), initials, full)
    return np.where(families == firsts, np.uint64(0), numbers)


@functools.lru_cache(maxsize=1 << 14)
def _family_and_first(name: str) -> tuple[str, str]:
    """Return the family name and the first given name, each cut to `_LONGEST` characters."""
    return ids.surname(name)[:_LONGEST], ids.first_name(name)[:_LONGEST]


def _hashed(
    text: NDArray[np.uint8],
    families: _Bounds,
    firsts: _Bounds,
    initials: Hashes,
    full: NDArray[np.bool_],
) -> Hashes:
    """Return the numbers of names, given the bounds of their parts in a text.

    `full` marks the first names that are more than an initial. The hash of the part
    text[begin:end] is a polynomial of its letters modulo 2 ** 64,

        sum of letter[i] * base ** (i - begin) for begin <= i < end,

    computed from prefix sums over the whole text: (sums[end] - sums[begin]) * base ** -begin.
    """
    powers, inverses = _powers(1 << max(text.size, 1).bit_length())
    sums = np.append(np.uint64(0), np.cumsum(_LOWERED[text] * powers[: text.size], dtype=np.uint64))
    family, first = (
        (sums[end] - sums[begin]) * inverses[begin] for begin, end in (families, firsts)
    )

    # Clear the lower 20 bits for the family name, fill them from 1 up for the first name.
    person = _mixed(family * _MIXERS[0] + initials)
    person = person // np.uint64(_FIRST_NAMES) * np.uint64(_FIRST_NAMES)
    given = _mixed(first) % np.uint64(_FIRST_NAMES - 1) + np.uint64(1)
    return np.asarray(person + np.where(full, given, np.uint64(0)), np.uint64)


def _mixed(hashes: Hashes) -> Hashes:
    """Return hashes of which every bit depends on all bits of the original (as in MurmurHash3)."""
    for mixer in _MIXERS:
        hashes = (hashes ^ hashes >> np.uint64(33)) * mixer
    return hashes ^ hashes >> np.uint64(33)


@functools.lru_cache(maxsize=4)
def _powers(count: int) -> tuple[Hashes, Hashes]:
    """Return the powers 0 to `count` of `_BASE` modulo 2 ** 64, and their inverses."""
    powers, inverses = (
        np.cumprod(np.append(np.uint64(1), np.full(count, base, np.uint64)), dtype=np.uint64)
        for base in (_BASE, pow(_BASE, -1, 1 << 64))
    )
    return powers, inverses
