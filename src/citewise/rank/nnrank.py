"""NNRank (Bhagavatula et al. 2018, section 4): a small network that ranks NNSelect's candidates, in
numpy.
"""

import functools
import hashlib
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, RowIndex, Rows, summed
from citewise.errors import BadLibrary, MissingData
from citewise.protocols import Models
from citewise.rank.nnrank_features import NAMES, SHARED, PairFeatures, PairReader, SharedStems
from citewise.signals import written_by
from citewise.types import Contributions, Query, Ranking, Scope, ServedBy

NNRANK = "nnrank"
"""The name of a library's model."""

_FORMAT = 1
_AGAIN = "train it again with: citewise train nnrank --library LIBRARY"


class _File(msgspec.Struct, frozen=True):
    """A model as it is stored; msgspec writes bytes as base64."""

    format: int
    features: tuple[str, ...]
    vectors: str
    stems: list[str]
    weights: bytes
    unknown: tuple[float, ...]
    centre: tuple[float, ...]
    spread: tuple[float, ...]
    layers: list[tuple[int, int, bytes, bytes]]
    digest: str
    provenance: dict[str, Any]


@dataclass(frozen=True, eq=False)
class NNRankModel:
    """Learned weights of stems, and a network over the features of pairs."""

    stems: tuple[str, ...]
    weights: NDArray[np.float32]
    """Stems x `SHARED`."""
    unknown: NDArray[np.float32]
    """The weights of every other stem."""
    centre: NDArray[np.float32]
    spread: NDArray[np.float32]
    """What is subtracted from each feature, and what that is divided by."""
    layers: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    """Matrix and offset of each layer; ELU between layers, a sigmoid behind the last."""
    vectors: str
    """The digest of the word model whose cosines it was trained with."""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def rows(self) -> dict[str, int]:
        """The row of each stem in `weights`."""
        return {stem: row for row, stem in enumerate(self.stems)}

    def inputs(self, features: PairFeatures) -> NDArray[np.float64]:
        """Return the matrix of features, candidates x `NAMES`."""
        count = len(features.columns)
        sums = [
            summed(each.rows, self._weights(each, kind)[each.stems], count)
            for kind, each in enumerate(features.shared)
        ]
        return np.column_stack([features.columns, *sums])

    def _weights(self, shared: SharedStems, kind: int) -> Column:
        """Return the learned weight of each of some stems."""
        rows = np.array([self.rows.get(word, -1) for word in shared.words], np.int64)
        weights = np.append(self.weights[:, kind], self.unknown[kind])  # -1 picks the last
        return weights[rows].astype(np.float64)

    def logits(self, inputs: NDArray[np.float64]) -> Column:
        """Return what the sigmoid is applied to, for each row of features."""
        values = (inputs - self.centre) / self.spread
        *hidden, (matrix, offset) = self.layers
        for each, constant in hidden:
            values = _elu(values @ each + constant)
        return np.asarray((values @ matrix + offset)[:, 0], np.float64)

    def scores(self, inputs: NDArray[np.float64]) -> Column:
        """Return the scores, between 0 and 1."""
        return 1 / (1 + np.exp(-np.clip(self.logits(inputs), -500, 500)))

    @functools.cached_property
    def digest(self) -> str:
        """A digest of all that decides scores."""
        digest = hashlib.blake2b(" ".join((*NAMES, self.vectors, *self.stems)).encode())
        arrays = [self.weights, self.unknown, self.centre, self.spread]
        for array in (*arrays, *itertools.chain.from_iterable(self.layers)):
            digest.update(array.astype("<f4").tobytes())
        return digest.hexdigest()[:16]

    def encoded(self) -> bytes:
        """Return the model as bytes, a JSON object."""
        return msgspec.json.encode(
            _File(
                format=_FORMAT,
                features=NAMES,
                vectors=self.vectors,
                stems=list(self.stems),
                weights=self.weights.astype("<f4").tobytes(),
                unknown=tuple(self.unknown.tolist()),
                centre=tuple(self.centre.tolist()),
                spread=tuple(self.spread.tolist()),
                layers=[
                    (*matrix.shape, matrix.astype("<f4").tobytes(), offset.astype("<f4").tobytes())
                    for matrix, offset in self.layers
                ],
                digest=self.digest,
                provenance=dict(self.provenance),
            )
        )

    @classmethod
    def decode(cls, content: bytes) -> "NNRankModel":
        """Return the model that `encoded` wrote; the error says what to do where it cannot be
        read.
        """
        try:
            return _checked(msgspec.json.decode(content, type=_File))
        except (msgspec.DecodeError, ValueError) as error:
            raise BadLibrary(f"the model of NNRank cannot be read ({error}); {_AGAIN}") from None


