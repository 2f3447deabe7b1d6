"""The model while it is trained: vectors of stems in torch."""

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from citewise.arrays import Rows
from citewise.embed.word_vectors import WordVectors
from citewise.train.nnselect.corpus import Corpus, Floats
from citewise.train.nnselect.settings import NNSelectSettings

_TEMPERATURE = 2.7
"""The logarithm of what cosines are multiplied with in the softmax, before training."""
_TINY = 1e-6


class _Product(torch.autograd.Function):  # type: ignore[misc]
    """A sparse matrix times a dense one by scipy: some 50 times faster on a CPU than torch's own
    sums of embeddings.
    """

    @staticmethod
    def forward(context: Any, dense: torch.Tensor, sparse: Any) -> torch.Tensor:
        context.sparse = sparse
        return torch.from_numpy(sparse @ dense.detach().numpy())

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        transposed = context.sparse.T.tocsr()
        return torch.from_numpy(transposed @ gradient.contiguous().numpy()), None


class Network:
    """Vectors of stems = magnitude * (start x matrix + learned), or its direction of length 1."""

    def __init__(self, corpus: Corpus, start: Floats, settings: NNSelectSettings) -> None:
        self._corpus, self._start, self._settings = corpus, start, settings
        given, size = start.shape[1], settings.dimension if settings.matrix else start.shape[1]
        self.magnitudes = _parameter(np.log(corpus.rarity))  # as logarithms: never below 0
        self.matrix = _parameter(_first_matrix(given, size)) if settings.matrix else None
        self.learned = _parameter(np.zeros((len(start), size)))
        self.weights = _parameter(np.zeros(2))  # of the fields, as logarithms
        self.temperature = _parameter(np.array(_TEMPERATURE))

    def parameters(self) -> dict[str, torch.Tensor]:
        """Return everything that is learned, by name."""
        found = {
            "magnitudes": self.magnitudes,
            "learned": self.learned,
            "weights": self.weights,
            "temperature": self.temperature,
        }
        return found if self.matrix is None else {**found, "matrix": self.matrix}

    def optimisers(self) -> list[torch.optim.Optimizer]:
        """Return the optimisers, of which one learns only the stems that a batch has."""
        dense = [each for name, each in self.parameters().items() if name != "learned"]
        return [
            torch.optim.Adam(dense, lr=self._settings.rate),
            torch.optim.SparseAdam([self.learned], lr=self._settings.table_rate),
        ]

    def vectors(
        self, papers: Rows, random: np.random.Generator | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return unit vectors of papers, as rows, and what l1 and l2 add to the loss.

        With `random`, some stems of each paper are left out.
        """
        counts, columns = self._counts(papers, random)
        at = torch.from_numpy(columns.astype(np.int64))
        magnitudes = self.magnitudes[at].exp()
        learned = functional.embedding(at, self.learned, sparse=True)
        sums, directions = self._sums(counts, self._start[columns], magnitudes[:, None], learned)

        penalty = self._settings.l1 * magnitudes.sum()
        if self._settings.l2:
            penalty = penalty + self._settings.l2 * directions.square().sum()
        fields = functional.normalize(sums, dim=1, eps=_TINY)
        title, abstract = self.weights.exp()
        whole = title * fields[: papers.size] + abstract * fields[papers.size :]
        return functional.normalize(whole, dim=1, eps=_TINY), penalty

    def _counts(self, papers: Rows, random: np.random.Generator | None) -> tuple[Any, Rows]:
        """Return the counts of titles, then of abstracts, and the stems that their columns are."""
        from scipy.sparse import csr_matrix, vstack  # type: ignore[import-untyped]

        counts = vstack([field[papers] for field in self._corpus.fields], "csr")
        if random is not None and self._settings.word_dropout:
            kept = random.random(counts.data.size, np.float32) >= self._settings.word_dropout
            counts.data *= kept

        columns, at = np.unique(counts.indices, return_inverse=True)
        shape = (2 * papers.size, columns.size)
        return csr_matrix((counts.data, at.astype(np.int32), counts.indptr), shape=shape), columns

    def _sums(
        self, counts: Any, start: Floats, magnitudes: torch.Tensor, learned: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the weighted sums of stems' vectors, and what l2 is taken of."""
        given = torch.from_numpy(start)
        if self._settings.unit_directions:
            directions = (given if self.matrix is None else given @ self.matrix) + learned
            unit = functional.normalize(directions, dim=1, eps=_TINY)
            return _Product.apply(magnitudes * unit, counts), directions

        # counts (magnitudes start) matrix: a product with papers' sums, which are fewer than stems
        turned = _Product.apply(magnitudes * given, counts)
        turned = turned if self.matrix is None else turned @ self.matrix
        return turned + _Product.apply(magnitudes * learned, counts), learned

    def table(self) -> Floats:
        """Return the vector of each stem, as rows."""
        with torch.no_grad():
            start = torch.from_numpy(self._start)
            directions = (start if self.matrix is None else start @ self.matrix) + self.learned
            if self._settings.unit_directions:
                directions = functional.normalize(directions, dim=1, eps=_TINY)
            found: Floats = (directions * self.magnitudes.exp()[:, None]).numpy()
        return found

    def word_vectors(self, **about: Any) -> WordVectors:
        """Return the model as it serves, its vectors rotated: components of similar size lose least
        when they are rounded to 8 bits.
        """
        title, abstract = self.weights.exp().tolist()
        weights = (float(title), float(abstract))
        table = self.table()
        table = table @ rotation(table.shape[1])
        return WordVectors.of(self._corpus.stems, table, weights, self._settings.damping, **about)


def rotation(size: int) -> Floats:
    """Return a random rotation, always the same one of a size; cosines do not change by it."""
    numbers = np.random.default_rng(0).standard_normal((size, size))
    found: Floats = np.linalg.qr(numbers)[0].astype(np.float32)
    return found


def _first_matrix(given: int, size: int) -> Floats:
    """Return the matrix before training: what is given stays as it is where it has the right size,
    else it is turned at random, which keeps cosines about as they are.
    """
    if given == size:
        return np.eye(size, dtype=np.float32)
    numbers = np.random.default_rng((given, size)).standard_normal((max(given, size),) * 2)
    found: Floats = np.linalg.qr(numbers)[0][:given, :size].astype(np.float32)
    return found


def _parameter(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)
