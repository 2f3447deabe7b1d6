"""Trains the ranker of `best` on a library: its papers are asked for their own references, under the leak guard."""

import dataclasses
import time
from collections.abc import Sequence

from citewise.errors import BadInput
from citewise.evaluate.experiment import MEASURES
from citewise.evaluate.runs import Workers
from citewise.evaluate.splits import Question, Split
from citewise.opened import OpenLibrary
from citewise.rank.model import NAME, Model, Saved, shipped
from citewise.systems import BASELINE, DEFAULT, BestSettings
from citewise.train.cases import KINDS
from citewise.train.examples import Examples, Extraction, examples
from citewise.train.feature_families import FAMILIES, FEATURES, FIRST, SUMMARY
from citewise.train.findings import figures
from citewise.train.fitting import fit_first, fit_trees
from citewise.train.training import LEAST_QUERIES, Fitted, RankerSettings, Stage, Target, Training, check_ready, judged

TARGET = Target(NAME, DEFAULT, BASELINE, MEASURES, "F1@20", FEATURES, FAMILIES, KINDS, SUMMARY, 0.08)

_FIRST_ONE_IN, _FIRST_LEAST = 5, 400
"""The linear step learns from one training query in so many, but from no fewer than so many if there are as many."""


def train_ranker(held: OpenLibrary, settings: RankerSettings | None = None,
                 stage: Stage = lambda what, done, total: None) -> Training[Saved]:
    """Train on a library's papers; nothing is saved (see `save`)."""
    settings = settings or RankerSettings()
    check_ready(held, TARGET, shipped().trees is not None)
    began = time.perf_counter()
    train, dev = _questions(held, settings)
    with Workers(held, settings.jobs) as workers:
        fitted = _fitted(workers, train, dev, settings, stage)
    return judged(held, TARGET, settings, fitted, began, stage)


def _questions(held: OpenLibrary, settings: RankerSettings) -> tuple[list[Question], list[Question]]:
    """Return the youngest questions of the train part and some, evenly spread, of the dev part."""
    split = Split.make(held, settings.split, parts=("train", "dev"))
    train = split.questions(held, "train", authors=True)
    dev = split.questions(held, "dev")
    train = sorted(train, key=lambda question: question.query.year or 0)[-settings.most:]
    dev = dev[:: max(len(dev) // settings.tuning, 1)][: settings.tuning]
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(f"training needs at least {LEAST_QUERIES} papers to learn from and as many to judge by, each "
                       f"with a year, an abstract and {settings.split.least} or more references within the library; "
                       f"found {len(train)} and {len(dev)}. `best` goes on with the model that ships")
    return train, dev


def _fitted(workers: Workers, train: Sequence[Question], dev: Sequence[Question], settings: RankerSettings,
            stage: Stage) -> Fitted[Saved]:
    def made(what: str, questions: Sequence[Question], extraction: Extraction) -> tuple[Examples, list[Question]]:
        return examples(workers, questions, extraction, lambda done, total: stage(what, done, total))

    best = BestSettings()
    rough = Extraction(FIRST, best, settings.seed)
    some = train[::max(min(len(train) // _FIRST_LEAST, _FIRST_ONE_IN), 1)]
    first = fit_first(made("linear step", some, rough)[0], FIRST, best.depth)
    full = dataclasses.replace(rough, names=FEATURES, first=first)
    learned_from, _ = made("training queries", train, full)
    tuned_by, judged_by = made("dev queries", dev, dataclasses.replace(full, whole=True))
    trees = fit_trees(learned_from, FEATURES, settings.trees, settings.seed,
                      lambda done, total: stage("trees", done, total), TARGET.rate)
    return Fitted(Saved(trees, {}, first), learned_from, tuned_by, judged_by, len(train),
                  lambda made_anew: Model.of(Saved(made_anew, {}, first)),
                  {"linear step": figures(tuned_by, tuned_by.matrix[:, 0], MEASURES)})
