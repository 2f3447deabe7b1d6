"""Cases to matrices: the features of candidates, and which of them are cited, by the same stages
that serve.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.evaluate.runs import Progress, Subject, Workers
from citewise.evaluate.splits import Question
from citewise.rank.draft_signals import linear_signals, tree_signals
from citewise.rank.learned import hits_near_draft, is_backed
from citewise.rank.linear import LinearModel, linear_features
from citewise.rank.trees import DRAFT_MODEL
from citewise.recommend import Recommender
from citewise.systems import BestSettings
from citewise.train.cases import (
    Case,
    anonymous_or_not,
    case_of,
    draws,
    kind_of,
    with_vectors_or_not,
)
from citewise.train.folds import fold_of
from citewise.types import Ranking

_ONE_IN = 20
"""Of the candidates that are not cited, the linear step learns from one in this many."""

BEST, OTHERS = 200, 250
"""The trees learn from this many of the linear step's best candidates, and from this many that
are drawn from those behind.
"""


@dataclass(frozen=True, slots=True)
class Examples:
    """Candidates of several queries, query by query."""

    matrix: NDArray[np.float32]
    cited: NDArray[np.bool_]
    weights: NDArray[np.float32]
    """How many candidates each stands for."""
    sizes: NDArray[np.int64]
    """How many candidates of each query there are."""
    gold: NDArray[np.int64]
    """How many papers each query should find."""

    @classmethod
    def join(cls, parts: "Sequence[Examples]") -> "Examples":
        """Return the examples of all parts."""
        return cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("matrix", "cited", "weights", "sizes", "gold")
            )
        )

    def columns(self, kept: Sequence[int]) -> "Examples":
        """Return the examples with some of the features."""
        return Examples(self.matrix[:, list(kept)], self.cited, self.weights, self.sizes, self.gold)


@dataclass(frozen=True, slots=True)
class Extraction:
    """How examples are made."""

    names: tuple[str, ...]
    """The features."""
    settings: BestSettings
    seed: int
    linear: LinearModel | None = None
    """The linear step; None: its own examples are made."""
    folds: tuple[str, ...] = ()
    """Sets of vectors, each by a model that did not learn from its share of the papers (see
    `citewise.train.folds`); none: the set that serves knows nothing of the questions.
    """
    encoder: str = ""
    """The transformer whose vectors of papers are read too; "": none."""
    whole: bool = False
    """Whether all candidates that the trees would rank are taken, and no query is made poorer: for
    tuning.
    """


_How = TypeVar("_How")


def collected(
    workers: Workers,
    questions: Sequence[Question],
    work: Callable[[Subject, tuple[Question, _How]], Examples],
    how: _How,
    progress: Progress = lambda done, total: None,
) -> tuple[Examples, list[Question]]:
    """Return the examples of all questions, and the questions that have any."""
    made: list[Examples] = []
    learned_from: list[Question] = []
    parts = workers.map(work, [(question, how) for question in questions])
    for number, (question, part) in enumerate(zip(questions, parts, strict=True), 1):
        if part.sizes.size:
            made.append(part)
            learned_from.append(question)
        progress(number, len(questions))
    if not made:
        raise BadInput(
            f"no candidate of {len(questions):,} queries is backed by a citation, so there is "
            "nothing to learn: citations count from the year after they were made. The system goes "
            "on with the model that it has"
        )
    return Examples.join(made), learned_from


def examples(
    workers: Workers,
    questions: Sequence[Question],
    extraction: Extraction,
    progress: Progress = lambda done, total: None,
) -> tuple[Examples, list[Question]]:
    """Return the examples of `best`, and the questions that have any; BM25 answers the others."""
    return collected(workers, questions, _worked, extraction, progress)


def _worked(subject: Subject, task: tuple[Question, Extraction]) -> Examples:
    question, extraction = task
    kind, stores = "whole", subject.stores
    if not extraction.whole:
        kind = kind_of(question, extraction.seed)
        question = anonymous_or_not(question, extraction.seed)
        stores = with_vectors_or_not(stores, question, extraction.seed, extraction.encoder)
    case = case_of(
        stores,
        question,
        kind,
        extraction.seed,
        _set_for(question, extraction),
        extraction.encoder,
    )
    known = known_candidates(case, extraction)
    if known is None:
        return nothing(len(extraction.names))

    dice = draws(question, extraction.seed + 2)
    if extraction.linear is None:
        return _linear_examples(case, known, extraction, dice)
    return _tree_examples(case, known, extraction, extraction.linear, dice)


def _set_for(question: Question, extraction: Extraction) -> str:
    """Return the set of vectors whose model did not learn from a question's own references."""
    if not extraction.folds or extraction.whole:
        return extraction.settings.vectors
    return extraction.folds[fold_of(question.id, len(extraction.folds))]


