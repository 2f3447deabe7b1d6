"""Variety among the best papers: maximal marginal relevance over who they cite, who cites them, and their words."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.likeness import idf
from citewise.protocols import FIELDS, Graph, Papers, Ragged, Terms
from citewise.types import Column, Rows, Scope, summed


class Stores(Papers, Graph, Terms, Protocol):
    """What likeness between papers is made from."""


def diverse_order(stores: Stores, rows: Rows, scores: Column, weight: float, scope: Scope) -> Rows:
    """Return the places of papers in the order of maximal marginal relevance (Carbonell and Goldstein 1998).

    Next comes the paper with the highest (1 - weight) * relevance - weight * likeness to the most alike before it;
    relevance is the score, from 0 for the lowest to 1 for the highest. Equals keep their order.
    """
    relevance = (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)
    alike = (neighbour_likeness(stores, rows, scope) + word_likeness(stores, rows)) / 2
    closest, chosen = np.zeros(rows.size), np.zeros(rows.size, np.int64)
    left = np.ones(rows.size, np.bool_)
    for place in range(rows.size):
        value = np.where(left, (1 - weight) * relevance - weight * closest, -np.inf)
        chosen[place] = best = int(np.argmax(value))
        left[best] = False
        closest = np.maximum(closest, alike[best])
    return chosen


def neighbour_likeness(stores: Stores, rows: Rows, scope: Scope) -> NDArray[np.float64]:
    """Return the cosine of each two papers' neighbours in the citation graph: what they cite and what cites them."""
    lists = [stores.references(rows, scope), stores.citers(rows, scope)]
    owners, neighbours = _joined(lists)
    return cosines(owners, neighbours, np.ones(neighbours.size), rows.size)


def word_likeness(stores: Stores, rows: Rows) -> NDArray[np.float64]:
    """Return the cosine of each two papers' terms, weighted by log counts and rarity."""
    parts = [stores.contents(rows, field) for field in FIELDS]
    owners, terms = _joined([lists for lists, _ in parts])
    known = stores.statistics(terms, "text")
    counts = np.concatenate([each for _, each in parts])
    return cosines(owners, terms, np.log1p(counts) * idf(known.frequencies, known.papers), rows.size)


def _joined(lists: list[Ragged]) -> tuple[Rows, Rows]:
    """Return all values of some lists of lists, and the place of the list that each is from."""
    owners = np.concatenate([np.repeat(np.arange(len(each)), each.lengths) for each in lists])
    return owners, np.concatenate([each.values for each in lists]).astype(np.int64)


def cosines(owners: Rows, items: Rows, weights: Column, count: int) -> NDArray[np.float64]:
    """Return the cosine of each two different owners' weighted items; 0 where one has none."""
    _, places, times = np.unique(items, return_inverse=True, return_counts=True)
    shared = times > 1  # what one alone has counts in its length only
    column = np.cumsum(shared) - 1
    whole = np.zeros((count, int(shared.sum())))
    kept = shared[places]
    np.add.at(whole, (owners[kept], column[places[kept]]), weights[kept])
    single = summed(owners[~kept], weights[~kept] ** 2, count)
    norms = np.sqrt((whole**2).sum(1) + single)
    unit: NDArray[np.float64] = whole / np.maximum(norms, 1e-9)[:, None]
    return np.asarray(unit @ unit.T, np.float64)
