"""Variety among the best papers: maximal marginal relevance over citations and words."""

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Ragged, Rows, summed
from citewise.protocols import FIELDS, Stores
from citewise.scoring.bm25 import idf
from citewise.types import Scope

Matrix = NDArray[np.float64]


def diverse_order(stores: Stores, rows: Rows, scores: Column, weight: float, scope: Scope) -> Rows:
    """Return the positions of papers by maximal marginal relevance (Carbonell, Goldstein 1998).

    Next comes the paper with the highest (1 - weight) * relevance - weight * similarity to the most
    similar one before it; relevance is the score, from 0 for the lowest to 1 for the highest. Equal
    ones keep their order.
    """
    relevance = (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)
    similarity = (graph_similarity(stores, rows, scope) + word_similarity(stores, rows)) / 2

    closest, chosen = np.zeros(rows.size), np.zeros(rows.size, np.int64)
    left = np.ones(rows.size, np.bool_)
    for position in range(rows.size):
        value = np.where(left, (1 - weight) * relevance - weight * closest, -np.inf)
        chosen[position] = best = int(np.argmax(value))
        left[best] = False
        closest = np.maximum(closest, similarity[best])
    return chosen


def graph_similarity(stores: Stores, rows: Rows, scope: Scope) -> Matrix:
    """Return the cosine of each two papers' neighbours: what they cite and what cites them."""
    lists = [stores.graph.references(rows, scope), stores.graph.citers(rows, scope)]
    owners, neighbours = _joined(lists)
    return cosines(owners, neighbours, np.ones(neighbours.size), rows.size)


def word_similarity(stores: Stores, rows: Rows) -> Matrix:
    """Return the cosine of each two papers' tf-idf vectors."""
    parts = [stores.terms.contents(rows, field) for field in FIELDS]
    owners, terms = _joined([lists for lists, _ in parts])
    counts = np.concatenate([each for _, each in parts])
    weights = np.log1p(counts) * idf(stores.terms.statistics(terms, "text"))
    return cosines(owners, terms, weights, rows.size)


def _joined(lists: list[Ragged]) -> tuple[Rows, Rows]:
    """Return the values of several lists of lists, and the position of the list each is in."""
    owners = np.concatenate([each.owners for each in lists])
    return owners, np.concatenate([each.values for each in lists]).astype(np.int64)


def cosines(owners: Rows, items: Rows, weights: Column, count: int) -> Matrix:
    """Return the owners x owners matrix of the cosines of their weighted items.

    An owner without items has 0. Items that only one owner has add to its norm, not to a product,
    so that they need no column:

        matrix   owners x shared items
        cosine   matrix @ matrix.T / (norm * norm of the other)
    """
    _, positions, times = np.unique(items, return_inverse=True, return_counts=True)
    shared = times > 1
    column = np.cumsum(shared) - 1  # the number of each shared item, from 0
    kept = shared[positions]

    matrix = np.zeros((count, int(shared.sum())))
    np.add.at(matrix, (owners[kept], column[positions[kept]]), weights[kept])
    single = summed(owners[~kept], weights[~kept] ** 2, count)
    norms = np.sqrt((matrix**2).sum(1) + single)
    unit: Matrix = matrix / np.maximum(norms, 1e-9)[:, None]
    return np.asarray(unit @ unit.T, np.float64)
