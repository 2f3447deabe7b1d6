"""What the words say: field-wise BM25, rarity-weighted overlap, and likeness to the papers found first."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import FIELDS, Matches, Papers, Terms
from citewise.retrieve.bm25 import idf
from citewise.types import Column, Query, Rows, summed

_K1, _B = 1.6, 0.75
_FEEDBACK_TERMS = 150


class Stores(Papers, Terms, Protocol):
    """What these signals read."""


@dataclass(frozen=True, slots=True)
class Bag:
    """A weighted bag of terms, each once."""

    terms: NDArray[np.int64]
    weights: Column

    @classmethod
    def of(cls, stores: Stores, text: str) -> "Bag":
        """Return a text's terms with their counts."""
        terms, counts = stores.terms_of(text)
        return cls(terms, counts.astype(np.float64))

    def rarity(self, stores: Stores, field: str) -> Column:
        """Return the terms' idf in a field."""
        known = stores.statistics(self.terms, field)
        return idf(known.frequencies, known.papers)


def saturated(stores: Stores, rows: Rows, matches: Matches, field: str) -> Column:
    """Return BM25's term-frequency part of each match, between 0 and k1 + 1."""
    known = stores.statistics(np.zeros(0, np.int64), field)
    norm = _K1 * (1 - _B + _B * stores.lengths(rows, field) / max(known.mean_length, 1e-9))
    return matches.counts * (_K1 + 1) / (matches.counts + norm[matches.places])


def together(matches: list[Matches], rows: int, columns: int) -> Matches:
    """Return the matches in title and abstract as matches in both together."""
    keys = np.concatenate([each.places * columns + each.columns for each in matches])
    totals = summed(keys, np.concatenate([each.counts for each in matches]), rows * columns)
    found = np.flatnonzero(totals)
    return Matches(found // columns, found % columns, totals[found])


def likeness(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return the papers' BM25 scores over title and abstract together."""
    if not (rows.size and bag.terms.size):
        return np.zeros(rows.size)
    found = together([stores.matches(rows, bag.terms, field) for field in FIELDS], rows.size, bag.terms.size)
    weights = bag.weights * bag.rarity(stores, "text")
    return summed(found.places, saturated(stores, rows, found, "text") * weights[found.columns], rows.size)


def title_in_draft(stores: Stores, rows: Rows, bag: Bag) -> Column:
    """Return which share of each title's words, weighted by rarity, stands in the draft (a rare word weighs more)."""
    matches = stores.matches(rows, bag.terms, "title")
    shared = summed(matches.places, bag.rarity(stores, "title")[matches.columns], rows.size)
    return shared / np.maximum(_title_weights(stores, rows), 1e-9)


def _title_weights(stores: Stores, rows: Rows) -> Column:
    terms, _ = stores.contents(rows, "title")
    known = stores.statistics(terms.values, "title")
    return summed(np.repeat(np.arange(rows.size), terms.lengths), idf(known.frequencies, known.papers), rows.size)


def feedback_bag(stores: Stores, rows: Rows, weights: Column) -> Bag:
    """Return the most telling terms of some papers, as one bag (Rocchio: the sum of unit tf-idf vectors)."""
    parts = [stores.contents(rows, field) for field in FIELDS]
    owners = np.concatenate([np.repeat(np.arange(rows.size), lists.lengths) for lists, _ in parts])
    terms, places = np.unique(np.concatenate([lists.values for lists, _ in parts]), return_inverse=True)
    known = stores.statistics(terms, "text")
    rarity = idf(known.frequencies, known.papers)
    weighed = np.log1p(np.concatenate([counts for _, counts in parts])) * rarity[places]
    norms = np.sqrt(summed(owners, weighed * weighed, rows.size))
    total = summed(places, weighed / np.maximum(norms, 1e-9)[owners] * weights[owners], terms.size)
    best = np.sort(np.argsort(-total, kind="stable")[:_FEEDBACK_TERMS])
    return Bag(terms[best], total[best] / np.maximum(rarity[best], 1e-9))


def text_signals(stores: Stores, query: Query, rows: Rows, feedback: Bag) -> dict[str, Column]:
    """Return the signals of the draft's words, and of the words of the papers found first, for each paper."""
    bags = {"title": Bag.of(stores, query.title), "abstract": Bag.of(stores, query.abstract),
            "text": Bag.of(stores, f"{query.title}\n{query.abstract}"), "feedback": feedback}
    terms = np.unique(np.concatenate([bag.terms for bag in bags.values()]))
    everywhere = {field: stores.matches(rows, terms, field) for field in FIELDS}
    everywhere["text"] = together(list(everywhere.values()), rows.size, terms.size)
    parts = {field: saturated(stores, rows, matches, field) for field, matches in everywhere.items()}
    found: dict[str, Column] = {}
    for name, bag, field in (("bm25", "text", "text"), ("title_title", "title", "title"),
                             ("title_abstract", "title", "abstract"), ("abstract_title", "abstract", "title"),
                             ("abstract_abstract", "abstract", "abstract"), ("feedback", "feedback", "text")):
        weights = _spread(stores, bags[bag], terms, field)[everywhere[field].columns]
        found[name] = summed(everywhere[field].places, parts[field] * weights, rows.size)
    weights = _spread(stores, bags["title"], terms, "title")
    shared = summed(everywhere["title"].places, weights[everywhere["title"].columns], rows.size)
    found["title_shared"] = shared / max(weights.sum(), 1e-9)
    found["query_weight"] = np.full(rows.size, _spread(stores, bags["text"], terms, "text").sum())
    return found


def _spread(stores: Stores, bag: Bag, terms: NDArray[np.int64], field: str) -> Column:
    """Return the bag's idf-weighted counts as weights of `terms`, 0 where the bag lacks a term."""
    weights = np.zeros(terms.size)
    weights[np.searchsorted(terms, bag.terms)] = bag.weights * bag.rarity(stores, field)
    return weights
