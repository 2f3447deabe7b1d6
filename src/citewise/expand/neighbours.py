"""What the papers most like the draft cite: candidates, and votes for them weighted by likeness."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from citewise.protocols import Graph, Papers, Terms
from citewise.rank.text_signals import Bag, likeness
from citewise.types import Column, Query, Ranking, Rows, Scope, summed

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
    citing = hits[stores.references(hits, scope).lengths > 0][:most]
    scores = likeness(stores, citing, Bag.of(stores, f"{query.title}\n{query.abstract}"))
    order = np.lexsort((citing, -scores))
    rows, scores = citing[order], scores[order]
    references = stores.references(rows, scope)
    kept = stores.in_scope(references.values, scope)
    by = np.repeat(np.arange(rows.size), references.lengths)
    years = stores.years(rows)
    ages = np.where(years > 0, years.max(initial=0) - years, _UNKNOWN_AGE).astype(np.float64)
    return Neighbourhood(rows, scores / max(scores.max(initial=0.0), 1e-9), references.values[kept], by[kept], ages)


def votes(near: Neighbourhood, places: Rows, count: int, most: int) -> dict[str, Column]:
    """Return for each of `count` candidates how much the neighbours speak for it; `places` says where `cited` stand.

    Where no neighbour cites a candidate, its nearest citer counts as the next after `most`.
    """
    weight = near.likeness[near.by]
    first = np.full(count, most, np.int64)
    np.minimum.at(first, places, near.by)
    share = np.sqrt(np.bincount(near.by, minlength=near.rows.size))[near.by]
    found: dict[str, Column] = {"votes": summed(places, weight**2, count), "votes_sharp": summed(places, weight**4, count),
             "votes_recent": summed(places, weight**2 * 0.5 ** (near.ages[near.by] / _HALF_LIFE), count),
             "votes_sharpest": summed(places, weight**8, count),
             "votes_shared": summed(places, weight**4 / np.maximum(share, 1), count),
             "vote_count": np.bincount(places, minlength=count).astype(np.float64),
             "nearest_citer_rank": first + 1.0, "nearest_citer": np.append(near.likeness, np.zeros(most + 1 - near.rows.size))[first]}
    for depth in DEPTHS:
        near_enough = near.by < depth
        found[f"votes{depth}"] = summed(places[near_enough], weight[near_enough]**2, count)
    return found


class Neighbours:
    """The expander."""

    def __init__(self, stores: _Stores, most: int = 500) -> None:
        self._stores, self._most = stores, most

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates and, behind them, what their neighbourhood cites, all with its votes."""
        near = neighbourhood(self._stores, query, ranking.rows, scope, self._most)
        return _joined(ranking, near, self._most)


def _joined(ranking: Ranking, near: Neighbourhood, most: int) -> Ranking:
    added = np.setdiff1d(near.cited, ranking.rows)
    rows = np.append(ranking.rows, added)
    signals = {name: np.append(column, np.full(added.size, np.nan)) for name, column in ranking.signals.items()}
    places = Places(rows).of(near.cited)
    signals |= votes(near, places, rows.size, most)
    return Ranking(rows, np.append(ranking.scores, np.zeros(added.size)), signals)


class Places:
    """Finds where rows stand among others."""

    def __init__(self, rows: Rows) -> None:
        self._order = np.argsort(rows, kind="stable")
        self._sorted = rows[self._order]

    def of(self, rows: Rows) -> Rows:
        """Return the place of each row, -1 where it is absent."""
        if not self._sorted.size:
            return np.full(rows.size, -1, np.int64)
        found = np.minimum(np.searchsorted(self._sorted, rows), self._sorted.size - 1)
        return np.where(self._sorted[found] == rows, self._order[found], -1)
