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


def co_citation(stores: Stores, rows: Rows, seeds: Rows, weights: Column, scope: Scope) -> dict[str, Column]:
    """Return how often each paper is cited together with the seeds: the sum, and the sum over the root of citations.

    A seed's weight is divided by the root of its citations, as in Salton's cosine; a paper is not co-cited with itself.
    """
    citers = stores.citers(seeds, scope)
    each = weights / np.sqrt(citers.lengths + 1)
    citing, places = np.unique(citers.values, return_inverse=True)
    pull = summed(places, np.repeat(each, citers.lengths), citing.size)
    references = stores.references(citing, scope)
    where = Places(rows)
    at = where.of(references.values)
    kept = at >= 0
    total = summed(at[kept], np.repeat(pull, references.lengths)[kept], rows.size)
    own = where.of(seeds)
    held = own >= 0
    total[own[held]] -= (each * citers.lengths)[held]
    total = np.maximum(total, 0)
    return {"cocited": total, "cocited_share": total / np.sqrt(stores.citers(rows, scope).lengths + 1)}


def coupling(stores: Stores, rows: Rows, weights: Column, scope: Scope) -> dict[str, Column]:
    """Return how much weight each paper's references and its citers have among the papers themselves."""
    references = stores.references(rows, scope)
    by = np.repeat(np.arange(rows.size), references.lengths)
    at = Places(rows).of(references.values)
    kept = at >= 0
    return {"cites_candidates": summed(by[kept], weights[at[kept]], rows.size),
            "cited_by_candidates": summed(at[kept], weights[by[kept]], rows.size),
            "references": references.lengths.astype(np.float64)}
