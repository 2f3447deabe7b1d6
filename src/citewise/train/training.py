"""What the training of any ranker shares: settings, judging beside what serves, keeping."""

import dataclasses
import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from citewise.embed.word_models import NNSELECT
from citewise.errors import BadInput, BadLibrary, MissingData
from citewise.evaluate.experiment import Settings, evaluate
from citewise.evaluate.measures import parse_measures
from citewise.evaluate.splits import Question, SplitSettings
from citewise.protocols import Stores
from citewise.rank.calibration import Calibration, calibration_name
from citewise.rank.linear import LinearModel
from citewise.rank.trees import ModelKind, SavedModel, TreeModel, feature_gains
from citewise.recommend import Recommender, Stages
from citewise.systems import System
from citewise.train.calibrating import calibrated
from citewise.train.examples import Examples
from citewise.train.feedback import FeedbackFindings
from citewise.train.findings import Figures, ablation, figures, scored
from citewise.train.fitting import fit_trees

LEAST_QUERIES = 20

Stage = Callable[[str, int, int | None], None]
"""Called with what is being done, how far it is, and of how much."""


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """What a ranker is trained on, and how."""

    split: SplitSettings = field(default_factory=SplitSettings)
    """The model is trained on the train part and judged on the dev part; test is not looked at."""
    most: int = 4000
    """At most this many training queries are used, the youngest: the library that they see is most
    similar to today's.
    """
    tuning: int = 300
    """At most this many dev queries are used."""
    trees: int = 150
    ablation: bool = False
    """Whether trees are also fitted without each family of features."""
    jobs: int = 1
    seed: int = 0
    folds: tuple[str, ...] = ()
    """Sets of vectors by models that did not learn from their share of the training queries (see
    `citewise.train.folds`); none: the set that serves learned from none of them.
    """
    vectors: str = NNSELECT
    """The set of papers' vectors that the ranker of drafts learns to read, where there is one."""
    encoder: str = ""
    """The transformer whose vectors of papers it learns to read beside those; "": none."""

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        if min(self.most, self.tuning, self.trees) < 1:
            raise BadInput("training needs at least one query, one query to tune by and one tree")


@dataclass(frozen=True, slots=True)
class Target:
    """A ranker that can be trained."""

    kind: ModelKind
    system: str
    """The system that it ranks for."""
    baseline: str
    """The system without a model beside which the report shows it."""
    measures: str
    measure: str
    """The one that decides whether a new model is better."""
    query_kinds: Mapping[str, float]
    """The shares of the kinds of training queries."""
    stages: Callable[[Stores, TreeModel], Stages]
    """Makes the system over a library with a given model."""
    rate: float = 0.12
    """The learning rate."""

    @property
    def name(self) -> str:
        """The name of a library's own model, and of the command that trains it."""
        return self.kind.name

    @property
    def features(self) -> tuple[str, ...]:
        """The features that the trees are trained on."""
        return self.kind.catalogue.tree_features()


