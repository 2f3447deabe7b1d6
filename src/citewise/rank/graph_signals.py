"""Signals of the citation graph: counts as of the query's year, co-citation, coupling."""

from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, summed
from citewise.protocols import Stores
from citewise.types import Scope

_SPANS = (1, 2, 3)
"""Citations of this many last years are counted apart."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """Papers with a weight each."""

    rows: Rows
    weights: Column


def popularity(stores: Stores, rows: Rows, scope: Scope) -> dict[str, Column]:
    """Return the papers' visible citations, those of the last one to three years, and their ages.

    They are as of the query's year; without one, or with one far ahead, as of the year after the
    youngest paper's.
    """
    years, citers = stores.papers.years(rows), stores.graph.citers(rows, scope)
    now = int(years.max(initial=0)) + 1
    now = now if scope.year is None else min(now, scope.year)

    # count citations in a papers x (1 + spans) matrix by their age in years, older ones last,
    # and add up from the left
    width, cited_in = _SPANS[-1] + 1, stores.papers.years(citers.values)
    column = np.where(cited_in > 0, np.clip(now - cited_in, 1, width), width) - 1
    counts = np.bincount(citers.owners * width + column, minlength=rows.size * width)
    recent = np.cumsum(counts.reshape(rows.size, -1), axis=1, dtype=np.float64)
    return {
        "citations": recent[:, -1].copy(),
        **{f"citations{span}": recent[:, span - 1].copy() for span in _SPANS},
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
    rows_end = int(citers.values.max(initial=-1)) + 1
    pulls = summed(citers.values, np.repeat(share, citers.lengths), rows_end)
    citing = np.flatnonzero(pulls)

    # each pair of a citer and a paper that it cites
    references, index = stores.graph.references(citing, scope), RowIndex(rows)
    cited = index.of(references.values)
    kept = cited >= 0
    cited, by = cited[kept], references.owners[kept]

    own = np.zeros(rows.size)
    position = index.of(seeds.rows)
    own[position[position >= 0]] = share[position >= 0]
    pull = pulls[citing][by] - own[cited]
    nearness = np.append(near.weights, 0.0)[RowIndex(near.rows).of(citing)]

    total, root = summed(cited, pull, rows.size), np.sqrt(citations + 1)
    return {
        "cocited": total,
        "cocited_share": total / root,
        "cocited_strong": summed(cited, pull * pull, rows.size) / root,
        "cocited_near": summed(cited, pull * nearness[by], rows.size),
    }


def coupling(stores: Stores, rows: Rows, weights: Column, scope: Scope) -> dict[str, Column]:
    """Return for each paper the weight of its references and of its citers among the papers."""
    references = stores.graph.references(rows, scope)
    cited = RowIndex(rows).of(references.values)
    kept = cited >= 0
    cited, by = cited[kept], references.owners[kept]
    return {
        "cites_candidates": summed(by, weights[cited], rows.size),
        "cited_by_candidates": summed(cited, weights[by], rows.size),
        "references": references.lengths.astype(np.float64),
    }
