"""Vectors and models of a library in memory: given, not made."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.errors import BadInput
from citewise.memory.evidence import MemoryEvidence
from citewise.memory.papers import MemoryPapers
from citewise.protocols import EncodedBy
from citewise.scoring import distances
from citewise.types import Scope

Vectors = NDArray[np.float32]
"""One vector a row; a row of NaN where there is none."""

_DIGITS_COMPARED = 9
"""Similarities that differ less are equal."""


class MemoryPaperVectors:
    """`protocols.PaperVectors` over an array with a vector for each row of the library."""

    def __init__(self, papers: MemoryPapers, about: EncodedBy, vectors: Vectors) -> None:
        self._papers, self.about = papers, about
        self._vectors = _checked("papers", vectors, (len(papers), about.size))

    def __len__(self) -> int:
        return int(_known(self._vectors).sum())

    def of(self, rows: Rows) -> Vectors:
        """Return the vector of each paper, as rows."""
        return self._vectors[rows]

    def cosines(self, vector: Vectors, rows: Rows) -> Column:
        """Return the cosine of each paper with a vector, NaN where either has none."""
        return distances.cosines(self._vectors[rows], vector, self.about.distance)

    def similarities(self, vector: Vectors, rows: Rows) -> Column:
        """Return how similar each paper is to a vector, NaN where either has none."""
        return distances.similarities(self._vectors[rows], vector, self.about.distance)

    def nearest(
        self, vector: Vectors, k: int, scope: Scope, among: Rows | None = None
    ) -> tuple[Rows, Column]:
        """Return the k papers in scope that are most similar to a vector, best first, equals in the
        order of rows.
        """
        rows = self._papers.rows if among is None else among
        rows = rows[self._papers.in_scope(rows, scope)]
        found = self.similarities(vector, rows)

        rows, found = rows[~np.isnan(found)], found[~np.isnan(found)]
        order = np.argsort(-np.round(found, _DIGITS_COMPARED), kind="stable")[:k]
        return rows[order], found[order]


_NO_SETS: Mapping[str, MemoryPaperVectors] = MappingProxyType({})


class MemoryVectors:
    """`protocols.Vectors` over arrays.

    `of_spans` has a vector for each span number, None for none at all; `sets` are those of papers.
    """

    def __init__(
        self,
        papers: MemoryPapers,
        evidence: MemoryEvidence,
        encoder: EncodedBy | None = None,
        of_spans: Vectors | None = None,
        sets: Mapping[str, MemoryPaperVectors] = _NO_SETS,
    ) -> None:
        self._papers, self._evidence, self._encoder = papers, evidence, encoder
        self.sets = dict(sets)
        size = encoder.size if encoder is not None else 1
        self._of_spans = _checked("spans", of_spans, (len(evidence), size))

    def with_set(self, name: str, about: EncodedBy, vectors: Vectors) -> "MemoryVectors":
        """Return the same vectors with a further set of papers' vectors."""
        sets = {**self.sets, name: MemoryPaperVectors(self._papers, about, vectors)}
        return MemoryVectors(self._papers, self._evidence, self._encoder, self._of_spans, sets)

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors of spans; None where the library has none."""
        return self._encoder

    def of_spans(self, spans: Rows) -> Vectors:
        """Return the vector of each span, as rows."""
        return self._of_spans[spans]

    def span_count(self) -> int:
        """Return the number of spans that have a vector."""
        return int(_known(self.of_spans(self._evidence.cited_spans())).sum())

    def names(self) -> tuple[str, ...]:
        """Return the names of the sets of papers' vectors, sorted."""
        return tuple(sorted(self.sets))

    def papers(self, name: str) -> MemoryPaperVectors | None:
        """Return a set of papers' vectors; None where there is none of that name."""
        return self.sets.get(name)


def _checked(what: str, vectors: Vectors | None, shape: tuple[int, int]) -> Vectors:
    """Return vectors of the right shape; NaN where none are given."""
    if vectors is None:
        return np.full(shape, np.nan, np.float32)
    if vectors.shape != shape:
        raise BadInput(f"the vectors of {what} have the shape {vectors.shape}, not {shape}")
    return vectors.astype(np.float32)


def _known(vectors: Vectors) -> NDArray[np.bool_]:
    """Return for each row whether it is a vector."""
    return ~np.isnan(vectors[:, 0])


class MemoryModels:
    """`protocols.Models` over a dictionary."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._saved, self._loaded = dict(contents), dict[str, bytes | None]()

    def load(self, name: str) -> bytes | None:
        """Return a model as it was when first asked for; None where there was none."""
        return self._loaded.setdefault(name, self._saved.get(name))

    def names(self) -> tuple[str, ...]:
        """Return the names of the saved models, sorted."""
        return tuple(sorted(self._saved))

    def save(self, name: str, content: bytes) -> None:
        """Keep a model, in place of an older one of that name."""
        self._saved[name] = content

    def remove(self, name: str) -> None:
        """Forget a model, where there is one of that name."""
        self._saved.pop(name, None)
