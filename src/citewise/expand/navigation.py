"""Navigation (Nogueira et al. 2020, section 3): in rounds, what the best papers cite joins them.

A round takes the best k_d papers D, collects the papers C that they cite, at most k_c, and ranks D and C together. The
first round takes D from a retriever, each later one from the ranking of the round before.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from citewise.errors import BadInput
from citewise.places import Places
from citewise.protocols import Explainer, Graph, Papers, Ranker, Retriever
from citewise.types import Contributions, Query, Ranking, Rows, Scope

Counted = Literal["new", "all"]

_WIDTHS = re.compile(r"[1-9]\d*\+\d+(/[1-9]\d*\+\d+)*")


class _Stores(Papers, Graph, Protocol):
    """What navigation reads."""


class Width(NamedTuple):
    """How wide a round is: its k_d and its k_c."""

    papers: int
    citations: int


@dataclass(frozen=True, slots=True)
class NavigationSettings:
    """How far navigation goes. The defaults had the best F1@20 and MRR in the paper; two rounds had the best recall."""

    rounds: int = 1
    widths: str = "300+700/700+300/900+100"
    """k_d+k_c of each round (section 5.2); rounds beyond the last are as wide as the last."""
    counted: Counted = "new"
    """What k_c limits: `new`, the cited papers that are not in D; `all`, the cited papers, in D or not."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.rounds < 0:
            raise BadInput(f"navigation needs rounds >= 0, not {self.rounds}")
        if not _WIDTHS.fullmatch(self.widths):
            raise BadInput(f"widths are written k_d+k_c/k_d+k_c with each k_d at least 1, such as 300+700/700+300; "
                           f"got {self.widths!r}")
        if self.counted not in ("new", "all"):
            raise BadInput(f"navigation counts citations that are new or all, not {self.counted!r}")

    def by_round(self) -> Iterator[Width]:
        """Yield the width of each round."""
        given = [Width(*map(int, part.split("+"))) for part in self.widths.split("/")]
        return itertools.islice(itertools.chain(given, itertools.repeat(given[-1])), self.rounds)


class Navigation:
    """A retriever made of another one and a ranker; its signal `round` says what brought a paper.

    0: the retriever; 1 and more: a citation, in that round. Zero rounds are the retriever and the ranker alone.
    """

    def __init__(self, stores: _Stores, retriever: Retriever, ranker: Ranker, settings: NavigationSettings) -> None:
        self._stores, self._retriever, self._ranker, self._settings = stores, retriever, ranker, settings

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the k best papers of the last round, of k_d + k_c at most; `within` bounds answers, not ways."""
        widths = [*self._settings.by_round()]
        if not widths:
            return self._ranker.rank(query, _started(self._retriever.retrieve(query, k, scope)), scope)
        anywhere = dataclasses.replace(scope, within=None)
        ranking = _started(self._retriever.retrieve(query, widths[0].papers, anywhere))
        for number, width in enumerate(widths, 1):
            best = ranking.take(slice(width.papers))
            cited = self._cited(best.rows, width.citations, anywhere)
            ranking = self._ranker.rank(query, _joined(best, cited, number), anywhere)
        return ranking.take(self._stores.in_scope(ranking.rows, scope)).take(slice(k))

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what the ranker's scores are made of."""
        if isinstance(self._ranker, Explainer):
            return self._ranker.contributions(query, ranking, rows)
        return Contributions(ranking.scores[Places(ranking.rows).of(rows)], {})

    def _cited(self, rows: Rows, most: int, scope: Scope) -> Rows:
        """Return what the papers, best first, cite besides one another; the worst papers' citations are left out first.

        Where a paper's citations are left out in part, those with the highest rows are.
        """
        cited = self._stores.references(rows, scope).values
        cited = cited[self._stores.in_scope(cited, scope)]
        _, firsts = np.unique(cited, return_index=True)
        distinct = cited[np.sort(firsts)]
        if self._settings.counted == "all":
            distinct = distinct[:most]
        return distinct[~np.isin(distinct, rows)][:most]


def _started(ranking: Ranking) -> Ranking:
    return Ranking(ranking.rows, ranking.scores, {**ranking.signals, "round": np.zeros(len(ranking))})


def _joined(ranking: Ranking, added: Rows, number: int) -> Ranking:
    """Return the ranking with papers behind it that a round brought; their other signals are not known yet."""
    signals = {name: np.append(column, np.full(added.size, number if name == "round" else np.nan))
               for name, column in ranking.signals.items()}
    return Ranking(np.append(ranking.rows, added), np.append(ranking.scores, np.zeros(added.size)), signals)
