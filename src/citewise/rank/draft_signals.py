"""The signals of candidates for a draft: cheap ones for all of them, the others for the best."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from citewise.arrays import Column, Rows
from citewise.protocols import DraftVectors, Stores
from citewise.rank.dense_signals import dense_signals
from citewise.rank.graph_signals import Citers, Weighted, co_citation, coupling, popularity
from citewise.rank.text_signals import (
    feedback_bag,
    similarity_to_seeds,
    text_signals,
    title_in_draft,
    title_similarity,
)
from citewise.scoring.similarity import Bag
from citewise.signals import DRAFTS
from citewise.types import Query, Ranking, Scope

_SEEDS = 50
"""The best candidates, which stand for the references that the draft will have."""

_SEED_SIGNALS = DRAFTS.names("trees", "seeds")


def linear_signals(stores: Stores, query: Query, rows: Rows, scope: Scope) -> dict[str, Column]:
    """Return what can be computed for thousands of candidates in a few milliseconds."""
    bag = Bag.of_draft(stores, query)
    counts, titles = stores.together(
        lambda: popularity(stores, rows, scope),
        lambda: title_in_draft(stores, rows, bag),
    )
    return {**counts, "title_in_draft": titles}


def tree_signals(
    stores: Stores,
    vectors: Sequence[DraftVectors],
    query: Query,
    ranking: Ranking,
    near: Weighted,
    scope: Scope,
) -> dict[str, Column]:
    """Return what is worth its cost for the best candidates, which are given best first.

    `vectors` are the sets that count, `near` are papers similar to the draft.
    """
    rows, citations = ranking.rows, ranking.signals["citations"]
    weights = 1 / (1 + np.arange(rows.size) / 20)
    seeds = Weighted(rows[:_SEEDS], weights[:_SEEDS])
    citers = Citers.of(stores, rows, scope)

    words, *links = stores.together(
        lambda: _word_signals(stores, query, rows, seeds),
        lambda: co_citation(stores, rows, citations, seeds, near, scope),
        lambda: coupling(stores, rows, weights, scope),
        lambda: _seed_signals(stores, query, ranking, near, scope),
        lambda: _citing_titles(stores, query, citers),
        *(partial(dense_signals, stores, each, query, rows, seeds, citers) for each in vectors),
    )
    return {name: column for part in (*links, words) for name, column in part.items()}


def _word_signals(stores: Stores, query: Query, rows: Rows, seeds: Weighted) -> dict[str, Column]:
    """Return the signals of the papers' words."""
    feedback = feedback_bag(stores, seeds.rows, seeds.weights)
    title = stores.terms.lengths(rows, "title").astype(np.float64)
    abstract = stores.terms.lengths(rows, "abstract").astype(np.float64)
    return {
        **text_signals(stores, query, rows, feedback),
        "length": title + abstract,
        "has_abstract": (abstract > 0).astype(np.float64),
    }


def _citing_titles(stores: Stores, query: Query, citers: Citers) -> dict[str, Column]:
    """Return how similar to the draft the titles of the papers are that cite each paper.

    The similarity is BM25 relative to the best of those titles: as if each paper were also indexed
    by how it is cited. `citing_titles` is the sum of squares.
    """
    scores = title_similarity(stores, citers.rows, Bag.of_draft(stores, query))
    relative = scores / max(scores.max(initial=0.0), 1e-9)
    each = citers.each(relative)
    return {
        "citing_titles": citers.summed(each * each),
        "citing_title_best": citers.highest(each),
        "citing_title_mean": citers.summed(each) / np.maximum(citers.counts, 1),
    }


def _seed_signals(
    stores: Stores, query: Query, ranking: Ranking, near: Weighted, scope: Scope
) -> dict[str, Column]:
    """Return the links to the papers that the draft cites already; NaN where it cites none."""
    rows, cited = ranking.rows, stores.papers.find(query.cited)
    seeds = np.unique(cited[cited >= 0])
    if not seeds.size:
        return {name: np.full(rows.size, np.nan) for name in _SEED_SIGNALS}

    equal = Weighted(seeds, np.ones(seeds.size))
    together = co_citation(stores, rows, ranking.signals["citations"], equal, near, scope)
    # candidates weigh nothing and seeds 1, so that only links to seeds count
    both, weights = np.append(rows, seeds), np.append(np.zeros(rows.size), equal.weights)
    links = coupling(stores, both, weights, scope)
    return {
        **{f"seeds_{name}": column for name, column in together.items()},
        "seeds_cite": links["cited_by_candidates"][: rows.size],
        "cites_seeds": links["cites_candidates"][: rows.size],
        "seeds_words": similarity_to_seeds(stores, rows, seeds),
    }
