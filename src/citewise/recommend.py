"""The composer: the one place where stages meet, behind the command line, the Python interface and evaluation alike."""

from collections.abc import Sequence

import numpy as np

from citewise.errors import BadInput
from citewise.protocols import Papers, Retriever, Stores
from citewise.types import Query, Ranking, Recommendation, Scope


class Recommender:
    """Answers queries over a library with the stages of one system."""

    def __init__(self, stores: Stores, retriever: Retriever) -> None:
        self._stores, self._retriever = stores, retriever

    def recommend(self, query: Query, k: int = 20) -> list[Recommendation]:
        """Return the k papers that a draft should cite, best first."""
        ranking = self.rank(query, k)
        columns = {name: column.tolist() for name, column in ranking.signals.items()}
        return [Recommendation(rank=place + 1, paper=paper, score=score,
                               signals={name: column[place] for name, column in columns.items()})
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
        return self._retriever.retrieve(query, k, scope_of(self._stores, query, within))


def scope_of(stores: Papers, query: Query, within: Sequence[int] | None = None) -> Scope:
    """Return what a query may see: not itself or its versions, not what it cites already, nothing younger."""
    unseen = _rows(stores, [query.id, *query.hidden] if query.id else query.hidden)
    hidden = tuple(sorted({*unseen, *_rows(stores, query.cited)}))
    return Scope(year=query.year, since=query.since, hidden=hidden, unseen=unseen,
                 within=None if within is None else tuple(within))


def _rows(stores: Papers, keys: Sequence[str]) -> tuple[int, ...]:
    rows = stores.rows_of(keys)
    return tuple(np.unique(rows[rows >= 0]).tolist())
