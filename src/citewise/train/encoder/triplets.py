"""Triplets of a paper, one that it should be near, and one that it should be far from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.errors import BadInput
from citewise.protocols import Stores
from citewise.train.encoder.settings import EncoderSettings
from citewise.train.nnselect.corpus import references_among

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Triplets:
    """Rows of papers, one triplet a position."""

    queries: Rows
    positives: Rows
    negatives: Rows

    def __len__(self) -> int:
        return self.queries.size

    def take(self, positions: NDArray[np.int64]) -> "Triplets":
        """Return some of the triplets."""
        return Triplets(
            self.queries[positions], self.positives[positions], self.negatives[positions]
        )


def triplets_of(stores: Stores, year: int, left_out: Rows, settings: EncoderSettings) -> Triplets:
    """Return the triplets of papers up to a year; nothing is learned from what the papers at the
    rows `left_out` cite.
    """
    rows = stores.papers.rows
    years = stores.papers.years(rows)
    rows = rows[(years > 0) & (years <= year)]
    references = references_among(stores, rows, left_out)
    citing = np.flatnonzero(references.lengths)
    if not citing.size:
        raise BadInput(f"{stores.info.location}: no paper up to {year} cites another")

    youngest = np.argsort(stores.papers.years(rows[citing]), kind="stable")[-settings.most :]
    citing, random = np.sort(citing[youngest]), np.random.default_rng((settings.seed, 7))
    if settings.sampling == "specter":
        found = _by_citation(references, citing, settings, random)
    else:
        found = _by_neighbourhood(references, citing, settings, random)
    return Triplets(rows[found.queries], rows[found.positives], rows[found.negatives])


def _by_citation(
    references: Ragged, citing: Rows, settings: EncoderSettings, random: np.random.Generator
) -> Triplets:
    """Return SPECTER's triplets: hard negatives are cited by cited papers, not by the query."""
    made: list[tuple[int, int, int]] = []
    for query in citing.tolist():
        cited = references[query]
        second = np.unique(references.take(cited).values)
        hard = np.setdiff1d(second, np.append(cited, query))
        positives = random.permutation(cited)[: settings.triplets]
        for number, positive in enumerate(positives.tolist()):
            if number < settings.hard and hard.size:
                negative = int(random.choice(hard))
            else:
                negative = _any_but(cited, query, len(references), random)
            made.append((query, positive, negative))
    return _columns(made)


def _by_neighbourhood(
    references: Ragged, citing: Rows, settings: EncoderSettings, random: np.random.Generator
) -> Triplets:
    """Return SciNCL's triplets: near, at a margin, and far in an embedding of the graph."""
    linked, vectors = graph_embedding(references, settings.dimension, settings.seed)
    last = settings.margin_from + settings.band
    if linked.size <= last + 1:
        raise BadInput(
            f"a margin at rank {settings.margin_from} needs more than {last + 1} papers with "
            f"citations; there are {linked.size}"
        )

    made: list[tuple[int, int, int]] = []
    places = np.searchsorted(linked, citing)
    for query, place in zip(citing.tolist(), places.tolist(), strict=True):
        cosines = vectors @ vectors[place]
        cosines[place] = np.inf  # the paper itself comes first, and is left out
        order = np.argsort(-cosines, kind="stable")[1:]
        near = random.permutation(order[: settings.near])[: settings.triplets]
        margin = order[settings.margin_from : last]
        for number, positive in enumerate(near.tolist()):
            others = margin if number < settings.hard else order[last:]
            negative = int(random.choice(others))
            made.append((query, int(linked[positive]), int(linked[negative])))
    return _columns(made)


def graph_embedding(references: Ragged, dimension: int, seed: int) -> tuple[Rows, Floats]:
    """Return the papers with citations, sorted, and a unit vector of each: the largest singular
    vectors of the citation graph, in which a citation counts 1 / sqrt(its ends' citations).
    """
    from scipy.sparse import coo_matrix  # type: ignore[import-untyped]
    from scipy.sparse.linalg import svds  # type: ignore[import-untyped]

    citing, cited = references.owners, references.values
    linked = np.unique(np.append(citing, cited))
    ends = np.searchsorted(linked, np.stack([citing, cited]))
    both = np.concatenate([ends, ends[::-1]], axis=1)  # a citation links both ways
    degrees = np.bincount(both[0], minlength=linked.size).astype(np.float64)
    values = 1 / np.sqrt(degrees[both[0]] * degrees[both[1]])
    matrix = coo_matrix((values, (both[0], both[1])), shape=(linked.size,) * 2).tocsr()

    most = max(min(dimension, linked.size - 2), 1)
    start = np.random.default_rng((seed, 8)).normal(size=linked.size)
    left, strengths, _ = svds(matrix, most, v0=start)
    vectors = left * strengths
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return linked, (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)


def _any_but(cited: Rows, query: int, count: int, random: np.random.Generator) -> int:
    """Return any paper that a query does not cite, and that is not the query itself."""
    while True:
        drawn = int(random.integers(count))
        if drawn != query and drawn not in cited:
            return drawn


def _columns(made: list[tuple[int, int, int]]) -> Triplets:
    columns = np.array(made, np.int64).reshape(-1, 3)
    return Triplets(columns[:, 0], columns[:, 1], columns[:, 2])
