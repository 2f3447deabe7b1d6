"""Systems x questions x measures in one call, over the same recommender that serves."""

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from citewise.errors import BadInput
from citewise.evaluate.measures import Hits, Measure, Values, interval, parse_measures, significance
from citewise.evaluate.runs import FOREIGN, Progress, Run, Workers, ask, foreign
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.systems import System
from citewise.types import Paper

MEASURES = "F1@20 MRR@1000 R@1000"
"""Those of the seed papers."""

_DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_GROUPS = 25
_REFERENCES = ((1, 4), (5, 9), (10, 19), (20, 49), (50, None))
_BETWEEN = re.compile(r",(?![^(]*\))")
_SEVERAL = re.compile(r"=([^,()|]+(?:\|[^,()|]+)+)")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure's value with its 95% bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Group:
    """The values of the measures over some of the questions."""

    queries: int
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class Scored:
    """One system's results."""

    system: str
    values: dict[str, Estimate]
    """By measure."""
    recall: dict[int, float]
    """By depth."""
    milliseconds: dict[str, float] | None
    """What an answer took: median, p95. None for a run file."""
    answered: int
    """Questions with an answer at all; the others count as zero."""
    dropped: int
    """Papers of a run file that were out of scope and taken out."""
    groups: dict[str, dict[str, Group]]
    """By facet and group."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far one system's measure is above another's, and the p-value of that difference."""

    measure: str
    system: str
    baseline: str
    difference: float
    p: float


@dataclass(frozen=True, slots=True)
class Results:
    """The results of an evaluation."""

    library: str
    """The library's fingerprint."""
    papers: int
    queries: int
    guarded: bool
    """False: the questions saw what no draft can see; the numbers are no measure of quality."""
    jobs: int
    """Processes that answered at the same time; several make each other a little slower."""
    depth: int
    measures: tuple[str, ...]
    systems: tuple[Scored, ...]
    comparisons: tuple[Comparison, ...]
    """Every pair of systems, each with the earlier one as the baseline."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How an evaluation is run."""

    measures: tuple[Measure, ...] = field(default_factory=lambda: parse_measures(MEASURES))
    by: tuple[str, ...] = ()
    """Facets to break results down by."""
    jobs: int = 1
    folder: Path | None = None
    """Where journals are kept, so that an interrupted evaluation goes on where it stopped."""
    depth: int = 0
    """How deep rankings are, where that is more than the deepest measure needs."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise BadInput for a setting that makes no sense."""
        unknown = [name for name in self.by if name not in FACETS]
        if unknown or not self.measures:
            raise BadInput(
                f"no breakdown by {unknown[0]!r}; known: {', '.join(FACETS)}"
                if unknown
                else "name at least one measure, such as F1@20"
            )


def evaluate(
    stores: Stores,
    systems: Sequence[str],
    questions: Sequence[Question],
    settings: Settings | None = None,
    progress: Progress = lambda done, total: None,
) -> Results:
    """Ask every system every question, and return the measures; a system is spelled as elsewhere,
    or `run:FILE` for another program's answers.
    """
    settings = settings or Settings()
    return score(
        stores, answers(stores, systems, questions, settings, progress), questions, settings
    )


def answers(
    stores: Stores,
    systems: Sequence[str],
    questions: Sequence[Question],
    settings: Settings,
    progress: Progress = lambda done, total: None,
) -> list[Run]:
    """Return the answers of each system to the questions."""
    if not questions:
        raise BadInput(
            "there is no question to ask: no paper of the library fits the split's conditions"
        )

    names, depth = spelled(systems), _depth(settings)
    runs = {
        name: foreign(stores, name, questions, depth) for name in names if name.startswith(FOREIGN)
    }
    ours = [name for name in names if name not in runs]
    total = len(ours) * len(questions)

    with Workers(stores, settings.jobs) as workers:
        for number, name in enumerate(ours):
            report = functools.partial(_report, progress, number * len(questions), total)
            runs[name] = ask(workers, stores, name, questions, depth, settings.folder, report)
    return [runs[name] for name in names]


def _report(progress: Progress, before: int, total: int, done: int, _: int | None) -> None:
    """Report the progress of one of several systems; `before` questions are done by the others."""
    progress(before + done, total)


def spelled(systems: Sequence[str]) -> list[str]:
    """Return the systems in their full spelling, each once.

    A text may name several with commas between, and a setting several values:
    `bm25(k1=0.9|1.2,b=0.4|0.75)` is four.
    """
    parts = [part.strip() for text in systems for part in _BETWEEN.split(text) if part.strip()]
    if not parts:
        raise BadInput("name at least one system, such as bm25")
    return list(
        dict.fromkeys(
            each if each.startswith(FOREIGN) else str(System.parse(each))
            for part in parts
            for each in _expanded(part)
        )
    )


