"""Approximate search: each vector belongs to the list of its nearest centroid, and only the lists
whose centroids are nearest to a query are searched.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Rows
from citewise.library.embeddings.codes import (
    Floats,
    Runs,
    decoded,
    has_vector,
    rows_with_vector,
)

LARGE = 50_000
"""Vectors from which on a set has lists."""

GROWTH = 4
"""A set that has grown by this factor since its centroids were computed gets new ones."""

UNLISTED = 65_535
"""The list of a row without a vector: none."""

Lists = NDArray[np.uint16]

_CHUNK = 4_096
"""Vectors whose cosines with all centroids are in memory at once: from 32 MB on, every chunk would
have its pages made anew.
"""
_SEED = 1
_ROUNDS = 6
_PER_CENTROID = 40
"""Vectors from which each centroid is computed."""

_LISTS_A_ROOT = 2.0
"""Lists, in multiples of the root of the number of rows."""

_PROBED = 0.06
_PROBED_A_ROOT = 1.0
"""The share of the lists that is searched: a part for the nearest paper among all, and a part that
grows with the root of the share of papers that are wanted.
"""

_SPARE = 24
"""Rows that are asked for beyond k: of equal ones at the end, those with the lowest rows stay."""


def centroids_of(codes: Runs, scale: float) -> Floats:
    """Return centroids for a set of vectors, of length 1: k-means over evenly spread ones.

    Papers without a vector do not count: of a library in a language that the model does not know,
    there may be hardly any.
    """
    rows = rows_with_vector(codes)
    count = min(int(_LISTS_A_ROOT * math.sqrt(rows.size)), UNLISTED)
    sample = decoded(codes.take(rows[:: max(1, rows.size // (count * _PER_CENTROID))]), scale)
    first = np.random.default_rng(_SEED).permutation(len(sample))[:count]

    centroids = _unit(sample[first])
    for _ in range(_ROUNDS):
        nearest = _nearest(sample, centroids)
        order = np.argsort(nearest, kind="stable")
        used, starts = np.unique(nearest[order], return_index=True)
        if used.size:  # a centroid that is nearest to nothing stays where it is
            centroids[used] = _unit(np.add.reduceat(sample[order], starts))
    return centroids


def _nearest(vectors: Floats, centroids: Floats) -> Rows:
    """Return the number of the nearest centroid of each vector."""
    starts = range(0, len(vectors), _CHUNK)
    parts = [(vectors[at : at + _CHUNK] @ centroids.T).argmax(axis=1) for at in starts]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


def assigned(codes: Runs, scale: float, centroids: Floats, start: int = 0) -> Iterator[Lists]:
    """Yield the lists of all rows from `start` on, a chunk at a time."""
    for some in codes.chunks(_CHUNK, start):
        known = has_vector(some)
        lists = np.full(len(some), UNLISTED, np.uint16)
        lists[known] = _nearest(decoded(some[known], scale), centroids)
        yield lists


class InvertedLists:
    """The codes of a set in memory, list by list.

    A search may run in several threads at once; each uses one core.
    """

    def __init__(self, codes: Runs, lists: Lists, centroids: Floats, scale: float) -> None:
        import faiss  # takes a tenth of a second, and small libraries never need it

        self._faiss: Any = faiss  # its stubs know few of its functions
        count, size = centroids.shape
        self._count, self._quantizer = int(count), faiss.IndexFlatIP(size)
        self._quantizer.add(np.ascontiguousarray(centroids))
        self._index = self._empty(size, scale)

        order = np.argsort(lists, kind="stable")
        bounds = np.searchsorted(lists[order], np.arange(count + 1))
        for number in range(count):
            self._fill(number, codes, order[bounds[number] : bounds[number + 1]])
        self._index.ntotal = int(bounds[-1])

    def _empty(self, size: int, scale: float) -> Any:
        faiss = self._faiss
        kind, metric = faiss.ScalarQuantizer.QT_8bit_uniform, faiss.METRIC_INNER_PRODUCT
        index = faiss.IndexIVFScalarQuantizer(
            self._quantizer, size, self._count, kind, metric, False
        )

        # faiss reads byte b as low + (b + 1/2) / 255 * range; with b = code + 128 that is
        # code * scale. Its type for signed bytes would round the query to a byte as well.
        low, extent = -128.5 * scale, 255 * scale
        faiss.copy_array_to_vector(np.array([low, extent], np.float32), index.sq.trained)
        index.is_trained = True
        return index

    def _fill(self, number: int, codes: Runs, rows: Rows) -> None:
        if rows.size:
            shifted = codes.take(rows).view(np.uint8) ^ np.uint8(128)  # code + 128
            pointers = self._faiss.swig_ptr(rows), self._faiss.swig_ptr(shifted)
            self._index.invlists.add_entries(number, rows.size, *pointers)

    def search(self, vector: Floats, k: int, allowed: Mask, count: int, probes: int = 0) -> Rows:
        """Return about k rows near to a vector, and a few more, of the `count` that are allowed; in
        `probes` lists, 0 for as many as that needs.
        """
        if not count:
            return np.zeros(0, np.int64)
        bitmap, wanted = np.packbits(allowed, bitorder="little"), min(k + _SPARE, count)
        parameters = self._faiss.SearchParametersIVF(
            sel=self._faiss.IDSelectorBitmap(bitmap),
            nprobe=probes or probes_for(self._count, k, count, allowed.size),
        )
        query = np.ascontiguousarray(vector[np.newaxis], np.float32)
        _, found = self._index.search(query, wanted, params=parameters)
        rows: Rows = found[0][found[0] >= 0]
        return rows


def probes_for(lists: int, k: int, count: int, total: int) -> int:
    """Return how many of the lists to search for k of the `count` rows that are allowed, of `total`
    rows: more where more papers are wanted or fewer are allowed.
    """
    wanted = min(k + _SPARE, count)
    share = _PROBED * math.sqrt(total / count) + _PROBED_A_ROOT * math.sqrt(wanted / count)
    return max(1, min(lists, math.ceil(share * lists)))
