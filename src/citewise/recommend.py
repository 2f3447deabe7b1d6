"""The composer: the only module in which stages meet, behind every interface and evaluation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from citewise.arrays import Column, RowIndex, Rows, is_among
from citewise.beside import Beside
from citewise.errors import BadInput
from citewise.explain.explanations import contributions_of, explained
from citewise.explain.facts import Facts
from citewise.protocols import (
    DraftVectors,
    EarlyExpander,
    Expander,
    Expansion,
    Grounder,
    Papers,
    Ranker,
    Retriever,
    Stage,
    Stores,
)
from citewise.rank.calibration import Calibrator
from citewise.rank.preferring import POOL, preferred
from citewise.scoring.fusion import FUSIONS
from citewise.text import ids
from citewise.types import Answer, Paper, Query, Ranking, Recommendation, Renderer, Scope


@dataclass(frozen=True, slots=True)
class RankStep:
    """A ranker of the cascade, and how many of the best candidates it ranks; None: all."""

    ranker: Ranker
    depth: int | None = None
    always: bool = False
    """Whether it also ranks candidates whose order is settled."""


@dataclass(frozen=True, slots=True)
class Stages:
    """What a system is made of: retrieve, fuse, expand, rank in a cascade, ground."""

    retrievers: tuple[Retriever, ...]
    grounder: Grounder
    expanders: tuple[Expander, ...] = ()
    rankers: tuple[RankStep, ...] = ()
    fusion: str = "rrf"
    """How the rankings of several retrievers become one: a name of `citewise.scoring.fusion`."""
    depth: int = 0
    """How many candidates each retriever returns, where that is more than are wanted."""
    calibrator: Calibrator | None = None
    """Turns the final scores into chances; None: nothing is known about them."""
    sentence_alone: bool = False
    """Whether a sentence is asked without the title and abstract of its draft, which would outweigh
    it by their length.
    """
    vectors: DraftVectors | None = None
    """The vectors that the stages read; None: they read none."""
    note: str = ""
    """What an answer says where these stages stand in for what the system prefers."""

    @property
    def fetched(self) -> int:
        """The least number of candidates that each retriever is asked for: all that are ranked."""
        return max([self.depth, *(step.depth or 0 for step in self.rankers)])

    @property
    def scorer(self) -> Stage | None:
        """The stage that gives the final scores; None where fusion does."""
        if self.rankers:
            return self.rankers[-1].ranker
        return self.retrievers[0] if len(self.retrievers) == 1 else None

    def __post_init__(self) -> None:
        """Raise BadInput if stages do not fit: a stage must find the signals that it reads."""
        if not self.retrievers:
            raise BadInput("a system needs at least one retriever")
        if self.fusion not in FUSIONS:
            raise BadInput(f"unknown fusion {self.fusion!r}; known: {', '.join(FUSIONS)}")
        if any(step.depth is not None and step.depth < 1 for step in self.rankers):
            raise BadInput("a ranker needs a depth of at least 1")

        known: set[str] = set()
        stages: list[Stage] = [*self.retrievers, *self.expanders]
        for stage in [*stages, *(step.ranker for step in self.rankers)]:
            missing = sorted(stage.reads - known)
            if missing:
                raise BadInput(
                    f"{type(stage).__name__} reads the signal {missing[0]!r}, which no stage "
                    "before it writes"
                )
            known |= stage.writes


class Recommender:
    """Answers queries over a library with the stages of one system."""

    def __init__(
        self,
        stores: Stores,
        stages: Stages,
        name: str = "",
        renderers: Mapping[str, Renderer] | None = None,
    ) -> None:
        """`name` is the system's full spelling; `renderers` are the answers' output formats."""
        self._stores, self._stages, self.name = stores, stages, name
        self._renderers = renderers or {}
        self._early = {
            position: expander
            for position, expander in enumerate(stages.expanders)
            if isinstance(expander, EarlyExpander)
        }

    def answer(self, query: Query, k: int = 20, explain: bool = False, evidence: int = 0) -> Answer:
        """Return the k papers to cite, best first.

        With `explain`, each has its reasons and the parts of its score; with `evidence`, at most
        that many sentences that cite it for similar claims.
        """
        asked = self._asked(query)
        scope, ranking = self._ranked(asked, k, None)
        best = self._best(asked, ranking, scope, k)
        calibrator = self._stages.calibrator
        chances, papers = self._stores.together(
            lambda: calibrator.chances(asked, ranking, best.rows) if calibrator else None,
            lambda: self._stores.papers.read(best.rows),
        )
        recommendations = _recommendations(best, papers, chances.each if chances else None)

        if explain:
            facts = Facts(
                self._stores,
                self._stages.grounder,
                asked,
                ranking,
                best.rows,
                scope,
                self._stages.vectors,
            )
            parts = contributions_of(self._stages.scorer, asked, ranking, best)
            recommendations = explained(recommendations, parts, facts)

        if evidence:
            spans = self._stages.grounder.ground(asked, best.rows, scope, evidence)
            recommendations = [
                replace(each, evidence=own)
                for each, own in zip(recommendations, spans, strict=True)
            ]

        return Answer(
            recommendations=tuple(recommendations),
            served_by=replace(best.served_by, system=self.name, note=self._note(best)),
            explained=explain,
            query=query,
            library=self._stores.info,
            match=chances.match if chances else None,
            confidence=round(chances.any, 4) if chances else None,
            calibrated_by=calibrator.source if calibrator and chances else "",
            renderers=self._renderers,
        )

    def rank(
        self,
        query: Query,
        k: int,
        within: Sequence[int] | None = None,
        as_given: bool = False,
    ) -> Ranking:
        """Return the k best papers as rows and scores, as `answer` ranks them.

        With `within`, only these rows are ranked; with `as_given`, even those that the query would
        not see.
        """
        asked = self._asked(query)
        scope, ranking = self._ranked(asked, k, within, as_given)
        return self._best(asked, ranking, scope, k)

    def candidates(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the candidates that the rankers rank: those from the whole library, and all rows
        of `scope.within` that are in scope.
        """
        everywhere = replace(scope, within=None)
        early = self._searched_early(query, everywhere)
        ranking = self._retrieved(query, max(k, self._stages.fetched), everywhere)
        if scope.within is not None:
            given = np.unique(np.array(scope.within, np.int64))
            given = given[self._stores.papers.in_scope(given, scope)]
            ranking = ranking.followed_by(np.setdiff1d(given, ranking.rows))

        expansions: list[Expansion] = []
        for position, expander in enumerate(self._stages.expanders):
            if position in early:
                expansions.append(early[position].result()(ranking))
            else:
                expansions.append(expander.expand(query, ranking, everywhere))
            ranking = ranking.followed_by(expansions[-1].rows)

        # signals are computed last, so that every candidate has those of every expander
        signals: dict[str, Column] = {}
        for expansion in expansions:
            signals |= expansion.signals(ranking.rows)
        return ranking.with_signals(signals)

    def _searched_early(
        self, query: Query, scope: Scope
    ) -> dict[int, Beside[Callable[[Ranking], Expansion]]]:
        """Start the searches that need no candidates, beside the retrievers; by the position of
        their expander.
        """
        return {
            position: Beside(partial(expander.expand_early, query, scope))
            for position, expander in self._early.items()
        }

    def _asked(self, query: Query) -> Query:
        """Return the query as these stages read it."""
        return query.alone if self._stages.sentence_alone else query

    def _note(self, ranking: Ranking) -> str:
        """Return which fallbacks answered: these stages, or a stage of them."""
        return ", ".join(filter(None, (self._stages.note, ranking.served_by.note)))

    def _retrieved(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the retriever's candidates, or those of several, fused."""
        rankings = [each.retrieve(query, k, scope) for each in self._stages.retrievers]
        if len(rankings) == 1:
            return rankings[0]

        rows, scores = FUSIONS[self._stages.fusion]([each.rows for each in rankings])
        # by falling score, equal ones by row
        order = np.lexsort((rows, -scores))
        fused = Ranking(rows[order], scores[order])

        for ranking in rankings:
            at = RowIndex(ranking.rows).of(fused.rows)  # -1 picks the NaN behind the last
            columns = {name: np.append(each, np.nan)[at] for name, each in ranking.signals.items()}
            fused = fused.with_signals(columns)
        return fused

    def _ranked(
        self, query: Query, k: int, within: Sequence[int] | None, as_given: bool = False
    ) -> tuple[Scope, Ranking]:
        """Return the query's scope, and all candidates that the system ranked for it."""
        _check(query, k)
        scope = scope_of(self._stores.papers, query, within, as_given)
        wanted = max(k, POOL) if query.preferences else k

        alone = len(self._stages.retrievers) == 1
        if alone and not (self._stages.expanders or self._stages.rankers):
            return scope, self._stages.retrievers[0].retrieve(query, wanted, scope)

        ranking = self._cascade(query, self.candidates(query, wanted, scope), scope, wanted)
        if scope.within is not None:
            ranking = ranking.take(np.isin(ranking.rows, scope.within))
        return scope, ranking

    def _cascade(self, query: Query, ranking: Ranking, scope: Scope, k: int) -> Ranking:
        """Return the candidates after each ranker has ranked the best of those before it; the
        others follow, if wanted.

        Papers of `scope.within` are always among those that are ranked.
        """
        for step in self._stages.rankers:
            if ranking.settled and not step.always:
                continue

            chosen, others = _split(ranking, step.depth, scope)
            best = step.ranker.rank(query, ranking.take(chosen), ranking, scope)
            # what explains an answer reads the candidates behind those that a last step ranked, too
            enough = k <= len(best) and not step.always
            ranking = best if enough else best.above(ranking.take(others))
        return ranking

    def _best(self, query: Query, ranking: Ranking, scope: Scope, k: int) -> Ranking:
        """Return the k best, with the author's preferences applied."""
        if query.preferences:
            ranking = preferred(self._stores, query, ranking, scope, k)
        return ranking.take(slice(k))


def _recommendations(
    ranking: Ranking, papers: Sequence[Paper], chances: Column | None
) -> list[Recommendation]:
    """Return the papers of a ranking with their ranks, scores, chances and known signals."""
    names = tuple(ranking.signals)
    columns = [column.tolist() for column in ranking.signals.values()]
    by_paper = [*zip(*columns, strict=True)] or [()] * len(papers)

    recommendations = []
    scores = ranking.scores.tolist()
    for position, (paper, score, values) in enumerate(zip(papers, scores, by_paper, strict=True)):
        # a signal that is not known is NaN, which does not equal itself; 1,000 papers have 64,000
        signals = zip(names, values, strict=True)
        known = {name: value for name, value in signals if value == value}  # noqa: PLR0124
        chance = None if chances is None else round(float(chances[position]), 4)
        recommendations.append(Recommendation(position + 1, paper, score, known, chance))
    return recommendations


def _split(ranking: Ranking, depth: int | None, scope: Scope) -> tuple[slice | Rows, slice | Rows]:
    """Return the positions of the candidates that a ranker gets, the first `depth` and those of
    `scope.within`, and of the others.
    """
    depth = len(ranking) if depth is None else depth
    if scope.within is None:
        return slice(depth), slice(depth, None)
    chosen = is_among(ranking.rows, scope.within)
    chosen[:depth] = True
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def _check(query: Query, k: int) -> None:
    """Raise BadInput for a query that cannot be answered."""
    if k < 1:
        raise BadInput(f"k must be at least 1, not {k}")
    if not query.claim.strip():
        raise BadInput("the query is empty: give a title, an abstract, a draft or a sentence")
    if query.since is not None and query.year is not None and query.since > query.year:
        raise BadInput(f"no year is both since {query.since} and not after {query.year}")
    unnamed = not any(ids.surname(author) for author in query.authors)
    if query.preferences.no_self_citations and unnamed:
        raise BadInput("to leave self-citations out, name the draft's authors")


def scope_of(
    papers: Papers, query: Query, within: Sequence[int] | None = None, as_given: bool = False
) -> Scope:
    """Return the scope of a query: without itself and its versions, what it cites already, and
    anything younger; with `as_given`, all rows of `within`.

    For a sentence, what the draft cites elsewhere stays in scope: it may be cited again.
    """
    own_versions = [query.id, *query.hidden] if query.id else query.hidden
    unseen = _rows(papers, own_versions)
    cited = () if query.sentence else _rows(papers, query.cited)

    return Scope(
        year=query.year,
        since=query.since,
        hidden=tuple(sorted({*unseen, *cited})),
        unseen=unseen,
        unseen_keys=tuple(own_versions),
        within=None if within is None else tuple(within),
        as_given=as_given,
    )


def _rows(papers: Papers, keys: Sequence[str]) -> tuple[int, ...]:
    rows = papers.find(keys)
    return tuple(np.unique(rows[rows >= 0]).tolist())
