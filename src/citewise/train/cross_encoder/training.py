"""Trains a cross-encoder on a library's citations, under the leak guard; dev queries judge it."""

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from citewise.arrays import Rows
from citewise.embed.folder import digest_of as folder_digest
from citewise.errors import BadInput
from citewise.evaluate.measures import Hits, parse_measures
from citewise.evaluate.runs import Workers, ask
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores
from citewise.systems import System
from citewise.text.titles import similar_titles
from citewise.train.bert.folders import load, shape_of, write_cross_encoder
from citewise.train.bert.network import CrossEncoder
from citewise.train.bert.tokens import Tokenizer
from citewise.train.checkpoints import Checkpoint, digest_of, torch_threads, training_folder
from citewise.train.cross_encoder.learning import Curve, Learner, Progress
from citewise.train.cross_encoder.pairs import List, lists_of
from citewise.train.cross_encoder.settings import CrossEncoderSettings
from citewise.train.ranker import spread
from citewise.train.training import LEAST_QUERIES, Stage

MEASURES = "MAP@50 MRR@50 P@5"
"""Of the order by logits alone; the first one decides which check is best."""


@dataclass(frozen=True, slots=True)
class CrossEncoderTraining:
    """A trained cross-encoder and what is worth knowing about it."""

    weights: dict[str, torch.Tensor]
    start: Path
    about: dict[str, Any]
    """Where it is from: what it was trained on, with which settings."""
    counts: dict[str, int]
    quality: dict[str, dict[str, float]]
    """On the same dev queries: the system's order, and that by logits alone."""
    curves: list[Curve]
    best_check: int
    seconds: float

    def write(self, folder: Path) -> None:
        """Write the model as transformers does."""
        write_cross_encoder(self.weights, self.start, folder, self.about)


def train_cross_encoder(
    stores: Stores,
    start: Path,
    settings: CrossEncoderSettings | None = None,
    stage: Stage = lambda what, done, total: None,
    folder: Path | None = None,
    apart_from: Stores | None = None,
    jobs: int = 1,
) -> CrossEncoderTraining:
    """Train a cross-encoder from the model in a folder; nothing is saved but what is needed to go
    on after an interruption, in `folder` or else in the user's cache.

    With `apart_from`, papers that another library holds too are not learned from, so that the model
    can be tested there.
    """
    settings, began = settings or CrossEncoderSettings(), time.perf_counter()
    shape = shape_of(start)
    network = CrossEncoder(shape, settings.dropout)
    load(network, start, settings.seed)
    tokenizer = Tokenizer(start, shape.positions)

    train, dev = questions_of(stores, settings)
    shared = np.zeros(0, np.int64) if apart_from is None else also_in(stores, apart_from)
    train = [each for each in train if not np.isin(stores.papers.find([each.id]), shared).any()]

    identity = (settings.digest, stores.info.fingerprint, folder_digest(start), f"{shared.size}")
    digest = digest_of(*identity, System.parse(settings.system).identity(stores))
    folder = folder or training_folder(digest)
    with Workers(stores, jobs) as workers:
        rankings, judged = (
            ask(workers, stores, settings.system, some, settings.depth, folder, progress).rankings
            for some, progress in (
                (train, lambda done, total: stage("training queries", done, total)),
                (dev, lambda done, total: stage("dev queries", done, total)),
            )
        )
    lists = _without(lists_of(stores, train, rankings, settings), shared)
    if not lists:
        raise BadInput(f"{settings.system} found nothing to learn from for {len(train)} queries")

    queries = [each.query.claim for each in train]
    learner = Learner(network, tokenizer, stores.papers, queries, lists, settings)
    checkpoint = Checkpoint(folder / "cross-encoder.checkpoint", digest)
    with torch_threads(settings.threads):
        progress = learner.run(
            lambda model: _judged(model, dev, judged, settings), checkpoint, stage
        )
    training = _found(stores, start, settings, train, dev, judged, lists, progress, began)
    checkpoint.remove()
    return training


