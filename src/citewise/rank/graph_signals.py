"""Signals of the citation graph: counts as of the query's year, co-citation, coupling."""

from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, Ragged, RowIndex, Rows, distinct, summed
from citewise.protocols import Stores
from citewise.types import Scope

_SPANS = (1, 2, 3)
"""Citations of this many last years are counted apart."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """Papers with a weight each."""

    rows: Rows
    weights: Column


class Citers:
    """The papers that cite some papers, each of them once, for what is summed over them.

    cited papers  A B       citing papers  5 8 | 8      rows  5 8      positions  0 1 | 1
    """

    def __init__(self, lists: Ragged) -> None:
        """`lists` has the citing papers of each paper."""
        self.rows = distinct(lists.values)
        self.counts: Rows = lists.lengths
        self._starts, self._owners = lists.starts, lists.owners
        self._positions = RowIndex(self.rows).of(lists.values)

    @classmethod
    def of(cls, stores: Stores, rows: Rows, scope: Scope) -> "Citers":
        """Return the citers of some papers, as far as the scope sees them."""
        return cls(stores.graph.citers(rows, scope))

    def each(self, values: Column) -> Column:
        """Return the value of every citer of every paper, given one for each of `rows`."""
        return values.take(self._positions)

    def summed(self, each: Column) -> Column:
        """Return for each paper the sum over its citers."""
        return summed(self._owners, each, self.counts.size)

    def highest(self, each: Column) -> Column:
        """Return for each paper the largest value of its citers, at least 0."""
        found = np.zeros(self.counts.size)
        cited = np.flatnonzero(self.counts)
        if cited.size:  # reduceat takes the maximum from each start up to the next
            found[cited] = np.maximum.reduceat(each, self._starts[cited])
        return np.maximum(found, 0.0)


def popularity(stores: Stores, rows: Rows, scope: Scope) -> dict[str, Column]:
    """Return the papers' visible citations, those of the last one to three years, and their ages.

    They are as of the query's year; without one, or with one far ahead, as of the year after the
    youngest paper's.
    """
    years, citers = stores.papers.years(rows), stores.graph.citers(rows, scope)
    now = int(years.max(initial=0)) + 1
    now = now if scope.year is None else min(now, scope.year)

    # count citations in a (1 + spans) x papers matrix by their age in years, older ones and those
    # of unknown years last, and add up from the top
    height, cited_in = _SPANS[-1] + 1, np.maximum(stores.papers.years(citers.values), 0)
    line = np.clip(now - np.arange(cited_in.max(initial=0) + 1), 1, height) - 1
    line[0] = height - 1
    cells = (line * rows.size).take(cited_in) + citers.owners
    counts = np.bincount(cells, minlength=rows.size * height).reshape(height, rows.size)
    recent = np.cumsum(counts, axis=0, dtype=np.float64)
    return {
        "citations": recent[-1],
        **{f"citations{span}": recent[span - 1] for span in _SPANS},
        "age": np.where(years > 0, now - years, np.nan).astype(np.float64),
    }


def co_citation(
    stores: Stores, rows: Rows, citations: Column, seeds: Weighted, near: Weighted, scope: Scope
) -> dict[str, Column]:
    """Return how often each paper is cited together with the seeds, counted in four ways.

    A seed s gives each of its citers the pull weight(s) / sqrt(citers(s) + 1), and a citer c has
    the sum of its pulls. For a paper p with citers C(p), less its own share as a seed:

        cocited         sum over C(p) of pull(c)
        cocited_share   the same / sqrt(citations(p) + 1), as in Salton's cosine
        cocited_strong  sum over C(p) of pull(c) ** 2, / sqrt(citations(p) + 1)
        cocited_near    sum over C(p) of pull(c) * weight of c among the papers `near` the draft
    """
    citers = stores.graph.citers(seeds.rows, scope)
    share = seeds.weights / np.sqrt(citers.lengths + 1)
    citing = distinct(citers.values)
    own_citers = RowIndex(citing).of(citers.values)
    pulls = summed(own_citers, np.repeat(share, citers.lengths), citing.size)

    # each pair of a citer and a paper that it cites
    references, index = stores.graph.references(citing, scope), RowIndex(rows)
    cited, by = _known(index.of(references.values), references.owners)

    own = np.zeros(rows.size)
    position = index.of(seeds.rows)
    own[position[position >= 0]] = share[position >= 0]
    pull = pulls.take(by) - own.take(cited)
    nearness = np.append(near.weights, 0.0)[RowIndex(near.rows).of(citing)]

    total, root = summed(cited, pull, rows.size), np.sqrt(citations + 1)
    return {
        "cocited": total,
        "cocited_share": total / root,
        "cocited_strong": summed(cited, pull * pull, rows.size) / root,
        "cocited_near": summed(cited, pull * nearness.take(by), rows.size),
    }


def coupling(stores: Stores, rows: Rows, weights: Column, scope: Scope) -> dict[str, Column]:
    """Return for each paper the weight of its references and of its citers among the papers."""
    references = stores.graph.references(rows, scope)
    cited, by = _known(RowIndex(rows).of(references.values), references.owners)
    return {
        "cites_candidates": summed(by, weights.take(cited), rows.size),
        "cited_by_candidates": summed(cited, weights.take(by), rows.size),
        "references": references.lengths.astype(np.float64),
    }


def _known(positions: Rows, owners: Rows) -> tuple[Rows, Rows]:
    """Return the positions that are not -1, and their owners."""
    kept = np.flatnonzero(positions >= 0)
    return positions.take(kept), owners.take(kept)
