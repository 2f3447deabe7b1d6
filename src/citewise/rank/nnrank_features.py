"""What NNRank knows of a query and a candidate (Bhagavatula et al. 2018, section 4).

The same function computes it in training and in serving.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.protocols import FIELDS, QueryVectors, Stores, TermNumbers
from citewise.text import ids
from citewise.types import Paper, Query, Scope

METADATA = ("nnrank_authors", "nnrank_venue", "nnrank_key_phrases")
"""Features of metadata: cosines of the sets of authors, of venues and of key phrases, 0 where
nothing is shared or known.
"""

COLUMNS = (
    "nnrank_title",
    "nnrank_abstract",
    *METADATA,
    "nnrank_citations",
    "vector_cosine",
)
"""Features that are numbers of a candidate."""

SHARED = ("nnrank_title_words", "nnrank_abstract_words")
"""Features that are sums of learned weights, of the stems that both titles or abstracts contain."""

NAMES = (*COLUMNS, *SHARED)
"""The inputs of the network, in their order."""


class Fields(Protocol):
    """Compares the fields of a query with those of papers."""

    @property
    def digest(self) -> str:
        """The digest of the model that made the vectors."""
        ...

    def of(self, query: Query, rows: Rows) -> tuple[Column, Column]:
        """Return the cosines of the titles and of the abstracts; 0 where either is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class SharedStems:
    """Stems that a field of the query and of candidates have in common, a pair a position."""

    rows: Rows
    """Positions among the candidates."""
    stems: Rows
    """Positions in `terms` and `words`."""
    terms: TermNumbers
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """The features of some candidates of one query, before learned weights are applied."""

    columns: NDArray[np.float64]
    """Candidates x `COLUMNS`."""
    shared: tuple[SharedStems, ...]
    """For each of `SHARED`."""


@dataclass(frozen=True, slots=True)
class PairReader:
    """Reads the features of pairs from a library."""

    stores: Stores
    vectors: QueryVectors
    fields: Fields
    metadata: bool = True
    """Whether metadata are read; without, their features are 0."""

    def of(self, query: Query, rows: Rows, scope: Scope) -> PairFeatures:
        """Return the features of candidates; citations are those that the scope lets be seen."""
        vector = self.vectors.of(query)
        cosines = self.vectors.papers.cosines(vector, rows)
        citations = self.stores.graph.citers(rows, scope).lengths

        columns = np.column_stack(
            [
                *self.fields.of(query, rows),
                *self._metadata(query, rows),
                np.log(np.maximum(citations, 1)),
                np.nan_to_num(cosines),
            ]
        )
        return PairFeatures(columns, tuple(self._shared(query, rows, field) for field in FIELDS))

    def _metadata(self, query: Query, rows: Rows) -> list[Column]:
        """Return the cosines of sets of metadata; papers are only read where the query has any."""
        wanted = _metadata_of(query)
        if not (self.metadata and any(wanted)):
            return [np.zeros(rows.size)] * len(METADATA)

        papers = [_metadata_of(paper) for paper in self.stores.papers.read(rows)]
        return [
            np.array([_cosine(own, paper[kind]) for paper in papers], np.float64)
            for kind, own in enumerate(wanted)
        ]

    def _shared(self, query: Query, rows: Rows, field: str) -> SharedStems:
        text = query.title if field == FIELDS[0] else query.abstract
        terms = np.sort(self.stores.terms.of(text)[0])
        if not (terms.size and rows.size):
            none = np.zeros(0, np.int64)
            return SharedStems(none, none, none, ())
        found = self.stores.terms.matches(rows, terms, field)
        return SharedStems(found.rows, found.columns, terms, self.stores.terms.words(terms))


_Metadata = tuple[frozenset[str], frozenset[str], frozenset[str]]


def _metadata_of(of: Query | Paper) -> _Metadata:
    """Return the authors, the venue and the key phrases as comparable sets."""
    return _set(map(_name, of.authors)), _set([_plain(of.venue)]), _set(map(_plain, of.key_phrases))


def _set(names: "Sequence[str] | map[str]") -> frozenset[str]:
    return frozenset(filter(None, names))


def _name(author: str) -> str:
    """Return an author's name with its words sorted: "Dong, Xin Luna" is "Xin Luna Dong"."""
    return " ".join(sorted(ids.title_words(author)))


def _plain(text: str) -> str:
    return " ".join(ids.title_words(text))


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the cosine of two sets, as vectors of zeros and ones."""
    if not (one and other):
        return 0.0
    return len(one & other) / float(np.sqrt(len(one) * len(other)))
