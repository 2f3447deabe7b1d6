"""What the papers most like the draft cite: candidates, and votes for them weighted by likeness."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from citewise.likeness import Bag, likeness
from citewise.places import Places
from citewise.protocols import Graph, Papers, Terms
from citewise.types import Column, Query, Ranking, Rows, Scope, distinct, summed

DEPTHS = (10, 30, 100)
"""Votes are also counted among this many nearest papers only."""

_UNKNOWN_AGE = 5
_HALF_LIFE = 2.0
"""Years after which a neighbour's recent vote counts half."""


class _Stores(Papers, Graph, Terms, Protocol):
    """What this expander reads."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The papers most like a draft of those whose references are seen, and what they cite."""

    rows: Rows
    """Most alike first."""
    likeness: Column
    """Their BM25 score relative to the first's."""
    cited: Rows
    """What they cite, end to end: only papers in scope."""
    by: Rows
    """For each of `cited`, the place of its citer in `rows`."""
    ages: Column
    """How many years older than the youngest of them each of `rows` is."""


def neighbourhood(stores: _Stores, query: Query, hits: Rows, scope: Scope, most: int) -> Neighbourhood:
    """Return the neighbourhood among the hits of a search, which are best first."""
    citing = _citing(stores, hits, scope, most)
    scores = likeness(stores, citing, Bag.of_draft(stores, query))
    order = np.lexsort((citing, -scores))
    rows, scores = citing[order], scores[order]
    references = stores.references(rows, scope)
    kept = stores.in_scope(references.values, scope)
    by = np.repeat(np.arange(rows.size), references.lengths)
    years = stores.years(rows)
    ages = np.where(years > 0, years.max(initial=0) - years, _UNKNOWN_AGE).astype(np.float64)
    return Neighbourhood(rows, scores / max(scores.max(initial=0.0), 1e-9), references.values[kept], by[kept], ages)


def _citing(stores: _Stores, hits: Rows, scope: Scope, most: int) -> Rows:
    """Return the first hits whose references are seen, looking at no more than needed."""
    found = hits[:0]
    for start in range(0, hits.size, 2 * most):
        part = hits[start: start + 2 * most]
        found = np.append(found, part[stores.references(part, scope).lengths > 0])
        if found.size >= most:
            break
    return found[:most]


def votes(near: Neighbourhood, places: Rows, count: int, most: int) -> dict[str, Column]:
    """Return for each of `count` candidates how much the neighbours speak for it; `places` says where `cited` stand.

    Where no neighbour cites a candidate, its nearest citer counts as the next after `most`.
    """
    weight = near.likeness[near.by]
    square = weight * weight
    fourth = square * square
    references = np.bincount(near.by, minlength=near.rows.size)[near.by]
    first = np.full(count, most, np.int64)
    np.minimum.at(first, places, near.by)
    alike = np.append(near.likeness, np.zeros(most + 1 - near.rows.size))
    found: dict[str, Column] = {
        "votes": summed(places, square, count), "votes_sharp": summed(places, fourth, count),
        "votes_sharpest": summed(places, fourth * fourth, count),
        "votes_recent": summed(places, square * 0.5 ** (near.ages / _HALF_LIFE)[near.by], count),
        "votes_shared": summed(places, fourth / np.sqrt(np.maximum(references, 1)), count),
        "vote_count": np.bincount(places, minlength=count).astype(np.float64),
        "neighbour_references": np.full(count, near.by.size / max(near.rows.size, 1)),
        "nearest_citer_rank": first.astype(np.float64) + 1, "nearest_citer": alike[first]}
    for depth in DEPTHS:
        near_enough = near.by < depth
        found[f"votes{depth}"] = summed(places[near_enough], square[near_enough], count)
    return found


class Neighbours:
    """The expander; its signals are the votes (see `votes`)."""

    def __init__(self, stores: _Stores, most: int = 500) -> None:
        self._stores, self._most = stores, most

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates and, behind them, what their neighbourhood cites, all with its votes."""
        near = neighbourhood(self._stores, query, ranking.rows, scope, self._most)
        known = Places(ranking.rows).of(near.cited)
        wider = ranking.followed_by(distinct(near.cited[known < 0]))
        return wider.with_signals(votes(near, Places(wider.rows).of(near.cited), len(wider), self._most))
