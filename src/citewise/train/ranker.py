"""Trains the ranker of `best`: papers are asked for their own references, under the leak guard."""

import dataclasses
import time
from collections.abc import Sequence

from citewise.embed.query_vectors import query_vectors
from citewise.embed.word_models import NNSELECT
from citewise.errors import BadInput
from citewise.evaluate.experiment import MEASURES
from citewise.evaluate.runs import Progress, Workers
from citewise.evaluate.splits import PARTS, Question, Split
from citewise.feedback import Feedback
from citewise.protocols import Stores
from citewise.rank.calibration import Calibration
from citewise.rank.trees import DRAFT_MODEL, SavedModel, TreeModel, model_for
from citewise.signals import TEXT_VECTORS
from citewise.systems import BASELINE, DEFAULT, BestSettings
from citewise.train.cases import KINDS
from citewise.train.examples import Examples, Extraction, examples
from citewise.train.feedback import (
    FeedbackFindings,
    FeedbackQuestions,
    feedback_examples,
    feedback_questions,
    pairs_in_order,
)
from citewise.train.findings import figures, scored
from citewise.train.fitting import fit_linear, fit_trees
from citewise.train.folds import folds_of
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
    feedback: Feedback | None = None,
) -> Training:
    """Train on a library's papers, and on the user's feedback where it is given; nothing is saved
    (see `save`).
    """
    settings = settings or RankerSettings()
    check_ready(stores, TARGET)
    settings = _with_known_vectors(stores, settings)
    began = time.perf_counter()
    split = Split.make(stores, settings.split, parts=PARTS if feedback else ("train", "dev"))
    given = feedback_questions(stores, feedback, split) if feedback else None
    train, dev = _questions(stores, split, settings)
    with Workers(stores, settings.jobs) as workers:
        fitted = _fitted(workers, train, dev, given, settings, stage)
    return judged(stores, TARGET, settings, fitted, began, stage)


def _with_known_vectors(stores: Stores, settings: RankerSettings) -> RankerSettings:
    """Return settings with the folds that the usual set needs; another set must be there."""
    if settings.encoder:
        query_vectors(stores, settings.encoder)
    if settings.vectors == NNSELECT:
        return dataclasses.replace(settings, folds=settings.folds or folds_of(stores))
    query_vectors(stores, settings.vectors)
    return settings


def _questions(
    stores: Stores, split: Split, settings: RankerSettings
) -> tuple[list[Question], list[Question]]:
    """Return the questions that are learned from and some, evenly spread, of the dev part."""
    train = _youngest(split.questions(stores, "train", authors=True), settings)
    dev = spread(split.questions(stores, "dev"), settings.tuning)
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(
            f"training needs at least {LEAST_QUERIES} papers to learn from and as many to judge "
            f"by, each with a year, an abstract and {settings.split.least} or more references "
            f"within the library; found {len(train)} and {len(dev)}. `best` goes on with the model "
            "that ships"
        )
    return train, dev


def training_questions(stores: Stores, settings: RankerSettings) -> list[Question]:
    """Return the questions that the ranker learns from."""
    split = Split.make(stores, settings.split, parts=("train",))
    return _youngest(split.questions(stores, "train", authors=True), settings)


def _youngest(questions: list[Question], settings: RankerSettings) -> list[Question]:
    """Return the youngest questions of the train part, at most `settings.most`."""
    return sorted(questions, key=lambda question: question.query.year or 0)[-settings.most :]


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
    given: FeedbackQuestions | None,
    settings: RankerSettings,
    stage: Stage,
) -> Fitted:
    def progress(what: str) -> Progress:
        return lambda done, total: stage(what, done, total)

    def fit(learned_from: Examples) -> SavedModel:
        trees = fit_trees(
            learned_from, features, settings.trees, settings.seed, progress("trees"), TARGET.rate
        )
        other_set = "" if settings.vectors == NNSELECT else settings.vectors
        return saved_model(TARGET, trees, features, linear, other_set, settings.encoder)

    best = BestSettings(vectors=settings.vectors)
    unread = "" if settings.encoder else TEXT_VECTORS.family
    features = TARGET.kind.catalogue.tree_features(without=unread)
    for_linear = Extraction(
        TARGET.kind.catalogue.linear_features(without=unread),
        best,
        settings.seed,
        folds=settings.folds,
        encoder=settings.encoder,
    )
    some = train[:: max(min(len(train) // _LINEAR_LEAST, _LINEAR_ONE_IN), 1)]
    linear_examples, _ = examples(workers, some, for_linear, progress("linear step"))
    linear = fit_linear(linear_examples, for_linear.names, best.depth)

    for_trees = dataclasses.replace(for_linear, names=features, linear=linear)
    whole = dataclasses.replace(for_trees, whole=True)
    learned_from, _ = examples(workers, train, for_trees, progress("training queries"))
    tuned_by, judged_by = examples(workers, dev, whole, progress("dev queries"))
    by_linear = tuned_by.matrix[:, features.index("linear_score")]
    fitted = Fitted(
        saved=fit(learned_from),
        learned_from=learned_from,
        tuned_by=tuned_by,
        judged_by=judged_by,
        asked=len(train),
        beside={"linear step": figures(tuned_by, by_linear, MEASURES)},
    )
    if given is None:
        return fitted

    verdicts = feedback_examples(workers, given.learned_from, for_trees, progress("feedback"))
    held_out = feedback_examples(workers, given.held_out, whole, progress("feedback"))
    return _with_feedback(fitted, fit(Examples.join([learned_from, verdicts])), held_out, given)


def _with_feedback(
    without: Fitted, saved: SavedModel, held_out: Examples, given: FeedbackQuestions
) -> Fitted:
    """Return a model trained with feedback, beside the one trained without it."""
    old, new = (TreeModel.of(each, DRAFT_MODEL) for each in (without.saved, saved))
    pairs, before = pairs_in_order(old, held_out)
    _, after = pairs_in_order(new, held_out)
    quality = figures(without.tuned_by, scored(old, without.tuned_by), MEASURES)
    return dataclasses.replace(
        without,
        saved=saved,
        beside={**without.beside, "without feedback": quality},
        feedback=FeedbackFindings(given.counts, pairs, before, after),
    )
