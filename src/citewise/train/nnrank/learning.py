"""Fits NNRank to examples by the triplet loss of NNSelect."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from citewise.arrays import Ragged, Rows
from citewise.protocols import Stores
from citewise.rank.nnrank import NNRankModel
from citewise.train.nnrank.examples import POSITIVE, Example
from citewise.train.nnrank.judging import MEASURE, Figures, Judged, figures
from citewise.train.nnrank.network import Network, Packed, Vocabulary
from citewise.train.nnrank.settings import KINDS, NNRankSettings
from citewise.train.nnselect.losses import NONE, boost, triplet_loss
from citewise.train.nnselect.negatives import one_of
from citewise.train.training import Stage


class Learner:
    """Fits the network to examples."""

    def __init__(
        self, stores: Stores, found: Sequence[Example], vectors: str, settings: NNRankSettings
    ) -> None:
        """`vectors` is the digest of the word model behind the examples' cosines."""
        self._stores, self._vectors, self._settings = stores, vectors, settings
        torch.set_num_threads(1)  # batches are small, and results do not depend on the machine
        torch.manual_seed(settings.seed)
        self._random = np.random.default_rng(settings.seed)

        vocabulary = Vocabulary.of(stores, found)
        self._data = Packed.of(found, vocabulary)
        self._network = Network(self._data, vocabulary, settings.features)
        self._first = self._network.weights.detach().clone()
        self._negatives = _negatives(self._data)

    def run(self, judge: Sequence[Judged], stage: Stage) -> tuple[NNRankModel, list[Figures]]:
        """Return the model of the best epoch, and what each epoch was worth."""
        settings, weights = self._settings, self._network.weights
        others = [each for each in self._network.parameters() if each is not weights]
        optimiser = torch.optim.Adam(
            [
                {"params": others, "lr": settings.rate},
                {"params": [weights], "lr": settings.weights_rate},
            ]
        )

        curve: list[Figures] = []
        best, at = self._model(), -1
        for epoch in range(settings.epochs):
            loss = self._epoch(optimiser)
            model = self._model()
            curve.append({"loss": round(loss, 5), **figures(judge, model)})
            stage("epochs", epoch + 1, settings.epochs)
            if at < 0 or curve[-1][MEASURE] > curve[at][MEASURE]:
                best, at = model, epoch
            if epoch - at >= settings.patience:
                break
        return dataclasses.replace(best, provenance=self._provenance(curve, at)), curve

    def _model(self) -> NNRankModel:
        return self._network.model(self._stores, self._vectors, {})

    def _provenance(self, curve: list[Figures], at: int) -> dict[str, Any]:
        settings = dataclasses.asdict(self._settings)
        del settings["split"]
        return {"settings": settings, "epoch": at + 1, "dev": curve[at]}

    def _epoch(self, optimiser: Any) -> float:
        """Learn from every example once, and return the mean loss."""
        order, total = self._random.permutation(self._data.starts.size - 1), []
        for start in range(0, order.size, self._settings.batch):
            loss = self._loss(order[start : start + self._settings.batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total.append(float(loss.detach()))
        return float(np.mean(total))

    def _loss(self, numbers: Rows) -> Any:
        settings, data = self._settings, self._data
        rows = data.rows_of(numbers)
        owners = np.repeat(numbers, np.diff(data.starts)[numbers])
        scores = self._network(rows, self._kept)
        at = np.zeros(len(data.kinds), np.int64)
        at[rows] = np.arange(rows.size)

        cited = data.kinds[rows] == POSITIVE
        positive, owner = rows[cited], owners[cited]
        kinds = np.resize(np.arange(KINDS), (positive.size, settings.negatives))
        lists = (owner[:, None] * KINDS + kinds).ravel()
        negative = one_of(self._negatives, lists, self._random).reshape(kinds.shape)
        kinds = np.where(negative < 0, NONE, kinds)
        negative = np.where(negative < 0, positive[:, None], negative)

        boosts = boost(data.citations[positive]), boost(data.citations[negative])
        by_position = torch.from_numpy(at)
        loss = triplet_loss(
            scores[by_position[torch.from_numpy(positive)]],
            scores[by_position[torch.from_numpy(negative)]],
            kinds,
            boosts,
            settings.gamma,
        )
        weights = self._network.weights
        moved = ((weights - self._first) ** 2).sum()
        return loss + settings.l1 * weights.abs().sum() + settings.l2 * moved

    def _kept(self, count: int) -> Any:
        drawn = self._random.random(count) >= self._settings.word_dropout
        return drawn.astype(np.float32)


def _negatives(data: Packed) -> Ragged:
    """Return the rows of each kind of negatives of each example: list example * 3 + kind."""
    owners = np.repeat(np.arange(data.starts.size - 1), np.diff(data.starts))
    negative = np.flatnonzero(data.kinds >= 0)
    lists = owners[negative] * KINDS + data.kinds[negative]
    order = np.argsort(lists, kind="stable")
    counts = np.bincount(lists, minlength=KINDS * (data.starts.size - 1))
    return Ragged(negative[order], np.concatenate(([0], np.cumsum(counts))))
