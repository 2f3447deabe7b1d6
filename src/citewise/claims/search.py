"""Spans of citing sentences that share words with a claim, scored by BM25 and BM25+."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.likeness import K1, B, idf
from citewise.protocols import Evidence, Matches, Terms
from citewise.types import Column, Rows, Scope, summed


class Stores(Terms, Evidence, Protocol):
    """What a search among spans reads."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The terms of a sentence (or of a bare mention), each once."""

    terms: NDArray[np.int64]
    counts: Column
    rarity: Column
    """The terms' idf among spans."""

    @classmethod
    def of(cls, stores: Stores, text: str) -> "Claim":
        """Return a text's terms as far as the library knows them."""
        terms, counts = stores.terms_of(text)
        known = stores.span_statistics(terms)
        return cls(terms, counts.astype(np.float64), idf(known.frequencies, known.papers))

    @property
    def weights(self) -> Column:
        """Return how much each term weighs."""
        return self.counts * self.rarity

    @property
    def total(self) -> float:
        """Return what all terms weigh together."""
        return max(float(self.weights.sum()), 1e-9)


@dataclass(frozen=True, slots=True)
class Hits:
    """Spans that share a term with a claim."""

    spans: Rows
    """Their numbers, sorted."""
    matches: Matches
    """Its places point into `spans`, its columns into the claim's terms."""
    relative_lengths: Column
    """The spans' lengths over the mean length."""

    def scores(self, weights: Column, k1: float = K1, b: float = B, delta: float = 0.0) -> Column:
        """Return the spans' BM25 scores; with a delta, BM25+ (Lv and Zhai 2011): so much more for each term matched."""
        counts, places = self.matches.counts, self.matches.places
        norm = k1 * (1 - b + b * self.relative_lengths)
        parts = counts * (k1 + 1) / (counts + norm[places]) + delta
        return summed(places, parts * weights[self.matches.columns], self.spans.size)


def find(stores: Stores, claim: Claim, scope: Scope) -> Hits:
    """Return every span in scope that shares a term with a claim."""
    found = stores.spans_with(claim.terms, scope)
    fresh = np.append(True, found.places[1:] != found.places[:-1])[: found.places.size]
    spans = found.places[fresh]
    mean = stores.span_statistics(claim.terms).mean_length
    return Hits(spans, Matches(np.cumsum(fresh) - 1, found.columns, found.counts),
                stores.span_lengths(spans) / max(mean, 1e-9))


def best(scores: Column, most: int) -> Rows:
    """Return the places of the highest scores above 0, highest first; equal ones by place."""
    places = np.flatnonzero(scores > 0)
    if places.size > most:
        least = np.partition(scores[places], places.size - most)[places.size - most]
        places = places[scores[places] >= least]
    return places[np.argsort(-scores[places], kind="stable")][:most]
