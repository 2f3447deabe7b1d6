"""What the training of any ranker shares: its settings, how it is judged beside what serves, and where it is kept."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

import citewise.library.models as kept_models
from citewise.errors import BadInput, MissingData
from citewise.evaluate.experiment import Settings, evaluate
from citewise.evaluate.measures import parse_measures
from citewise.evaluate.splits import Question, SplitSettings
from citewise.opened import OpenLibrary
from citewise.rank.boosted import Saved, encoded
from citewise.train.examples import Examples
from citewise.train.findings import Figures, Scorer, ablation, calibration, figures, scored, worth
from citewise.train.fitting import fit_trees

LEAST_QUERIES = 20

Stage = Callable[[str, int, int | None], None]
"""Told what is being done, how far it is, and of how much."""

S = TypeVar("S", bound=Saved)


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """What a ranker is trained on, and how."""

    split: SplitSettings = field(default_factory=SplitSettings)
    """Its train part is learned from, its dev part tells the quality, its test part is never looked at."""
    most: int = 4000
    """So many of the youngest training queries are asked: the library that they see is most like today's."""
    tuning: int = 300
    """So many of the dev queries are asked."""
    trees: int = 150
    ablation: bool = False
    """Whether trees are also fitted without each family of features."""
    jobs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if min(self.most, self.tuning, self.trees) < 1:
            raise BadInput("training needs at least one query, one query to tune by and one tree")


@dataclass(frozen=True, slots=True)
class Target:
    """A ranker that can be trained."""

    name: str
    """What a library calls its own model, and the command that trains it."""
    system: str
    """What it serves."""
    baseline: str
    """The system without a model that stands beside it in the report."""
    measures: str
    measure: str
    """The one that decides whether a new model is better."""
    features: tuple[str, ...]
    families: Mapping[str, tuple[str, ...]]
    """Features by what they are made from."""
    kinds: Mapping[str, float]
    """The shares of the kinds of training queries."""
    summary: tuple[str, ...] = ()
    """Features that sum up other families; an ablation leaves them out."""
    rate: float = 0.12
    """The learning rate."""


@dataclass(frozen=True, slots=True)
class Training(Generic[S]):
    """A trained ranker and what is worth knowing of it."""

    model: S
    name: str
    """What a library calls it."""
    system: str
    """What it serves."""
    measure: str
    """By which it must be better than what serves now."""
    queries: dict[str, int]
    quality: dict[str, Figures]
    """On the same dev queries: a system without a model, what serves now, the new model and, where it has one, its
    linear step alone."""
    worth: dict[str, float]
    """Each feature's share in what the trees gained."""
    ablation: dict[str, Figures]
    """On dev queries, by what is left out."""
    calibration: list[dict[str, float]]
    """On dev queries, by tenths of the candidates: the share that was expected to be cited, and the share that was."""
    seconds: dict[str, float]

    @property
    def better(self) -> bool:
        """Whether the new model is above what serves now on dev queries."""
        return self.quality["trained"][self.measure] > self.quality[self.system][self.measure]


@dataclass(frozen=True, slots=True)
class Fitted(Generic[S]):
    """A model with what it was made of and what it is to be judged by."""

    saved: S
    learned_from: Examples
    tuned_by: Examples
    judged_by: list[Question]
    """The dev questions of `tuned_by`."""
    asked: int
    """Training questions."""
    scorer: Callable[[str], Scorer]
    """Makes a model of trees."""
    beside: dict[str, Figures] = field(default_factory=dict)
    """What else is judged by them."""


def check_ready(held: OpenLibrary, target: Target, has_trees: bool) -> None:
    """Name what would be in the way at the end of a long work: trees that cannot be fitted, a damaged model."""
    if not has_trees:
        raise MissingData("training needs LightGBM, which cannot be loaded; on Debian and Ubuntu, apt-get install "
                          "libgomp1 helps")
    held.recommender(target.system)


def judged(held: OpenLibrary, target: Target, settings: RankerSettings, fitted: Fitted[S], began: float,
           stage: Stage) -> Training[S]:
    """Judge a model on dev queries, beside what serves now; `began` is when training did."""
    done = time.perf_counter()
    scores = scored(fitted.scorer(fitted.saved.trees), fitted.tuned_by)
    quality = _serving(held, target, fitted.judged_by, settings, stage) | fitted.beside | {
        "trained": figures(fitted.tuned_by, scores, target.measures)}
    queries = {"train": fitted.asked, "dev": len(fitted.judged_by)}
    left_out = _ablation(target, settings, fitted, stage) if settings.ablation else {}
    saved = msgspec.structs.replace(fitted.saved, provenance=_provenance(held, target, settings, queries, quality))
    return Training(saved, target.name, target.system, target.measure, queries, quality,
                    worth(fitted.saved.trees), left_out, calibration(fitted.tuned_by, scores),
                    {"fitting": round(done - began, 1), "all": round(time.perf_counter() - began, 1)})


def _ablation(target: Target, settings: RankerSettings, fitted: Fitted[S], stage: Stage) -> dict[str, Figures]:
    def without(kept: Sequence[int]) -> Figures:
        names = [target.features[place] for place in kept]
        trees = fit_trees(fitted.learned_from.columns(kept), names, settings.trees, settings.seed, rate=target.rate)
        part = fitted.tuned_by.columns(kept)
        return figures(part, scored(fitted.scorer(trees), part), target.measures)

    return ablation(target.features, target.families, target.summary, without,
                    lambda number, total: stage("ablation", number, total))


def save(held: OpenLibrary, training: Training[Any]) -> None:
    """Keep the model with the library, where its system finds it when the library is opened next."""
    kept_models.save(held.library.path, training.name, encoded(training.model))


def _serving(held: OpenLibrary, target: Target, dev: Sequence[Question], settings: RankerSettings,
             stage: Stage) -> dict[str, Figures]:
    """Return the quality of what serves now."""
    found = evaluate(held, (target.baseline, target.system), dev,
                     Settings(measures=parse_measures(target.measures), jobs=settings.jobs),
                     lambda done, total: stage("comparison", done, total))
    return {each.system: {name: round(value.value, 4) for name, value in each.values.items()} for each in found.systems}


def _provenance(held: OpenLibrary, target: Target, settings: RankerSettings, queries: dict[str, int],
                quality: dict[str, Figures]) -> dict[str, Any]:
    return {"trained by": f"citewise train {target.name}",
            "library": {"papers": len(held), "fingerprint": held.library.manifest.fingerprint},
            "settings": dataclasses.asdict(settings), "kinds of training queries": dict(target.kinds),
            "queries": queries, "dev": quality}
