"""What looking rows and terms up costs by the size of a library: the array operations of an answer
on rows that are spread over 315 thousand, 7 million and 200 million.

    python benchmarks/arrays.py            (under a minute)
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from citewise.arrays import RowIndex, Rows, distinct
from citewise.library.terms import _by_lower_bits
from measuring import save

SIZES = (315_000, 7_000_000, 200_000_000)
CANDIDATES, LISTED, ASKED, OCCURRING = 8_000, 60_000, 250, 150_000
"""Candidates of a query, papers in their lists, terms of a query and terms in the candidates: as
many as `best` has on average in `cs`.
"""

ROUNDS = 5
PAPERS_A_TERM = 1.8
"""Papers for each term of the vocabulary, as in `cs`; larger libraries have fewer new terms."""


def main() -> None:
    draw = np.random.default_rng(0)
    found = {f"{size:,}": measured(draw, size) for size in SIZES}
    save("arrays", {"rounds": ROUNDS, "ms, median, by rows of the library": found})


def measured(draw: np.random.Generator, size: int) -> dict[str, float]:
    """Return the median milliseconds of each operation, and of the table that it would take."""
    candidates = draw.choice(size, CANDIDATES, replace=False)
    listed = draw.integers(0, size, LISTED)
    vocabulary = int(size / PAPERS_A_TERM)
    asked = np.unique(draw.integers(0, vocabulary, ASKED))
    occurring = draw.integers(0, vocabulary, OCCURRING).astype(np.uint32)

    def looked_up() -> None:
        table, mask = _by_lower_bits(asked)
        table.take(occurring & mask)

    def looked_up_in_a_table() -> None:
        columns = np.zeros(vocabulary, np.uint16)
        columns[asked] = np.arange(1, asked.size + 1)
        columns.take(occurring)

    return {
        "positions of rows": milliseconds(lambda: RowIndex(candidates).of(listed)),
        "positions of rows, by a table": milliseconds(lambda: _table(candidates, listed)),
        "distinct rows": milliseconds(lambda: distinct(listed)),
        "distinct rows, by a table": milliseconds(lambda: _marked(listed)),
        "terms": milliseconds(looked_up),
        "terms, by a table": milliseconds(looked_up_in_a_table),
    }


def _table(rows: Rows, sought: Rows) -> Rows:
    """Return the position of each row sought, by a table over all rows."""
    end = int(rows.max()) + 1
    table = np.full(end + 1, -1, np.int32)
    table[rows] = np.arange(rows.size, dtype=np.int32)
    return table[np.minimum(sought, end)].astype(np.int64)


def _marked(rows: Rows) -> Rows:
    """Return the distinct rows, by a mark for each row up to the highest."""
    present = np.zeros(int(rows.max()) + 1, np.bool_)
    present[rows] = True
    return np.flatnonzero(present)


def milliseconds(operation: Callable[[], object]) -> float:
    """Return the median time of an operation in this thread, which hardly grows with what else the
    machine does.
    """
    taken = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        operation()
        taken.append(time.thread_time() - start)
    return round(statistics.median(taken) * 1000, 3)


if __name__ == "__main__":
    main()
