"""What compiled code would gain: the two operations of an answer that are nearest to one loop over
memory, in numpy as they are and by numba, in turns, with the same results.

    pip install --target FOLDER --no-deps numba llvmlite
    PYTHONPATH=FOLDER python benchmarks/kernels.py LIBRARY

The candidates are the first 5,000 papers of `bm25` for 60 drafts of `cs`. numba is not among
citewise's dependencies; decision 052 says why.
"""

import sys
from pathlib import Path

import numba
import numpy as np

import citewise
from citewise.library.embeddings.codes import MISSING, Probe
from citewise.protocols import Matches
from citewise.types import Scope
from measuring import interleaved, median_ms, save
from protocol import saved_queries

CANDIDATES, DRAFTS, ROUNDS = 5_000, 60, 5


@numba.njit(cache=False)
def matching(rows, starts, terms, counts, columns):
    """Return what `TermStore.matches` does, for a library of one segment."""
    size = 0
    for row in rows:
        size += starts[row + 1] - starts[row]
    owners, found = np.empty(size, np.int64), np.empty(size, np.int64)
    counted, end = np.empty(size, np.float64), 0
    for position, row in enumerate(rows):
        for place in range(starts[row], starts[row + 1]):
            column = columns[terms[place]]
            if column:
                owners[end], found[end], counted[end] = position, column - 1, counts[place]
                end += 1
    return owners[:end], found[:end], counted[:end]


@numba.njit(cache=False, fastmath=True)
def products(rows, codes, high, low, missing):
    """Return the two sums of `Probe.cosines`."""
    sums = np.empty((2, rows.size), np.float32)
    for position, row in enumerate(rows):
        first, second = np.float32(0), np.float32(0)
        for place in range(high.size):
            value = np.float32(codes[row, place])
            first += value * high[place]
            second += value * low[place]
        sums[0, position], sums[1, position] = first, second
        if codes[row, 0] == missing:
            sums[0, position] = np.nan
    return sums


def main() -> None:
    library = citewise.open(Path(sys.argv[1]))
    stores = library.stores
    (segment,) = stores.terms._segments
    vectors = stores.vectors.papers("nnselect")
    starts = np.asarray(segment.starts("abstract"))
    terms = np.asarray(segment.values("abstract", "terms"))
    counts = np.asarray(segment.values("abstract", "counts"))
    (codes,) = vectors.files.codes.arrays

    def asked(draft) -> tuple:
        words, weights = stores.terms.of(f"{draft.title} {draft.abstract}")
        rows = stores.lexical.search(words, weights, CANDIDATES, Scope())
        columns = np.zeros(len(stores.terms._vocabulary), np.min_scalar_type(words.size))
        columns[words] = np.arange(1, words.size + 1)
        return rows, words, columns, vectors.of(rows[:1])[0]

    drafts = [asked(each) for each in saved_queries("cs", 2022, least=5)[:DRAFTS]]

    def by_numpy(rows, words, columns, vector):
        return stores.terms.matches(rows, words, "abstract")

    def by_numba(rows, words, columns, vector):
        return matching(rows, starts, terms, counts, columns)

    def cosines_numpy(rows, words, columns, vector):
        return vectors.cosines(vector, rows)

    def cosines_numba(rows, words, columns, vector):
        probe = Probe(vector, vectors.entry.scale)
        sums = products(rows, codes, *probe._parts, MISSING)
        return sums[0] * probe._factors[0] + sums[1] * probe._factors[1]

    pairs = {
        "words of a draft in the abstracts": (by_numpy, by_numba),
        "cosines": (cosines_numpy, cosines_numba),
    }
    found = {}
    for label, (one, other) in pairs.items():
        same = all(
            np.array_equal(left, right, equal_nan=True)
            for draft in drafts
            for left, right in zip(as_arrays(one(*draft)), as_arrays(other(*draft)), strict=True)
        )
        taken = interleaved(ROUNDS, numpy=median_ms(one, drafts), numba=median_ms(other, drafts))
        found[label] = {f"{name}, ms": round(min(values), 2) for name, values in taken.items()} | {
            "the same results": same
        }
    save("kernels", {"corpus": "cs", "candidates": CANDIDATES, "drafts": DRAFTS} | found)


def as_arrays(found) -> tuple:
    """Return an array, or those that a result has."""
    if isinstance(found, Matches):
        return found.rows, found.columns, found.counts
    return found if isinstance(found, tuple) else (found,)


if __name__ == "__main__":
    main()
