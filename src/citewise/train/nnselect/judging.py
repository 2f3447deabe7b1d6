"""How well papers' vectors find what papers cite: exact nearest neighbours of dev queries."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.embed.word_vectors import WordVectors
from citewise.evaluate.measures import Hits, parse_measures
from citewise.evaluate.splits import Question
from citewise.protocols import FIELDS, Stores
from citewise.recommend import scope_of
from citewise.train.nnselect.settings import MEASURES

_PAPERS = 4_096
"""Papers that are embedded at once."""
_QUERIES = 64
"""Queries that are compared with all papers at once."""

Floats = NDArray[np.float32]


def vectors_of(stores: Stores, model: WordVectors, rows: NDArray[np.int64]) -> Floats:
    """Return the vectors of papers, as rows; 0 for a paper without one."""
    embedder = model.over(stores.terms.words)
    vectors = np.zeros((rows.size, model.about.size), np.float32)
    for start in range(0, rows.size, _PAPERS):
        some = rows[start : start + _PAPERS]
        title, abstract = (stores.terms.contents(some, field) for field in FIELDS)
        vectors[start : start + _PAPERS] = embedder.vectors(title, abstract)
    return np.nan_to_num(vectors, copy=False)


def judged(stores: Stores, model: WordVectors, questions: Sequence[Question]) -> dict[str, float]:
    """Return measures of the nearest papers that each query may see."""
    measures = parse_measures(MEASURES)
    depth = max(measure.k for measure in measures)
    rows = stores.papers.rows
    papers = vectors_of(stores, model, rows)

    rankings = []
    for start in range(0, len(questions), _QUERIES):
        some = questions[start : start + _QUERIES]
        texts = [model.of_text(each.query.title, each.query.abstract) for each in some]
        cosines = np.nan_to_num(np.stack(texts)) @ papers.T
        for question, found in zip(some, cosines, strict=True):
            scope = scope_of(stores.papers, question.query, question.within)
            found[~stores.papers.in_scope(rows, scope)] = -np.inf
            rankings.append(rows[_best(found, depth)])

    hits = Hits.of(rankings, [each.gold for each in questions], depth)
    return {str(measure): round(measure.of(hits), 4) for measure in measures}


def _best(scores: Floats, depth: int) -> NDArray[np.int64]:
    """Return the positions of the highest scores that are not -inf, best first."""
    best = np.arange(scores.size)
    if scores.size > depth:
        best = np.argpartition(-scores, depth)[:depth]
    best = best[np.isfinite(scores[best])]
    order: NDArray[np.int64] = best[np.lexsort((best, -scores[best]))]
    return order
