"""What citing sentences say for a candidate: mass over many spans, all that is said of it, its own title and abstract.

Every function returns columns for the candidates; likenesses are relative to what the claim's terms weigh together, so
that they mean the same in another library.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.claims.names import names
from citewise.claims.said import Counts, Found, mean_length
from citewise.claims.search import Stores as SpanStores
from citewise.likeness import K1, B, idf
from citewise.places import Places
from citewise.protocols import FIELDS, Citations, Papers
from citewise.types import Column, Query, Rows, Scope, summed

_NEAR, _FAIRLY_NEAR = 50, 100
_LEADERS = 20
"""So many candidates, the first by mass, are what the others may be cited together with."""
_LATEST = 9_999
"""A query's year may be any number."""


class Stores(Papers, SpanStores, Protocol):
    """What these signals read."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates with what several signals need to know of them."""

    rows: Rows
    found: Found
    citations: Citations
    """Of the candidates."""
    citing: tuple[Rows, Rows]
    """The distinct pairs of a candidate's place and a citing paper of the library."""
    scope: Scope

    @classmethod
    def of(cls, stores: Stores, rows: Rows, found: Found, scope: Scope) -> "Candidates":
        """Look up who cites the candidates."""
        citations = stores.citations_of(rows, scope)
        return cls(rows, found, citations, _pairs(citations), scope)


def span_signals(stores: Stores, given: Candidates) -> dict[str, Column]:
    """Return what the nearest spans say: sums of their likeness to powers, the best one, its ranks, how many."""
    found, count = given.found, given.rows.size
    at, spans = _nearest(given, stores.citations_for(found.nearest, given.scope))
    alike = found.likeness[spans]
    cubed, width = alike ** 3, np.bincount(spans, minlength=found.nearest.size)[spans]
    by_plus = np.argsort(np.argsort(-found.likeness_plus, kind="stable"), kind="stable")
    return {"mass": summed(at, alike, count), "mass3": summed(at, cubed, count), "mass5": summed(at, alike ** 5, count),
            "mass3_near": summed(at, cubed * (spans < _FAIRLY_NEAR), count),
            "mass3_narrow": summed(at, cubed / width, count), "best_span": _highest(at, alike, count),
            "span_nearness": _highest(at, 1 / (1.0 + spans), count),
            "span_nearness_plus": _highest(at, 1 / (1.0 + by_plus[spans]), count),
            "near_spans": summed(at, (spans < _NEAR).astype(np.float64), count),
            "spans": summed(at, np.ones(at.size), count)}


def _nearest(given: Candidates, cited: Citations) -> tuple[Rows, Rows]:
    """Return (candidate, span) for each sentence that cites a candidate: of a sentence's spans the nearest alone."""
    at = Places(given.rows).of(cited.rows)
    held = np.flatnonzero(at >= 0)  # the nearest spans come first, and of equal keys the first is taken
    _, first = np.unique(cited.sentences[held] * given.rows.size + at[held], return_index=True)
    held = held[first]
    return at[held], cited.places[held]


def _highest(places: Rows, values: Column, count: int) -> Column:
    found = np.zeros(count)
    np.maximum.at(found, places, values)
    return found


def said_signals(stores: Stores, query: Query, given: Candidates) -> dict[str, Column]:
    """Return how a candidate's whole evidence answers to the claim's terms.

    `cover` is the weight of terms ever said of it, `share` how usual they are in what is said of it, `lift` which part
    of all their uses are of it; the same for the claim's names alone, NaN where it has none.
    """
    found, claim, count = given.found, given.found.claim, given.rows.size
    said, support = found.counts(given.rows), found.said_totals.citations[given.rows]
    usual = said.counts / (support[said.places] + 2)
    part = said.counts / (found.totals[said.columns] + 2)
    expected = found.totals[said.columns] / max(found.said_totals.citations.sum(), 1.0)
    odds = np.log1p(said.counts / (support[said.places] + 1) / np.maximum(expected, 1e-9))
    total = _Sum(said, count)
    named = np.isin(claim.terms, stores.terms_of(names(query.claim))[0])
    weight = claim.weights * named
    scale = 1 / weight.sum() if weight.any() else np.nan
    return {"cover": total(claim.weights) / claim.total, "share": total(claim.weights, usual) / claim.total,
            "lift": total(claim.weights, part), "log_odds": total(claim.counts, odds),
            "highest_lift": _highest(said.places, claim.rarity[said.columns] * part, count),
            "names_cover": total(weight) * scale, "names_share": total(weight, usual) * scale,
            "names_lift": total(weight, part) * scale, "names": np.full(count, float(named.sum()))}


class _Sum:
    """Adds up weights of terms over what is said of candidates."""

    def __init__(self, said: Counts, count: int) -> None:
        self._said, self._count = said, count

    def __call__(self, weights: Column, factors: Column | float = 1.0) -> Column:
        return summed(self._said.places, weights[self._said.columns] * factors, self._count)


