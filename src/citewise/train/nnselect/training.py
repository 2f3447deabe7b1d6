"""Trains NNSelect on a library, epoch by epoch, and judges it beside what serves."""

import dataclasses
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citewise.arrays import Rows
from citewise.embed.word_models import NNSELECT, model_of, word_models
from citewise.embed.word_vectors import WordVectors
from citewise.errors import BadInput
from citewise.evaluate.splits import Question, Split, SplitSettings
from citewise.protocols import Encoder, Stores
from citewise.train.checkpoints import digest_of, torch_threads, training_folder
from citewise.train.nnselect.checkpoints import Checkpoints, Progress, progress_of, restore
from citewise.train.nnselect.corpus import Corpus
from citewise.train.nnselect.epochs import Epochs
from citewise.train.nnselect.judging import judged
from citewise.train.nnselect.settings import NNSelectSettings
from citewise.train.nnselect.starts import start_of
from citewise.train.ranker import spread
from citewise.train.training import LEAST_QUERIES, Stage


@dataclass(frozen=True, slots=True)
class NNSelectTraining:
    """A trained model and what is worth knowing about it."""

    model: WordVectors
    measure: str
    """By which it must be better than what serves."""
    counts: dict[str, int]
    """Papers, stems, citing papers and pairs that were learned from; dev queries."""
    quality: dict[str, dict[str, float]]
    """On the same dev queries: the start, what serves where there is such a model, and the new
    model.
    """
    curves: list[dict[str, float]]
    """Loss, seconds and measures after each epoch; first, before training."""
    best_epoch: int
    seconds: float

    @property
    def better(self) -> bool:
        """Whether the new model is above what serves on dev queries."""
        serving = self.quality.get("serving")
        return serving is None or self.quality["trained"][self.measure] > serving[self.measure]


def train_nnselect(
    stores: Stores,
    settings: NNSelectSettings | None = None,
    stage: Stage = lambda what, done, total: None,
    folder: Path | None = None,
    encoder: Encoder | None = None,
    split: Split | None = None,
    without: Rows | None = None,
) -> NNSelectTraining:
    """Train on a library's citations; nothing is saved but a checkpoint after each epoch.

    `folder` is for the checkpoint, in the user's cache where none is given: where a training with
    the same settings was interrupted, it goes on. `encoder` is for a start from words; `split`
    saves the time to make it anew; nothing is learned from what the papers `without` cite.
    """
    settings = settings or NNSelectSettings()
    began = time.perf_counter()
    questions, left_out, year = judging_questions(stores, settings.split, settings.tuning, split)
    left_out = left_out if without is None else np.union1d(left_out, without)
    corpus = Corpus.of(stores, year, settings, left_out)

    checkpoints = _checkpoints(stores, settings, folder, left_out)
    with torch_threads(settings.threads):
        progress = _trained(stores, settings, corpus, questions, checkpoints, encoder, stage)
    training = _judged(stores, settings, corpus, questions, progress, began)
    checkpoints.remove()
    return training


def judging_questions(
    stores: Stores, settings: SplitSettings, most: int, split: Split | None = None
) -> tuple[list[Question], Rows, int]:
    """Return some of the dev queries; the papers that are near one of dev or test, from whose
    references nothing is learned; and the last year before the dev part.
    """
    parts = ("dev", "test") if settings.test else ("dev",)
    made = split or Split.make(stores, settings, parts=parts)  # type: ignore[arg-type]
    near = {key for part in parts for each in made.parts[part] for key in (each.id, *each.hidden)}
    left_out = stores.papers.find(sorted(near))

    every = made.questions(stores, "dev")
    questions = spread(every, most)
    if len(questions) < LEAST_QUERIES:
        raise BadInput(
            f"training needs at least {LEAST_QUERIES} dev papers to judge by, each with a year, an "
            f"abstract and {settings.least} or more references within the library; found "
            f"{len(questions)}"
        )

    # of all dev queries: those that are asked need not have one of the first year
    years = [question.query.year or 0 for question in every]
    first = min([*years, *(settings.dev or ())[:1]])
    return questions, left_out[left_out >= 0], first - 1


