"""The leak guard: makes of a library's papers queries that see no more than a draft of their day
could.

A guarded query has its paper's year and id and names other versions and near-duplicates of it as
hidden; the stores then hide younger papers, citations of its year and later, and all that those
papers cite (see `citewise.types.Scope`).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from citewise.arrays import Rows
from citewise.protocols import Stores
from citewise.text.titles import similar_titles
from citewise.types import Paper, Query


def near(stores: Stores, rows: Rows) -> dict[int, tuple[int, ...]]:
    """Return for each row the other papers whose titles are alike (Jaccard of 0.7 and more) or of
    the same letters.

    Reads every title of the library: some seconds for 300,000.
    """
    found: dict[int, list[int]] = {row: [] for row in rows.tolist()}
    everything = stores.papers.rows
    for asked, place in similar_titles(
        stores.papers.titles(rows), stores.papers.titles(everything)
    ):
        if everything[place] != rows[asked]:
            found[int(rows[asked])].append(int(everything[place]))
    return {row: tuple(each) for row, each in found.items()}


def query_of(
    paper: Paper, hidden: Sequence[str], guard: bool = True, authors: bool = False
) -> Query:
    """Return the query that a paper makes, guarded unless that is switched off: then it sees all,
    itself included.
    """
    known = paper.authors if authors else ()
    if not guard:
        return Query(paper.title, paper.abstract, authors=known)
    return Query(
        paper.title, paper.abstract, paper.id, paper.year, hidden=tuple(hidden), authors=known
    )


def fit_for_training(rows: Rows, evaluated: Mapping[int, Sequence[int]]) -> Rows:
    """Return the rows that are neither evaluated papers nor near one; `evaluated` has for each what
    is near it.
    """
    unfit = {*evaluated, *(row for each in evaluated.values() for row in each)}
    return rows[~np.isin(rows, list(unfit))]
