"""Cases to matrices: the features of candidates, and which of them are cited, by the same stages
that serve.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadInput
from citewise.evaluate.runs import Progress, Subject, Workers
from citewise.evaluate.splits import Question
from citewise.rank.draft_signals import linear_signals, tree_signals
from citewise.rank.learned import hits_near_draft, is_backed
from citewise.rank.linear import LinearModel, linear_features
from citewise.rank.trees import DRAFT_MODEL
from citewise.recommend import Recommender
from citewise.systems import BestSettings
from citewise.train.cases import Case, anonymous_or_not, case_of, draws, kind_of
from citewise.types import Ranking

_ONE_IN = 20
"""Of the candidates that are not cited, the linear step learns from one in this many."""

_BEST, _OTHERS = 200, 250
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
    kind = "whole"
    if not extraction.whole:
        kind = kind_of(question, extraction.seed)
        question = anonymous_or_not(question, extraction.seed)
    case = case_of(subject.stores, question, kind, extraction.seed)

    stages = extraction.settings.candidate_stages(case.stores)
    ranking = Recommender(case.stores, stages).candidates(case.query, 1, case.scope)
    if not is_backed(ranking):  # BM25 would answer
        return nothing(len(extraction.names))
    signals = linear_signals(case.stores, case.query, ranking.rows, case.scope)
    dice, known = draws(question, extraction.seed + 2), ranking.with_signals(signals)
    if extraction.linear is None:
        return _linear_examples(case, known, extraction, dice)
    return _tree_examples(case, known, extraction, extraction.linear, dice)


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
    scores = linear.scores(known.signals)
    order = np.lexsort((known.rows, -scores))[: extraction.settings.kept]
    best = known.scored(scores, {"linear_score": scores}).take(order)
    near = hits_near_draft(known)
    best = best.with_signals(tree_signals(case.stores, case.query, best, near, case.scope))
    cited = np.isin(best.rows, case.gold)
    matrix = DRAFT_MODEL.features(best.signals, extraction.names)
    if extraction.whole:
        return of_query(matrix, cited, np.ones(cited.size), case.gold.size)

    behind = dice.permutation(np.arange(_BEST, len(best)))[:_OTHERS]
    # shuffled, since a tree keeps equal candidates in the order in which they come
    taken = dice.permutation(np.append(np.arange(min(_BEST, len(best))), behind))
    weights = np.where(taken < _BEST, 1.0, max((len(best) - _BEST) / _OTHERS, 1.0))
    return of_query(matrix[taken], cited[taken], weights, case.gold.size)


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
