"""What the draft around a sentence says for a candidate: its title and abstract, and what it cites elsewhere."""

import numpy as np

from citewise.likeness import Bag, likeness
from citewise.places import Places
from citewise.rank.sentence_signals import Candidates, Stores, together
from citewise.types import Column, Query, Rows, distinct, summed

_LEAST = 0.05
"""What a citation weighs whose citing paper is nothing like the draft, or not in the library."""

CONTEXT = ("context_lift", "context_mass", "context_mass3", "context_nearest", "context_mean", "context_text")
SEEDS = ("seeds_cocited", "cited_elsewhere")


def context_signals(stores: Stores, query: Query, given: Candidates, votes: Column) -> dict[str, Column]:
    """Return how like the draft the papers are that cite each candidate, and the candidate itself; NaN without a draft.

    `votes` are those of the papers most like the draft.
    """
    if not query.has_draft:
        return {name: np.full(given.rows.size, np.nan) for name in CONTEXT}
    bag, count = Bag.of_draft(stores, query), given.rows.size
    near = stores.citations_for(given.found.nearest, given.scope)
    alike = _Alike(stores, bag, np.append(near.citing, given.citations.citing))
    at = Places(given.rows).of(near.rows)
    weights = (_LEAST + alike.of(near.citing))[at >= 0]
    each = given.found.likeness[near.places][at >= 0]
    places, citing = given.citing
    citers = np.bincount(places, minlength=count)
    nearest = np.zeros(count)
    np.maximum.at(nearest, places, alike.of(citing))
    return {"context_lift": votes / (citers + 3), "context_mass": summed(at[at >= 0], each * weights, count),
            "context_mass3": summed(at[at >= 0], each ** 3 * weights, count), "context_nearest": nearest,
            "context_mean": summed(places, alike.of(citing), count) / np.maximum(citers, 1),
            "context_text": likeness(stores, given.rows, bag)
            / max(float((bag.weights * bag.rarity(stores, "text")).sum()), 1e-9)}


class _Alike:
    """How like the draft papers are, relative to the most alike of them."""

    def __init__(self, stores: Stores, bag: Bag, rows: Rows) -> None:
        known = distinct(rows[rows >= 0])
        scores = likeness(stores, known, bag)
        self._places, self._scores = Places(known), np.append(scores / max(scores.max(initial=0.0), 1e-9), 0.0)

    def of(self, rows: Rows) -> Column:
        """Return the likeness of each paper, 0 where the library does not have it."""
        return self._scores[np.where(rows >= 0, self._places.of(np.maximum(rows, 0)), -1)]


def seed_signals(stores: Stores, query: Query, given: Candidates) -> dict[str, Column]:
    """Return whether the draft cites a candidate elsewhere, and how often others cite it with what the draft cites.

    NaN where the draft names nothing that it cites.
    """
    cited = stores.rows_of(query.cited)
    seeds = np.unique(cited[cited >= 0])
    if not seeds.size:
        return {name: np.full(given.rows.size, np.nan) for name in SEEDS}
    rows = np.append(given.rows, np.setdiff1d(seeds, given.rows))
    wider = Candidates.of(stores, rows, given.found, given.scope)
    elsewhere = np.isin(rows, seeds).astype(np.float64)
    count = given.rows.size
    return {"seeds_cocited": together(wider, elsewhere)[:count], "cited_elsewhere": elsewhere[:count]}
