"""Pairs of a query and a candidate that a cross-encoder learns from, labelled by citation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.recommend import scope_of
from citewise.train.cases import draws
from citewise.train.cross_encoder.settings import CrossEncoderSettings


@dataclass(frozen=True, slots=True)
class List:
    """Some candidates of one query, and which of them it cites."""

    question: int
    """The query's number."""
    rows: Rows
    cited: NDArray[np.bool_]


def lists_of(
    stores: Stores,
    questions: Sequence[Question],
    rankings: Sequence[Rows],
    settings: CrossEncoderSettings,
) -> list[List]:
    """Return what each query teaches; a query without both cited and other papers teaches nothing
    to a loss over lists, and is left out there.
    """
    found = []
    for number, (question, ranking) in enumerate(zip(questions, rankings, strict=True)):
        rows, cited = _chosen(stores, question, ranking[: settings.depth], settings)
        if rows.size and (settings.loss == "pairs" or 0 < cited.sum() < cited.size):
            found.append(List(number, rows, cited))
    return found


def _chosen(
    stores: Stores, question: Question, ranking: Rows, settings: CrossEncoderSettings
) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the candidates that are learned from, each once, in a random order."""
    random, gold = draws(question, settings.seed + 5), np.array(question.gold, np.int64)
    scope = scope_of(stores.papers, question.query)
    retrieved = np.isin(ranking, gold)

    cited = _some(ranking[retrieved], settings.positives, random)
    others = _some(ranking[~retrieved], settings.negatives, random)
    if settings.extra_positives:
        missed = np.setdiff1d(gold[stores.papers.in_scope(gold, scope)], ranking)
        cited = np.append(cited, _some(missed, settings.extra_positives, random))
    if settings.random_negatives:
        drawn = np.unique(random.choice(stores.papers.rows, 4 * settings.random_negatives))
        drawn = drawn[stores.papers.in_scope(drawn, scope)]
        drawn = drawn[~np.isin(drawn, np.append(ranking, gold))]
        others = np.append(others, _some(drawn, settings.random_negatives, random))

    rows = np.append(cited, others)
    order = random.permutation(rows.size)
    return rows[order], (np.arange(rows.size) < cited.size)[order]


def _some(rows: Rows, limit: int, random: np.random.Generator) -> Rows:
    """Return at most `limit` of some rows, drawn at random; all for a limit of 0."""
    return random.permutation(rows)[: limit or None]


def steps_of(lists: Sequence[List], settings: CrossEncoderSettings, epoch: int) -> list[list[List]]:
    """Return the lists of each step of an epoch, in an order that follows from the seed and the
    epoch's number alone; with the loss of pairs, single pairs are shuffled.
    """
    random = np.random.default_rng((settings.seed, 3, epoch))
    parts = [*lists]
    if settings.loss == "pairs":
        parts = [
            List(each.question, each.rows[at : at + 1], each.cited[at : at + 1])
            for each in lists
            for at in range(each.rows.size)
        ]

    largest = max(each.rows.size for each in parts)
    lists_a_step = max(settings.batch // largest, 1)
    order = random.permutation(len(parts)).tolist()
    return [
        [parts[position] for position in order[start : start + lists_a_step]]
        for start in range(0, len(order), lists_a_step)
    ]
