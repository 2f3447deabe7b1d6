"""Checks whether sets of papers' vectors are sound."""

from collections.abc import Iterator, Mapping

import numpy as np

from citewise.library.embeddings.codes import decoded, has_vector
from citewise.library.embeddings.lists import UNLISTED, assigned
from citewise.library.embeddings.store import EmbeddingSet

_CHUNK = 65_536
_EQUALLY_NEAR = 0.001
"""The share of vectors for which another machine may find another nearest centroid."""
_LENGTH_ERROR = 0.1
"""How far the length of a vector may be from 1: large components are cut, others rounded."""


def embedding_problems(sets: Mapping[str, EmbeddingSet], rows: int) -> Iterator[str]:
    """Yield what is wrong with sets of papers' vectors in a library of some rows."""
    for name, each in sets.items():
        stored = len(each.files.codes)
        if stored != rows:
            yield f"vectors {name}: {stored} rows, but {rows} in the library"
            continue
        yield from _vector_problems(name, each)
        yield from _list_problems(name, each)


def _vector_problems(name: str, each: EmbeddingSet) -> Iterator[str]:
    first = 0
    for codes in each.files.codes.chunks(_CHUNK):
        vectors = decoded(codes[has_vector(codes)], each.entry.scale)
        if not (np.abs(np.linalg.norm(vectors, axis=1) - 1) < _LENGTH_ERROR).all():
            yield f"vectors {name}: rows {first:,} and following are not all of length 1"
        first += len(codes)


def _list_problems(name: str, each: EmbeddingSet) -> Iterator[str]:
    """Compare the lists with the nearest centroids, but for those that are equally near."""
    codes, lists, centroids = each.files
    if not each.entry.centroids:
        return
    if len(lists) != len(codes):
        yield f"vectors {name}: {len(lists)} rows have lists, of {len(codes)}"
        return

    stored = np.concatenate(lists.arrays)
    nearest = np.concatenate([*assigned(codes, each.entry.scale, centroids)])
    same_rows = np.array_equal(stored == UNLISTED, nearest == UNLISTED)
    if not same_rows or (stored != nearest).mean() > _EQUALLY_NEAR:
        yield f"vectors {name}: lists differ from the nearest centroids"