def word_signals(stores: Stores, query: Query, given: Candidates) -> dict[str, Column]:
    """Return the BM25 scores by title, by title and abstract, by all that is said, and by these together.

    In what is said, a term is as rare as the papers are of which it is said.
    """
    rows, claim, count = given.rows, given.found.claim, given.rows.size
    table = {field: _table(stores, rows, claim.terms, field) for field in FIELDS}
    said = given.found.counts(rows)
    whole = table["title"] + table["abstract"]
    everything = whole.copy()
    np.add.at(everything, (said.places, said.columns), said.counts)
    totals, text = given.found.said_totals, stores.statistics(claim.terms, "text")
    weights = claim.counts * idf(np.bincount(given.found.said.columns, minlength=claim.terms.size),
                                 int(np.count_nonzero(totals.terms)))
    titles = stores.statistics(claim.terms, "title")
    rarity = idf(titles.frequencies, titles.papers)
    lengths = stores.lengths(rows, "text").astype(np.float64)
    mean = _mean_length(lengths, totals.terms[rows] > 0)
    in_title = table["title"] > 0
    named = np.isin(claim.terms, stores.terms_of(names(query.claim))[0]) * claim.weights
    return {"said_score": _bm25(everything - whole, totals.terms[rows] / max(mean_length(totals), 1e-9), weights)
            / claim.total,
            "text_score": _bm25(whole, lengths / mean,
                                claim.counts * idf(text.frequencies, text.papers)) / claim.total,
            "title_score": _bm25(table["title"], stores.lengths(rows, "title") / max(titles.mean_length, 1e-9),
                                 claim.counts * rarity) / claim.total,
            "whole_score": _bm25(everything, (lengths + totals.terms[rows])
                                 / (mean_length(totals) + mean), weights) / claim.total,
            "title_cover": in_title @ claim.weights / claim.total,
            "title_said": in_title @ rarity / np.maximum(_title_weight(stores, rows), 1e-9),
            "names_title": in_title @ named / named.sum() if named.any() else np.full(count, np.nan),
            "has_abstract": (stores.lengths(rows, "abstract") > 0).astype(np.float64)}


def _mean_length(lengths: Column, told_of: NDArray[np.bool_]) -> float:
    """Return the mean length of the texts of candidates of which anything is said.

    In a library of citing sentences these are not like the others: the citing papers may have titles alone.
    """
    chosen = lengths[told_of] if told_of.any() else lengths
    return max(float(chosen.mean()), 1e-9) if chosen.size else 1.0


def _table(stores: Stores, rows: Rows, terms: NDArray[np.int64], field: str) -> NDArray[np.float64]:
    """Return how often each term stands in a field of each paper."""
    return stores.counts(rows, terms, field)


def _bm25(counts: NDArray[np.float64], relative: Column, weights: Column) -> Column:
    scores: Column = (counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative)[:, None])) @ weights
    return scores


def _title_weight(stores: Stores, rows: Rows) -> Column:
    """Return what the words of each title weigh together by their rarity."""
    terms, _ = stores.contents(rows, "title")
    known = stores.statistics(terms.values, "title")
    return summed(np.repeat(np.arange(rows.size), terms.lengths), idf(known.frequencies, known.papers), rows.size)


def standing_signals(stores: Stores, given: Candidates) -> dict[str, Column]:
    """Return support, citing papers, citations of the year before, age, and what the leaders are cited with."""
    count, citations = given.rows.size, given.citations
    now = min(given.scope.year or int(citations.years.max(initial=0)) + 1, _LATEST)
    years = stores.years(given.rows)
    places, _ = given.citing
    return {"support": summed(citations.places, np.ones(citations.places.size), count),
            "citers": summed(places, np.ones(places.size), count),
            "recent": summed(citations.places, (citations.years >= now - 1).astype(np.float64), count),
            "age": np.where(years > 0, np.clip(now - years, 0, 40), np.nan).astype(np.float64),
            "terms": np.full(count, float(given.found.claim.terms.size)),
            "nearest": np.full(count, given.found.likeness.max(initial=0.0))}


def _pairs(citations: Citations) -> tuple[Rows, Rows]:
    """Return the distinct pairs of a candidate's place and a citing paper of the library."""
    known = citations.citing >= 0
    wide = np.int64(citations.citing.max(initial=0)) + 1
    keys = np.unique(citations.places[known] * wide + citations.citing[known])
    return keys // wide, keys % wide


def cocited(given: Candidates, mass: Column) -> Column:
    """Return how much each candidate is cited by the papers that cite the leaders, over the root of its citers."""
    leaders = np.argsort(-mass, kind="stable")[:_LEADERS]
    weights = np.zeros(given.rows.size)
    weights[leaders] = mass[leaders] / max(mass.max(initial=0.0), 1e-9)
    return together(given, weights)


def together(given: Candidates, weights: Column) -> Column:
    """Return the co-citation of each candidate with weighted ones of them (Salton's cosine), not with itself."""
    places, citing = given.citing
    citers = np.bincount(places, minlength=given.rows.size)
    each = weights / np.sqrt(citers + 1)
    pull = np.bincount(citing, each[places]) if citing.size else np.zeros(0)
    return summed(places, pull[citing] - each[places], given.rows.size) / np.sqrt(citers + 1)
