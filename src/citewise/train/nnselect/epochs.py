"""One epoch after the other: every pair of a citing and a cited paper once, in a new order."""

from collections.abc import Callable

import numpy as np
import torch

from citewise.arrays import Rows
from citewise.protocols import Stores
from citewise.train.nnselect.checkpoints import Progress
from citewise.train.nnselect.corpus import Corpus
from citewise.train.nnselect.judging import vectors_of
from citewise.train.nnselect.losses import boost, softmax_loss, triplet_loss
from citewise.train.nnselect.negatives import Negatives, Neighbours
from citewise.train.nnselect.network import Network
from citewise.train.nnselect.settings import NNSelectSettings
from citewise.train.training import Stage

_WARM_UP = 100
"""Steps over which the learning rates grow, but no more than a tenth of all."""
_LAST_RATE = 0.05
"""The share of the learning rates that is left at the end."""
_SHOWN = 20
"""Steps between two reports of how far an epoch is."""

Loss = Callable[[Rows, Rows, np.random.Generator], torch.Tensor]


class Epochs:
    """A network in training; an epoch's random numbers follow from the seed and its number alone,
    so that a training that was interrupted goes on as if it had not been.
    """

    def __init__(
        self,
        stores: Stores,
        corpus: Corpus,
        settings: NNSelectSettings,
        progress: Progress,
        stage: Stage,
    ) -> None:
        self._stores, self._corpus, self._settings = stores, corpus, settings
        self._stage, self.progress = stage, progress
        self.network = Network(corpus, progress.start, settings)
        self.optimisers = self.network.optimisers()
        self._rates = [each.param_groups[0]["lr"] for each in self.optimisers]
        self._boosts = boost(corpus.in_citations)

        triplets = settings.loss == "triplet"
        self._batch = settings.batch // settings.negatives if triplets else settings.batch
        self._neighbours = (
            Neighbours(corpus, settings.negatives, settings.percentile)
            if triplets and settings.neighbours
            else None
        )

    @property
    def pairs_left(self) -> int | None:
        """How many more pairs may be learned from; None where there is no limit."""
        settings = self._settings
        if settings.loss != "triplet" or not settings.triplets:
            return None
        return max(settings.triplets // settings.negatives - self.progress.pairs, 0)

    def run(self) -> float:
        """Learn from each pair once; return the mean loss of the steps."""
        number = self.progress.epochs + 1
        random = np.random.default_rng((self._settings.seed, 2, number))
        citing, cited = self._corpus.pairs(self._settings, random)
        citing, cited = citing[: self.pairs_left], cited[: self.pairs_left]
        loss_of = self._loss()

        # a last batch that is not full would count more than the others
        starts = range(0, max(citing.size - self._batch, 0) + 1, self._batch)
        total = 0.0
        for step, start in enumerate(starts):
            some = slice(start, start + self._batch)
            total += self._step(loss_of(citing[some], cited[some], random), len(starts))
            if step % _SHOWN == 0:
                self._stage(f"epoch {number}", step, len(starts))
        self.progress.pairs += citing.size
        return total / len(starts)

    def _step(self, loss: torch.Tensor, steps_an_epoch: int) -> float:
        share = self._rate(steps_an_epoch * self._settings.epochs)
        for optimiser, rate in zip(self.optimisers, self._rates, strict=True):
            optimiser.param_groups[0]["lr"] = rate * share
            optimiser.zero_grad()
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()
        self.progress.steps += 1
        return float(loss.item())

    def _rate(self, all_steps: int) -> float:
        """Return the share of the learning rates at this step."""
        if not self._settings.decaying:
            return 1.0
        step, warm_up = self.progress.steps, min(_WARM_UP, max(all_steps // 10, 1))
        return min(1.0, (step + 1) / warm_up) * max(_LAST_RATE, 1 - step / all_steps)

    def _loss(self) -> Loss:
        """Return the loss of a batch of pairs; neighbours are searched with the vectors of now."""
        if self._settings.loss == "softmax":
            return self._softmax
        near = None
        if self._neighbours is not None:
            self._stage("neighbours", 0, None)
            model = self.network.word_vectors(precision="fp32")
            near = self._neighbours.of(vectors_of(self._stores, model, self._corpus.rows))
        negatives = Negatives(self._corpus, self._settings.negatives, near)
        return lambda citing, cited, random: self._triplets(citing, cited, negatives, random)

    def _softmax(self, citing: Rows, cited: Rows, random: np.random.Generator) -> torch.Tensor:
        others = random.integers(0, self._corpus.rows.size, self._settings.random_negatives)
        vectors, penalty = self.network.vectors(np.concatenate([citing, cited, others]), random)
        ends = (citing.size, citing.size + cited.size)
        loss = softmax_loss(
            vectors[: ends[0]],
            vectors[ends[0] : ends[1]],
            self.network.temperature.exp(),
            self._corpus.citing_matrix(citing, cited),
            vectors[ends[1] :] if others.size else None,
        )
        return loss + penalty

    def _triplets(
        self, citing: Rows, cited: Rows, negatives: Negatives, random: np.random.Generator
    ) -> torch.Tensor:
        others, kinds = negatives.draw(citing, random)
        papers = np.concatenate([citing, cited, others.ravel()])
        vectors, penalty = self.network.vectors(papers, random)
        query, positive = vectors[: citing.size], vectors[citing.size : 2 * citing.size]
        negative = vectors[2 * citing.size :].reshape(citing.size, others.shape[1], -1)

        loss = triplet_loss(
            (query * positive).sum(1),
            (query[:, None] * negative).sum(2),
            kinds,
            (self._boosts[cited], self._boosts[others]),
            self._settings.gamma,
        )
        return loss + penalty
