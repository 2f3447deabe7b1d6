"""Signals of the draft around a sentence: its title and abstract, and what it cites elsewhere."""

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, distinct, highest, summed
from citewise.protocols import Stores
from citewise.rank.sentence_signals import Candidates, cited_together
from citewise.scoring.similarity import Bag, similarity
from citewise.signals import SENTENCES
from citewise.types import Query

_LEAST = 0.05
"""The weight of a citation by a paper that is not similar to the draft, or not in the library."""

_CONTEXT = SENTENCES.names("sentences", "the draft")
_SEEDS = SENTENCES.names("sentences", "what the draft cites")


def context_signals(
    stores: Stores, query: Query, given: Candidates, votes: Column
) -> dict[str, Column]:
    """Return how similar to the draft each candidate is, and the papers that cite it.

    NaN without a draft. `votes` are those of the papers most similar to the draft.
    """
    count = given.rows.size
    if not query.has_draft:
        return {name: np.full(count, np.nan) for name in _CONTEXT}

    bag = Bag.of_draft(stores, query)
    near = stores.evidence.citations_for(given.matches.nearest, given.scope)
    citing_similarity = _Similarity(stores, bag, np.append(near.citing, given.citations.citing))

    # the nearest spans, each weighted by the similarity of its citing paper to the draft
    at = RowIndex(given.rows).of(near.rows)
    known = at >= 0
    at, weights = at[known], (_LEAST + citing_similarity.of(near.citing))[known]
    each = given.matches.similarity[near.positions][known]

    cited, citing = given.citing
    citers = np.bincount(cited, minlength=count)
    by_citer = citing_similarity.of(citing)
    total = max(float((bag.weights * bag.idf(stores, "text")).sum()), 1e-9)

    return {
        "context_lift": votes / (citers + 3),
        "context_mass": summed(at, each * weights, count),
        "context_mass3": summed(at, each**3 * weights, count),
        "context_nearest": highest(cited, by_citer, count),
        "context_mean": summed(cited, by_citer, count) / np.maximum(citers, 1),
        "context_text": similarity(stores, given.rows, bag) / total,
    }


class _Similarity:
    """The similarity of papers to the draft, relative to the most similar of them."""

    def __init__(self, stores: Stores, bag: Bag, rows: Rows) -> None:
        known = distinct(rows[rows >= 0])
        scores = similarity(stores, known, bag)
        self._index = RowIndex(known)
        self._scores = np.append(scores / max(scores.max(initial=0.0), 1e-9), 0.0)

    def of(self, rows: Rows) -> Column:
        """Return the similarity of each paper, 0 where the library does not have it."""
        position = np.where(rows >= 0, self._index.of(np.maximum(rows, 0)), -1)
        return self._scores[position]


def seed_signals(stores: Stores, query: Query, given: Candidates) -> dict[str, Column]:
    """Return whether the draft cites a candidate elsewhere, and how often others cite it together
    with what the draft cites; NaN where the draft cites nothing known.
    """
    found, count = stores.papers.find(query.cited), given.rows.size
    seeds = np.unique(found[found >= 0])
    if not seeds.size:
        return {name: np.full(count, np.nan) for name in _SEEDS}

    rows = np.append(given.rows, np.setdiff1d(seeds, given.rows))
    wider = Candidates.of(stores, rows, given.matches, given.scope)
    elsewhere = np.isin(rows, seeds).astype(np.float64)
    return {
        "seeds_cocited": cited_together(wider, elsewhere)[:count],
        "cited_elsewhere": elsewhere[:count],
    }