def _checkpoints(
    stores: Stores, settings: NNSelectSettings, folder: Path | None, left_out: Rows
) -> Checkpoints:
    papers = hashlib.blake2b(left_out.astype("<i8").tobytes(), digest_size=8).hexdigest()
    digest = digest_of(settings.digest, stores.info.fingerprint, papers)
    return Checkpoints(folder or training_folder(digest), digest)


def _trained(
    stores: Stores,
    settings: NNSelectSettings,
    corpus: Corpus,
    questions: list[Question],
    checkpoints: Checkpoints,
    encoder: Encoder | None,
    stage: Stage,
) -> Progress:
    """Return what is known after the last epoch."""
    saved = checkpoints.load()
    if saved is None:
        stage("start", 0, None)
        progress = Progress(start_of(corpus, settings, stores, encoder))
    else:
        progress = progress_of(saved)

    epochs = Epochs(stores, corpus, settings, progress, stage)
    if saved is None:
        _measure(stores, settings, questions, epochs, {"loss": float("nan"), "seconds": 0.0})
    else:
        restore(saved, epochs.network, epochs.optimisers)

    while not _finished(settings, epochs):
        started = time.perf_counter()
        loss = epochs.run()
        seconds = round(time.perf_counter() - started, 1)
        _measure(stores, settings, questions, epochs, {"loss": round(loss, 5), "seconds": seconds})
        checkpoints.save(progress, epochs.network, epochs.optimisers)
    return progress


def _measure(
    stores: Stores,
    settings: NNSelectSettings,
    questions: list[Question],
    epochs: Epochs,
    curve: dict[str, float],
) -> None:
    """Judge the model as it is now, and keep it if it is the best so far."""
    progress, model = epochs.progress, epochs.network.word_vectors()
    figures = judged(stores, model, questions)
    before = max((each[settings.measure] for each in progress.curves), default=-1.0)
    progress.curves.append({**curve, **figures})
    if figures[settings.measure] > before:
        progress.best, progress.best_epoch = model.encoded(), progress.epochs


def _finished(settings: NNSelectSettings, epochs: Epochs) -> bool:
    progress = epochs.progress
    waited = progress.epochs - progress.best_epoch
    return (
        progress.epochs >= settings.epochs or waited >= settings.patience or epochs.pairs_left == 0
    )


def _judged(
    stores: Stores,
    settings: NNSelectSettings,
    corpus: Corpus,
    questions: list[Question],
    progress: Progress,
    began: float,
) -> NNSelectTraining:
    """Return the best model, beside what serves."""
    plain = ("loss", "seconds")
    figures = [
        {name: value for name, value in each.items() if name not in plain}
        for each in progress.curves
    ]
    quality = {"start": figures[0]}
    serving = model_of(stores, NNSELECT) or word_models(stores.models).get(NNSELECT)
    if serving is not None:
        quality["serving"] = judged(stores, serving, questions)
    quality["trained"] = figures[progress.best_epoch]

    counts = {
        "papers": corpus.rows.size,
        "stems": len(corpus.stems),
        "citing papers": corpus.citing.size,
        "pairs": corpus.references.values.size,
        "dev queries": len(questions),
    }
    provenance: dict[str, Any] = {
        "trained by": "citewise train nnselect",
        "library": {"papers": len(stores.papers), "fingerprint": stores.info.fingerprint},
        "papers up to": corpus.year,
        "settings": dataclasses.asdict(settings),
        "counts": counts,
        "epoch": progress.best_epoch,
        "dev": quality,
    }
    model = dataclasses.replace(WordVectors.decode(progress.best), provenance=provenance)
    return NNSelectTraining(
        model=model,
        measure=settings.measure,
        counts=counts,
        quality=quality,
        curves=progress.curves,
        best_epoch=progress.best_epoch,
        seconds=round(time.perf_counter() - began, 1),
    )
