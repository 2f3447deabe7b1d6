"""What the citation graph says: counts as of the query's year, co-citation, coupling."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from citewise.places import Places
from citewise.protocols import Graph, Papers
from citewise.types import Column, Rows, Scope, summed

SPANS = (1, 2, 3)
"""Citations of this many last years are counted apart."""


class Stores(Papers, Graph, Protocol):
    """What these signals read."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """Papers with a weight each."""

    rows: Rows
    weights: Column


def popularity(stores: Stores, rows: Rows, scope: Scope) -> dict[str, Column]:
    """Return citations seen so far, those of the last one to three years, and age (NaN where the year is unknown).

    They are as of the query's year; without one, or with one far ahead, as of the year after the youngest paper's.
    """
    years, citers = stores.years(rows), stores.citers(rows, scope)
    now = int(years.max(initial=0)) + 1
    now = now if scope.year is None else min(now, scope.year)
    cited = stores.years(citers.values)
    spans = np.where(cited > 0, np.clip(now - cited, 1, SPANS[-1] + 1), SPANS[-1] + 1) - 1
    owners = np.repeat(np.arange(rows.size), citers.lengths)
    counts = np.bincount(owners * (SPANS[-1] + 1) + spans, minlength=rows.size * (SPANS[-1] + 1))
    recent = np.cumsum(counts.reshape(rows.size, -1), axis=1, dtype=np.float64)
    return {"citations": recent[:, -1].copy(), **{f"citations{span}": recent[:, span - 1].copy() for span in SPANS},
            "age": np.where(years > 0, now - years, np.nan).astype(np.float64)}


def co_citation(stores: Stores, rows: Rows, citations: Column, seeds: Weighted, near: Weighted,
                scope: Scope) -> dict[str, Column]:
    """Return how often each paper is cited together with the seeds: `cocited`, over the root of its own citations
    (`_share`, and with the citers' pull squared `_strong`), and by papers `near` the draft.

    A seed's weight is divided by the root of its citations, as in Salton's cosine; a paper is not co-cited with itself.
    """
    citers = stores.citers(seeds.rows, scope)
    each = seeds.weights / np.sqrt(citers.lengths + 1)
    pulls = summed(citers.values, np.repeat(each, citers.lengths), int(citers.values.max(initial=-1)) + 1)
    citing = np.flatnonzero(pulls)
    references = stores.references(citing, scope)
    by = np.repeat(np.arange(citing.size), references.lengths)
    where = Places(rows)
    at = where.of(references.values)
    kept = at >= 0
    at, by = at[kept], by[kept]
    own = np.zeros(rows.size)  # a seed's share in its citers' pull
    held = where.of(seeds.rows)
    own[held[held >= 0]] = each[held >= 0]
    others = pulls[citing][by] - own[at]
    alike = np.append(near.weights, 0.0)[Places(near.rows).of(citing)]
    total, root = summed(at, others, rows.size), np.sqrt(citations + 1)
    return {"cocited": total, "cocited_share": total / root,
            "cocited_strong": summed(at, others * others, rows.size) / root,
            "cocited_near": summed(at, others * alike[by], rows.size)}


def coupling(stores: Stores, rows: Rows, weights: Column, scope: Scope) -> dict[str, Column]:
    """Return how much weight each paper's references and its citers have among the papers themselves."""
    references = stores.references(rows, scope)
    by = np.repeat(np.arange(rows.size), references.lengths)
    at = Places(rows).of(references.values)
    kept = at >= 0
    return {"cites_candidates": summed(by[kept], weights[at[kept]], rows.size),
            "cited_by_candidates": summed(at[kept], weights[by[kept]], rows.size),
            "references": references.lengths.astype(np.float64)}
