"""Papers described by what is said of them: all spans for which a paper is cited, as one text."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from citewise.claims.search import Claim, Hits, Stores, best, find
from citewise.likeness import K1, B, idf
from citewise.places import Places
from citewise.protocols import SaidTotals
from citewise.types import Column, Rows, Scope, distinct, summed

NEAREST = 1000
"""So many best spans speak for papers one by one."""

_SCOPES_KEPT = 4
_CLAIMS_KEPT = 4


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each term of a claim is said of each of some papers."""

    places: Rows
    columns: Rows
    counts: Column


@dataclass(frozen=True, slots=True)
class Found:
    """All that citing sentences say of a claim."""

    claim: Claim
    nearest: Rows
    """The numbers of the best spans by BM25, best first."""
    likeness: Column
    """Their scores over what the claim's terms weigh together."""
    likeness_plus: Column
    """The same by BM25+."""
    rows: Rows
    """The papers that are cited for any span with a term of the claim, sorted."""
    said: Counts
    """Its places point into `rows`."""
    scores: Column
    """Their BM25 scores by all that is said of them, over the claim's weight."""
    totals: Column
    """How often each term is said of all papers together."""
    said_totals: SaidTotals

    def counts(self, rows: Rows) -> Counts:
        """Return how often each term is said of given papers."""
        places = Places(rows).of(self.rows)[self.said.places]
        kept = places >= 0
        return Counts(places[kept], self.said.columns[kept], self.said.counts[kept])


class Claims:
    """Looks claims up among the citing sentences of a library; what was just found is kept for the next stage."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.find = lru_cache(maxsize=_CLAIMS_KEPT)(self._find)
        self._totals = lru_cache(maxsize=_SCOPES_KEPT)(stores.said_totals)

    def _find(self, text: str, scope: Scope) -> Found:
        """Return what is said of a claim."""
        claim = Claim.of(self._stores, text)
        hits = find(self._stores, claim, scope)
        scores = hits.scores(claim.weights) / claim.total
        nearest = best(scores, NEAREST)
        plus = hits.scores(claim.weights, delta=1.0) / claim.total
        lengths = self._totals(scope)
        rows, said = self._said(hits, claim.terms.size, scope)
        return Found(claim, hits.spans[nearest], scores[nearest], plus[nearest], rows, said,
                     _scores(rows, said, claim, lengths), summed(said.columns, said.counts, claim.terms.size), lengths)

    def _said(self, hits: Hits, terms: int, scope: Scope) -> tuple[Rows, Counts]:
        """Return the papers that are cited for the hits, and how often each term is said of each of them."""
        cited = self._stores.cited_for(hits.spans, scope)
        many = cited.rows.lengths[hits.matches.places]
        begins = np.repeat(cited.rows.starts[:-1][hits.matches.places] - np.cumsum(many) + many, many)
        index = begins + np.arange(begins.size)
        counts = np.repeat(hits.matches.counts, many) * cited.support[index]
        rows = distinct(cited.rows.values)
        places = Places(rows).of(cited.rows.values)[index] * terms + np.repeat(hits.matches.columns, many)
        table = summed(places, counts, rows.size * terms)
        held = np.flatnonzero(table)
        return rows, Counts(held // max(terms, 1), held % max(terms, 1), table[held])


def mean_length(totals: SaidTotals) -> float:
    """Return the mean length of what is said of the papers of which anything is said."""
    return float(totals.terms.sum() / max(np.count_nonzero(totals.terms), 1))


def _scores(rows: Rows, said: Counts, claim: Claim, totals: SaidTotals) -> Column:
    """Return the papers' BM25 scores; a term is as rare as the papers are of which it is said."""
    rarity = idf(np.bincount(said.columns, minlength=claim.terms.size), int(np.count_nonzero(totals.terms)))
    norm = K1 * (1 - B + B * totals.terms[rows] / max(mean_length(totals), 1e-9))
    parts = said.counts * (K1 + 1) / (said.counts + norm[said.places])
    return summed(said.places, parts * (claim.counts * rarity)[said.columns], rows.size) / claim.total
