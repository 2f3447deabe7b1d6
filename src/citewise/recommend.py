"""The composer: the one place where stages meet, behind the command line, the Python interface and evaluation alike."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citewise.errors import BadInput
from citewise.evidence.grounding import Grounding
from citewise.explain.explanations import contributions_of, explained
from citewise.explain.facts import Facts
from citewise.protocols import Expander, Papers, Ranker, Retriever, Stores
from citewise.rank.preferences import POOL, check, preferred, wished
from citewise.types import Answer, Query, Ranking, Recommendation, Scope


class Recommender:
    """Answers queries over a library with the stages of one system: retrieve, expand, rank, heed wishes, top k."""

    def __init__(self, stores: Stores, retriever: Retriever, expanders: Sequence[Expander] = (),
                 ranker: Ranker | None = None, depth: int = 0, name: str = "") -> None:
        """`depth` is how many candidates are retrieved, at least k; `name` is the system's, as it parses."""
        self._stores, self._retriever, self._depth = stores, retriever, depth
        self._expanders, self._ranker, self.name = tuple(expanders), ranker, name

    def recommend(self, query: Query, k: int = 20, explain: bool = False) -> list[Recommendation]:
        """Return the k papers that a draft should cite, best first; with `explain`, what speaks for each."""
        return [*self.answer(query, k, explain).recommendations]

    def answer(self, query: Query, k: int = 20, explain: bool = False, spans: int = 0) -> Answer:
        """Return the same with what made it; with `spans`, as many sentences for which others cite each paper."""
        scope, made = self._ranked(query, k, None)
        best = self._best(query, made, scope, k)
        found = self._recommendations(best)
        if explain:
            parts = contributions_of(self._ranker or self._retriever, query, made, best)
            found = explained(found, parts, Facts(self._stores, query, made, best.rows, scope))
        if spans:
            found = self.grounded(query, found, spans)
        return Answer(tuple(found), replace(best.served_by, system=self.name), explain)

    def _recommendations(self, ranking: Ranking) -> list[Recommendation]:
        columns = {name: column.tolist() for name, column in ranking.signals.items()}
        return [Recommendation(rank=place + 1, paper=paper, score=score,
                               signals={name: column[place] for name, column in columns.items()
                                        if not math.isnan(column[place])})
                for place, (paper, score) in enumerate(zip(
                    self._stores.papers(ranking.rows), ranking.scores.tolist(), strict=True))]

    def grounded(self, query: Query, answers: Sequence[Recommendation], most: int) -> list[Recommendation]:
        """Return the answers, each with at most so many sentences for which others cite the paper."""
        rows = self._stores.rows_of([each.paper.id for each in answers])
        found = Grounding(self._stores).ground(query, rows, scope_of(self._stores, query), most)
        return [replace(answer, evidence=evidence) for answer, evidence in zip(answers, found, strict=True)]

    def rank(self, query: Query, k: int, within: Sequence[int] | None = None) -> Ranking:
        """Return the same answer as rows and scores, without reading the papers; `within`, only of these rows."""
        scope, made = self._ranked(query, k, within)
        return self._best(query, made, scope, k)

    def _best(self, query: Query, made: Ranking, scope: Scope, k: int) -> Ranking:
        return (preferred(self._stores, query, made, scope, k) if wished(query) else made).take(slice(k))

    def _ranked(self, query: Query, k: int, within: Sequence[int] | None) -> tuple[Scope, Ranking]:
        """Return what the query may see, and all that the system ranks for it: at least k, if there are so many."""
        _check(query, k)
        scope = scope_of(self._stores, query, within)
        most = max(k, POOL) if wished(query) else k
        if not (self._expanders or self._ranker):
            return scope, self._retriever.retrieve(query, most, scope)
        return scope, self._composed(query, most, scope)

    def _composed(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the answer of several stages: what is like the draft is sought everywhere, even to rank `within`."""
        ranking = self.candidates(query, k, scope)
        if self._ranker:
            ranking = self._ranker.rank(query, ranking, scope, k)
        return ranking if scope.within is None else ranking.take(np.isin(ranking.rows, scope.within))

    def candidates(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return what the ranker gets to rank: candidates from everywhere, and all in scope of `within`."""
        everywhere = replace(scope, within=None)
        ranking = self._retriever.retrieve(query, max(k, self._depth), everywhere)
        if scope.within is not None:
            asked = np.unique(np.array(scope.within, np.int64))
            ranking = ranking.followed_by(np.setdiff1d(asked[self._stores.in_scope(asked, scope)], ranking.rows))
        for expander in self._expanders:
            ranking = expander.expand(query, ranking, everywhere)
        return ranking


def _check(query: Query, k: int) -> None:
    if k < 1:
        raise BadInput(f"k must be at least 1, not {k}")
    if not query.claim.strip():
        raise BadInput("the query is empty: give a title, an abstract, a draft or a sentence")
    if query.since is not None and query.year is not None and query.since > query.year:
        raise BadInput(f"no year is both since {query.since} and not after {query.year}")
    check(query)


def scope_of(stores: Papers, query: Query, within: Sequence[int] | None = None) -> Scope:
    """Return what a query may see: not itself or its versions, not what it cites already, nothing younger.

    For a sentence, what the draft cites elsewhere stays: it may well be cited again.
    """
    kept_out = [query.id, *query.hidden] if query.id else query.hidden
    unseen = _rows(stores, kept_out)
    hidden = tuple(sorted({*unseen, *(() if query.sentence else _rows(stores, query.cited))}))
    return Scope(year=query.year, since=query.since, hidden=hidden, unseen=unseen, unseen_keys=tuple(kept_out),
                 within=None if within is None else tuple(within))


def _rows(stores: Papers, keys: Sequence[str]) -> tuple[int, ...]:
    rows = stores.rows_of(keys)
    return tuple(np.unique(rows[rows >= 0]).tolist())
