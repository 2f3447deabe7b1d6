"""Fits calibrations: held-out papers are asked for their references, and so are word salads, which
have none.
"""

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Mask
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.rank.answer_facts import LibraryFacts
from citewise.rank.calibration import (
    DEPTH,
    FALLING,
    RISING,
    Calibration,
    Curve,
    Curves,
    answer_inputs,
)
from citewise.recommend import Recommender
from citewise.train.fitting import logistic
from citewise.types import Judge, Query

LEAST_QUERIES = 20
"""Curves need this many queries with a cited paper among the best candidates."""

_TENTHS = 10
_TINY = 1e-9
_SALADS = (2, 3, 4, 6, 10, 20, 50, 100)
"""Lengths of word salads, in words."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The best candidates of one query: the inputs of a curve, and which of them are cited."""

    judge: Judge
    inputs: dict[str, Column]
    cited: Mask


def observed(
    stores: Stores,
    recommender: Recommender,
    questions: Iterable[Question],
    progress: Callable[[], None] = lambda: None,
) -> list[Observation]:
    """Return what a system answers to questions; those without an answer are left out."""
    library, found = LibraryFacts.of(stores), []
    for question in questions:
        ranking = recommender.rank(question.query, DEPTH)
        if len(ranking):
            inputs = answer_inputs(stores, library, question.query, ranking, ranking.rows)
            cited = np.isin(ranking.rows, question.gold)
            found.append(Observation(ranking.judge, inputs, cited))
        progress()
    return found


def word_salads(stores: Stores, count: int, seed: int, sentences: bool = False) -> list[Question]:
    """Return queries of words from papers that have nothing to do with each other: nothing is to be
    cited for them.
    """
    dice, rows = random.Random(seed), stores.papers.rows  # noqa: S311 (reproducible sampling)
    found = []
    for number in range(count):
        taken = [dice.randrange(rows.size) for _ in range(_SALADS[number % len(_SALADS)])]
        papers = stores.papers.read(rows[taken])
        words = [dice.choice(f"{each.title} {each.abstract}".split() or [""]) for each in papers]
        text = " ".join(words) or "salad"
        query = Query(sentence=text) if sentences else Query(title=text)
        found.append(Question(f"salad {number}", query, ()))
    return found


def _titles_only(questions: Sequence[Question]) -> list[Question]:
    """Return every third question with its title alone: authors ask so, too."""
    return [replace(each, query=replace(each.query, abstract="")) for each in questions[::3]]


def fit_calibration(
    observations: Sequence[Observation], model: str, source: str
) -> Calibration | None:
    """Return the calibration of the model with a digest; None where there are too few queries."""
    curves: dict[Judge, Curves] = {}
    queries: dict[str, int] = {}
    for judge in get_args(Judge):
        own = [each for each in observations if each.judge == judge]
        hits = [each for each in own if each.cited.any()]
        if len(hits) >= LEAST_QUERIES:
            curves[judge] = Curves(fit_curve([_as_one(each) for each in own]), fit_curve(hits))
            queries[judge] = len(own)
    return Calibration(model, source, curves, queries) if curves else None


def _as_one(observation: Observation) -> Observation:
    """Return an answer as one candidate, which is cited if any is, with the facts alone."""
    own = RISING | FALLING
    facts = {name: each[:1] for name, each in observation.inputs.items() if name not in own}
    return Observation(observation.judge, facts, np.array([observation.cited.any()]))


def fit_curve(observations: Sequence[Observation]) -> Curve:
    """Return the curve that fits best.

    An input that would bring chances and order apart is left out, and so is one that never varies.
    """
    columns = {
        name: np.concatenate([each.inputs[name] for each in observations])
        for name in observations[0].inputs
    }
    cited = np.concatenate([each.cited for each in observations]).astype(np.float64)

    names = [name for name, column in columns.items() if np.ptp(column) > _TINY]
    while True:
        matrix = np.column_stack([np.zeros((cited.size, 0)), *(columns[name] for name in names)])
        weights = logistic(matrix, cited, np.ones(cited.size))
        fitted = dict(zip(names, weights.tolist(), strict=False))
        wrong = [name for name in names if _parts_from_order(name, fitted[name])]
        if not wrong:
            break
        names.remove(wrong[0])

    ranges = {name: (float(columns[name].min()), float(columns[name].max())) for name in names}
    return Curve(fitted, float(weights[-1]), ranges)


