"""Builds pools from a library: cited papers, and negatives by model, graph, citation count and at
random.

The four strategies are those of MDCR (Medić and Šnajder 2022, section 4.1), under the guard: a
negative may be seen by its query, and the graph that neighbours and citation counts come from is
the one of the query's day. Models are asked over all that a query may see, where MDCR had a pool of
100,000 papers a field.
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
    """A pool before its papers have names."""

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
    """Make a pool for each question that is drawn; of `run`, jobs and the folder count."""
    if any(not question.guarded for question in questions):
        raise BadInput(
            "pools are made of guarded questions only: what is drawn as a negative must be fair to rank"
        )
    fields = fields or Fields({})
    drawn = draw_questions(stores, questions, fields, settings)
    asked = [question for _, question in drawn]
    run = replace(run or Settings(), measures=Settings().measures[:1], depth=settings.depth)
    runs, overlaps = choose(
        answers(stores, settings.systems, asked, run, progress), asked, settings
    )
    members = fields.members(stores, dict.fromkeys(field for field, _ in drawn))
    maker = _Maker(stores, settings, members)
    made = [
        maker.pool(field, question, {each.system: each.rankings[place] for each in runs})
        for place, (field, question) in enumerate(drawn)
    ]
    return Pools(_named(stores, made), stores.info.fingerprint, settings, fields.groups, overlaps)


def draw_questions(
    stores: Stores, questions: Sequence[Question], fields: Fields, settings: PoolSettings
) -> _Drawn:
    """Draw each field's questions: a question once, for the field with the fewest of those that it
    is in.
    """
    rows = stores.papers.find([question.id for question in questions])
    by_field: dict[str, list[Question]] = {}
    for question, names in zip(questions, fields.of(stores.papers.read(rows)), strict=True):
        if _with_abstract(stores, question.gold, settings).size:
            for name in names:
                by_field.setdefault(name, []).append(question)
    if not by_field:
        raise BadInput(
            "no question is in a field: look at the labels of the library's papers and at the groups"
        )
    taken: set[str] = set()
    drawn: _Drawn = []
    for name in sorted(by_field, key=lambda name: (len(by_field[name]), name)):
        free = [question for question in by_field[name] if question.id not in taken]
        chosen = _sampled(name, free, settings)
        taken.update(question.id for question in chosen)
        drawn += [(name, question) for question in chosen]
    order = {name: place for place, name in enumerate(fields.groups or sorted(by_field))}
    return sorted(drawn, key=lambda each: order[each[0]])


def _sampled(field: str, questions: list[Question], settings: PoolSettings) -> list[Question]:
    dice = random.Random(f"{settings.seed} {field}")  # noqa: S311
    shuffled = dice.sample(questions, len(questions))
    if settings.newest:
        shuffled.sort(key=lambda question: -(question.query.year or 0))
    return shuffled[: settings.queries]


def choose(
    runs: Sequence[Run], questions: Sequence[Question], settings: PoolSettings
) -> tuple[list[Run], dict[str, float]]:
    """Return the runs with the lowest mean Jaccard index of best negatives with the others (section
    4.1), and all those means; equal ones stay in the order given.
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
    """What drawing for one query needs to know."""

    dice: random.Random
    scope: Scope
    cited: list[str]
    """The titles of what the query cites, wherever and whenever."""
    taken: set[int]
    """What it cites and what was drawn; grows."""

    @classmethod
    def of(cls, stores: Stores, question: Question, seed: int) -> "_Draw":
        own = {
            *question.gold,
            *stores.graph.references(stores.papers.find([question.id])).values.tolist(),
        }
        return cls(
            random.Random(f"{seed} {question.id}"),
            scope_of(stores.papers, question.query),
            stores.papers.titles(np.array(sorted(own), np.int64)),
            own,
        )

    def kept(self, rows: Rows, titles: list[str]) -> list[int]:
        """Return what of the drawn is no other version of something cited; looking for those first
        would take minutes in a large stores.
        """
        versions = {place for _, place in similar_titles(self.cited, titles)}
        self.taken.update(rows.tolist())
        return [row for place, row in enumerate(rows.tolist()) if place not in versions]


