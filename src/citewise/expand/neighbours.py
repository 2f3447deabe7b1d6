"""Expands by the references of the papers most similar to the draft, which vote for them."""

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, by_score, distinct, is_among, summed
from citewise.expand.votes import Neighbourhood, relative_similarity
from citewise.protocols import Expansion, Stores
from citewise.signals import written_by
from citewise.types import Query, Ranking, Scope

DEPTHS = (10, 30, 100)
"""Votes are also counted among this many nearest papers only."""

_UNKNOWN_AGE = 5
_HALF_LIFE = 2.0
"""Years after which a neighbour's recent vote counts half."""


def neighbourhood(
    stores: Stores, query: Query, hits: Rows, scope: Scope, limit: int
) -> Neighbourhood:
    """Return the hits that have references, by similarity to the draft, and what they cite.

    `hits` are given best first; at most `limit` of them are used.
    """
    citing = _with_references(stores, hits, scope, limit)
    scores = relative_similarity(stores, query, citing)
    order = by_score(scores, citing)
    rows = citing[order]

    references = stores.graph.references(rows, scope)
    cited = references.kept(stores.papers.in_scope(references.values, scope))
    return Neighbourhood(
        rows=rows,
        similarity=scores[order],
        cited=cited.values,
        by=cited.owners,
    )


def _with_references(stores: Stores, hits: Rows, scope: Scope, limit: int) -> Rows:
    """Return the first hits whose references are seen, reading no more references than needed."""
    citing = hits[:0]
    for start in range(0, hits.size, 2 * limit):
        part = hits[start : start + 2 * limit]
        citing = np.append(citing, part[stores.graph.references(part, scope).lengths > 0])
        if citing.size >= limit:
            break
    return citing[:limit]


def votes(stores: Stores, near: Neighbourhood, candidates: Rows, limit: int) -> dict[str, Column]:
    """Return the votes of a neighbourhood for each candidate, counted in several ways.

    A vote weighs similarity ** 2, in sharper counts ** 4 and ** 8. Where no neighbour cites a
    candidate, its nearest citer counts as the next after `limit`.
    """
    count, positions = candidates.size, RowIndex(candidates).of(near.cited)
    cited = np.flatnonzero(positions >= 0)
    positions, by = positions.take(cited), near.by.take(cited)

    weight = near.similarity.take(by)
    square = weight * weight
    fourth = square * square
    references = np.bincount(near.by, minlength=near.rows.size)[by]

    years = stores.papers.years(near.rows)
    ages = np.where(years > 0, years.max(initial=0) - years, _UNKNOWN_AGE).astype(np.float64)
    recent = 0.5 ** (ages / _HALF_LIFE)

    # `by` rises, so written from its end the lowest for a position stays
    nearest = np.full(count, limit, np.int64)
    nearest[positions[::-1]] = by[::-1]
    # the similarity of neighbour 0, 1, ... and 0 for every position up to `limit`
    similarity = np.append(near.similarity, np.zeros(limit + 1 - near.rows.size))

    signals = {
        "votes": summed(positions, square, count),
        "votes_sharp": summed(positions, fourth, count),
        "votes_sharpest": summed(positions, fourth * fourth, count),
        "votes_recent": summed(positions, square * recent[by], count),
        "votes_shared": summed(positions, fourth / np.sqrt(np.maximum(references, 1)), count),
        "vote_count": np.bincount(positions, minlength=count).astype(np.float64),
        "neighbour_references": np.full(count, near.by.size / max(near.rows.size, 1)),
        "nearest_citer_rank": nearest.astype(np.float64) + 1,
        "nearest_citer": similarity[nearest],
    }

    for depth in DEPTHS:
        among = np.flatnonzero(by < depth)
        signals[f"votes{depth}"] = summed(positions[among], square[among], count)

    return signals


class Neighbours:
    """The expander; its signals are the votes (see `votes`)."""

    reads: frozenset[str] = frozenset()
    writes = written_by("neighbours")

    def __init__(self, stores: Stores, limit: int = 500) -> None:
        """`limit` is how many similar papers vote."""
        self._stores, self._limit = stores, limit

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Expansion:
        """Return what the neighbourhood of the draft cites, with its votes."""
        hits = ranking.rows[ranking.scores > 0]  # without the candidates of other expanders
        near = neighbourhood(self._stores, query, hits, scope, self._limit)

        return Expansion(
            rows=distinct(near.cited[~is_among(near.cited, ranking.rows)]),
            signals=lambda rows: votes(self._stores, near, rows, self._limit),
        )