def _parts_from_order(name: str, weight: float) -> bool:
    """Whether an input with this weight lets chances rise where scores fall."""
    return (name in RISING and weight < 0) or (name in FALLING and weight > 0)


def calibrated(
    stores: Stores,
    recommender: Recommender,
    dev: Sequence[Question],
    model: str,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> tuple[Calibration | None, list[dict[str, float]]]:
    """Return the calibration of a system, fitted on dev questions; and by tenths of the candidates
    of every other question what a fit on the rest expects of them, and what is cited.
    """
    is_sentence = any(each.query.sentence for each in dev)
    salads = word_salads(stores, len(dev) // 3, 0, is_sentence)
    halves = [[*dev[start::2], *_titles_only(dev[start::2])] for start in (0, 1)]
    total, done = sum(map(len, (*halves, salads))), itertools.count(1)

    def asked(questions: Sequence[Question]) -> list[Observation]:
        return observed(stores, recommender, questions, lambda: progress(next(done), total))

    parts = [asked(questions) for questions in (*halves, salads)]
    source = f"held-out {'sentences' if is_sentence else 'papers'} of this library{_years(dev)}"

    tried = fit_calibration([*parts[0], *parts[2]], model, source)
    chances, cited = expected(tried, parts[1]) if tried else (np.zeros(0), np.zeros(0, np.bool_))
    tenths = Reliability.of(chances, cited).tenths if chances.size else []
    return fit_calibration([each for part in parts for each in part], model, source), tenths


def _years(questions: Sequence[Question]) -> str:
    """Return the years of questions in parentheses: " (2021)", " (2019 to 2021)", or ""."""
    years = sorted({each.query.year for each in questions if each.query.year is not None})
    if not years:
        return ""
    return f" ({years[0]})" if len(years) == 1 else f" ({years[0]} to {years[-1]})"


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far chances can be trusted: expected and true shares of cited candidates."""

    brier: float
    """The mean square of chance less truth."""
    reference: float
    """The same where every candidate has the same chance, the share that is cited."""
    error: float
    """The mean distance of expected and true shares over the tenths (ECE)."""
    tenths: list[dict[str, float]]
    """By tenths of the candidates, the least likely first."""

    @classmethod
    def of(cls, chances: Column, cited: NDArray[np.bool_]) -> "Reliability":
        """Return how well chances fit what is cited."""
        parts = np.array_split(np.argsort(chances, kind="stable"), _TENTHS)
        tenths = [
            {
                "candidates": float(part.size),
                "expected": round(float(chances[part].mean()), 3),
                "cited": round(float(cited[part].mean()), 3),
            }
            for part in parts
            if part.size
        ]
        apart = [abs(chances[part].sum() - cited[part].sum()) for part in parts if part.size]
        share = float(cited.mean()) if cited.size else 0.0
        return cls(
            brier=round(float(((chances - cited) ** 2).mean()), 4),
            reference=round(share * (1 - share), 4),
            error=round(float(sum(apart)) / max(cited.size, 1), 4),
            tenths=tenths,
        )


def expected(calibration: Calibration, observations: Sequence[Observation]) -> tuple[Column, Mask]:
    """Return the chances of all candidates, and which are cited; what has no curve is left out."""
    known = [each for each in observations if each.judge in calibration.curves]
    chances = [calibration.curves[each.judge].chances(each.inputs).each for each in known]
    return (
        np.concatenate([np.zeros(0), *chances]),
        np.concatenate([np.zeros(0, np.bool_), *(each.cited for each in known)]),
    )