class _Maker:
    """Makes pools of rows."""

    def __init__(self, stores: Stores, settings: PoolSettings, members: dict[str, Rows]) -> None:
        self._stores, self._settings, self._members = stores, settings, members
        self._most_cited = functools.cache(self._count_most_cited)
        self._counts = functools.cache(self._count_citations)
        everything = stores.graph.references(stores.papers.rows)
        self._cited, self._citing_years = (
            everything.values,
            np.repeat(stores.papers.years(stores.papers.rows), everything.lengths),
        )
        self._fit = _with_abstract(
            stores, stores.papers.rows[stores.papers.years(stores.papers.rows) > 0], settings
        )

    def pool(self, field: str, question: Question, tops: dict[str, Rows]) -> _RowPool:
        """Return a query's pool; the kinds are filled one after the other."""
        settings, stores = self._settings, self._stores
        draw = _Draw.of(stores, question, settings.seed)
        cited = _with_abstract(stores, question.gold, settings).tolist()
        cited = draw.dice.sample(cited, min(settings.cited, len(cited)))
        tiers = {
            **{system: [top[top >= 0][: settings.depth]] for system, top in tops.items()},
            GRAPH: neighbourhoods(stores, question, draw.scope),
            MOST_CITED: [self._most_cited(field, question.query.year or 0)],
            RANDOM: [self._fit],
        }
        return _RowPool(
            field, question, cited, {kind: self._filled(draw, each) for kind, each in tiers.items()}
        )

    def _filled(self, draw: "_Draw", tiers: Iterable[Rows]) -> list[int]:
        """Draw negatives from the first tier, and as long as there are too few, from the next; a
        tier has each once.
        """
        chosen: list[int] = []
        for tier in tiers:
            rows = np.sort(tier)
            rows = rows[
                self._stores.papers.in_scope(rows, draw.scope) & ~np.isin(rows, [*draw.taken])
            ]
            rows = _with_abstract(self._stores, rows, self._settings)
            while rows.size and len(chosen) < self._settings.negatives:
                places = draw.dice.sample(
                    range(rows.size), min(self._settings.negatives - len(chosen), rows.size)
                )
                chosen += draw.kept(rows[places], self._stores.papers.titles(rows[places]))
                rows = np.delete(rows, places)
        return chosen

    def _count_most_cited(self, field: str, year: int) -> Rows:
        """Return a field's papers with the most citations made before a year; equal ones in the
        order of rows.
        """
        rows = self._members[field]
        rows = rows[self._stores.papers.years(rows) <= year]
        counts = self._counts(year)[rows]
        return rows[
            np.argsort(-counts, kind="stable")[
                : min(self._settings.depth, np.count_nonzero(counts))
            ]
        ]

    def _count_citations(self, year: int) -> Rows:
        made = (self._citing_years > 0) & (self._citing_years < year)
        return np.bincount(
            self._cited[made], minlength=int(self._stores.papers.rows.max(initial=-1)) + 1
        )


def neighbourhoods(stores: Stores, question: Question, scope: Scope) -> list[Rows]:
    """Return for each cited paper c what it cites and what cites it, those first that share the most with the query:
    |OC(q) ∩ (OC(c) ∪ IC(c))| / |OC(q)| (section 4.1); equal ones in the order of rows.
    """
    cited = np.array(question.gold, np.int64)
    references, citers = stores.graph.references(cited, scope), stores.graph.citers(cited, scope)
    around = [np.union1d(references[place], citers[place]) for place in range(cited.size)]
    overlaps = np.array([np.isin(cited, rows).mean() for rows in around])
    return [around[place] for place in np.argsort(-overlaps, kind="stable").tolist()]


def _with_abstract(stores: Stores, rows: Sequence[int] | Rows, settings: PoolSettings) -> Rows:
    found = np.asarray(rows, np.int64)
    return found[stores.terms.lengths(found, "abstract") > 0] if settings.abstract else found


def _united(lists: Iterable[Sequence[int]]) -> Rows:
    return np.array(sorted({row for each in lists for row in each}), np.int64)


def _named(stores: Stores, pools: Sequence[_RowPool]) -> tuple[Pool, ...]:
    rows = _united([*pool.cited, *itertools.chain(*pool.negatives.values())] for pool in pools)
    names = dict(zip(rows.tolist(), (paper.id for paper in stores.papers.read(rows)), strict=True))
    return tuple(
        Pool(
            id=pool.question.id,
            field=pool.field,
            cited=tuple(names[row] for row in pool.cited),
            negatives={
                kind: tuple(names[row] for row in found) for kind, found in pool.negatives.items()
            },
            hidden=pool.question.query.hidden,
        )
        for pool in pools
    )
