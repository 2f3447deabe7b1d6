"""Trains an article encoder on triplets of a library's citations, under the leak guard."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from citewise.embed.folder import digest_of as folder_digest
from citewise.errors import BadInput
from citewise.evaluate.runs import Workers, ask
from citewise.protocols import Papers, Stores
from citewise.rank.paper_texts import paper_texts
from citewise.systems import BASELINE
from citewise.train.bert.folders import load, provenance, shape_of
from citewise.train.bert.learning import Curve, Learner
from citewise.train.bert.network import MeanEncoder, padded
from citewise.train.bert.tokens import Tokenizer
from citewise.train.bert.trained import BertTraining
from citewise.train.checkpoints import Checkpoint, digest_of, torch_threads, training_folder
from citewise.train.cross_encoder.task import MEASURES, Judged, figures
from citewise.train.encoder.settings import EncoderSettings
from citewise.train.encoder.triplets import Triplets, triplets_of
from citewise.train.nnselect.training import judging_questions
from citewise.train.training import Stage

_ENCODED = 32
"""Texts that are encoded at once."""


class TripletTask:
    """Triplets that are learned from, and dev questions that judge."""

    def __init__(
        self,
        network: MeanEncoder,
        tokenizer: Tokenizer,
        papers: Papers,
        triplets: Triplets,
        dev: Judged,
        settings: EncoderSettings,
    ) -> None:
        self._network, self._tokenizer, self._papers = network, tokenizer, papers
        self._triplets, self._dev, self._settings = triplets, dev, settings

    def steps(self, epoch: int) -> list[Triplets]:
        """Return the triplets of each step of an epoch."""
        order = np.random.default_rng((self._settings.seed, 9, epoch)).permutation(
            len(self._triplets)
        )
        starts = range(0, order.size, self._settings.batch)
        return [
            self._triplets.take(order[start : start + self._settings.batch]) for start in starts
        ]

    def loss(self, examples: Triplets, step: int) -> Tensor:
        """Return the mean loss of triplets."""
        settings = self._settings
        rows = np.concatenate([examples.queries, examples.positives, examples.negatives])
        vectors = self._encode(paper_texts(self._papers.read(rows)))
        query, positive, negative = torch.split(vectors, len(examples))

        if settings.loss == "triplet":
            near, far = ((query - other).norm(dim=1) for other in (positive, negative))
            return functional.relu(near - far + settings.margin).mean()

        # what another query of the step cites is a negative, but for the same paper
        cosines = query @ torch.cat([positive, negative]).T / settings.temperature
        others = np.append(examples.positives, examples.negatives)
        same = torch.from_numpy(examples.positives[:, None] == others[None])
        same[torch.arange(len(examples)), torch.arange(len(examples))] = False
        cosines = cosines.masked_fill(same, -torch.inf)
        return functional.cross_entropy(cosines, torch.arange(len(examples)))

    def judged(self) -> Curve:
        """Return measures of the first papers of dev questions in the order of their cosines."""
        ordered = []
        for question, ranking in self._dev:
            texts = [question.query.claim, *paper_texts(self._papers.read(ranking))]
            vectors = self._encoded(texts)
            cosines = (vectors[1:] @ vectors[0]).numpy()
            ordered.append(ranking[np.argsort(-cosines, kind="stable")])
        return figures([question for question, _ in self._dev], ordered)

    def _encoded(self, texts: Sequence[str]) -> Tensor:
        starts = range(0, len(texts), _ENCODED)
        return torch.cat([self._encode(texts[start : start + _ENCODED]) for start in starts])

    def _encode(self, texts: Sequence[str]) -> Tensor:
        tokens = [
            self._tokenizer.single(each, self._settings.tokens)
            for each in self._tokenizer.read(texts)
        ]
        vectors: Tensor = self._network(padded(tokens, self._tokenizer.padding))
        return vectors


def train_encoder(
    stores: Stores,
    start: Path,
    settings: EncoderSettings | None = None,
    stage: Stage = lambda what, done, total: None,
    folder: Path | None = None,
) -> BertTraining:
    """Train an encoder from the model in a folder; nothing is saved but what is needed to go on
    after an interruption, in `folder` or else in the user's cache.
    """
    settings, began = settings or EncoderSettings(), time.perf_counter()
    shape = shape_of(start)
    network = MeanEncoder(shape, settings.dropout, settings.pooling)
    load(network, start, settings.seed)

    dev, left_out, year = judging_questions(stores, settings.split, settings.tuning)
    triplets = triplets_of(stores, year, left_out, settings)
    if not len(triplets):
        raise BadInput(f"{stores.info.location}: no triplets could be made of its citations")

    digest = digest_of(settings.digest, stores.info.fingerprint, folder_digest(start))
    folder = folder or training_folder(digest)
    with Workers(stores) as workers:
        first = ask(workers, stores, BASELINE, dev, settings.depth, folder).rankings

    tokenizer = Tokenizer(start, shape.positions)
    judged = [*zip(dev, first, strict=True)]
    task = TripletTask(network, tokenizer, stores.papers, triplets, judged, settings)
    checkpoint = Checkpoint(folder / "encoder.checkpoint", digest)
    with torch_threads(settings.threads):
        network.eval()
        with torch.inference_mode():
            before = task.judged()
        progress = Learner(network, task, settings).run(checkpoint, stage)

    best = progress.curves[progress.best_check]
    quality = {
        BASELINE: figures(dev, first),
        "start": before,
        "trained": {name: best[name] for name in ("measure", *MEASURES.split())},
    }
    counts = {"triplets": len(triplets), "dev queries": len(dev), "steps": progress.step}
    training = BertTraining(
        kind="encoder",
        weights=progress.best,
        start=start,
        about=provenance(stores, "encoder", start, settings, counts, quality),
        counts=counts,
        quality=quality,
        curves=progress.curves,
        best_check=progress.best_check,
        seconds=round(time.perf_counter() - began, 1),
        pooling=settings.pooling,
        tokens=settings.tokens,
    )
    checkpoint.remove()
    return training
