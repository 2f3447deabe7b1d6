"""What the citation graph says: counts as of the query's year, co-citation, coupling."""

from typing import Protocol

import numpy as np

from citewise.expand.neighbours import Places
from citewise.protocols import Graph, Papers
from citewise.types import Column, Rows, Scope, summed


class Stores(Papers, Graph, Protocol):
    """What these signals read."""


def popularity(stores: Stores, rows: Rows, scope: Scope, now: int) -> dict[str, Column]:
    """Return citations seen so far, those of the last one to three years, and age; `now` is the query's year."""
    citers = stores.citers(rows, scope)
    by = np.repeat(np.arange(rows.size), citers.lengths)
    ages = now - stores.years(citers.values)
    found = {"citations": citers.lengths.astype(np.float64)}
    for span in (1, 2, 3):
        found[f"citations{span}"] = np.bincount(by[ages <= span], minlength=rows.size).astype(np.float64)
    years = stores.years(rows)
    return found | {"age": np.where(years > 0, now - years, np.nan).astype(np.float64)}


def co_citation(stores: Stores, rows: Rows, seeds: Rows, weights: Column, scope: Scope,
                near: tuple[Rows, Column]) -> dict[str, Column]:
    """Return how often each paper is cited together with the seeds: the sum, over the root of its citations, and by
    papers like the draft; `near` are papers with their likeness to it.

    A seed's weight is divided by the root of its citations, as in Salton's cosine; a paper is not co-cited with itself.
    """
    citers = stores.citers(seeds, scope)
    each = weights / np.sqrt(citers.lengths + 1)
    citing, places = np.unique(citers.values, return_inverse=True)
    pull = summed(places, np.repeat(each, citers.lengths), citing.size)
    alike = _looked_up(near, citing)
    references = stores.references(citing, scope)
    by = np.repeat(np.arange(citing.size), references.lengths)
    where = Places(rows)
    at = where.of(references.values)
    kept = at >= 0
    at, by = at[kept], by[kept]
    own = np.zeros(rows.size)  # a seed's share in its citers' pull
    held = where.of(seeds)
    own[held[held >= 0]] = each[held >= 0]
    others = pull[by] - own[at]
    total = summed(at, others, rows.size)
    root = np.sqrt(stores.citers(rows, scope).lengths + 1)
    return {"cocited": total, "cocited_share": total / root, "cocited_strong": summed(at, others**2, rows.size) / root,
            "cocited_near": summed(at, others * alike[by], rows.size)}


def _looked_up(known: tuple[Rows, Column], rows: Rows) -> Column:
    at = Places(known[0]).of(rows)
    return np.where(at >= 0, np.append(known[1], 0.0)[at], 0.0)


def coupling(stores: Stores, rows: Rows, weights: Column, scope: Scope) -> dict[str, Column]:
    """Return how much weight each paper's references and its citers have among the papers themselves."""
    references = stores.references(rows, scope)
    by = np.repeat(np.arange(rows.size), references.lengths)
    at = Places(rows).of(references.values)
    kept = at >= 0
    return {"cites_candidates": summed(by[kept], weights[at[kept]], rows.size),
            "cited_by_candidates": summed(at[kept], weights[by[kept]], rows.size),
            "references": references.lengths.astype(np.float64)}
