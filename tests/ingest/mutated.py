"""Damaged input, made from good input: what a bad disk, a cut download or an editor leave."""

import random
from collections.abc import Callable

_SPECIAL = b'\x00\xff\xef\xbb\xbf{}[]()<>"\\%@,;:=-&\r\n\t \x1a\x80\xe9'
_HUGE = 70_000


def _cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _headless(data: bytes, dice: random.Random) -> bytes:
    return data[dice.randrange(len(data) + 1) :]


def _flipped(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 3, 20))):
        at = dice.randrange(len(changed))
        changed[at] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _replaced(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 3, 20))):
        changed[dice.randrange(len(changed))] = dice.choice(_SPECIAL)
    return bytes(changed)


def _inserted(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    piece = bytes([dice.choice(_SPECIAL)]) * dice.choice((1, 2, 50))
    return data[:at] + piece + data[at:]


def _deleted(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data))
    return data[:at] + data[at + dice.choice((1, 5, 100)) :]


def _doubled(data: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(data))
    end = start + dice.choice((5, 100, 1000))
    return data[:end] + data[start:]


def _lines_swapped(data: bytes, dice: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _line_dropped(data: bytes, dice: random.Random) -> bytes:
    lines = data.split(b"\n")
    del lines[dice.randrange(len(lines))]
    return b"\n".join(lines)


def _huge_field(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + bytes([dice.choice(b'a {["\n')]) * _HUGE + data[at:]


MUTATIONS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": _cut,
    "headless": _headless,
    "flipped": _flipped,
    "replaced": _replaced,
    "inserted": _inserted,
    "deleted": _deleted,
    "doubled": _doubled,
    "lines swapped": _lines_swapped,
    "line dropped": _line_dropped,
}
RARE: dict[str, Callable[[bytes, random.Random], bytes]] = {"huge field": _huge_field}
"""Mutations that make input a hundred times as long."""


def mutated(data: bytes, dice: random.Random) -> tuple[str, bytes]:
    """Return the name of a random mutation, and the data that it makes."""
    name = dice.choice([*MUTATIONS])
    return name, MUTATIONS[name](data, dice) if data else data
