"""Python's cyclic garbage collection, and when it only costs time."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Switch collection off where thousands of objects without a cycle come and go, and it would look at each."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
