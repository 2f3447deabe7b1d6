"""Navigation (Nogueira et al. 2020, section 3): in rounds, adds what the best papers cite.

A round takes the best k_d papers D, collects the papers C that they cite, at most k_c, and ranks D
and C together. The first round takes D from a retriever, each later one from the ranking of the
round before.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from citewise.arrays import RowIndex, Rows
from citewise.errors import BadInput
from citewise.protocols import Explainer, Ranker, Retriever, Stores
from citewise.signals import written_by
from citewise.types import Contributions, Query, Ranking, Scope

Counted = Literal["new", "all"]

_MOST_ROUNDS = 100
"""Far more than help: clients of a server name systems, and a billion rounds would never end."""

_WIDTHS = re.compile(r"\d+\+\d+(/\d+\+\d+)*")


class Width(NamedTuple):
    """How wide a round is: its k_d and its k_c."""

    papers: int
    citations: int


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many rounds navigation makes, and how wide they are.

    The defaults had the best F1@20 and MRR in the paper; two rounds had the best recall.
    """

    rounds: int = 1
    widths: str = "300+700/700+300/900+100"
    """k_d+k_c of each round (section 5.2); rounds beyond the last are as wide as the last. With a
    k_d of 0, which the paper's sweep begins with, nothing is cited and nothing is found.
    """
    counted: Counted = "new"
    """What k_c limits: `new`, the cited papers that are not in D; `all`, every cited paper, as the
    paper's text has it.
    """

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        if not 0 <= self.rounds <= _MOST_ROUNDS:
            raise BadInput(f"navigation makes 0 to {_MOST_ROUNDS} rounds, not {self.rounds}")
        if not _WIDTHS.fullmatch(self.widths):
            raise BadInput(
                f"widths are written k_d+k_c/k_d+k_c, such as 300+700/700+300; got {self.widths!r}"
            )
        if self.counted not in ("new", "all"):
            raise BadInput(f"navigation counts citations that are new or all, not {self.counted!r}")

    def by_round(self) -> Iterator[Width]:
        """Yield the width of each round."""
        given = [Width(*map(int, part.split("+"))) for part in self.widths.split("/")]
        return itertools.islice(itertools.chain(given, itertools.repeat(given[-1])), self.rounds)


class Navigation:
    """A retriever made of another one and a ranker; its signal `round` says what found a paper.

    0: the retriever; 1 and more: a citation, in that round; NaN: neither, the paper was in the
    pool that is ranked. Zero rounds are the retriever and the ranker alone.
    """

    reads: frozenset[str] = frozenset()

    def __init__(
        self, stores: Stores, retriever: Retriever, ranker: Ranker, rounds: Rounds
    ) -> None:
        self._stores, self._retriever, self._ranker = stores, retriever, ranker
        self._rounds = rounds
        self.writes = written_by("navigation") | ranker.writes

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best papers of the last round; `scope.within` limits answers, not paths, and
        all of it is ranked.
        """
        widths = [*self._rounds.by_round()]
        if not widths:
            ranking = _started(self._retriever.retrieve(query, k, scope))
            return self._ranked(query, self._with_pool(ranking, scope), scope).take(slice(k))

        anywhere = dataclasses.replace(scope, within=None)
        ranking = _started(self._retriever.retrieve(query, max(widths[0].papers, 1), anywhere))
        for number, width in enumerate(widths, 1):
            best = ranking.take(slice(width.papers))
            cited = self._cited(best.rows, width.citations, anywhere)
            ranking = self._ranked(query, _joined(best, cited, number), anywhere)

        found = ranking.take(self._stores.papers.in_scope(ranking.rows, scope))
        whole = self._with_pool(found, scope)
        if len(whole) > len(found):
            whole = self._ranked(query, whole, scope)
        return whole.take(slice(k))

    def _with_pool(self, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the ranking followed by the papers of `scope.within` that are not in it."""
        if scope.within is None:
            return ranking
        given = np.unique(np.array(scope.within, np.int64))
        given = given[self._stores.papers.in_scope(given, scope)]
        return ranking.followed_by(np.setdiff1d(given, ranking.rows))

    def _ranked(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        return self._ranker.rank(query, ranking, ranking, scope)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what the ranker's scores are made of."""
        if isinstance(self._ranker, Explainer):
            return self._ranker.contributions(query, ranking, rows)
        return Contributions(ranking.scores[RowIndex(ranking.rows).of(rows)], {})

    def _cited(self, rows: Rows, limit: int, scope: Scope) -> Rows:
        """Return the papers that some papers, given best first, cite besides one another.

        Above the limit, the citations of the worst papers are dropped first, and of one paper those
        with the highest rows.
        """
        cited = self._stores.graph.references(rows, scope).values
        cited = cited[self._stores.papers.in_scope(cited, scope)]

        # each cited paper once, in the order of its first citation
        _, firsts = np.unique(cited, return_index=True)
        distinct = cited[np.sort(firsts)]
        if self._rounds.counted == "all":
            distinct = distinct[:limit]
        return distinct[~np.isin(distinct, rows)][:limit]


def _started(ranking: Ranking) -> Ranking:
    """Return a ranking as round 0."""
    return ranking.with_signals({"round": np.zeros(len(ranking))})


def _joined(ranking: Ranking, added: Rows, number: int) -> Ranking:
    """Return the ranking followed by the papers that a round added; they only have `round`."""
    wider = ranking.followed_by(added)
    found_in = wider.signals["round"]
    return wider.with_signals({"round": np.where(np.isnan(found_in), float(number), found_in)})
