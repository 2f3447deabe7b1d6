"""What the words say: field-wise BM25, rarity-weighted overlap, and likeness to the papers found first."""

import numpy as np
from numpy.typing import NDArray

from citewise.likeness import Bag, Stores, idf, likeness, saturated, saturated_together
from citewise.protocols import FIELDS, Matches
from citewise.types import Column, Query, Rows, summed

_FEEDBACK_TERMS = 150

_COMPARED = (("title_title", "title", "title"), ("title_abstract", "title", "abstract"),
             ("abstract_title", "abstract", "title"), ("abstract_abstract", "abstract", "abstract"),
             ("bm25", "text", "text"), ("feedback", "feedback", "text"))
"""Signal, the bag of words that it reads, the papers' field."""


def title_in_draft(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return which share of each title's words, weighted by rarity, stands in the draft (a rare word weighs more)."""
    terms, _ = stores.contents(rows, "title")
    known = stores.statistics(terms.values, "title")
    rarity = idf(known.frequencies, known.papers)
    owners = np.repeat(np.arange(rows.size), terms.lengths)
    shared = summed(owners, rarity * np.isin(terms.values, bag.terms), rows.size)
    return shared / np.maximum(summed(owners, rarity, rows.size), 1e-9)


def feedback_bag(stores: Stores, rows: Rows, weights: Column) -> Bag:
    """Return the most telling terms of some papers, as one bag (Rocchio 1971: the sum of unit tf-idf vectors)."""
    parts = [stores.contents(rows, field) for field in FIELDS]
    owners = np.concatenate([np.repeat(np.arange(rows.size), lists.lengths) for lists, _ in parts])
    terms, places = np.unique(np.concatenate([lists.values for lists, _ in parts]), return_inverse=True)
    known = stores.statistics(terms, "text")
    rarity = idf(known.frequencies, known.papers)
    weighed = np.log1p(np.concatenate([counts for _, counts in parts])) * rarity[places]
    norms = np.sqrt(summed(owners, weighed * weighed, rows.size))
    total = summed(places, weighed / np.maximum(norms, 1e-9)[owners] * weights[owners], terms.size)
    best = np.sort(np.argsort(-total, kind="stable")[:_FEEDBACK_TERMS])
    return Bag(terms[best].astype(np.int64), total[best] / np.maximum(rarity[best], 1e-9))


def text_signals(stores: Stores, query: Query, rows: Rows, feedback: Bag) -> dict[str, Column]:
    """Return the signals of the draft's words, and of the words of the papers found first, for each paper."""
    bags = {"title": Bag.of(stores, query.title), "abstract": Bag.of(stores, query.abstract),
            "text": Bag.of_draft(stores, query), "feedback": feedback}
    terms = np.unique(np.concatenate([bag.terms for bag in bags.values()]))
    matches = {field: stores.matches(rows, terms, field) for field in FIELDS}
    parts = {field: saturated(stores, rows, matches[field], field) for field in FIELDS}
    parts["text"] = saturated_together(stores, rows, matches["title"], matches["abstract"], terms.size)
    found = {name: parts[field].scores(_spread(stores, bags[bag], terms, field), rows.size)
             for name, bag, field in _COMPARED}
    weights, places = _spread(stores, bags["title"], terms, "title"), matches["title"]
    found["title_shared"] = summed(places.places, weights[places.columns], rows.size) / max(weights.sum(), 1e-9)
    found["cosine"] = _cosine(stores, rows, bags["text"], terms, matches)
    found["query_weight"] = np.full(rows.size, _spread(stores, bags["text"], terms, "text").sum())
    return found


def _cosine(stores: Stores, rows: Rows, bag: Bag, terms: NDArray[np.int64], matches: dict[str, Matches]) -> Column:
    """Return the cosine of the draft's and the papers' tf-idf vectors, up to a factor: a paper's length, by the root of
    which its vector's is told well enough, costs far less.
    """
    rarity, draft = (_spread(stores, Bag(bag.terms, weights), terms, "text")
                     for weights in (np.ones(bag.terms.size), np.log1p(bag.weights)))
    weights = draft * rarity / max(float(np.sqrt(np.einsum("i,i", draft, draft))), 1e-9)
    found = sum(summed(each.places, np.log1p(each.counts) * weights[each.columns], rows.size)
                for each in matches.values())
    return np.asarray(found / np.sqrt(np.maximum(stores.lengths(rows, "text"), 1)), np.float64)


def title_likeness(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return the BM25 scores of the papers' titles."""
    found = saturated(stores, rows, stores.matches(rows, bag.terms, "title"), "title")
    return found.scores(bag.weights * bag.rarity(stores, "title"), rows.size)


def words_shared(stores: Stores, rows: Rows, seeds: Rows) -> Column:
    """Return the papers' likeness to the most telling terms of the seeds."""
    return likeness(stores, rows, feedback_bag(stores, seeds, np.ones(seeds.size)))


def _spread(stores: Stores, bag: Bag, terms: NDArray[np.int64], field: str) -> Column:
    """Return the bag's idf-weighted counts as weights of `terms`, 0 where the bag lacks a term."""
    weights = np.zeros(terms.size)
    weights[np.searchsorted(terms, bag.terms)] = bag.weights * bag.rarity(stores, field)
    return weights
