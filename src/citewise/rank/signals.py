"""The signals of candidates for a query, in two steps: cheap ones for all, all of them for the best."""

from typing import Protocol

import numpy as np

from citewise.likeness import Bag
from citewise.places import Places
from citewise.protocols import Graph, Papers, Terms
from citewise.rank.graph_signals import Weighted, co_citation, coupling, popularity
from citewise.rank.text_signals import feedback_bag, text_signals, title_in_draft, title_likeness, words_shared
from citewise.types import Column, Query, Ranking, Rows, Scope, distinct, summed

_SEEDS = 50
"""So many best candidates stand for the references that the draft will have."""

_SEED_SIGNALS = ("seeds_cocited", "seeds_cocited_share", "seeds_cocited_strong", "seeds_cocited_near", "seeds_cite",
                 "cites_seeds", "seeds_words")


class Stores(Papers, Graph, Terms, Protocol):
    """What signals are made from."""


def first_signals(stores: Stores, query: Query, rows: Rows, scope: Scope) -> dict[str, Column]:
    """Return what can be had for thousands of candidates in a few milliseconds."""
    titles = title_in_draft(stores, rows, Bag.of_draft(stores, query))
    return popularity(stores, rows, scope) | {"title_in_draft": titles}


def further_signals(stores: Stores, query: Query, ranking: Ranking, near: Weighted, scope: Scope) -> dict[str, Column]:
    """Return what is worth its cost for the best candidates, which are best first; `near` are papers like the draft."""
    rows, citations = ranking.rows, ranking.signals["citations"]
    weights = 1 / (1 + np.arange(rows.size) / 20)
    seeds = Weighted(rows[:_SEEDS], weights[:_SEEDS])
    title, abstract = (stores.lengths(rows, field).astype(np.float64) for field in ("title", "abstract"))
    return {**co_citation(stores, rows, citations, seeds, near, scope), **coupling(stores, rows, weights, scope),
            **text_signals(stores, query, rows, feedback_bag(stores, seeds.rows, seeds.weights)),
            **seed_signals(stores, query, ranking, near, scope), **cited_as(stores, query, rows, scope),
            "length": title + abstract, "has_abstract": (abstract > 0).astype(np.float64)}


def cited_as(stores: Stores, query: Query, rows: Rows, scope: Scope) -> dict[str, Column]:
    """Return how like the draft the titles are of the papers that cite each paper: the sum of squares, mean and most.

    Likeness is BM25 relative to the best of those titles: as if each paper were also indexed by how it is cited.
    """
    citers = stores.citers(rows, scope)
    citing = distinct(citers.values)
    alike = title_likeness(stores, citing, Bag.of_draft(stores, query))
    each = (alike / max(alike.max(initial=0.0), 1e-9))[Places(citing).of(citers.values)]
    owners, count = np.repeat(np.arange(rows.size), citers.lengths), rows.size
    most = np.zeros(count)
    np.maximum.at(most, owners, each)
    return {"cited_as": summed(owners, each * each, count), "cited_as_most": most,
            "cited_as_mean": summed(owners, each, count) / np.maximum(citers.lengths, 1)}


def seed_signals(stores: Stores, query: Query, ranking: Ranking, near: Weighted, scope: Scope) -> dict[str, Column]:
    """Return the ties to the papers that the draft cites already; NaN where it names none."""
    rows, cited = ranking.rows, stores.rows_of(query.cited)
    seeds = np.unique(cited[cited >= 0])
    if not seeds.size:
        return {name: np.full(rows.size, np.nan) for name in _SEED_SIGNALS}
    equal = Weighted(seeds, np.ones(seeds.size))
    together = co_citation(stores, rows, ranking.signals["citations"], equal, near, scope)
    ties = coupling(stores, np.append(rows, seeds), np.append(np.zeros(rows.size), equal.weights), scope)
    return {**{f"seeds_{name}": column for name, column in together.items()},
            "seeds_cite": ties["cited_by_candidates"][: rows.size],
            "cites_seeds": ties["cites_candidates"][: rows.size], "seeds_words": words_shared(stores, rows, seeds)}
