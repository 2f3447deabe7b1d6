"""Trains a cross-encoder on a library's citations, under the leak guard; dev queries judge it."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citewise.arrays import Rows
from citewise.embed.folder import digest_of as folder_digest
from citewise.errors import BadInput
from citewise.evaluate.runs import Workers, ask
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores
from citewise.systems import System
from citewise.text.titles import similar_titles
from citewise.train.bert.folders import load, provenance, shape_of
from citewise.train.bert.learning import Learner
from citewise.train.bert.network import CrossEncoder
from citewise.train.bert.tokens import Tokenizer
from citewise.train.bert.trained import BertTraining
from citewise.train.checkpoints import Checkpoint, digest_of, torch_threads, training_folder
from citewise.train.cross_encoder.pairs import List, lists_of
from citewise.train.cross_encoder.settings import CrossEncoderSettings
from citewise.train.cross_encoder.task import MEASURES, PairTask, figures
from citewise.train.ranker import spread
from citewise.train.training import LEAST_QUERIES, Stage


def train_cross_encoder(
    stores: Stores,
    start: Path,
    settings: CrossEncoderSettings | None = None,
    stage: Stage = lambda what, done, total: None,
    folder: Path | None = None,
    apart_from: Stores | None = None,
    jobs: int = 1,
) -> BertTraining:
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
    pairs = [*zip(dev, judged, strict=True)]
    task = PairTask(network, tokenizer, stores.papers, queries, lists, pairs, settings)
    checkpoint = Checkpoint(folder / "cross-encoder.checkpoint", digest)
    with torch_threads(settings.threads):
        progress = Learner(network, task, settings).run(checkpoint, stage)

    counts = {
        "training queries": len(train),
        "pairs": sum(each.rows.size for each in lists),
        "cited": int(sum(each.cited.sum() for each in lists)),
        "dev queries": len(dev),
        "steps": progress.step,
    }
    quality = {
        settings.system: figures(dev, judged),
        "logits alone": {
            name: progress.curves[progress.best_check][name]
            for name in ("measure", *MEASURES.split())
        },
    }
    training = BertTraining(
        kind="cross-encoder",
        weights=progress.best,
        start=start,
        about=provenance(stores, "cross-encoder", start, settings, counts, quality),
        counts=counts,
        quality=quality,
        curves=progress.curves,
        best_check=progress.best_check,
        seconds=round(time.perf_counter() - began, 1),
    )
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
