"""An example plug-in: BM25 finds papers, and the youngest of the best come first."""

from dataclasses import dataclass

import numpy as np

from citewise.ground import EvidenceGrounder
from citewise.protocols import Stores
from citewise.recommend import RankStep, Stages
from citewise.retrieve.bm25 import Bm25, Bm25Parameters
from citewise.spans.profiles import ClaimSearch
from citewise.types import Answer, Query, Ranking, Scope


class NewestRanker:
    """Ranks candidates by year, the youngest first."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by year; those of one year keep their order."""
        years = self._stores.papers.years(candidates.rows).astype(np.float64)
        return candidates.scored(years, {}).take(np.argsort(-years, kind="stable"))


@dataclass(frozen=True, slots=True)
class NewestSettings:
    """A system: `newest(depth=100)` is the 100 best papers by BM25, the youngest first."""

    depth: int = 50

    def over(self, stores: Stores) -> Stages:
        """Return the stages of the system over a library."""
        return Stages(
            retrievers=(Bm25(stores, Bm25Parameters()),),
            grounder=EvidenceGrounder(stores, ClaimSearch(stores)),
            rankers=(RankStep(NewestRanker(stores), self.depth),),
        )

    def identity(self, stores: Stores) -> str:
        """Return nothing: the settings say it all."""
        return ""


Newest = NewestSettings()


def titles_of(answer: Answer) -> str:
    """Return an answer as one title a line."""
    return "".join(f"{each.paper.title}\n" for each in answer)
