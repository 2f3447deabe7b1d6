"""NNRank while it is trained: examples end to end, and the network in torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from citewise.arrays import Ragged, Rows, flat_index
from citewise.protocols import Stores
from citewise.rank.nnrank import NNRankModel
from citewise.rank.nnrank_features import NAMES, SHARED
from citewise.train.nnrank.examples import Example

HIDDEN = 20
"""Units of each of the two hidden layers, as in the paper."""

_FIRST_WEIGHT = 0.1
"""The weight of a stem before training, times its rarity."""
_WITHOUT = 1e30
"""What a feature is divided by that does not count."""
_LEAST_QUERIES = 3
"""A stem has a weight of its own if this many queries share it with a paper."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The stems whose weights are learned, by their numbers in the library."""

    terms: Rows
    """Sorted."""
    rarity: NDArray[np.float32]
    """ln(1 + papers / document frequency) of each stem; behind the last, that of a stem in one
    paper, for all other stems.
    """

    @classmethod
    def of(cls, stores: Stores, found: Sequence[Example]) -> "Vocabulary":
        """Return the stems that several queries share with papers."""
        used = [
            np.unique(np.concatenate([each.terms[np.unique(each.stems)] for each in both]))
            for both in (example.features.shared for example in found)
        ]
        terms, queries = np.unique(np.concatenate(used), return_counts=True)
        terms = terms[queries >= _LEAST_QUERIES]
        known = stores.terms.statistics(terms, "text")
        frequencies = np.append(np.maximum(known.frequencies, 1), 1)
        return cls(terms, np.log(1 + known.documents / frequencies).astype(np.float32))

    def positions(self, terms: Rows) -> Rows:
        """Return the position of each term; that behind the last for terms that are not in it."""
        at = np.searchsorted(self.terms, terms)
        absent = np.append(self.terms, -1)[at] != terms
        at[absent] = self.terms.size
        return at


@dataclass(frozen=True, slots=True)
class Packed:
    """All examples end to end: a paper of an example is a row."""

    starts: Rows
    """Where the rows of each example begin; behind the last, the number of rows."""
    columns: NDArray[np.float32]
    shared: tuple[Ragged, ...]
    """For each kind of shared stems: those of each row, as positions in the vocabulary."""
    kinds: NDArray[np.int64]
    citations: NDArray[np.int64]

    @classmethod
    def of(cls, found: Sequence[Example], vocabulary: Vocabulary) -> "Packed":
        """Return examples end to end."""
        return cls(
            starts=np.concatenate(([0], np.cumsum([each.kinds.size for each in found]))),
            columns=np.concatenate([each.features.columns for each in found]).astype(np.float32),
            shared=tuple(
                Ragged.join([_by_row(each, kind, vocabulary) for each in found])
                for kind in range(len(SHARED))
            ),
            kinds=np.concatenate([each.kinds for each in found]),
            citations=np.concatenate([each.citations for each in found]),
        )

    def rows_of(self, numbers: Rows) -> Rows:
        """Return the rows of some examples."""
        return flat_index(self.starts[numbers], self.starts[numbers + 1])[0]


def _by_row(example: Example, kind: int, vocabulary: Vocabulary) -> Ragged:
    shared = example.features.shared[kind]
    counts = np.bincount(shared.rows, minlength=example.kinds.size)
    stems = vocabulary.positions(shared.terms)[shared.stems]  # sorted by row
    return Ragged(stems, np.concatenate(([0], np.cumsum(counts))))


class Network(torch.nn.Module):  # type: ignore[misc]
    """Weights of stems, two ELU layers and a sigmoid."""

    def __init__(self, data: Packed, vocabulary: Vocabulary, inputs: Sequence[str] = NAMES) -> None:
        """`inputs` are the features that it sees; the others count as 0."""
        super().__init__()
        self._data, self._vocabulary = data, vocabulary
        first = np.repeat(_FIRST_WEIGHT * vocabulary.rarity[:, None], len(SHARED), axis=1)
        self.weights = torch.nn.Parameter(torch.from_numpy(first))
        self.layers = torch.nn.ModuleList(
            [
                torch.nn.Linear(len(NAMES), HIDDEN),
                torch.nn.Linear(HIDDEN, HIDDEN),
                torch.nn.Linear(HIDDEN, 1),
            ]
        )
        self._seen = np.isin(NAMES, list(inputs))
        whole = self._inputs(np.arange(len(data.columns)), None).detach().numpy()
        self.centre = whole.mean(0)
        # a feature that never varies, or is not seen, becomes 0
        spread = np.where(self._seen & (whole.std(0) > 0), whole.std(0), _WITHOUT)
        self.spread = spread.astype(np.float32)

    def _inputs(self, rows: Rows, kept: Any) -> torch.Tensor:
        sums = []
        for kind, lists in enumerate(self._data.shared):
            some = lists.take(rows)
            values = self.weights[torch.from_numpy(some.values), kind]
            if kept is not None:
                values = values * torch.from_numpy(kept(some.values.size))
            empty = torch.zeros(rows.size)
            sums.append(empty.index_add(0, torch.from_numpy(some.owners), values))
        columns = torch.from_numpy(self._data.columns[rows])
        return torch.cat([columns, torch.stack(sums, dim=1)], dim=1)

    def forward(self, rows: Rows, kept: Any = None) -> torch.Tensor:
        """Return the scores of rows; `kept` draws which shared stems count, None for all."""
        values = self._inputs(rows, kept)
        values = (values - torch.from_numpy(self.centre)) / torch.from_numpy(self.spread)
        *hidden, last = self.layers
        for each in hidden:
            values = functional.elu(each(values))
        return torch.sigmoid(last(values)[:, 0])

    def model(self, stores: Stores, vectors: str, provenance: dict[str, Any]) -> NNRankModel:
        """Return what serves."""
        weights = self.weights.detach().numpy().copy()
        return NNRankModel(
            stems=tuple(stores.terms.words(self._vocabulary.terms)),
            weights=weights[:-1],
            unknown=weights[-1],
            centre=self.centre.astype(np.float32),
            spread=self.spread,
            layers=tuple(
                (each.weight.detach().numpy().T.copy(), each.bias.detach().numpy().copy())
                for each in self.layers
            ),
            vectors=vectors,
            provenance=provenance,
        )
