"""Training cases: papers asked for their own references, some of them made poorer than they are.

A model that saw only full queries over a dense graph would be lost in a library that lacks
abstracts or citations.
"""

import hashlib
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Ragged, Rows
from citewise.embed.draft_vectors import sets_of_vectors
from citewise.embed.word_models import NNSELECT
from citewise.evaluate.splits import Question
from citewise.protocols import (
    DraftVectors,
    EncodedBy,
    Graph,
    PaperVectors,
    StoreParts,
    Stores,
    Vectors,
)
from citewise.recommend import scope_of
from citewise.types import Query, Scope

KINDS: Mapping[str, float] = MappingProxyType(
    {"whole": 0.63, "half cited": 0.13, "thin graph": 0.15, "title": 0.06, "abstract": 0.03}
)
"""How large a share of the training queries is of each kind. None has no graph at all: there BM25
serves. Libraries of a part of the papers were tried as a kind of their own: they helped another
field as little as they helped this one.
"""

_THINNED = (0.05, 0.5)
"""The least and the largest share of the citations that a thin graph keeps."""

_ANONYMOUS = 0.4
"""The share of the papers with authors whose queries do not name them."""

_WITHOUT_VECTORS = 0.2
"""The share of the queries that are asked as if the library had no vectors of papers."""

_WITHOUT_WORD_VECTORS = 0.4
"""The same share where a transformer has made vectors too, which are always there: outside of the
field that word vectors learned from, they do not count, and a ranker has to do without them.
"""

_MIX = np.uint64(0x9E3779B97F4A7C15)


class ThinnedGraph:
    """A citation graph of which only a share of the citations is known, always the same ones."""

    def __init__(self, graph: Graph, share: float, seed: int = 0) -> None:
        self._graph, self._share, self._seed = graph, share, np.uint64(seed)

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what is known of what each paper cites."""
        found = self._graph.references(rows, scope)
        return found.kept(self._known(np.repeat(rows, found.lengths), found.values))

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what is known to cite each paper."""
        found = self._graph.citers(rows, scope)
        return found.kept(self._known(found.values, np.repeat(rows, found.lengths)))

    def _known(self, citing: Rows, cited: Rows) -> Mask:
        """Return for each citation whether it is known: a hash of it decides."""
        edges = citing.astype(np.uint64) << np.uint64(32) | cited.astype(np.uint64)
        mixed = (edges + self._seed) * _MIX
        mixed = (mixed ^ mixed >> np.uint64(31)) * _MIX
        mixed = (mixed ^ mixed >> np.uint64(29)) * _MIX >> np.uint64(11)
        return np.asarray(mixed < np.uint64(self._share * 2**53), np.bool_)


class SomePaperVectors:
    """A library's vectors, of its papers only those of some sets."""

    def __init__(self, vectors: Vectors, kept: Container[str]) -> None:
        self._vectors, self._kept = vectors, kept

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors of spans."""
        return self._vectors.encoded_by()

    def of_spans(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span, as rows."""
        return self._vectors.of_spans(spans)

    def span_count(self) -> int:
        """Return the number of spans that have a vector."""
        return self._vectors.span_count()

    def names(self) -> tuple[str, ...]:
        """Return the names of the sets of papers' vectors that are kept, sorted."""
        return tuple(name for name in self._vectors.names() if name in self._kept)

    def papers(self, name: str) -> PaperVectors | None:
        """Return a set of papers' vectors; None where there is none, or it is not kept."""
        return self._vectors.papers(name) if name in self._kept else None


@dataclass(frozen=True, slots=True)
class Case:
    """A query, what it is asked of, what it may see, and the rows that it should find."""

    stores: Stores
    """The library, or one with a thinner graph or without vectors."""
    query: Query
    scope: Scope
    gold: Rows
    vectors: tuple[DraftVectors, ...]
    """The sets of papers' vectors that count."""


def kind_of(question: Question, seed: int, kinds: Mapping[str, float] = KINDS) -> str:
    """Return the kind of case that a question becomes: drawn, but always the same."""
    drawn = draws(question, seed).random() * sum(kinds.values())
    for kind, end in zip(kinds, np.cumsum([*kinds.values()]), strict=True):
        if drawn < end:
            return kind
    return next(iter(kinds))


def case_of(
    stores: Stores,
    question: Question,
    kind: str,
    seed: int,
    vectors: str = NNSELECT,
    encoder: str = "",
) -> Case:
    """Make a case of a question; `vectors` names the set of papers' vectors that it reads,
    `encoder` the one that a transformer made, "" for none.
    """
    dice = draws(question, seed + 1)
    query, gold = question.query, np.array(question.gold, np.int64)
    if kind == "half cited":
        given, gold = np.split(dice.permutation(gold), [gold.size // 2])
        cited = stores.papers.read(np.sort(given))
        query = replace(query, cited=tuple(paper.id for paper in cited))
    if kind == "abstract":
        query = replace(query, title="")
    if kind == "title":
        query = replace(query, abstract="")
    if kind == "thin graph":
        graph = ThinnedGraph(stores.graph, dice.uniform(*_THINNED), seed)
        stores = replace(StoreParts.of(stores), graph=graph)
    scope = scope_of(stores.papers, query)
    return Case(stores, query, scope, gold, sets_of_vectors(stores, vectors, encoder))


def with_vectors_or_not(stores: Stores, question: Question, seed: int, encoder: str = "") -> Stores:
    """Return a library, for some questions without its papers' vectors but for those of an encoder:
    drawn, but always the same.
    """
    share = _WITHOUT_WORD_VECTORS if encoder else _WITHOUT_VECTORS
    if draws(question, seed + 4).random() >= share:
        return stores
    return replace(StoreParts.of(stores), vectors=SomePaperVectors(stores.vectors, {encoder}))


def anonymous_or_not(question: Question, seed: int) -> Question:
    """Return a question, for some of them without its authors: drawn, but always the same."""
    if draws(question, seed + 3).random() >= _ANONYMOUS:
        return question
    return replace(question, query=replace(question.query, authors=()))


def draws(question: Question, seed: int) -> np.random.Generator:
    """Return a random generator that depends on the question's id and the seed alone."""
    digest = hashlib.blake2b(f"{seed} {question.id}".encode(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
