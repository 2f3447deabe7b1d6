"""Vectors and models of a library in memory: given, not made."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.errors import BadInput
from citewise.memory.evidence import MemoryEvidence
from citewise.memory.papers import MemoryPapers
from citewise.protocols import EncodedBy, VectorCounts
from citewise.types import Scope

Vectors = NDArray[np.float32]
"""One unit vector a row; a row of NaN where there is none."""


class MemoryVectors:
    """`protocols.Vectors` over two arrays.

    `of_papers` has a vector for each row of the library, `of_spans` one for each span number; None:
    none at all.
    """

    def __init__(
        self,
        papers: MemoryPapers,
        evidence: MemoryEvidence,
        encoder: EncodedBy | None = None,
        of_papers: Vectors | None = None,
        of_spans: Vectors | None = None,
    ) -> None:
        self._papers, self._evidence, self._encoder = papers, evidence, encoder
        size = encoder.size if encoder is not None else 1
        self._of_papers = _checked("papers", of_papers, (len(papers), size))
        self._of_spans = _checked("spans", of_spans, (len(evidence), size))

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors; None where the library has none."""
        return self._encoder

    def of_spans(self, spans: Rows) -> Vectors:
        """Return the vector of each span, as rows."""
        return self._of_spans[spans]

    def of_papers(self, rows: Rows) -> Vectors:
        """Return the vector of each paper's title and abstract, as rows."""
        return self._of_papers[rows]

    def nearest(self, vector: Vectors, k: int, scope: Scope) -> tuple[Rows, Column]:
        """Return the k papers in scope with the highest cosine to a unit vector, best first, equals
        in the order of rows.
        """
        rows = self._papers.rows
        rows = rows[_known(self._of_papers) & self._papers.in_scope(rows, scope)]
        if not rows.size:
            return rows, np.zeros(0)

        cosines = (self._of_papers[rows] @ vector).astype(np.float64)
        order = np.argsort(-cosines, kind="stable")[:k]
        return rows[order], cosines[order]

    def counts(self) -> VectorCounts:
        """Return how many texts have a vector; papers with equal texts count once."""
        papers = self._papers.read(np.flatnonzero(_known(self._of_papers)))
        return VectorCounts(
            spans=int(_known(self.of_spans(self._evidence.cited_spans())).sum()),
            papers=len({(paper.title, paper.abstract) for paper in papers}),
        )


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
