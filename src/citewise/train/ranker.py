"""Trains the ranker of `best`: papers are asked for their own references, under the leak guard."""

import dataclasses
import time
from collections.abc import Sequence

from citewise.errors import BadInput
from citewise.evaluate.experiment import MEASURES
from citewise.evaluate.runs import Workers
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores
from citewise.rank.calibration import Calibration
from citewise.rank.trees import DRAFT_MODEL, model_for
from citewise.systems import BASELINE, DEFAULT, BestSettings
from citewise.train.cases import KINDS
from citewise.train.examples import Examples, Extraction, examples
from citewise.train.findings import figures
from citewise.train.fitting import fit_linear, fit_trees
from citewise.train.training import (
    LEAST_QUERIES,
    Fitted,
    RankerSettings,
    Stage,
    Target,
    Training,
    calibration_of,
    check_ready,
    judged,
    saved_model,
)

TARGET = Target(
    DRAFT_MODEL,
    DEFAULT,
    BASELINE,
    MEASURES,
    "F1@20",
    KINDS,
    stages=BestSettings().stages,
    rate=0.08,
)

_LINEAR_ONE_IN, _LINEAR_LEAST = 5, 400
"""The linear step learns from one training query in this many, but from no fewer than this number
where there are as many.
"""


def train_ranker(
    stores: Stores,
    settings: RankerSettings | None = None,
    stage: Stage = lambda what, done, total: None,
) -> Training:
    """Train on a library's papers; nothing is saved (see `save`)."""
    settings = settings or RankerSettings()
    check_ready(stores, TARGET)
    began = time.perf_counter()
    train, dev = _questions(stores, settings)
    with Workers(stores, settings.jobs) as workers:
        fitted = _fitted(workers, train, dev, settings, stage)
    return judged(stores, TARGET, settings, fitted, began, stage)


def _questions(stores: Stores, settings: RankerSettings) -> tuple[list[Question], list[Question]]:
    """Return the youngest questions of the train part and some, evenly spread, of the dev part."""
    split = Split.make(stores, settings.split, parts=("train", "dev"))
    train = split.questions(stores, "train", authors=True)
    train = sorted(train, key=lambda question: question.query.year or 0)[-settings.most :]
    dev = spread(split.questions(stores, "dev"), settings.tuning)
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(
            f"training needs at least {LEAST_QUERIES} papers to learn from and as many to judge "
            f"by, each with a year, an abstract and {settings.split.least} or more references "
            f"within the library; found {len(train)} and {len(dev)}. `best` goes on with the model "
            "that ships"
        )
    return train, dev


def spread(questions: list[Question], count: int) -> list[Question]:
    """Return at most that many of the questions, evenly spread."""
    return questions[:: max(len(questions) // count, 1)][:count]


def train_calibration(
    stores: Stores,
    settings: RankerSettings | None = None,
    stage: Stage = lambda what, done, total: None,
) -> tuple[Calibration, list[dict[str, float]]]:
    """Return a calibration, on a library's dev papers, of the model that serves drafts, and how far
    it can be trusted; nothing is saved.
    """
    settings = settings or RankerSettings()
    split = Split.make(stores, settings.split, parts=("dev",))
    dev = spread(split.questions(stores, "dev"), settings.tuning)

    model = model_for(stores.models, DRAFT_MODEL, "own")
    found, tenths = calibration_of(stores, TARGET, model, dev, stage)
    if found is None:
        raise BadInput(
            f"a calibration needs at least {LEAST_QUERIES} papers of which the answers find a "
            f"reference, each with a year, an abstract and {settings.split.least} or more "
            f"references within the library; {len(dev)} were asked. `best` goes on as it is"
        )
    return found, tenths


def _fitted(
    workers: Workers,
    train: Sequence[Question],
    dev: Sequence[Question],
    settings: RankerSettings,
    stage: Stage,
) -> Fitted:
    def made(
        what: str, questions: Sequence[Question], extraction: Extraction
    ) -> tuple[Examples, list[Question]]:
        return examples(
            workers, questions, extraction, lambda done, total: stage(what, done, total)
        )

    best, features = BestSettings(), TARGET.features
    for_linear = Extraction(DRAFT_MODEL.catalogue.linear_features(), best, settings.seed)
    some = train[:: max(min(len(train) // _LINEAR_LEAST, _LINEAR_ONE_IN), 1)]
    linear = fit_linear(made("linear step", some, for_linear)[0], for_linear.names, best.depth)

    for_trees = dataclasses.replace(for_linear, names=features, linear=linear)
    learned_from, _ = made("training queries", train, for_trees)
    tuned_by, judged_by = made("dev queries", dev, dataclasses.replace(for_trees, whole=True))
    trees = fit_trees(
        learned_from,
        features,
        settings.trees,
        settings.seed,
        lambda done, total: stage("trees", done, total),
        TARGET.rate,
    )
    by_linear = tuned_by.matrix[:, features.index("linear_score")]
    return Fitted(
        saved=saved_model(TARGET, trees, features, linear=linear),
        learned_from=learned_from,
        tuned_by=tuned_by,
        judged_by=judged_by,
        asked=len(train),
        beside={"linear step": figures(tuned_by, by_linear, MEASURES)},
    )
