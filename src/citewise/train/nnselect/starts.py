"""Vectors of stems before training."""

from collections import Counter, defaultdict

import numpy as np

from citewise.arrays import spread
from citewise.errors import BadInput
from citewise.protocols import Encoder, Stores
from citewise.text.tokens import words_by_stem
from citewise.train.nnselect.corpus import Corpus, Floats
from citewise.train.nnselect.settings import NNSelectSettings

_SAMPLE = 120_000
"""Papers from which latent semantic analysis learns."""
_SPARE = 20
"""Dimensions beyond those wanted, without which the last of them would be wrong."""
_ROUNDS = 3
_RANGE = 0.05
"""Random numbers are between minus and plus this, as Keras starts embeddings."""
_TEXTS = 50_000
"""Papers whose texts are read to find each stem's commonest word."""
_READ = 1_000
_BESIDE_LSA = 192
"""Components of an encoder's vectors beside those of latent semantic analysis."""


def start_of(
    corpus: Corpus, settings: NNSelectSettings, stores: Stores, encoder: Encoder | None
) -> Floats:
    """Return a vector for each stem, as rows."""
    random = np.random.default_rng((settings.seed, 1))
    if settings.start == "random":
        size = (len(corpus.stems), settings.dimension)
        return random.uniform(-_RANGE, _RANGE, size).astype(np.float32)
    if settings.start == "lsa":
        return _widened(lsa(corpus, settings.dimension, random), settings.dimension, random)

    if encoder is None:
        raise BadInput("a start from words needs an encoder; name one with --encoder minilm")
    by_words = encoder.encode(commonest_words(corpus, stores))
    if settings.start == "words":
        vectors = principal(by_words, settings.dimension)
        return _widened(vectors, settings.dimension, random)

    by_papers = lsa(corpus, settings.dimension, random)
    return np.hstack([by_papers, principal(by_words, _BESIDE_LSA)])


def lsa(corpus: Corpus, size: int, random: np.random.Generator) -> Floats:
    """Return the right singular vectors of the papers x stems matrix of tf-idf, rows of length 1,
    by subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4).

    Of fewer stems or papers than `size`, as many columns as there are.
    """
    from scipy.sparse import diags  # type: ignore[import-untyped]

    title, abstract = corpus.fields
    some = np.sort(random.permutation(corpus.rows.size)[:_SAMPLE])
    weighted = (title[some] + abstract[some]) @ diags(corpus.rarity)
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(1))).ravel()
    matrix = (diags(1 / np.maximum(lengths, 1e-9)) @ weighted).tocsr().astype(np.float32)

    width = min(size + _SPARE, *matrix.shape)
    basis = random.standard_normal((matrix.shape[1], width)).astype(np.float32)
    for _ in range(_ROUNDS):
        left = np.linalg.qr(matrix @ basis)[0]
        basis = np.linalg.qr(matrix.T @ left)[0]

    _, _, turned = np.linalg.svd(matrix @ basis, full_matrices=False)
    found: Floats = (basis @ turned.T)[:, :size].astype(np.float32)
    return found


def commonest_words(corpus: Corpus, stores: Stores) -> list[str]:
    """Return for each stem the word that stands for it in most texts; the stem itself where none
    does.
    """
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    rows = spread(corpus.rows, _TEXTS)
    for start in range(0, rows.size, _READ):
        for paper in stores.papers.read(rows[start : start + _READ]):
            for stem, word in words_by_stem(f"{paper.title} {paper.abstract}").items():
                seen[stem][word.lower()] += 1
    return [seen[stem].most_common(1)[0][0] if stem in seen else stem for stem in corpus.stems]


def principal(vectors: Floats, size: int) -> Floats:
    """Return vectors in their first principal components, of the magnitude that those of `lsa`
    have: the mean square of a component is 1 / vectors.
    """
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes[:size].T
    mean_square = max(float((turned**2).mean()), 1e-12)
    found: Floats = (turned / np.sqrt(mean_square * len(vectors))).astype(np.float32)
    return found


def _widened(vectors: Floats, size: int, random: np.random.Generator) -> Floats:
    """Return vectors with random components where they have too few; small ones, so that they
    count only if training finds them useful.
    """
    missing = size - vectors.shape[1]
    if missing <= 0:
        return vectors
    small = random.standard_normal((len(vectors), missing)) * np.abs(vectors).mean() / 10
    return np.hstack([vectors, small.astype(np.float32)])
