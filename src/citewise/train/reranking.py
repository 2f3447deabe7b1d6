"""Learns the final order of a re-ranked system on a library's papers, under the leak guard."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.errors import BadInput
from citewise.evaluate.measures import Hits, parse_measures
from citewise.evaluate.runs import Run, Workers, ask
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.rank.final_order import (
    FIXED,
    RERANKING,
    FinalOrder,
    SavedOrders,
    saved_orders,
    standardised,
)
from citewise.reranking import Reranking
from citewise.systems import System
from citewise.train.findings import Figures
from citewise.train.fitting import logistic
from citewise.train.folds import fold_of
from citewise.train.training import LEAST_QUERIES, Stage

_FOLDS = 5
_HEAVIEST = 4.0
"""An opinion weighs at most this much beside a system's own scores."""

MEASURES = "F1@20 MRR@1000"


@dataclass(frozen=True, slots=True)
class Read:
    """The first papers of one question, with their scores and the opinions about them."""

    question: Question
    rows: Rows
    scores: Column
    opinions: dict[str, Column]

    @property
    def cited(self) -> NDArray[np.bool_]:
        """Which of them the question's paper cites."""
        return np.isin(self.rows, self.question.gold)

    def ranked(self, order: FinalOrder) -> Rows:
        """Return the papers in a final order."""
        scores = self.scores + sum(order.parts(self.scores, self.opinions).values())
        return self.rows[np.argsort(-scores, kind="stable")]


@dataclass(frozen=True, slots=True)
class OrderTraining:
    """A learned final order and what is worth knowing about it."""

    key: str
    order: FinalOrder
    quality: dict[str, Figures]
    """Of the first order, of fixed weights, and of learned weights on queries that they were not
    learned from.
    """


def first_papers(
    stores: Stores,
    system: str,
    depth: int,
    questions: Sequence[Question],
    stage: Stage = lambda what, done, total: None,
    folder: Path | None = None,
) -> Run:
    """Return the first papers of a system for some questions, with their scores."""
    with Workers(stores) as workers:
        return ask(
            workers,
            stores,
            system,
            questions,
            depth,
            folder,
            lambda done, total: stage("questions", done, total),
        )


def opinions_about(
    stores: Stores,
    reranking: Reranking,
    questions: Sequence[Question],
    run: Run,
    stage: Stage = lambda what, done, total: None,
) -> list[Read]:
    """Return what the models of a re-ranking think of the first papers of each question."""
    opinions = reranking.opinions(stores)
    found = []
    for number, (question, ranking, scores) in enumerate(
        zip(questions, run.rankings, run.scores, strict=True), 1
    ):
        rows = ranking[: reranking.depth]
        read = {name: opinion(question.query, rows) for name, opinion in opinions.items()}
        found.append(Read(question, rows, scores[: reranking.depth], read))
        stage("papers read", number, len(questions))
    return found


def learn_order(
    stores: Stores,
    system: str,
    reranking: Reranking,
    questions: Sequence[Question],
    stage: Stage = lambda what, done, total: None,
    folder: Path | None = None,
) -> OrderTraining:
    """Learn how much the opinions of a re-ranking weigh beside a system's scores; nothing is saved
    but the system's answers, in `folder` where it is given.

    The questions must be none that the models or the system learned from.
    """
    if len(questions) < LEAST_QUERIES:
        raise BadInput(
            f"a final order is learned from at least {LEAST_QUERIES} papers with references, not "
            f"{len(questions)}; without it, re-ranking goes on with fixed weights"
        )
    system = str(System.parse(system))
    run = first_papers(stores, system, reranking.depth, questions, stage, folder)
    read = opinions_about(stores, reranking, questions, run, stage)
    return OrderTraining(reranking.key(system), *learned(read))


def learned(read: Sequence[Read]) -> tuple[FinalOrder, dict[str, Figures]]:
    """Return the final order that was learned from all questions, and the quality of orders that
    were learned without the questions that they are measured on.

    Where the opinions did not help there, their weights are 0: the first order stays.
    """
    quality = {
        "first": figures(read, [each.rows for each in read]),
        "fixed": figures(read, [each.ranked(FIXED) for each in read]),
        "learned": figures(read, cross_validated(read)),
    }

    order = fitted(read)
    if not is_better(quality["learned"], quality["first"]):
        order = msgspec.structs.replace(order, weights=dict.fromkeys(order.weights, 0.0))
    return msgspec.structs.replace(order, figures=quality), quality


def cross_validated(read: Sequence[Read]) -> list[Rows]:
    """Return the papers of each question in an order that was learned without its fold."""
    folds = [fold_of(each.question.id, _FOLDS) for each in read]
    apart = {
        fold: fitted([each for each, own in zip(read, folds, strict=True) if own != fold])
        for fold in sorted({*folds})
    }
    return [each.ranked(apart[fold]) for each, fold in zip(read, folds, strict=True)]


def is_better(new: Figures, old: Figures) -> bool:
    """Whether an order is above another by one measure and below it by none."""
    return new != old and all(new[name] >= old[name] for name in old)


def figures(read: Sequence[Read], rankings: Sequence[Rows]) -> Figures:
    """Return the measures of rankings."""
    measures = parse_measures(MEASURES)
    depth = max(measure.k for measure in measures)
    hits = Hits.of(rankings, [each.question.gold for each in read], depth)
    return {str(measure): round(measure.of(hits), 4) for measure in measures}


def fitted(read: Sequence[Read]) -> FinalOrder:
    """Return the weights that tell cited papers from others best, by logistic regression over
    standardised scores and opinions; an opinion never counts against a paper.
    """
    names = [*read[0].opinions]
    columns = [
        np.column_stack([standardised(each.scores), *map(standardised, each.opinions.values())])
        for each in read
    ]
    labels = np.concatenate([each.cited for each in read]).astype(np.float64)
    own, *found = logistic(np.concatenate(columns), labels, np.ones(labels.size))[:-1].tolist()

    weights = {
        name: round(min(max(weight, 0.0) / max(own, 1e-3), _HEAVIEST), 4)
        for name, weight in zip(names, found, strict=True)
    }
    return FinalOrder(weights, learned=True, queries=len(read))


def save_order(stores: Stores, training: OrderTraining) -> None:
    """Keep a final order with its library, beside those for other systems and models."""
    known = saved_orders(stores.models).orders
    kept = SavedOrders({**known, training.key: training.order})
    stores.models.save(RERANKING, kept.encoded())
