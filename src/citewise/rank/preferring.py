"""Re-ranks an answer by the author's preferences, the same way for every system.

What a preference adds to a score is a signal by the name of the preference. So the scores of an
answer still fall from rank to rank, and the parts of a score still add up to it.
"""

from collections.abc import Iterable

import numpy as np

from citewise.arrays import Column
from citewise.protocols import Papers, Stores
from citewise.rank.diversity import diverse_order
from citewise.rank.graph_signals import popularity
from citewise.text import ids
from citewise.types import Paper, Query, Ranking, Scope

POOL = 1000
"""At least this many candidates are looked at where there is a preference."""

_FIRST = 100
"""The candidates that preferences are measured against, and that are reordered for variety."""

_MOST = 2.0
"""Ages and citations further than this many standard deviations from the mean count as that far."""


def preferred(stores: Stores, query: Query, ranking: Ranking, scope: Scope, k: int) -> Ranking:
    """Return the candidates as the author prefers them: at least k, if that many are left."""
    wanted = query.preferences
    if wanted.no_self_citations:
        ranking = _without(stores.papers, query.authors, ranking, max(k, POOL))
    if (wanted.prefer_recent or wanted.prefer_cited) and len(ranking):
        ranking = _leaning(stores, query, ranking, scope)
    if wanted.diversify and len(ranking):
        ranking = _varied(stores, wanted.diversify, ranking, scope)
    return ranking


def _without(papers: Papers, authors: Iterable[str], ranking: Ranking, limit: int) -> Ranking:
    """Return the first `limit` candidates that none of the authors wrote, reading no more papers
    than needed.
    """
    kept, found = np.zeros(len(ranking), np.bool_), 0
    for start in range(0, len(ranking), limit):
        part = slice(start, start + limit)
        kept[part] = [not written_by(paper, authors) for paper in papers.read(ranking.rows[part])]
        found += int(kept[part].sum())
        if found >= limit:
            break
    return ranking.take(kept).take(slice(limit))


def written_by(paper: Paper, authors: Iterable[str]) -> bool:
    """Whether one of the authors wrote a paper."""
    return any(ids.same_person(author, other) for author in authors for other in paper.authors)


def _leaning(stores: Stores, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
    """Return the candidates with recency and citations weighed in.

    A weight of 1 makes a standard deviation of log age or log citations count as much as one of the
    score, each among the first candidates.
    """
    known = ranking.signals
    if not {"age", "citations"} <= known.keys():
        known = popularity(stores, ranking.rows, scope)
    unit = float(ranking.scores[:_FIRST].std())
    recency = -_standardised(np.log1p(np.maximum(known["age"], 0.0)))
    citations = _standardised(np.log1p(known["citations"]))

    terms = {
        "prefer_recent": query.preferences.prefer_recent * unit * recency,
        "prefer_cited": query.preferences.prefer_cited * unit * citations,
    }
    given = query.preferences.given()
    added = {name: term for name, term in terms.items() if name in given}
    scores = ranking.scores + sum(added.values())
    return ranking.scored(scores, added).take(np.argsort(-scores, kind="stable"))


def _standardised(column: Column) -> Column:
    """Return how many standard deviations of the first values each is above their mean, 0 where
    unknown.
    """
    first = column[:_FIRST][~np.isnan(column[:_FIRST])]
    spread = float(first.std()) if first.size else 0.0
    if spread < 1e-9:
        return np.zeros(column.size)
    distance = np.clip((column - first.mean()) / spread, -_MOST, _MOST)
    return np.asarray(np.nan_to_num(distance), np.float64)


def _varied(stores: Stores, weight: float, ranking: Ranking, scope: Scope) -> Ranking:
    """Return the candidates with the first ones in a diverse order, and scores that still fall."""
    count = min(_FIRST, len(ranking))
    order = diverse_order(stores, ranking.rows[:count], ranking.scores[:count], weight, scope)
    moved = ranking.take(np.append(order, np.arange(count, len(ranking))))
    return moved.scored(ranking.scores, {"diversify": ranking.scores - moved.scores})
