"""The composer: the one place where stages meet, behind the command line, the Python interface and evaluation alike."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citewise.errors import BadInput
from citewise.protocols import Expander, Papers, Ranker, Retriever, Stores
from citewise.types import Query, Ranking, Recommendation, Scope


class Recommender:
    """Answers queries over a library with the stages of one system: retrieve, expand, rank, top k."""

    def __init__(self, stores: Stores, retriever: Retriever, expanders: Sequence[Expander] = (),
                 ranker: Ranker | None = None, depth: int = 0) -> None:
        """`depth` is how many candidates are retrieved; at least k are."""
        self._stores, self._retriever, self._depth = stores, retriever, depth
        self._expanders, self._ranker = tuple(expanders), ranker

    def recommend(self, query: Query, k: int = 20) -> list[Recommendation]:
        """Return the k papers that a draft should cite, best first."""
        ranking = self.rank(query, k)
        columns = {name: column.tolist() for name, column in ranking.signals.items()}
        return [Recommendation(rank=place + 1, paper=paper, score=score,
                               signals={name: column[place] for name, column in columns.items()
                                        if not math.isnan(column[place])})
                for place, (paper, score) in enumerate(zip(
                    self._stores.papers(ranking.rows), ranking.scores.tolist(), strict=True))]

    def rank(self, query: Query, k: int, within: Sequence[int] | None = None) -> Ranking:
        """Return the same answer as rows and scores, without reading the papers; `within`, only of these rows."""
        if k < 1:
            raise BadInput(f"k must be at least 1, not {k}")
        if not (query.title.strip() or query.abstract.strip()):
            raise BadInput("the query is empty: give a title, an abstract or a draft")
        if query.since is not None and query.year is not None and query.since > query.year:
            raise BadInput(f"no year is both since {query.since} and not after {query.year}")
        scope = scope_of(self._stores, query, within)
        if not (self._expanders or self._ranker):
            return self._retriever.retrieve(query, k, scope)
        return self._composed(query, k, scope)

    def _composed(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the answer of several stages: what is like the draft is sought everywhere, even to rank `within`."""
        everywhere = replace(scope, within=None)
        ranking = self._retriever.retrieve(query, max(k, self._depth), everywhere)
        if scope.within is not None:
            asked = np.unique(np.array(scope.within, np.int64))
            asked = asked[self._stores.in_scope(asked, scope)]
            ranking = ranking.followed_by(np.setdiff1d(asked, ranking.rows))
        for expander in self._expanders:
            ranking = expander.expand(query, ranking, everywhere)
        if self._ranker:
            ranking = self._ranker.rank(query, ranking, scope)
        if scope.within is not None:
            ranking = ranking.take(np.isin(ranking.rows, asked))
        return ranking.take(slice(k))


def scope_of(stores: Papers, query: Query, within: Sequence[int] | None = None) -> Scope:
    """Return what a query may see: not itself or its versions, not what it cites already, nothing younger."""
    unseen = _rows(stores, [query.id, *query.hidden] if query.id else query.hidden)
    hidden = tuple(sorted({*unseen, *_rows(stores, query.cited)}))
    return Scope(year=query.year, since=query.since, hidden=hidden, unseen=unseen,
                 within=None if within is None else tuple(within))


def _rows(stores: Papers, keys: Sequence[str]) -> tuple[int, ...]:
    rows = stores.rows_of(keys)
    return tuple(np.unique(rows[rows >= 0]).tolist())
