"""Calibration: from scores to the chance that a paper like the draft cites a candidate.

A ranker's scores compare the candidates of one query and say nothing across queries. A calibration
makes chances of them:

    P(cited) = P(any of the best candidates is cited) * P(cited, where any is)

Both are logistic curves of facts about the whole answer, which tell a query at home in the library
from one that is not; the second also of the candidate's score and rank. Facts are the same for
every candidate, so the chances never disagree with the order.
"""

import functools
import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from citewise.arrays import Column, RowIndex, Rows
from citewise.errors import BadLibrary
from citewise.protocols import Models, Stores
from citewise.rank.answer_facts import LibraryFacts, answer_facts
from citewise.rank.trees import SENTENCE_MODEL, ModelKind, TreeModel
from citewise.types import Judge, Match, Query, Ranking

RISING, FALLING = frozenset(("score", "score share")), frozenset(("log rank",))
"""The inputs that differ between the candidates of an answer: a chance never falls with the former,
and never rises with the latter.
"""

DEPTH = 20
"""Chances were fitted to this many of the best candidates of each query."""

GOOD, WEAK = 0.6, 0.3
"""From these chances on that any of the best candidates is cited, an answer is a good or a weak
match. Of the dev queries of benchmarks/calibration.py for which nothing should be found, about 80%
are below the latter.
"""


class Curve(msgspec.Struct, frozen=True):
    """1 / (1 + exp(-(constant + sum of weight * input))), each input cut to its range."""

    weights: dict[str, float]
    """By input."""
    constant: float
    ranges: dict[str, tuple[float, float]]
    """The least and the greatest value of each input where the curve was fitted."""

    def chances(self, inputs: Mapping[str, Column]) -> Column:
        """Return the chance of each candidate, from columns of inputs."""
        margins = np.full(len(next(iter(inputs.values()))), self.constant)
        for name, weight in self.weights.items():
            margins += weight * np.clip(inputs[name], *self.ranges[name])
        chances: Column = 1 / (1 + np.exp(-np.clip(margins, -30, 30)))
        return chances


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances of an answer's candidates."""

    each: Column
    any: float
    """That any of the best `DEPTH` candidates is cited."""

    @property
    def match(self) -> Match:
        """How well the answer fits its query."""
        return "good" if self.any >= GOOD else "weak" if self.any >= WEAK else "none"


class Curves(msgspec.Struct, frozen=True):
    """The two curves whose product is a chance."""

    answer: Curve
    """That any of the best candidates is cited: the same for all of them."""
    paper: Curve
    """That a candidate is cited, where any is."""

    def chances(self, inputs: Mapping[str, Column]) -> Chances:
        """Return the chances of candidates, from columns of inputs."""
        of_any = self.answer.chances(inputs)
        return Chances(of_any * self.paper.chances(inputs), float(of_any[0]))


class Calibration(msgspec.Struct, frozen=True):
    """The curves of one model."""

    model: str
    """The digest of the model whose scores these curves read."""
    source: str
    """What it was learned from, as an answer says it."""
    curves: dict[Judge, Curves]
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


class Calibrator:
    """Gives the candidates of a library's answers their chances."""

    def __init__(
        self, stores: Stores, calibration: Calibration, of_sentences: bool, by_words_only: bool
    ) -> None:
        """`of_sentences`: whether it was learned from sentences, not from whole drafts;
        `by_words_only`: whether scores of other models than the calibrated one can occur.
        """
        self._stores, self._calibration = stores, calibration
        self._of_sentences, self._by_words_only = of_sentences, by_words_only

    @property
    def source(self) -> str:
        """What the chances were learned from."""
        return self._calibration.source

    def chances(self, query: Query, ranking: Ranking, rows: Rows) -> Chances | None:
        """Return the chance that a paper like the query cites each row.

        `ranking` is best first and has all rows. None where nothing was learned about what gave it
        its scores, or about queries of this kind.
        """
        curves = self._calibration.curves.get(ranking.judge)
        other_model = self._by_words_only and ranking.judge != "words"
        other_kind = bool(query.sentence.strip()) != self._of_sentences
        if curves is None or other_model or other_kind:
            return None
        if not rows.size:
            return Chances(np.zeros(0), 0.0)
        return curves.chances(answer_inputs(self._stores, self._library, query, ranking, rows))

    @functools.cached_property
    def _library(self) -> LibraryFacts:
        return LibraryFacts.of(self._stores)


def calibration_name(model: str) -> str:
    """Return the name under which a library keeps its own calibration of a model of that name."""
    return f"{model}-calibration"


def calibrator_for(
    stores: Stores, model: TreeModel, by_words_only: bool = False
) -> Calibrator | None:
    """Return what calibrates a model over a library: its own calibration, else the one that ships.

    None where neither is of exactly this model, or its trees cannot be loaded: no chance is better
    than a wrong one. With `by_words_only`, only answers that BM25 ranks have chances.
    """
    if model.trees is None:
        return None
    for calibration in (_own(stores.models, model.kind), shipped_calibration(model.kind)):
        if calibration is not None and calibration.model == model.digest:
            return Calibrator(stores, calibration, model.kind is SENTENCE_MODEL, by_words_only)
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
            f"the library's own calibration {name!r} cannot be read ({error}); go back to the one "
            "that ships with: citewise train calibration --shipped --library LIBRARY"
        ) from None


@functools.cache
def shipped_calibration(kind: ModelKind) -> Calibration | None:
    """Return the package's calibration of its own model; None where it has none."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / kind.folder
    file = folder / "calibration.json"
    return msgspec.json.decode(file.read_bytes(), type=Calibration) if file.is_file() else None