def known_candidates(
    case: Case, extraction: Extraction, also: tuple[int, ...] = ()
) -> Ranking | None:
    """Return a case's candidates, and the rows of `also` that it may see, with the signals of the
    linear step; None where BM25 would answer.
    """
    stages = extraction.settings.candidate_stages(case.stores, case.vectors)
    scope = replace(case.scope, within=also) if also else case.scope
    ranking = Recommender(case.stores, stages).candidates(case.query, 1, scope)
    if not is_backed(ranking):
        return None
    signals = linear_signals(case.stores, case.query, ranking.rows, case.scope)
    return ranking.with_signals(signals)


def _linear_examples(
    case: Case, known: Ranking, extraction: Extraction, dice: np.random.Generator
) -> Examples:
    """Return the cited candidates and some of the others."""
    cited = np.isin(known.rows, case.gold)
    kept = cited | (dice.random(cited.size) < 1 / _ONE_IN)
    matrix = linear_features(known.signals, extraction.names, extraction.settings.depth).T
    weights = np.where(cited[kept], 1.0, _ONE_IN)
    return of_query(matrix[kept], cited[kept], weights, case.gold.size)


def _tree_examples(
    case: Case,
    known: Ranking,
    extraction: Extraction,
    linear: LinearModel,
    dice: np.random.Generator,
) -> Examples:
    """Return the linear step's best, and of those behind them only as many as are needed."""
    best, matrix = ranked_by_linear(case, known, extraction, linear)
    cited = np.isin(best.rows, case.gold)
    if extraction.whole:
        return of_query(matrix, cited, np.ones(cited.size), case.gold.size)

    behind = dice.permutation(np.arange(BEST, len(best)))[:OTHERS]
    # shuffled, since a tree keeps equal candidates in the order in which they come
    taken = dice.permutation(np.append(np.arange(min(BEST, len(best))), behind))
    weights = np.where(taken < BEST, 1.0, max((len(best) - BEST) / OTHERS, 1.0))
    return of_query(matrix[taken], cited[taken], weights, case.gold.size)


def ranked_by_linear(
    case: Case,
    known: Ranking,
    extraction: Extraction,
    linear: LinearModel,
    also: Rows | None = None,
) -> tuple[Ranking, NDArray[Any]]:
    """Return the candidates that the trees would rank, and the rows of `also`, best first by the
    linear step, with the features of the trees.
    """
    scores = linear.scores(known.signals)
    order = np.lexsort((known.rows, -scores))
    if also is None:
        order = order[: extraction.settings.kept]
    else:
        among = np.arange(order.size) < extraction.settings.kept
        order = order[among | np.isin(known.rows[order], also)]

    best = known.scored(scores, {"linear_score": scores}).take(order)
    near = hits_near_draft(known)
    best = best.with_signals(
        tree_signals(case.stores, case.vectors, case.query, best, near, case.scope)
    )
    return best, DRAFT_MODEL.features(best.signals, extraction.names)


def of_query(
    matrix: NDArray[Any], cited: NDArray[np.bool_], weights: NDArray[Any], gold: int
) -> Examples:
    """Return the examples of one query, which should find `gold` papers."""
    return Examples(
        matrix.astype(np.float32),
        cited,
        weights.astype(np.float32),
        np.array([cited.size]),
        np.array([gold]),
    )


def nothing(width: int) -> Examples:
    """Return no examples, with `width` features."""
    none = np.zeros(0, np.int64)
    return Examples(
        np.zeros((0, width), np.float32), none.astype(np.bool_), none.astype(np.float32), none, none
    )
