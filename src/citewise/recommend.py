"""The composer: the one place where stages meet, behind the command line, the Python interface and evaluation alike."""

import numpy as np

from citewise.errors import BadInput
from citewise.protocols import Retriever, Stores
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

    def rank(self, query: Query, k: int) -> Ranking:
        """Return the same answer as rows and scores, without reading the papers."""
        if k < 1:
            raise BadInput(f"k must be at least 1, not {k}")
        if not (query.title.strip() or query.abstract.strip()):
            raise BadInput("the query is empty: give a title, an abstract or a draft")
        if query.since is not None and query.year is not None and query.since > query.year:
            raise BadInput(f"no year is both since {query.since} and not after {query.year}")
        return self._retriever.retrieve(query, k, self._scope(query))

    def _scope(self, query: Query) -> Scope:
        """Return what the query may see: not itself, not what it cites already, nothing younger than it."""
        rows = self._stores.rows_of([*query.cited, *([query.id] if query.id else [])])
        return Scope(year=query.year, since=query.since, hidden=tuple(np.unique(rows[rows >= 0]).tolist()))
