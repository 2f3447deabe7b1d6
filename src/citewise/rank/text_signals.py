"""Signals of words: BM25 by field, weighted overlap, similarity to the papers found first."""

import numpy as np

from citewise.arrays import Column, Rows, is_among, summed
from citewise.protocols import FIELDS, Matches, Stores, TermNumbers
from citewise.scoring.bm25 import idf
from citewise.scoring.similarity import Bag, log_counts, saturated, saturated_together, similarity
from citewise.types import Query

_FEEDBACK_TERMS = 150

_COMPARED = (
    ("title_title", "title", "title"),
    ("title_abstract", "title", "abstract"),
    ("abstract_title", "abstract", "title"),
    ("abstract_abstract", "abstract", "abstract"),
    ("bm25", "text", "text"),
    ("feedback", "feedback", "text"),
)
"""Signal, the bag of words that it reads, the papers' field."""


def title_in_draft(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return which share of each title's words, weighted by idf, is in the draft."""
    terms = stores.terms.lists(rows, "title")
    weights = idf(stores.terms.statistics(terms.values, "title"))
    in_draft, owners = is_among(terms.values, bag.terms), terms.owners
    shared = summed(owners, weights * in_draft, rows.size)
    return shared / np.maximum(summed(owners, weights, rows.size), 1e-9)


def feedback_bag(stores: Stores, rows: Rows, weights: Column) -> Bag:
    """Return the most telling terms of some papers as one bag (Rocchio 1971).

    The sum over the papers of weight * unit tf-idf vector, without the idf, which is counted again
    when the bag is compared.
    """
    parts = [stores.terms.contents(rows, field) for field in FIELDS]
    owners = np.concatenate([lists.owners for lists, _ in parts])
    every = np.concatenate([lists.values for lists, _ in parts])
    counts = np.concatenate([counts for _, counts in parts])

    terms, positions = np.unique(every, return_inverse=True)
    rarity = idf(stores.terms.statistics(terms, "text"))
    tf_idf = log_counts(counts) * rarity[positions]
    norms = np.maximum(np.sqrt(summed(owners, tf_idf * tf_idf, rows.size)), 1e-9)
    total = summed(positions, tf_idf / norms[owners] * weights[owners], terms.size)

    best = np.sort(np.argsort(-total, kind="stable")[:_FEEDBACK_TERMS])
    return Bag(terms[best].astype(np.int64), total[best] / np.maximum(rarity[best], 1e-9))


def text_signals(stores: Stores, query: Query, rows: Rows, feedback: Bag) -> dict[str, Column]:
    """Return the signals of the draft's words, and of the words of the papers found first."""
    bags = {
        "title": Bag.of(stores, query.title),
        "abstract": Bag.of(stores, query.abstract),
        "text": Bag.of_draft(stores, query),
        "feedback": feedback,
    }
    # every term of every bag is looked up once
    terms = np.unique(np.concatenate([bag.terms for bag in bags.values()]))
    matches = {field: stores.terms.matches(rows, terms, field) for field in FIELDS}
    parts = {field: saturated(stores, rows, matches[field], field) for field in FIELDS}
    parts["text"] = saturated_together(
        stores, rows, matches["title"], matches["abstract"], terms.size
    )

    found = {}
    for name, bag, field in _COMPARED:
        weights = _spread(stores, bags[bag], terms, field)
        found[name] = parts[field].scores(weights, rows.size)

    weights, in_title = _spread(stores, bags["title"], terms, "title"), matches["title"]
    overlap = summed(in_title.rows, weights.take(in_title.columns), rows.size)
    found["title_shared"] = overlap / max(weights.sum(), 1e-9)
    found["cosine"] = _cosine(stores, rows, bags["text"], terms, matches)
    total = _spread(stores, bags["text"], terms, "text").sum()
    found["query_weight"] = np.full(rows.size, total)
    return found


def _cosine(
    stores: Stores, rows: Rows, bag: Bag, terms: TermNumbers, matches: dict[str, Matches]
) -> Column:
    """Return the cosine of the draft's and the papers' tf-idf vectors, up to a factor.

    A paper's vector is divided by the root of its number of terms in place of its norm: nearly
    proportional, and far cheaper.
    """
    ones, logs = np.ones(bag.terms.size), np.log1p(bag.weights)
    rarity = _spread(stores, Bag(bag.terms, ones), terms, "text")
    draft = _spread(stores, Bag(bag.terms, logs), terms, "text")
    norm = max(float(np.sqrt(np.einsum("i,i", draft, draft))), 1e-9)
    weights = draft * rarity / norm

    found = np.zeros(rows.size)
    for each in matches.values():
        found += summed(each.rows, log_counts(each.counts) * weights.take(each.columns), rows.size)
    return np.asarray(
        found / np.sqrt(np.maximum(stores.terms.lengths(rows, "text"), 1)), np.float64
    )


def title_similarity(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return the BM25 scores of the papers' titles."""
    matches = stores.terms.matches(rows, bag.terms, "title")
    weights = bag.weights * bag.idf(stores, "title")
    return saturated(stores, rows, matches, "title").scores(weights, rows.size)


def similarity_to_seeds(stores: Stores, rows: Rows, seeds: Rows) -> Column:
    """Return the papers' similarity to the most telling terms of the seeds."""
    return similarity(stores, rows, feedback_bag(stores, seeds, np.ones(seeds.size)))


def _spread(stores: Stores, bag: Bag, terms: TermNumbers, field: str) -> Column:
    """Return the bag's idf-weighted weights as weights of `terms`, 0 where the bag lacks a term."""
    weights = np.zeros(terms.size)
    weights[np.searchsorted(terms, bag.terms)] = bag.weights * bag.idf(stores, field)
    return weights
