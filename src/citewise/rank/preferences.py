"""What a user wants beside what a system ranks by: recent papers, much or little cited ones, others' work, variety.

A stage of its own behind the ranker, the same for every system. What it adds to a score is a signal by the name of the
wish, so that scores still fall and still add up.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

import numpy as np

from citewise import ids
from citewise.errors import BadInput
from citewise.protocols import Graph, Papers, Terms
from citewise.rank.diversity import diverse_order
from citewise.rank.graph_signals import popularity
from citewise.types import Column, Paper, Query, Ranking, Scope

POOL = 1000
"""So many candidates at least are looked at where something is wished for."""

_FIRST = 100
"""What wishes are measured against, and what is reordered for variety."""

_MOST = 2.0
"""Ages and citations further than so many standard deviations from the usual count as that far."""

_WEIGHTS = {"prefer_recent": (-1.0, 1.0), "prefer_cited": (-1.0, 1.0), "diversify": (0.0, 1.0)}

SIGNALS = (*_WEIGHTS,)
"""The signals of this stage: what each wish added to a score."""


class Stores(Papers, Graph, Terms, Protocol):
    """What this stage reads."""


def check(query: Query) -> None:
    """Refuse wishes that have no meaning."""
    for name, (least, most) in _WEIGHTS.items():
        value = getattr(query, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise BadInput(f"{name} is a number from {least:g} to {most:g}, not {value!r}")
    if not isinstance(query.no_self_citations, bool):
        raise BadInput(f"no_self_citations is true or false, not {query.no_self_citations!r}")
    if query.no_self_citations and not any(ids.surname(author) for author in query.authors):
        raise BadInput("to leave self-citations out, name the draft's authors")


def wished(query: Query) -> bool:
    """Return whether there is anything to do."""
    return query.no_self_citations or any(getattr(query, name) for name in _WEIGHTS)


def preferred(stores: Stores, query: Query, ranking: Ranking, scope: Scope, k: int) -> Ranking:
    """Return the candidates as the query wishes them, best first: at least the k best, if so many are left."""
    if query.no_self_citations:
        ranking = _without(stores, query.authors, ranking, max(k, POOL))
    if (query.prefer_recent or query.prefer_cited) and len(ranking):
        ranking = _leaning(stores, query, ranking, scope)
    if query.diversify and len(ranking):
        ranking = _varied(stores, query.diversify, ranking, scope)
    return ranking


def _without(stores: Papers, authors: Iterable[str], ranking: Ranking, most: int) -> Ranking:
    """Return the first `most` candidates that none of the authors wrote, reading no more papers than needed."""
    kept, found = np.zeros(len(ranking), np.bool_), 0
    for start in range(0, len(ranking), most):
        papers = stores.papers(ranking.rows[start: start + most])
        kept[start: start + most] = [not written_by(paper, authors) for paper in papers]
        found += int(kept[start: start + most].sum())
        if found >= most:
            break
    return ranking.take(kept).take(slice(most))


def written_by(paper: Paper, authors: Iterable[str]) -> bool:
    """Return whether one of the authors wrote a paper."""
    return any(ids.same_person(author, other) for author in authors for other in paper.authors)


def _leaning(stores: Stores, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
    """Return the candidates with recency and citations weighed in.

    A weight of 1 makes a standard deviation of log age or log citations count as much as one of the score, each among
    the first candidates.
    """
    known = ranking.signals
    if not {"age", "citations"} <= known.keys():
        known = popularity(stores, ranking.rows, scope)
    unit = float(ranking.scores[:_FIRST].std())
    terms = {"prefer_recent": query.prefer_recent * unit * -_standard(np.log1p(np.maximum(known["age"], 0.0))),
             "prefer_cited": query.prefer_cited * unit * _standard(np.log1p(known["citations"]))}
    wanted = {name: term for name, term in terms.items() if getattr(query, name)}
    scores = ranking.scores + sum(wanted.values())
    order = np.argsort(-scores, kind="stable")
    return replace(ranking.with_signals(wanted), scores=scores).take(order)


def _standard(column: Column) -> Column:
    """Return how many standard deviations of the first values each is above their mean; 0 where unknown."""
    first = column[:_FIRST][~np.isnan(column[:_FIRST])]
    spread = float(first.std()) if first.size else 0.0
    if spread < 1e-9:
        return np.zeros(column.size)
    return np.asarray(np.nan_to_num(np.clip((column - first.mean()) / spread, -_MOST, _MOST)), np.float64)


def _varied(stores: Stores, weight: float, ranking: Ranking, scope: Scope) -> Ranking:
    """Return the candidates with the first ones in an order that has variety, and scores that fall as before."""
    first = np.arange(min(_FIRST, len(ranking)))
    order = diverse_order(stores, ranking.rows[first], ranking.scores[first], weight, scope)
    moved = ranking.take(np.append(order, np.arange(first.size, len(ranking))))
    return replace(moved.with_signals({"diversify": ranking.scores - moved.scores}), scores=ranking.scores)
