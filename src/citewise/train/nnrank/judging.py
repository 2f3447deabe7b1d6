"""How well NNRank ranks the candidates of dev queries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citewise.arrays import Rows
from citewise.evaluate.measures import Hits, parse_measures
from citewise.evaluate.splits import Question
from citewise.rank.nnrank import NNRankModel
from citewise.rank.nnrank_features import PairFeatures, PairReader
from citewise.recommend import scope_of
from citewise.retrieve.nnselect import NNSelect
from citewise.train.nnrank.examples import POOL

MEASURES = "F1@20 MRR@1000 R@1000"
MEASURE = "F1@20"
"""The one that decides which epoch is best, and whether the model is better than what serves."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """The candidates of a dev query, by falling cosine, with their features."""

    rows: Rows
    features: PairFeatures
    gold: tuple[int, ...]

    @classmethod
    def of(cls, reader: PairReader, select: NNSelect, question: Question) -> "Judged":
        """Return the candidates of a question."""
        scope = scope_of(reader.stores.papers, question.query)
        rows = select.retrieve(question.query, POOL, scope).rows
        return cls(rows, reader.of(question.query, rows, scope), question.gold)


def figures(judge: Sequence[Judged], model: NNRankModel | None = None) -> Figures:
    """Return measures of a model's rankings; without a model, of the order of candidates."""
    rankings = [each.rows if model is None else _ranked(model, each) for each in judge]
    hits = Hits.of(rankings, [each.gold for each in judge], POOL)
    return {str(each): round(each.of(hits), 4) for each in parse_measures(MEASURES)}


def _ranked(model: NNRankModel, each: Judged) -> Rows:
    """Return the candidates in the order in which they would be served."""
    scores = model.scores(model.inputs(each.features))
    return each.rows[np.lexsort((each.rows, -scores))]
