"""Trains NNRank on a library's citations; dev queries judge each epoch."""

import time
from dataclasses import dataclass

from citewise.embed.field_cosines import FieldCosines
from citewise.embed.query_vectors import query_vectors
from citewise.embed.word_models import NNSELECT, required_model_of
from citewise.errors import BadInput, BadLibrary
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores
from citewise.rank.nnrank import NNRANK, NNRankModel, nnrank_of
from citewise.rank.nnrank_features import METADATA, PairReader
from citewise.retrieve.nnselect import NNSelect, Selection
from citewise.train.nnrank.examples import examples
from citewise.train.nnrank.judging import MEASURE, Figures, Judged, figures
from citewise.train.nnrank.learning import Learner
from citewise.train.nnrank.settings import NNRankSettings
from citewise.train.ranker import spread
from citewise.train.training import LEAST_QUERIES, Stage


@dataclass(frozen=True, slots=True)
class NNRankTraining:
    """A trained NNRank and what is worth knowing about it."""

    model: NNRankModel
    queries: dict[str, int]
    quality: dict[str, Figures]
    """On the same dev queries: NNSelect's order, what serves now where there is such a model, and
    the new model.
    """
    curve: list[Figures]
    """By epoch: the loss, and the measures on dev queries."""
    seconds: dict[str, float]

    @property
    def better(self) -> bool:
        """Whether the new model is above what serves now on dev queries, or else NNSelect's
        order.
        """
        before = self.quality.get("serving") or self.quality["nnselect"]
        return self.quality["trained"][MEASURE] > before[MEASURE]


def train_nnrank(
    stores: Stores,
    settings: NNRankSettings | None = None,
    stage: Stage = lambda what, done, total: None,
    split: Split | None = None,
) -> NNRankTraining:
    """Train NNRank on a library whose papers have vectors; nothing is saved.

    With a `split`, its train and dev parts are used instead of those of the settings.
    """
    settings, began = settings or NNRankSettings(), time.monotonic()
    reader, select = parts(stores, bool({*METADATA} & {*settings.features}))
    split = split or Split.make(stores, settings.split, parts=("train", "dev"))
    train, dev = _questions(stores, split, settings)

    found = examples(
        select,
        reader,
        train,
        settings.seed,
        lambda done, total: stage("training queries", done, total),
    )
    judge = []
    for number, question in enumerate(dev, 1):
        judge.append(Judged.of(reader, select, question))
        stage("dev queries", number, len(dev))
    gathered = time.monotonic()

    model, curve = Learner(stores, found, reader.fields.digest, settings).run(judge, stage)
    serving = _serving(stores, reader.fields.digest)
    return NNRankTraining(
        model=model,
        queries={"train": len(found), "dev": len(dev)},
        quality={
            "nnselect": figures(judge),
            **({"serving": figures(judge, serving)} if serving is not None else {}),
            "trained": figures(judge, model),
        },
        curve=curve,
        seconds={"examples": gathered - began, "fitting": time.monotonic() - gathered},
    )


def _serving(stores: Stores, vectors: str) -> NNRankModel | None:
    """Return the model that serves now; None where there is none that can: one that is damaged, of
    another version, or trained with other vectors is what a training is to replace.
    """
    try:
        model = nnrank_of(stores.models)
    except BadLibrary:
        return None
    return model if model is not None and model.vectors == vectors else None


def save_nnrank(stores: Stores, training: NNRankTraining) -> None:
    """Keep a trained model with its library."""
    stores.models.save(NNRANK, training.model.encoded())


def parts(stores: Stores, metadata: bool) -> tuple[PairReader, NNSelect]:
    """Return what reads features, and what finds candidates, as `citeomatic` serves them."""
    vectors = query_vectors(stores, NNSELECT)
    fields = FieldCosines(stores, required_model_of(stores, NNSELECT))
    return PairReader(stores, vectors, fields, metadata), NNSelect(stores, vectors, Selection())


def _questions(
    stores: Stores, split: Split, settings: NNRankSettings
) -> tuple[list[Question], list[Question]]:
    """Return the youngest questions of the train part and some, evenly spread, of the dev part."""
    train = split.questions(stores, "train", authors=True)
    train = sorted(train, key=lambda question: question.query.year or 0)[-settings.most :]
    dev = spread(split.questions(stores, "dev", authors=True), settings.tuning)
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(
            f"training needs at least {LEAST_QUERIES} papers to learn from and as many to judge "
            f"by, each with a year, an abstract and {settings.split.least} or more references "
            f"within the library; found {len(train)} and {len(dev)}"
        )
    return train, dev