def questions_of(
    stores: Stores, settings: CrossEncoderSettings
) -> tuple[list[Question], list[Question]]:
    """Return the youngest questions of the train part, and the dev questions that decide when to
    stop.
    """
    split = Split.make(stores, settings.split)
    train = sorted(split.questions(stores, "train"), key=lambda each: each.query.year or 0)
    dev, _ = dev_questions(stores, split, settings)
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(
            f"training needs at least {LEAST_QUERIES} papers to learn from and as many to judge "
            f"by, each with a year, an abstract and {settings.split.least} or more references "
            f"within the library; found {len(train)} and {len(dev)}"
        )
    return train[-settings.most :], dev


def dev_questions(
    stores: Stores, split: Split, settings: CrossEncoderSettings
) -> tuple[list[Question], list[Question]]:
    """Return the dev questions that decide when to stop, and others, on which the final order is
    learned.
    """
    dev = split.questions(stores, "dev")
    every = max(len(dev) // settings.tuning, 2)
    stopping = dev[::every][: settings.tuning]
    left = [each for number, each in enumerate(dev) if number % every]
    return stopping, spread(left, settings.fitting)


def also_in(stores: Stores, other: Stores) -> Rows:
    """Return the papers of a library whose titles are similar to one of another library's."""
    rows = stores.papers.rows
    titles = stores.papers.titles(rows)
    pairs = similar_titles(other.papers.titles(other.papers.rows), titles)
    return rows[sorted({position for _, position in pairs})]


def _without(lists: Sequence[List], rows: Rows) -> list[List]:
    """Return the lists without some candidates; those left with one kind only are left out."""
    if not rows.size:
        return [*lists]
    found = []
    for each in lists:
        kept = ~np.isin(each.rows, rows)
        if 0 < each.cited[kept].sum() < kept.sum():
            found.append(List(each.question, each.rows[kept], each.cited[kept]))
    return found


def _judged(
    learner: Learner,
    questions: Sequence[Question],
    rankings: Sequence[Rows],
    settings: CrossEncoderSettings,
) -> Curve:
    """Return measures of the system's first papers in the order of their logits."""
    ordered = []
    for question, ranking in zip(questions, rankings, strict=True):
        scores = learner.scores(question.query.claim, ranking)
        ordered.append(ranking[np.argsort(-scores, kind="stable")])
    return _figures(questions, ordered, settings.depth)


def _figures(questions: Sequence[Question], rankings: Sequence[Rows], depth: int) -> Curve:
    hits = Hits.of(rankings, [each.gold for each in questions], max(depth, 50))
    figures = {str(each): round(each.of(hits), 4) for each in parse_measures(MEASURES)}
    return {"measure": next(iter(figures.values())), **figures}


def _found(
    stores: Stores,
    start: Path,
    settings: CrossEncoderSettings,
    train: Sequence[Question],
    dev: Sequence[Question],
    judged: Sequence[Rows],
    lists: Sequence[List],
    progress: Progress,
    began: float,
) -> CrossEncoderTraining:
    counts = {
        "training queries": len(train),
        "pairs": sum(each.rows.size for each in lists),
        "cited": int(sum(each.cited.sum() for each in lists)),
        "dev queries": len(dev),
        "steps": progress.step,
    }
    best = progress.curves[progress.best_check]
    quality = {
        settings.system: _figures(dev, judged, settings.depth),
        "logits alone": {name: best[name] for name in ("measure", *MEASURES.split())},
    }
    about = {
        "trained by": "citewise train cross-encoder",
        "library": {"papers": len(stores.papers), "fingerprint": stores.info.fingerprint},
        "start": folder_digest(start),
        "settings": dataclasses.asdict(settings),
        "counts": counts,
        "dev": quality,
    }
    return CrossEncoderTraining(
        weights=progress.best,
        start=start,
        about=about,
        counts=counts,
        quality=quality,
        curves=progress.curves,
        best_check=progress.best_check,
        seconds=round(time.perf_counter() - began, 1),
    )