@dataclass(frozen=True, slots=True)
class Training:
    """A trained ranker and what is worth knowing about it."""

    model: SavedModel
    name: str
    """The name of a library's own model."""
    system: str
    """The system that it ranks for."""
    measure: str
    """By which it must be better than what serves now."""
    queries: dict[str, int]
    quality: dict[str, Figures]
    """On the same dev queries: a system without a model, what serves now, the new model and, where
    it has one, its linear step alone.
    """
    worth: dict[str, float]
    """Each feature's share in what the trees gained."""
    ablation: dict[str, Figures]
    """On dev queries, by what is left out."""
    calibration: list[dict[str, float]]
    """On half of the dev queries, by tenths of the candidates: the share that was expected to be
    cited, by a calibration that was fitted on the other half, and the share that was.
    """
    calibrated: Calibration | None
    """Fitted on all dev queries; None where these are too few."""
    seconds: dict[str, float]
    feedback: FeedbackFindings | None = None
    """Whether the user's feedback helped; None where none was used."""

    @property
    def better(self) -> bool:
        """Whether the new model is above what serves now on dev queries."""
        serving = self.quality.get(self.system)
        return serving is None or self.quality["trained"][self.measure] > serving[self.measure]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model with what it was made of and what it is to be judged by."""

    saved: SavedModel
    learned_from: Examples
    tuned_by: Examples
    judged_by: list[Question]
    """The dev questions of `tuned_by`."""
    asked: int
    """Training questions."""
    beside: dict[str, Figures] = field(default_factory=dict)
    """What else is judged by them."""
    feedback: FeedbackFindings | None = None


def check_ready(stores: Stores, target: Target) -> None:
    """Raise now what would otherwise end a long training with an error: LightGBM that cannot be
    loaded, a baseline that cannot answer.
    """
    try:
        importlib.import_module("lightgbm")
    except (ImportError, OSError) as error:  # its wheel expects the system to have OpenMP
        raise MissingData(
            f"training needs LightGBM, which cannot be loaded ({error}): pip install lightgbm; on "
            "Debian and Ubuntu, apt-get install libgomp1 helps"
        ) from None
    System.parse(target.baseline).over(stores)


def saved_model(
    target: Target,
    trees: str,
    features: Sequence[str],
    linear: LinearModel | None = None,
    vectors: str = "",
    encoder: str = "",
) -> SavedModel:
    """Return a model of fresh trees, with the definition of the features that it reads; `vectors`
    names the set of papers' vectors that it learned to read, where it is not the usual one, and
    `encoder` the transformer whose vectors it reads too.
    """
    return SavedModel(
        trees=trees,
        provenance={},
        features=tuple(features),
        definition=target.kind.definition(features, linear),
        linear=linear,
        vectors=vectors or msgspec.UNSET,
        encoder=encoder or msgspec.UNSET,
    )


def judged(
    stores: Stores,
    target: Target,
    settings: RankerSettings,
    fitted: Fitted,
    began: float,
    stage: Stage,
) -> Training:
    """Judge a model on dev queries, beside what serves now; `began` is when training began."""
    done = time.perf_counter()
    scores = scored(TreeModel.of(fitted.saved, target.kind), fitted.tuned_by)
    quality = {
        **_serving(stores, target, fitted.judged_by, settings, stage),
        **fitted.beside,
        "trained": figures(fitted.tuned_by, scores, target.measures),
    }
    queries = {"train": fitted.asked, "dev": len(fitted.judged_by)}
    if fitted.feedback:
        queries["feedback"] = fitted.feedback.counts["drafts used"]
    provenance = _provenance(stores, target, settings, queries, quality)
    saved = msgspec.structs.replace(fitted.saved, provenance=provenance)
    curves, tenths = calibration_of(
        stores, target, TreeModel.of(saved, target.kind), fitted.judged_by, stage
    )
    return Training(
        model=saved,
        name=target.name,
        system=target.system,
        measure=target.measure,
        queries=queries,
        quality=quality,
        worth=feature_gains(fitted.saved),
        ablation=_ablation(target, settings, fitted, stage) if settings.ablation else {},
        calibration=tenths,
        calibrated=curves,
        seconds={
            "fitting": round(done - began, 1),
            "all": round(time.perf_counter() - began, 1),
        },
        feedback=fitted.feedback,
    )


def calibration_of(
    stores: Stores, target: Target, model: TreeModel, dev: Sequence[Question], stage: Stage
) -> tuple[Calibration | None, list[dict[str, float]]]:
    """Return the calibration of a model on dev queries, and how far it can be trusted, by tenths of
    the candidates.
    """
    recommender = Recommender(stores, target.stages(stores, model))
    return calibrated(
        stores, recommender, dev, model.digest, lambda done, total: stage("chances", done, total)
    )


def _ablation(
    target: Target, settings: RankerSettings, fitted: Fitted, stage: Stage
) -> dict[str, Figures]:
    features = fitted.saved.features

    def without(kept: Sequence[int]) -> Figures:
        names = [features[position] for position in kept]
        part = fitted.learned_from.columns(kept)
        trees = fit_trees(part, names, settings.trees, settings.seed, rate=target.rate)
        saved = saved_model(target, trees, names, linear=fitted.saved.linear)
        tuned_by = fitted.tuned_by.columns(kept)
        scores = scored(TreeModel.of(saved, target.kind), tuned_by)
        return figures(tuned_by, scores, target.measures)

    return ablation(
        features,
        target.kind.catalogue.families(),
        target.kind.catalogue.summary_features(),
        without,
        lambda number, total: stage("ablation", number, total),
    )


def save(stores: Stores, training: Training) -> None:
    """Keep the model and its calibration with the library; its system uses them when the library is
    opened next.
    """
    stores.models.save(training.name, training.model.encoded())
    save_calibration(stores, training.name, training.calibrated)


def save_calibration(stores: Stores, name: str, calibration: Calibration | None) -> None:
    """Keep the calibration of the model of that name; None: forget the one that is there."""
    if calibration is None:
        stores.models.remove(calibration_name(name))
    else:
        stores.models.save(calibration_name(name), msgspec.json.encode(calibration))


def _serving(
    stores: Stores, target: Target, dev: Sequence[Question], settings: RankerSettings, stage: Stage
) -> dict[str, Figures]:
    """Return the quality of what serves now, beside the baseline; of the baseline alone where the
    model that serves was trained with other features.
    """
    systems = [target.baseline, target.system]
    try:
        System.parse(target.system).over(stores)
    except BadLibrary:
        systems.remove(target.system)
    found = evaluate(
        stores,
        systems,
        dev,
        Settings(measures=parse_measures(target.measures), jobs=settings.jobs),
        lambda done, total: stage("comparison", done, total),
    )
    return {
        each.system: {name: round(value.value, 4) for name, value in each.values.items()}
        for each in found.systems
    }


def _provenance(
    stores: Stores,
    target: Target,
    settings: RankerSettings,
    queries: dict[str, int],
    quality: dict[str, Figures],
) -> dict[str, Any]:
    return {
        "trained by": f"citewise train {target.name}",
        "library": {"papers": len(stores.papers), "fingerprint": stores.info.fingerprint},
        "settings": dataclasses.asdict(settings),
        "kinds of training queries": dict(target.query_kinds),
        "queries": queries,
        "dev": quality,
    }
