"""Which papers may be in pools at all, and which queries may not be asked.

MDCR leaves papers out before anything is drawn (Medić and Šnajder 2022, section 3), and queries
that an encoder was trained on (section 3.1).
"""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadInput, MissingData
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores

SHORTEST_ABSTRACT = 30
"""Characters."""

LEAST_CITATIONS = 3
"""Made or received, within the library."""

_BATCH = 20_000


def prefiltered(stores: Stores) -> Rows:
    """Return the papers with a year, a title, an abstract of at least 30 characters and at least 3
    citations, sorted; reads the whole library.
    """
    every = stores.papers.rows
    linked = stores.graph.references(every).lengths + stores.graph.citers(every).lengths
    rows = every[(linked >= LEAST_CITATIONS) & (stores.papers.years(every) > 0)]

    kept = [
        paper.title.strip() != "" and len(paper.abstract.strip()) >= SHORTEST_ABSTRACT
        for start in range(0, rows.size, _BATCH)
        for paper in stores.papers.read(rows[start : start + _BATCH])
    ]
    return rows[np.array(kept, np.bool_)]


def read_ids(path: str | Path) -> list[str]:
    """Return the ids of a file: one a line, or the training part of a split file."""
    try:
        text = Path(path).read_text("utf-8")
    except FileNotFoundError:
        raise MissingData(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file; write one id a line") from None

    if text.lstrip().startswith("{"):
        return [paper.id for paper in Split.load(path).parts.get("train", ())]
    return [line.strip() for line in text.splitlines() if line.strip()]


def without(stores: Stores, questions: Sequence[Question], ids: Sequence[str]) -> list[Question]:
    """Return the questions that no id names, whatever its spelling."""
    named = stores.papers.find(ids)
    left_out = {*named[named >= 0].tolist()}
    rows = stores.papers.find([question.id for question in questions])
    return [
        question
        for question, row in zip(questions, rows.tolist(), strict=True)
        if row not in left_out
    ]


def of_papers(stores: Stores, questions: Sequence[Question], papers: Rows) -> list[Question]:
    """Return the questions whose papers are among some papers."""
    rows = stores.papers.find([question.id for question in questions])
    return [
        question for question, kept in zip(questions, np.isin(rows, papers), strict=True) if kept
    ]


def sampled(questions: Sequence[Question], limit: int | None, seed: int = 0) -> list[Question]:
    """Return at most `limit` of the questions, drawn at random, in their order."""
    if limit is None or limit >= len(questions):
        return [*questions]
    generator = random.Random(seed)  # noqa: S311 (reproducible sampling)
    drawn = sorted(generator.sample(range(len(questions)), limit))
    return [questions[position] for position in drawn]
