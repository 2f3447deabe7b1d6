"""Calibration: from scores to the chance that a paper like the draft cites a candidate.

A ranker's scores compare the candidates of one query and say nothing across queries. A calibration
makes chances of them, by a logistic curve of the score, the rank, and facts about the whole answer
that tell a query at home in the library from one that is not. These facts are the same for every
candidate, so the chances never disagree with the order.
"""

import functools
import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np

from citewise.arrays import Column, RowIndex, Rows
from citewise.errors import BadLibrary
from citewise.protocols import Models, Stores
from citewise.rank.answer_facts import LibraryFacts, answer_facts
from citewise.rank.trees import ModelKind, TreeModel
from citewise.types import Match, Query, Ranking

Judge = Literal["model", "words"]
"""What gave the scores: the learned model, or BM25 where the model stands back."""

RISING, FALLING = frozenset(("score", "score share")), frozenset(("log rank",))
"""The inputs that differ between the candidates of an answer: a chance never falls with the former,
and never rises with the latter.
"""


class Curve(msgspec.Struct, frozen=True):
    """1 / (1 + exp(-(constant + sum of weight * input))), each input cut to its range."""

    weights: dict[str, float]
    """By input."""
    constant: float
    ranges: dict[str, tuple[float, float]]
    """The least and the greatest value of each input where the curve was fitted."""
    good: float
    weak: float
    """From these chances of the best candidate on, an answer is a good or a weak match: where the
    curve was fitted, three quarters and 19 of 20 answers with a cited paper were.
    """

    def chances(self, inputs: Mapping[str, Column]) -> Column:
        """Return the chance of each candidate, from columns of inputs."""
        margins = np.full(len(next(iter(inputs.values()))), self.constant)
        for name, weight in self.weights.items():
            margins += weight * np.clip(inputs[name], *self.ranges[name])
        chances: Column = 1 / (1 + np.exp(-np.clip(margins, -30, 30)))
        return chances

    def match(self, chances: Column) -> Match:
        """Return how well an answer fits its query, by the chance of its best candidate."""
        best = float(chances.max(initial=0.0))
        return "good" if best >= self.good else "weak" if best >= self.weak else "none"


class Calibration(msgspec.Struct, frozen=True):
    """The curves of one model."""

    model: str
    """The digest of the model whose scores these curves read."""
    source: str
    """What it was learned from, as an answer says it."""
    curves: dict[Judge, Curve]
    queries: dict[str, int] = {}
    """How many queries it was fitted on, by kind."""


def answer_inputs(
    stores: Stores, library: LibraryFacts, query: Query, ranking: Ranking, rows: Rows
) -> dict[str, Column]:
    """Return the columns of inputs for some rows of a ranking, which is best first."""
    facts = answer_facts(stores, library, query, ranking)
    positions = RowIndex(ranking.rows).of(rows)
    scores = ranking.scores[positions]
    return {
        "score": scores,
        "score share": scores / facts.weight,
        "log rank": np.log1p(positions),
        **{name: np.full(rows.size, value) for name, value in facts.values.items()},
    }


def judge_of(ranking: Ranking) -> Judge:
    """Return what gave a ranking its scores."""
    return "words" if ranking.settled else "model"


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances of an answer's candidates, and how well it fits the query."""

    values: Column
    match: Match


class Calibrator:
    """Gives the candidates of a library's answers their chances."""

    def __init__(self, stores: Stores, calibration: Calibration) -> None:
        self._stores, self._calibration = stores, calibration

    @property
    def source(self) -> str:
        """What the chances were learned from."""
        return self._calibration.source

    def chances(self, query: Query, ranking: Ranking, rows: Rows) -> Chances | None:
        """Return the chance that a paper like the query cites each row.

        `ranking` is best first and has all rows. None where nothing was learned about what gave it
        its scores.
        """
        curve = self._calibration.curves.get(judge_of(ranking))
        if curve is None:
            return None
        if not rows.size:
            return Chances(np.zeros(0), "none")
        values = curve.chances(answer_inputs(self._stores, self._library, query, ranking, rows))
        return Chances(values, curve.match(values))

    @functools.cached_property
    def _library(self) -> LibraryFacts:
        return LibraryFacts.of(self._stores)


def calibration_name(model: str) -> str:
    """Return the name under which a library keeps its own calibration of a model of that name."""
    return f"{model}-calibration"


def calibrator_for(stores: Stores, model: TreeModel) -> Calibrator | None:
    """Return what calibrates a model over a library: its own calibration, else the one that ships.

    None where neither is of exactly this model, or its trees cannot be loaded: no chance is better
    than a wrong one.
    """
    if model.trees is None:
        return None
    for calibration in (_own(stores.models, model.kind), shipped_calibration(model.kind)):
        if calibration is not None and calibration.model == model.digest:
            return Calibrator(stores, calibration)
    return None


def _own(models: Models, kind: ModelKind) -> Calibration | None:
    name = calibration_name(kind.name)
    content = models.load(name)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Calibration)
    except msgspec.MsgspecError as error:
        raise BadLibrary(
            f"the library's own calibration {name!r} cannot be read ({error}); make it "
            "again with: citewise train calibration --library LIBRARY"
        ) from None


@functools.cache
def shipped_calibration(kind: ModelKind) -> Calibration | None:
    """Return the package's calibration of its own model; None where it has none."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / kind.folder
    file = folder / "calibration.json"
    return msgspec.json.decode(file.read_bytes(), type=Calibration) if file.is_file() else None