def _checked(file: _File) -> NNRankModel:
    """Return the model of a file, or raise ValueError where it is not what was written."""
    if file.format != _FORMAT or file.features != NAMES:
        raise ValueError("another version of citewise made it")

    model = NNRankModel(
        stems=tuple(file.stems),
        weights=np.frombuffer(file.weights, "<f4").reshape(len(file.stems), len(SHARED)),
        unknown=np.array(file.unknown, np.float32),
        centre=np.array(file.centre, np.float32),
        spread=np.array(file.spread, np.float32),
        layers=tuple(
            (np.frombuffer(matrix, "<f4").reshape(rows, columns), np.frombuffer(offset, "<f4"))
            for rows, columns, matrix, offset in file.layers
        ),
        vectors=file.vectors,
        provenance=file.provenance,
    )
    if model.digest != file.digest:
        raise ValueError("its content has changed since it was written")
    return model


def _elu(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x where x > 0, else exp(x) - 1."""
    return np.where(values > 0, values, np.expm1(np.minimum(values, 0)))


@functools.lru_cache(maxsize=4)
def _decoded(content: bytes) -> NNRankModel:
    return NNRankModel.decode(content)


def nnrank_of(models: Models) -> NNRankModel | None:
    """Return the model that was trained on a library; None where there is none."""
    content = models.load(NNRANK)
    return _decoded(content) if content is not None else None


def required_nnrank(models: Models, vectors: str) -> NNRankModel:
    """Return a library's model; the error says what to do where there is none, or where it was
    trained with other vectors than those with this digest.
    """
    model = nnrank_of(models)
    if model is None:
        raise MissingData(
            "citeomatic needs a ranker that was trained on the library; train it with: "
            "citewise train nnrank --library LIBRARY"
        )
    if model.vectors != vectors:
        raise MissingData(
            f"the library's NNRank was trained with other vectors than it has now; {_AGAIN}"
        )
    return model


class NNRank:
    """The ranker."""

    reads: frozenset[str] = frozenset()
    writes = written_by("nnrank") | written_by("dense")

    def __init__(self, reader: PairReader, model: NNRankModel) -> None:
        self._reader, self._model = reader, model

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by falling score, equal ones by row."""
        inputs = self._model.inputs(self._reader.of(query, candidates.rows, scope))
        signals = {name: inputs[:, column].copy() for column, name in enumerate(NAMES)}
        served = ServedBy(model=NNRANK, provenance=self._model.digest)

        scores = self._model.scores(inputs)
        order = np.lexsort((candidates.rows, -scores))
        ranked = candidates.scored(scores, signals).take(order)
        return Ranking(ranked.rows, ranked.scores, ranked.signals, served)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return the Shapley values of the features: by how much each moves the score of a paper
        away from that of a candidate with middling features, averaged over all orders in which
        features are set.
        """
        if not rows.size:
            return Contributions(np.zeros(0), {})

        inputs = np.column_stack([ranking.signals[name] for name in NAMES])
        own = inputs[RowIndex(ranking.rows).of(rows)]
        middling = np.median(inputs, axis=0)
        base = self._model.scores(middling[None])[0]
        values = shapley(self._model.scores, own, middling)
        parts = {name: values[:, column] for column, name in enumerate(NAMES)}
        return Contributions(np.full(rows.size, base), parts)


def shapley(score: Any, inputs: NDArray[np.float64], middling: Column) -> NDArray[np.float64]:
    """Return the Shapley value of each feature of each row: 2 ** features scores a row.

    value(f) = sum over the sets S without f of |S|! (n - |S| - 1)! / n! * (score(S + f) - score(S))
    where score(S) has the row's features of S, and middling ones else.
    """
    n = inputs.shape[1]
    chosen = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 > 0  # set x feature
    values = np.zeros(inputs.shape)
    for position, row in enumerate(inputs):
        scores = score(np.where(chosen, row, middling))
        for feature in range(n):
            without = np.flatnonzero(~chosen[:, feature])
            sizes = chosen[without].sum(1)
            weights = np.array([_weight(size, n) for size in range(n)])[sizes]
            gains = scores[without | (1 << feature)] - scores[without]
            values[position, feature] = weights @ gains
    return values


def _weight(size: int, n: int) -> float:
    return math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)
