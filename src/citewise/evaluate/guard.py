"""The leak guard: turns a library's papers into queries that see no more than a draft of their day.

A guarded query has its paper's year and id, and lists other versions and near-duplicates of it as
hidden; the stores then hide younger papers, citations of its year and later, and all that those
papers cite (see `citewise.types.Scope`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from citewise.arrays import Rows
from citewise.protocols import Stores
from citewise.text.titles import similar_titles
from citewise.types import Paper, Query


def near(stores: Stores, rows: Rows) -> dict[int, tuple[int, ...]]:
    """Return for each row the other papers with a similar title: a Jaccard index of 0.7 or more, or
    the same letters.

    Reads every title of the library: some seconds for 300,000.
    """
    others: dict[int, list[int]] = {row: [] for row in rows.tolist()}
    every = stores.papers.rows

    pairs = similar_titles(stores.papers.titles(rows), stores.papers.titles(every))
    for one, other in pairs:
        if every[other] != rows[one]:
            others[int(rows[one])].append(int(every[other]))
    return {row: tuple(each) for row, each in others.items()}


def query_of(
    paper: Paper, hidden: Sequence[str], guard: bool = True, authors: bool = False
) -> Query:
    """Return the query that a paper makes: guarded, or one that sees all, even the paper itself;
    with `authors`, it names these, and the venue and key phrases where they are known.
    """
    query = Query(paper.title, paper.abstract)
    if authors:
        query = replace(
            query, authors=paper.authors, venue=paper.venue, key_phrases=paper.key_phrases
        )
    if not guard:
        return query
    return replace(query, id=paper.id, year=paper.year, hidden=tuple(hidden))


def fit_for_training(rows: Rows, evaluated: Mapping[int, Sequence[int]]) -> Rows:
    """Return the rows that are neither evaluated papers nor near one; `evaluated` has for each
    evaluated row those near it.
    """
    unfit = {*evaluated, *(row for each in evaluated.values() for row in each)}
    return rows[~np.isin(rows, list(unfit))]
