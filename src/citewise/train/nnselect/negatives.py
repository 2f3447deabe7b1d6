"""Negatives of the triplet loss: papers that a paper does not cite (Bhagavatula et al. 2018,
section 3.1).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Ragged, Rows
from citewise.train.nnselect.corpus import Corpus, Floats
from citewise.train.nnselect.losses import CITATION, NEAREST, NONE, RANDOM

_TRIES = 8
"""How often a negative is drawn again where it is none."""
_FETCHED = 10
"""Neighbours that are looked at for each that is wanted."""
_EXACT = 20_000
"""Up to this many papers, neighbours are searched exactly."""
_LISTS_READ = 16
_BLOCK = 1_024
_PAIRS = 20_000

Kinds = NDArray[np.int64]


class Negatives:
    """Draws negatives; `neighbours` has near papers of each paper that may be drawn, None for no
    index.
    """

    def __init__(self, corpus: Corpus, count: int, neighbours: Ragged | None) -> None:
        self._corpus, self._neighbours = corpus, neighbours
        kinds = (RANDOM, CITATION) if neighbours is None else (RANDOM, CITATION, NEAREST)
        self._kinds = np.sort(np.resize(np.array(kinds), count))

    def draw(self, citing: Rows, random: np.random.Generator) -> tuple[Rows, Kinds]:
        """Return negatives of each citing paper, as rows, and the kind of each.

        The kinds have equal shares. What has no neighbour gets one of the other two kinds, what
        has no citation of a citation a random paper.
        """
        shape = (citing.size, self._kinds.size)
        wanted = np.broadcast_to(self._kinds, shape).ravel().copy()
        owners = np.repeat(citing, self._kinds.size)
        found = np.full(owners.size, -1, np.int64)

        self._fill(found, wanted, owners, NEAREST, random)
        missing = np.flatnonzero((wanted == NEAREST) & (found < 0))
        wanted[missing] = np.where(np.arange(missing.size) % 2, RANDOM, CITATION)
        self._fill(found, wanted, owners, CITATION, random)
        wanted[(wanted == CITATION) & (found < 0)] = RANDOM
        self._fill(found, wanted, owners, RANDOM, random)

        wanted[found < 0] = NONE
        return np.maximum(found, 0).reshape(shape), wanted.reshape(shape)

    def _fill(
        self, found: Rows, wanted: Kinds, owners: Rows, kind: int, random: np.random.Generator
    ) -> None:
        """Draw what is wanted of a kind, again where a paper is cited or the citing one itself."""
        drawn_by = {NEAREST: self._near, CITATION: self._of_cited, RANDOM: self._any}[kind]
        for _ in range(_TRIES):
            open_ = np.flatnonzero((wanted == kind) & (found < 0))
            if not open_.size:
                return
            drawn = drawn_by(owners[open_], random)
            bad = (drawn == owners[open_]) | self._corpus.cites(owners[open_], drawn)
            found[open_] = np.where(bad, -1, drawn)

    def _any(self, owners: Rows, random: np.random.Generator) -> Rows:
        return random.integers(0, self._corpus.rows.size, owners.size)

    def _of_cited(self, owners: Rows, random: np.random.Generator) -> Rows:
        """Return a paper that a cited paper cites, -1 where that cites nothing."""
        between = one_of(self._corpus.references, owners, random)
        return one_of(self._corpus.references, between, random)

    def _near(self, owners: Rows, random: np.random.Generator) -> Rows:
        if self._neighbours is None:
            return np.full(owners.size, -1, np.int64)
        return one_of(self._neighbours, owners, random)


def one_of(lists: Ragged, positions: Rows, random: np.random.Generator) -> Rows:
    """Return one value of each list, drawn at random; -1 for an empty list, or for position -1."""
    lengths = np.where(positions >= 0, lists.lengths[positions], 0)
    at = lists.starts[positions] + (random.random(positions.size) * lengths).astype(np.int64)
    drawn = np.full(positions.size, -1, np.int64)
    known = lengths > 0
    drawn[known] = lists.values[at[known]]
    return drawn


class Neighbours:
    """Finds near papers that are not cited, and whose words are not those of cited papers."""

    def __init__(self, corpus: Corpus, count: int, percentile: float) -> None:
        self._corpus, self._fetched = corpus, _FETCHED * max(count // 3, 1)
        title, abstract = corpus.fields
        self._stems = ((title + abstract) > 0).astype(np.float32).tocsr()
        self._sizes = np.diff(self._stems.indptr)
        self._limits = self._percentiles(percentile)

    def of(self, vectors: Floats) -> Ragged:
        """Return for each paper the near ones that may be negatives; empty for papers that cite
        nothing. `vectors` are those of all papers, 0 for a paper without one.
        """
        citing = self._corpus.citing
        spare = self._fetched + 1 + np.minimum(self._corpus.references.lengths[citing], 100)
        owners, near = [], []
        for some, found in nearest(vectors, citing, int(spare.max())):
            flat, own = found.ravel(), np.repeat(some, found.shape[1])
            good = (flat >= 0) & (flat != own)
            good[good] = ~self._corpus.cites(own[good], flat[good])
            rank = np.cumsum(good.reshape(found.shape), axis=1).ravel()
            good &= rank <= self._fetched
            owners.append(own[good])
            near.append(flat[good])

        owner, other = np.concatenate(owners), np.concatenate(near)
        kept = self.similarity(owner, other) < self._limits[owner]
        counts = np.bincount(owner[kept], minlength=self._corpus.rows.size)
        return Ragged(other[kept], np.concatenate(([0], np.cumsum(counts))))

    def similarity(self, ones: Rows, others: Rows) -> Column:
        """Return the Jaccard index of the stems of each pair of papers."""
        common = np.zeros(ones.size)
        for start in range(0, ones.size, _PAIRS):
            some = slice(start, start + _PAIRS)
            product = self._stems[ones[some]].multiply(self._stems[others[some]])
            common[some] = np.asarray(product.sum(1)).ravel()
        found: Column = common / np.maximum(self._sizes[ones] + self._sizes[others] - common, 1)
        return found

    def _percentiles(self, percentile: float) -> Column:
        """Return for each paper a percentile of its similarities to the papers that it cites."""
        references = self._corpus.references
        similarities = Ragged(
            self.similarity(references.owners, references.values), references.starts
        )
        limits = np.zeros(self._corpus.rows.size)
        for paper in self._corpus.citing.tolist():
            limits[paper] = np.percentile(similarities[paper], percentile)
        return limits


def nearest(vectors: Floats, asked: Rows, k: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield some of the asked papers and the k nearest of each, best first, -1 where there are
    fewer; exactly for few papers, else by faiss's lists.
    """
    import faiss

    k = min(k, len(vectors))
    vectors = np.ascontiguousarray(vectors, np.float32)
    exact = faiss.IndexFlatIP(vectors.shape[1])
    index: Any = exact
    if len(vectors) > _EXACT:
        lists = int(4 * np.sqrt(len(vectors)))
        index = faiss.IndexIVFFlat(exact, vectors.shape[1], lists, faiss.METRIC_INNER_PRODUCT)
        index.train(vectors[:: max(len(vectors) // (40 * lists), 1)])
        index.nprobe = _LISTS_READ
    index.add(vectors)
    for start in range(0, asked.size, _BLOCK):
        some = asked[start : start + _BLOCK]
        yield some, index.search(vectors[some], k)[1]