def _expanded(system: str) -> list[str]:
    """Return a system with several values of a setting as one system a value."""
    several = _SEVERAL.search(system)
    if system.startswith(FOREIGN) or not several:
        return [system]
    return [
        each
        for value in several[1].split("|")
        for each in _expanded(
            f"{system[: several.start(1)]}{value.strip()}{system[several.end(1) :]}"
        )
    ]


def _depth(settings: Settings) -> int:
    return max([settings.depth, *(measure.k for measure in settings.measures)])


def score(
    stores: Stores, runs: Sequence[Run], questions: Sequence[Question], settings: Settings
) -> Results:
    """Return the measures of runs."""
    depth, gold = _depth(settings), [question.gold for question in questions]
    hits = {run.system: Hits.of(run.rankings, gold, depth) for run in runs}
    groups = {facet: _groups(stores, questions, FACETS[facet]) for facet in settings.by}

    return Results(
        library=stores.info.fingerprint,
        papers=len(stores.papers),
        queries=len(questions),
        guarded=all(question.guarded for question in questions),
        jobs=settings.jobs,
        depth=depth,
        measures=tuple(map(str, settings.measures)),
        systems=tuple(_scored(run, hits[run.system], groups, settings) for run in runs),
        comparisons=tuple(_comparisons(hits, settings)),
    )


def _scored(
    run: Run, hits: Hits, groups: Mapping[str, Mapping[str, list[int]]], settings: Settings
) -> Scored:
    """Return one system's results over all questions and over each group."""
    return Scored(
        system=run.system,
        values={str(each): _estimate(each, hits, settings.seed) for each in settings.measures},
        recall={
            depth: Measure("R", depth).of(hits)
            for depth in _DEPTHS
            if depth <= hits.relevant.shape[1]
        },
        milliseconds=_latency(run),
        answered=sum(ranking.size > 0 for ranking in run.rankings),
        dropped=run.dropped,
        groups={
            facet: {
                name: _group(hits.take(np.array(positions)), settings.measures)
                for name, positions in members.items()
            }
            for facet, members in groups.items()
        },
    )


def _estimate(measure: Measure, hits: Hits, seed: int) -> Estimate:
    return Estimate(measure.of(hits), *interval(measure.each(hits), seed))


def _latency(run: Run) -> dict[str, float] | None:
    if run.seconds is None:
        return None
    median, late = np.quantile(run.seconds, [0.5, 0.95]) * 1000
    return {"median": float(median), "p95": float(late)}


def _group(hits: Hits, measures: Iterable[Measure]) -> Group:
    return Group(hits.wanted.size, {str(measure): measure.of(hits) for measure in measures})


def _comparisons(hits: Mapping[str, Hits], settings: Settings) -> Iterable[Comparison]:
    for measure in settings.measures:
        values: dict[str, Values] = {name: measure.each(each) for name, each in hits.items()}
        for one, other in itertools.combinations(hits, 2):
            yield Comparison(
                str(measure),
                other,
                one,
                measure.of(hits[other]) - measure.of(hits[one]),
                significance(values[one], values[other], settings.seed),
            )


# Breakdowns


def _by_references(question: Question, paper: Paper) -> Sequence[str]:
    """Return the range that the number of references is in, such as "10 to 19"."""
    count = len(question.gold)
    first, last = next(
        (first, last) for first, last in _REFERENCES if last is None or count <= last
    )
    return [f"{first} and more" if last is None else f"{first} to {last}"]


FACETS: dict[str, Callable[[Question, Paper], Sequence[str]]] = {
    "field": lambda question, paper: paper.fields or ["none"],
    "year": lambda question, paper: [str(paper.year or "unknown")],
    "references": _by_references,
    "abstract": lambda question, paper: ["with" if paper.abstract else "without"],
    "venue": lambda question, paper: [paper.venue or "unknown"],
}
"""By name: the groups that a question is in; one with several fields counts in each."""


def _groups(
    stores: Stores, questions: Sequence[Question], facet: Callable[[Question, Paper], Sequence[str]]
) -> dict[str, list[int]]:
    """Return the positions of each group's questions, by the group's name; only the largest groups
    where there are many.
    """
    members = [facet(question, _paper(stores, question)) for question in questions]
    counted = Counter(name for names in members for name in names)
    kept = {name for name, _ in counted.most_common(_MOST_GROUPS)}

    groups: dict[str, list[int]] = {name: [] for name in sorted(kept, key=_natural)}
    for position, names in enumerate(members):
        for name in kept.intersection(names):
            groups[name].append(position)
    return groups


def _natural(name: str) -> tuple[int, str]:
    """Return a key that sorts names by the number that they begin with, then by their letters."""
    number = re.match(r"\d+", name)
    return (int(number[0]) if number else 0, name)


def _paper(stores: Stores, question: Question) -> Paper:
    """Return the paper that a question was made from."""
    row = int(stores.papers.find([question.id])[0])
    if row >= 0:
        return stores.papers.read([row])[0]
    return Paper(question.id, question.query.title, question.query.abstract, question.query.year)
