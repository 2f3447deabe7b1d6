"""Signals of a set of vectors for the best candidates: similarity to the papers found first, and
how near to the draft the papers are that cite a paper.
"""

import numpy as np

from citewise.arrays import Column, Rows
from citewise.protocols import Compared, DraftVectors, PaperVectors, Stores
from citewise.rank.graph_signals import Citers, Weighted
from citewise.signals import DRAFTS
from citewise.types import Query

_SHARPNESS = 12.0
"""A citer with a cosine of c to the draft counts exp(12 (c - 1))."""


def dense_signals(
    stores: Stores,
    vectors: DraftVectors,
    query: Query,
    rows: Rows,
    seeds: Weighted,
    citers: Citers,
) -> dict[str, Column]:
    """Return the signals of a set of vectors that are worth their cost for the best candidates.

    `seeds` are the candidates that stand for the draft's references, `citers` cite the candidates.
    All are NaN where there are no vectors.
    """
    known, names = vectors.of(query), vectors.signals
    if known is None:
        unknown = DRAFTS.names("trees", names.family)
        return {name: np.full(rows.size, np.nan) for name in unknown}

    papers, _ = known
    cited = stores.papers.find(query.cited)
    given = np.unique(cited[cited >= 0])
    near, feedback, to_given = stores.together(
        lambda: _near_citers(known, citers),
        lambda: _to_centre(papers, rows, seeds),
        lambda: _to_centre(papers, rows, Weighted(given, np.ones(given.size))),
    )
    found = {"feedback": feedback, "seeds": to_given, **near}
    return {names.named(name): column for name, column in found.items()}


def _to_centre(papers: PaperVectors, rows: Rows, seeds: Weighted) -> Column:
    """Return each paper's cosine with the weighted mean of the seeds' vectors; NaN without any."""
    vectors = papers.of(seeds.rows)
    centre = np.nan_to_num(vectors * seeds.weights[:, None].astype(np.float32)).sum(0)
    length = np.linalg.norm(centre)
    if length == 0:
        return np.full(rows.size, np.nan)
    return papers.cosines((centre / length).astype(np.float32), rows)


def _near_citers(known: Compared, citers: Citers) -> dict[str, Column]:
    """Return how near to the draft the citers of each paper are, all of them and the nearest; a
    citer without a vector counts nothing.
    """
    papers, vector = known
    cosines = np.nan_to_num(papers.cosines(vector, citers.rows), nan=-1.0)
    near = citers.summed(citers.each(np.exp(_SHARPNESS * (cosines - 1))))
    return {
        "citers": near,
        "citers_mean": near / np.maximum(citers.counts, 1),
        "citers_best": citers.highest(citers.each(cosines)),
    }
