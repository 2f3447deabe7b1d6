"""Messages as bytes: arrays of numbers in the narrowest type that holds them, since most of what
shards answer are small numbers in 64 bits.
"""

import pickle
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import Matches

_FEW = 256
"""Shorter arrays are sent as they are."""


class _Narrow(NamedTuple):
    """An array whose numbers were 64 bits wide."""

    values: NDArray[Any]
    dtype: str


class _Matches(NamedTuple):
    """`Matches` with narrow arrays."""

    rows: Any
    columns: Any
    counts: _Narrow


def packed(value: Any) -> bytes:
    """Return a message as bytes."""
    return pickle.dumps(_narrowed(value), protocol=5)


def unpacked(content: bytes | bytearray) -> Any:
    """Return the message that some bytes are; only for bytes of the cluster itself."""
    return _widened(pickle.loads(content))  # noqa: S301


def _narrowed(value: Any) -> Any:
    """Return a value with narrow arrays."""
    if isinstance(value, np.ndarray):
        return _narrow(value)
    if isinstance(value, Matches):  # its counts are whole numbers, though stored as floats
        counts = _Narrow(_narrow(value.counts.astype(np.int64)), "f8")
        return _Matches(_narrow(value.rows), _narrow(value.columns), counts)
    return _mapped(value, _narrowed)


def _narrow(array: NDArray[Any]) -> Any:
    if array.dtype != np.int64 or array.size < _FEW or array.min() < 0:
        return array
    return _Narrow(array.astype(np.min_scalar_type(int(array.max()))), "i8")


def _widened(value: Any) -> Any:
    """Return a value with arrays as they were."""
    if isinstance(value, _Narrow):
        return _widened(value.values).astype(value.dtype)
    if isinstance(value, _Matches):
        return Matches(*map(_widened, value))
    return _mapped(value, _widened)


def _mapped(value: Any, change: Any) -> Any:
    """Return a tuple, list or dataclass with changed parts; anything else as it is."""
    if isinstance(value, list):
        return [change(each) for each in value]
    if isinstance(value, tuple):
        parts = (change(each) for each in value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        arrays = {
            field.name: change(getattr(value, field.name))
            for field in fields(value)
            if isinstance(getattr(value, field.name), np.ndarray | _Narrow | tuple | list)
            or is_dataclass(getattr(value, field.name))
        }
        return replace(value, **arrays) if arrays else value
    return value
