"""Settings of the process's memory: when to collect garbage, and how much freed memory to keep."""

import contextlib
import functools
import gc
from collections.abc import Iterator

import numpy as np

_BLOCK = 31 << 20
"""Bytes: a little less than the largest block (32 MiB) whose release raises that threshold."""


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Switch garbage collection off within the block: where thousands of objects without cycles
    come and go, it would only cost time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@functools.cache
def keep_freed_memory() -> None:
    """Let the process keep what it frees, up to some tens of megabytes, for the arrays of the next
    query, or of the next batch of papers that is written.

    The C library of Linux gives freed memory back to the system until it has seen a large block
    come and go; each query would then have all its pages made anew, a fifteenth of its time.
    """
    np.empty(_BLOCK, np.uint8)
