"""What NNRank learns from: the features of papers that a query cites, and of some that it does not.

Features are computed by the function that serves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.rank.nnrank_features import PairFeatures, PairReader
from citewise.recommend import scope_of
from citewise.retrieve.nnselect import NNSelect
from citewise.train.cases import anonymous_or_not, draws
from citewise.train.nnselect.losses import CITATION, NEAREST, RANDOM

POSITIVE = -1
"""The kind of a paper that is cited; the others are kinds of negatives."""

POOL = 1000
"""Candidates of a query."""

_NEAR = 100
"""How many of the papers that are not cited are near."""
_POSITIVES, _NEAREST, _FURTHER, _CITATIONS, _RANDOM = 30, 40, 30, 20, 10
"""At most this many papers of each sort are kept of a query: cited ones; near candidates that are
not cited, and further ones; what cited papers cite; and any.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """Some papers of one query: their features, what each is, and how often it was cited."""

    features: PairFeatures
    kinds: NDArray[np.int64]
    citations: NDArray[np.int64]


def examples(
    select: NNSelect,
    reader: PairReader,
    questions: Sequence[Question],
    seed: int,
    progress: Callable[[int, int], None],
) -> list[Example]:
    """Return an example of each question that has both cited and other papers; some questions do
    not name their authors, venue and key phrases.
    """
    found = []
    for number, question in enumerate(questions, 1):
        example = _example(select, reader, anonymous_or_not(question, seed), draws(question, seed))
        if example is not None:
            found.append(example)
        progress(number, len(questions))
    return found


def _example(
    select: NNSelect, reader: PairReader, question: Question, random: np.random.Generator
) -> Example | None:
    query, stores = question.query, reader.stores
    scope = scope_of(stores.papers, query)
    rows, kinds = _chosen(stores, question, select.retrieve(query, POOL, scope).rows, random)
    if not 0 < np.count_nonzero(kinds == POSITIVE) < kinds.size:
        return None
    citations = stores.graph.citers(rows, scope).lengths
    return Example(reader.of(query, rows, scope), kinds, citations)


def _chosen(
    stores: Stores, question: Question, candidates: Rows, random: np.random.Generator
) -> tuple[Rows, NDArray[np.int64]]:
    """Return the papers that a query learns from, each once, and their kinds."""
    scope, gold = scope_of(stores.papers, question.query), np.array(question.gold, np.int64)
    others = candidates[~np.isin(candidates, gold)]
    second = np.unique(stores.graph.references(gold, scope).values)
    drawn = {
        POSITIVE: _some(gold, _POSITIVES, random),
        NEAREST: np.append(
            _some(others[:_NEAR], _NEAREST, random), _some(others[_NEAR:], _FURTHER, random)
        ),
        CITATION: _some(second, _CITATIONS, random),
        RANDOM: random.choice(stores.papers.rows, _RANDOM),
    }
    rows = np.concatenate([*drawn.values()])
    kinds = np.repeat([*drawn], [each.size for each in drawn.values()])

    # a paper is of its first kind, and what is cited is no negative
    kept = np.sort(np.unique(rows, return_index=True)[1])
    kept = kept[stores.papers.in_scope(rows[kept], scope)]
    kept = kept[(kinds[kept] == POSITIVE) | ~np.isin(rows[kept], gold)]
    return rows[kept], kinds[kept]


def _some(rows: Rows, limit: int, random: np.random.Generator) -> Rows:
    """Return at most `limit` of some rows, drawn at random."""
    return random.permutation(rows)[:limit]
