"""Settings of the process's memory: when to collect garbage, and how much freed memory to keep."""

import contextlib
import functools
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

_BLOCK = 31 << 20
"""Bytes: a little less than the largest block (32 MiB) whose release raises that threshold."""


_OTHER_USES = 1.5
"""Times its files that a library should have of memory: answers need some, and others, too."""
_GROUPS, _MEMBERSHIPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def memory_limit() -> int:
    """Return how many bytes of memory this process may have, what it reads of files included: those
    of the machine, or of its control group, as in a container; 0 where the system does not say.
    """
    try:
        limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), *_group_limits()]
    except (AttributeError, ValueError, OSError):
        return 0
    return min(limits)


def exceeds_memory(size: int) -> bool:
    """Return whether files of this size cannot be expected to stay in memory all together."""
    return 0 < memory_limit() < _OTHER_USES * size


def _group_limits() -> Iterator[int]:
    """Yield the limits of this process's control groups, in both of Linux's versions."""
    lines = _MEMBERSHIPS.read_text().splitlines() if _MEMBERSHIPS.exists() else []
    for _, kind, path in (line.split(":", 2) for line in lines):
        folder = _GROUPS / "memory" if kind == "memory" else _GROUPS
        for each in (folder / path.strip("/"), folder):  # in a container, its own is the root
            for name in ("memory.max", "memory.limit_in_bytes"):
                with contextlib.suppress(OSError, ValueError):  # "max" is no limit
                    yield int((each / name).read_text())


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
