"""A word model for tests: it needs no training, and its vectors are known."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.embed.word_models import NNSELECT
from citewise.embed.word_vectors import WordVectors
from citewise.library import writer
from citewise.library.embeddings.codes import scale_of
from citewise.library.folder import LibraryFolder
from citewise.protocols import FIELDS, CountedTerms, EncodedBy, Stores, TermNumbers, WordModel
from citewise.rank.nnrank import NNRANK, NNRankModel
from citewise.rank.nnrank_features import NAMES


@dataclass(frozen=True, slots=True)
class StemModel:
    """A word model that gives each stem of three letters or more a random vector, always the same.

    A paper's vector is the sum of its stems' vectors, those of the title twice, as numbers that a
    store of 8-bit codes does not round.
    """

    seed: int = 0
    size: int = 8

    @property
    def about(self) -> EncodedBy:
        return EncodedBy(f"stems-{self.seed}", "int8", "digest", self.size)

    def over(self, words: Callable[[TermNumbers], list[str]]) -> "StemEmbedder":
        return StemEmbedder(self, words)


@dataclass(frozen=True, slots=True)
class StemEmbedder:
    """A `StemModel` for one vocabulary."""

    model: StemModel
    words: Callable[[TermNumbers], list[str]]

    def vectors(self, title: CountedTerms, abstract: CountedTerms) -> NDArray[np.float32]:
        total = np.zeros((len(title[0]), self.model.size))
        for (terms, counts), weight in ((title, 2), (abstract, 1)):
            stems = self.words(terms.values)
            for paper, stem, count in zip(terms.owners, stems, counts, strict=True):
                total[paper] += weight * int(count) * _stem_vector(stem, self.model)

        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        unit = np.divide(total, lengths, out=np.full(total.shape, np.nan), where=lengths > 0)
        scale = scale_of(self.model.size)
        rounded: NDArray[np.float32] = (np.rint(unit / scale) * scale).astype(np.float32)
        return rounded


@functools.cache
def _stem_vector(stem: str, model: StemModel) -> NDArray[np.float64]:
    if len(stem) < 3:  # unknown
        return np.zeros(model.size)
    seed = int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng((seed, model.seed)).normal(size=model.size)


def embedded(stores: Stores, model: WordModel, rows: Rows) -> NDArray[np.float32]:
    """Return the vectors that a model makes of papers' counted stems."""
    title, abstract = (stores.terms.contents(rows, each) for each in FIELDS)
    return model.over(stores.terms.words).vectors(title, abstract)


def with_vectors(folder: Path) -> LibraryFolder:
    """Give a library word vectors of its own, the papers' vectors by them, and a ranker by which
    Citeomatic ranks: all made up, none trained.

    In many dimensions random vectors are nearly at right angles, so a cosine counts shared stems.
    """
    stores = LibraryFolder(folder)
    model = made_up(stores)
    for name, content in saved(model).items():
        stores.models.save(name, content)
    writer.embed(folder, NNSELECT, model)
    return LibraryFolder(folder)


def made_up(stores: Stores) -> WordVectors:
    """Return word vectors for the stems of a library, at random but always the same."""
    stems = stores.terms.words(np.arange(stores.info.terms))
    drawn = [_stem_vector(stem, StemModel(size=128)) for stem in stems]
    return WordVectors.of(stems, np.array(drawn, np.float32).reshape(-1, 128), (1.0, 1.0))


def saved(model: WordVectors) -> dict[str, bytes]:
    """Return the models that a library with these word vectors keeps, by name."""
    return {NNSELECT: model.encoded(), NNRANK: summing(model.about.digest).encoded()}


def summing(vectors: str) -> NNRankModel:
    """Return a model of NNRank that adds up its features, some of them several times."""
    times = {"vector_cosine": 6.0, "nnrank_title_words": 0.5, "nnrank_citations": 0.1}
    weights = np.array([[times.get(name, 1.0)] for name in NAMES], np.float32)
    return NNRankModel(
        stems=(),
        weights=np.zeros((0, 2), np.float32),
        unknown=np.full(2, 0.2, np.float32),
        centre=np.zeros(len(NAMES), np.float32),
        spread=np.ones(len(NAMES), np.float32),
        layers=((weights, np.full(1, -4, np.float32)),),
        vectors=vectors,
    )
