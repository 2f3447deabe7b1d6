"""Builds pools from a library: cited papers, and negatives by model, graph, citation count and at
random.

The four strategies are those of MDCR (Medić and Šnajder 2022, section 4.1), under the guard: a
negative is a paper that its query may see, and neighbours and citation counts come from the graph
of the query's day. Models rank all that a query may see, where MDCR had a pool of 100,000 papers a
field.
"""

import functools
import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.evaluate.experiment import Settings, answers
from citewise.evaluate.fields import Fields
from citewise.evaluate.pools import GRAPH, MOST_CITED, RANDOM, Pool, Pools, PoolSettings
from citewise.evaluate.prefilter import of_papers, prefiltered
from citewise.evaluate.runs import Progress, Run
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.recommend import scope_of
from citewise.text.titles import similar_titles
from citewise.types import Scope

_Drawn = list[tuple[str, Question]]
"""Fields with the questions that were drawn for them."""


@dataclass(frozen=True, slots=True)
class _RowPool:
    """A pool whose papers are rows, not ids yet."""

    field: str
    question: Question
    cited: list[int]
    negatives: dict[str, list[int]]


def build_pools(
    stores: Stores,
    questions: Sequence[Question],
    settings: PoolSettings,
    fields: Fields | None = None,
    run: Settings | None = None,
    progress: Progress = lambda done, total: None,
) -> Pools:
    """Return a pool for each question that is drawn; of `run`, only jobs and the folder count."""
    if any(not question.guarded for question in questions):
        raise BadInput(
            "pools are made of guarded questions only: what is drawn as a negative must be fair to "
            "rank"
        )

    fields = fields or Fields({})
    fit = prefiltered(stores) if settings.prefilter else None
    if fit is not None:
        questions = of_papers(stores, questions, fit)
    drawn = draw_questions(stores, questions, fields, settings)
    chosen = [question for _, question in drawn]
    run = replace(run or Settings(), measures=Settings().measures[:1], depth=settings.depth)
    runs, overlaps = choose(
        answers(stores, settings.systems, chosen, run, progress), chosen, settings
    )

    members = fields.members(stores, dict.fromkeys(field for field, _ in drawn))
    maker = _Maker(stores, settings, members, fit)
    pools = [
        maker.pool(field, question, {each.system: each.rankings[position] for each in runs})
        for position, (field, question) in enumerate(drawn)
    ]
    return Pools(_named(stores, pools), stores.info.fingerprint, settings, fields.groups, overlaps)


def draw_questions(
    stores: Stores, questions: Sequence[Question], fields: Fields, settings: PoolSettings
) -> _Drawn:
    """Return questions with their fields, drawn for each field: a question once, for the field with
    the fewest questions of those that it is in.
    """
    rows = stores.papers.find([question.id for question in questions])
    by_field: dict[str, list[Question]] = {}
    for question, names in zip(questions, fields.of(stores.papers.read(rows)), strict=True):
        if _with_abstract(stores, question.gold, settings).size:
            for name in names:
                by_field.setdefault(name, []).append(question)

    if not by_field:
        raise BadInput(
            "no question is in a field: look at the labels of the library's papers and at the "
            "groups"
        )

    taken: set[str] = set()
    drawn: _Drawn = []
    for name in sorted(by_field, key=lambda name: (len(by_field[name]), name)):
        free = [question for question in by_field[name] if question.id not in taken]
        chosen = _sampled(name, free, settings)
        taken.update(question.id for question in chosen)
        drawn += [(name, question) for question in chosen]

    order = {name: position for position, name in enumerate(fields.groups or sorted(by_field))}
    return sorted(drawn, key=lambda each: order[each[0]])


