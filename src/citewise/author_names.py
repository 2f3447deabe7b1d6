"""Authors as numbers, by which a table can find all papers of those who can be meant by a name."""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise import ids
from citewise.hash_table import Hashes

_Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Where parts of a text begin, and where they end."""

_FIRST_NAMES = 1 << 20
_TOGETHER, _LONGEST = 2048, 120
"""Names that are numbered at once, and how long those may be that need no closer look."""

_LETTER, _GAP, _COMMA, _END, _OTHER = range(5)
_CLASSES = np.full(256, _OTHER, np.uint8)
_CLASSES[[code for code in range(128) if not chr(code).isalnum()]] = _GAP
_CLASSES[[code for code in range(128) if chr(code).isalpha()]] = _LETTER
_CLASSES[[ord(","), ord("\n")]] = _COMMA, _END
_LOWERED = np.frombuffer(bytes(range(256)).lower(), np.uint8).astype(np.uint64) + np.uint64(1)

_BASE = 0x9E3779B97F4A7C15
_MIXERS = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


def author_numbers(names: Sequence[str]) -> Hashes:
    """Return a number for each name, whose upper bits tell the family name and the first initial, and whose lower 20
    bits the first given name, 0 where only its initial is known; 0 for no name at all.

    Family and first name are those of `citewise.ids`: names of nothing but letters are taken apart all at once.
    """
    parts = [_numbers(names[start: start + _TOGETHER]) for start in range(0, len(names), _TOGETHER)]
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def namesakes(author: str) -> list[tuple[int, int]]:
    """Return the ranges (first, last) of the numbers of authors who can be this one, by family name and first name.

    A full first name agrees with itself and with its initial, an initial with every name that it begins.
    """
    number = int(author_numbers([author])[0])
    if not number:
        return []
    person = number // _FIRST_NAMES * _FIRST_NAMES
    return [(person, person + _FIRST_NAMES - 1)] if number == person else [(person, person), (number, number)]


def _numbers(names: Sequence[str]) -> Hashes:
    joined = "\n".join(names).encode("utf-8", "surrogatepass")
    if joined.count(b"\n") != len(names) - 1:
        return _looked_at(names)
    text = np.frombuffer(joined, np.uint8)
    at, families, firsts = _taken_apart(_CLASSES[text])
    found, rest = np.zeros(len(names), np.uint64), np.ones(len(names), np.bool_)
    rest[at] = False
    lengths, capitals = firsts[1] - firsts[0], np.append(0, np.cumsum(text & 0x20 == 0))
    initial = (lengths <= ids.MOST_INITIALS) & (capitals[firsts[1]] - capitals[firsts[0]] == lengths)
    found[at] = _hashed(text, families, firsts, _LOWERED[text[firsts[0]]], ~initial & (lengths > 1))
    places = np.flatnonzero(rest)
    found[places] = _looked_at([names[place] for place in places.tolist()])
    return found


def _taken_apart(classes: NDArray[np.uint8]) -> tuple[NDArray[np.int64], _Bounds, _Bounds]:
    """Return which names are plain (nothing but ASCII letters with gaps between, at most one comma), and where the
    family name and the first name of each of these begin and end.
    """
    ends = np.append(np.flatnonzero(classes == _END), classes.size)
    starts = np.append(0, ends[:-1] + 1)
    gaps, commas = (np.flatnonzero(classes == kind) for kind in (_GAP, _COMMA))
    gaps, commas = np.append(gaps, classes.size), np.append(commas, classes.size)
    comma = commas[np.searchsorted(commas, starts)]
    reversed_name = comma < ends
    after = np.minimum(comma + 2, ends)  # a comma and a space
    first_begins = np.where(reversed_name, after, starts)
    first_ends = np.minimum(gaps[np.searchsorted(gaps, first_begins)], ends)
    family_ends = np.where(reversed_name, comma, ends)
    last_gap = np.searchsorted(gaps, family_ends) - 1
    family_begins = np.maximum(np.where(last_gap >= 0, gaps[last_gap] + 1, 0), starts)
    others = np.append(0, np.cumsum(classes == _OTHER))
    spaced = np.append(classes, _GAP)[np.minimum(comma + 1, classes.size)] == _GAP
    plain = (others[ends] == others[starts]) & (ends - starts <= _LONGEST) & (first_ends > first_begins)
    plain &= (family_ends > family_begins) & np.where(
        reversed_name, spaced & (np.searchsorted(commas, ends) - np.searchsorted(commas, starts) == 1),
        family_begins > first_ends)
    at = np.flatnonzero(plain)
    return at, (family_begins[at], family_ends[at]), (first_begins[at], first_ends[at])


def _looked_at(names: Sequence[str]) -> Hashes:
    """Return the numbers of names that are taken apart one by one."""
    pairs = [_parts(name) for name in names]
    text = np.frombuffer("".join(part for pair in pairs for part in pair).encode("utf-8", "surrogatepass"), np.uint8)
    sizes = [len(part.encode("utf-8", "surrogatepass")) for pair in pairs for part in pair]
    bounds = np.append(0, np.cumsum(np.array(sizes, np.int64)))
    families, firsts, ends = bounds[:-1:2], bounds[1::2], bounds[2::2]
    initials = np.array([ord(first[0]) + 1 if first else 0 for _, first in pairs], np.uint64)
    full = np.array([len(first) > 1 for _, first in pairs], np.bool_)
    found = _hashed(text, (families, firsts), (firsts, ends), initials, full)
    return np.where(families == firsts, np.uint64(0), found)


@functools.lru_cache(maxsize=1 << 14)
def _parts(name: str) -> tuple[str, str]:
    """Return the family name and the first given name, neither longer than need be."""
    return ids.surname(name)[:_LONGEST], ids.first_name(name)[:_LONGEST]


def _hashed(text: NDArray[np.uint8], families: _Bounds, firsts: _Bounds,
            initials: Hashes, full: NDArray[np.bool_]) -> Hashes:
    """Return the numbers of names by where their parts are in a text: begin and end of the family, of the first name.

    A part's hash is the polynomial of its letters modulo 2 ** 64, from sums over the whole text.
    """
    powers, inverses = _powers(1 << max(text.size, 1).bit_length())
    sums = np.append(np.uint64(0), np.cumsum(_LOWERED[text] * powers[: text.size], dtype=np.uint64))
    family, first = ((sums[end] - sums[begin]) * inverses[begin] for begin, end in (families, firsts))
    person = _mixed(family * _MIXERS[0] + initials) // np.uint64(_FIRST_NAMES) * np.uint64(_FIRST_NAMES)
    given = _mixed(first) % np.uint64(_FIRST_NAMES - 1) + np.uint64(1)
    return np.asarray(person + np.where(full, given, np.uint64(0)), np.uint64)


def _mixed(hashes: Hashes) -> Hashes:
    """Return hashes with every bit of each depending on all of its bits."""
    for mixer in _MIXERS:
        hashes = (hashes ^ hashes >> np.uint64(33)) * mixer
    return hashes ^ hashes >> np.uint64(33)


@functools.lru_cache(maxsize=4)
def _powers(count: int) -> tuple[Hashes, Hashes]:
    """Return the first powers of an odd number modulo 2 ** 64, and their inverses."""
    powers, inverses = (np.cumprod(np.append(np.uint64(1), np.full(count, base, np.uint64)), dtype=np.uint64)
                        for base in (_BASE, pow(_BASE, -1, 1 << 64)))
    return powers, inverses