def _sampled(field: str, questions: list[Question], settings: PoolSettings) -> list[Question]:
    """Return at most `settings.queries` questions of a field, the newest or at random."""
    generator = random.Random(f"{settings.seed} {field}")  # noqa: S311 (reproducible sampling)
    shuffled = generator.sample(questions, len(questions))
    if settings.newest:
        shuffled.sort(key=lambda question: -(question.query.year or 0))
    return shuffled[: settings.queries]


def choose(
    runs: Sequence[Run], questions: Sequence[Question], settings: PoolSettings
) -> tuple[list[Run], dict[str, float]]:
    """Return the runs that are used, and each system's mean Jaccard index of best negatives with
    the others (section 4.1).

    Those with the lowest index are used; equal ones stay in the order given.
    """
    tops = {
        run.system: [
            {*ranking[: settings.depth].tolist()} - {*question.gold}
            for ranking, question in zip(run.rankings, questions, strict=True)
        ]
        for run in runs
    }

    pairs = {
        (one, other): float(np.mean(list(map(_jaccard, tops[one], tops[other]))))
        for one, other in itertools.combinations(tops, 2)
    }

    means = (
        {
            name: float(np.mean([value for pair, value in pairs.items() if name in pair]))
            for name in tops
        }
        if pairs
        else {}
    )

    kept = sorted(tops, key=lambda name: means.get(name, 0.0))[: settings.models]
    return [run for run in runs if run.system in kept], means


def _jaccard(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


@dataclass(frozen=True, slots=True)
class _Draw:
    """The state of drawing for one query."""

    generator: random.Random
    scope: Scope
    cited: list[str]
    """The titles of all papers that the query cites, of any year."""
    taken: set[int]
    """The papers that it cites and those that were drawn; grows."""

    @classmethod
    def of(cls, stores: Stores, question: Question, seed: int) -> "_Draw":
        """Return the state before anything is drawn for a question."""
        own = {
            *question.gold,
            *stores.graph.references(stores.papers.find([question.id])).values.tolist(),
        }

        return cls(
            random.Random(f"{seed} {question.id}"),  # noqa: S311 (reproducible sampling)
            scope_of(stores.papers, question.query),
            stores.papers.titles(np.array(sorted(own), np.int64)),
            own,
        )

    def kept(self, rows: Rows, titles: list[str]) -> list[int]:
        """Return those of the drawn rows that are no other version of a cited paper, and mark all
        as taken; to look for versions before drawing would take minutes in a large library.
        """
        versions = {position for _, position in similar_titles(self.cited, titles)}
        self.taken.update(rows.tolist())
        return [row for position, row in enumerate(rows.tolist()) if position not in versions]


class _Maker:
    """Makes pools for the questions of a library."""

    def __init__(
        self,
        stores: Stores,
        settings: PoolSettings,
        members: dict[str, Rows],
        fit: Rows | None,
    ) -> None:
        """`fit` are the only papers that may be drawn; None: all."""
        self._stores, self._settings, self._members = stores, settings, members
        self._fit = fit
        self._most_cited = functools.cache(self._count_most_cited)
        self._counts = functools.cache(self._count_citations)

        rows = stores.papers.rows
        years = stores.papers.years(rows)
        references = stores.graph.references(rows)
        self._cited = references.values
        self._citing_years = np.repeat(years, references.lengths)
        self._with_year = _with_abstract(stores, rows[years > 0], settings)

    def pool(self, field: str, question: Question, tops: dict[str, Rows]) -> _RowPool:
        """Return a query's pool; each kind of negative is drawn without those drawn before."""
        settings, stores = self._settings, self._stores
        draw = _Draw.of(stores, question, settings.seed)

        cited = self._usable(np.array(question.gold, np.int64)).tolist()
        cited = draw.generator.sample(cited, min(settings.cited, len(cited)))

        tiers = {
            **{system: [top[top >= 0][: settings.depth]] for system, top in tops.items()},
            GRAPH: neighbourhoods(stores, question, draw.scope),
            MOST_CITED: [self._most_cited(field, question.query.year or 0)],
            RANDOM: [self._with_year],
        }

        return _RowPool(
            field, question, cited, {kind: self._filled(draw, each) for kind, each in tiers.items()}
        )

    def _filled(self, draw: "_Draw", tiers: Iterable[Rows]) -> list[int]:
        """Return negatives drawn from the first tier, and where these are too few, from the next; a
        tier has each paper once.
        """
        chosen: list[int] = []
        for tier in tiers:
            rows = np.sort(tier)
            usable = self._stores.papers.in_scope(rows, draw.scope)
            rows = self._usable(rows[usable & ~np.isin(rows, [*draw.taken])])

            while rows.size and len(chosen) < self._settings.negatives:
                missing = self._settings.negatives - len(chosen)
                positions = draw.generator.sample(range(rows.size), min(missing, rows.size))
                drawn = rows[positions]
                chosen += draw.kept(drawn, self._stores.papers.titles(drawn))
                rows = np.delete(rows, positions)
        return chosen

    def _usable(self, rows: Rows) -> Rows:
        """Return the rows that the settings let into pools."""
        rows = _with_abstract(self._stores, rows, self._settings)
        return rows if self._fit is None else rows[np.isin(rows, self._fit)]

    def _count_most_cited(self, field: str, year: int) -> Rows:
        """Return a field's papers with the most citations made before a year, most first; equal
        ones in the order of rows.
        """
        rows = self._members[field]
        rows = rows[self._stores.papers.years(rows) <= year]
        counts = self._counts(year)[rows]

        limit = min(self._settings.depth, np.count_nonzero(counts))
        return rows[np.argsort(-counts, kind="stable")[:limit]]

    def _count_citations(self, year: int) -> Rows:
        """Return for each row the number of citations of it made before a year."""
        made = (self._citing_years > 0) & (self._citing_years < year)
        size = int(self._stores.papers.rows.max(initial=-1)) + 1
        return np.bincount(self._cited[made], minlength=size)


def neighbourhoods(stores: Stores, question: Question, scope: Scope) -> list[Rows]:
    """Return for each cited paper c the papers that it cites or that cite it.

    Those of the papers that share the most with the query come first, by
    |OC(q) ∩ (OC(c) ∪ IC(c))| / |OC(q)| (section 4.1); equal ones in the order of rows.
    """
    cited = np.array(question.gold, np.int64)
    references, citers = stores.graph.references(cited, scope), stores.graph.citers(cited, scope)
    neighbours = [
        np.union1d(references[position], citers[position]) for position in range(cited.size)
    ]

    overlaps = np.array([np.isin(cited, rows).mean() for rows in neighbours])
    return [neighbours[position] for position in np.argsort(-overlaps, kind="stable").tolist()]


def _with_abstract(stores: Stores, rows: Sequence[int] | Rows, settings: PoolSettings) -> Rows:
    """Return the rows, without papers that have no abstract where the settings want one."""
    every = np.asarray(rows, np.int64)
    return every[stores.terms.lengths(every, "abstract") > 0] if settings.abstract else every


def _united(lists: Iterable[Sequence[int]]) -> Rows:
    """Return the distinct rows of all lists, sorted."""
    return np.array(sorted({row for each in lists for row in each}), np.int64)


def _named(stores: Stores, pools: Sequence[_RowPool]) -> tuple[Pool, ...]:
    """Return pools with the ids of their papers in place of rows."""
    every = _united([*pool.cited, *itertools.chain(*pool.negatives.values())] for pool in pools)
    names = dict(
        zip(every.tolist(), (paper.id for paper in stores.papers.read(every)), strict=True)
    )

    return tuple(
        Pool(
            id=pool.question.id,
            field=pool.field,
            cited=tuple(names[row] for row in pool.cited),
            negatives={
                kind: tuple(names[row] for row in rows) for kind, rows in pool.negatives.items()
            },
            hidden=pool.question.query.hidden,
        )
        for pool in pools
    )
