"""What the stages and a library's stores promise; a local folder and a remote engine keep the same promises.

Everything works on batches of rows: a store may be a memory-mapped file or a server behind a network.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citewise.types import Contributions, EvidenceSpan, Occurrence, Paper, Query, Ranking, Rows, Scope

FIELDS = ("title", "abstract")
"""The fields of a paper whose terms are counted."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """One list (of rows, unless said otherwise) for each row asked for: list i is values[starts[i]:starts[i + 1]]."""

    values: NDArray[Any]
    starts: Rows

    def __len__(self) -> int:
        return self.starts.size - 1

    def __getitem__(self, place: int) -> NDArray[Any]:
        return self.values[self.starts[place]: self.starts[place + 1]]

    @property
    def lengths(self) -> Rows:
        """Return how long each list is."""
        return np.diff(self.starts)


class Papers(Protocol):
    """The papers of a library, by row and by key."""

    def __len__(self) -> int:
        """Return how many papers there are."""
        ...

    def papers(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return the papers at the rows, in that order."""
        ...

    def rows_of(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key (any spelling of any id), -1 where no paper has it."""
        ...

    def papers_by(self, authors: Sequence[str], scope: Scope | None = None) -> Ragged:
        """Return the sorted rows of each author's papers, and of those who cannot be told from the author by name; with
        a scope, only of papers that a query may get.
        """
        ...

    def years(self, rows: Rows) -> NDArray[np.int64]:
        """Return the papers' years, 0 where unknown."""
        ...

    def in_scope(self, rows: Rows, scope: Scope) -> NDArray[np.bool_]:
        """Return of each paper whether a query with this scope may get it."""
        ...


class Graph(Protocol):
    """Who cites whom: with a scope, only the citations that it lets be seen; any number of rows is asked at once."""

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what each paper cites, within the library."""
        ...

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what cites each paper."""
        ...


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What BM25 needs to know of some terms in one field (or in "text", title and abstract together)."""

    papers: int
    frequencies: NDArray[np.int64]
    mean_length: float


@dataclass(frozen=True, slots=True)
class Matches:
    """Where terms stand in papers: term `columns[i]` stands `counts[i]` times in paper `places[i]`, places sorted."""

    places: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: NDArray[np.float64]


class Terms(Protocol):
    """The forward index: which terms stand in which papers, how often."""

    def terms_of(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of a text's terms that the library knows, each once, and how often each occurs."""
        ...

    def words(self, terms: NDArray[np.int64]) -> list[str]:
        """Return the stems with these numbers."""
        ...

    def statistics(self, terms: NDArray[np.int64], field: str) -> TermStatistics:
        """Return how many papers have each term in a field."""
        ...

    def counts(self, rows: Rows, terms: NDArray[np.int64], field: str) -> NDArray[np.float64]:
        """Return how often each term (column) stands in a field of each paper (row)."""
        ...

    def matches(self, rows: Rows, terms: NDArray[np.int64], field: str) -> Matches:
        """Return the same without the zeros: far less where papers are many; `field` is not "text".

        Terms are given sorted, and columns are sorted within a place.
        """
        ...

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each stands there."""
        ...

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return how many terms a field of each paper has."""
        ...


class Lexical(Protocol):
    """An inverted index that finds the papers sharing terms with a query, best first by its own BM25."""

    def search(self, terms: NDArray[np.int64], weights: NDArray[np.int64], k: int, scope: Scope,
               least: int | None = None) -> Rows:
        """Return the k best rows in scope; a term's weight is how often it occurs in the query.

        With `least`, an engine may leave it at fewer than k, but at so many, if that is faster.
        """
        ...


@dataclass(frozen=True, slots=True)
class EvidenceCounts:
    """How much evidence a library holds."""

    sentences: int
    spans: int
    """Distinct ones for which a paper of the library is cited."""
    citations: int
    """Times that a sentence cites a paper of the library for a span."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What is cited for each of some spans: rows, and for each row its support and the latest year of it."""

    rows: Ragged
    """Sorted for each span."""
    support: NDArray[np.int64]
    """How many sentences cite the paper for the span."""
    latest: NDArray[np.int64]
    """When that was last done, 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Times that a sentence cites a paper for a span, as columns."""

    places: Rows
    """Which of those that were asked for it belongs to; sorted."""
    spans: Rows
    rows: Rows
    """The cited papers."""
    sentences: Rows
    """Numbers of the citing sentences: several spans may be of one."""
    citing: Rows
    """The citing papers, -1 where the library does not have them."""
    years: NDArray[np.int64]
    """When, 0 where unknown."""


@dataclass(frozen=True, slots=True)
class SaidTotals:
    """How much is said of each paper of a library, by row."""

    terms: NDArray[np.float64]
    """How many terms the spans have for which it is cited, a span as often as it is cited for it."""
    citations: NDArray[np.float64]


class Evidence(Protocol):
    """What papers are cited for: spans of citing sentences, equal ones being one, known by their numbers.

    A citation is seen in a scope as in the graph, and only if the cited paper is in scope; a span for which no citation
    is seen is as if absent, except from the statistics. Numbers hold for as long as the library is open.
    """

    def spans_with(self, terms: NDArray[np.int64], scope: Scope) -> Matches:
        """Return where terms stand in the spans that are seen; places are the spans' numbers."""
        ...

    def span_statistics(self, terms: NDArray[np.int64]) -> TermStatistics:
        """Return how many spans have each term; `papers` counts all spans."""
        ...

    def span_lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return how many terms each span has."""
        ...

    def span_texts(self, spans: Rows) -> list[str]:
        """Return what each span says, without citation marks, as it was first written."""
        ...

    def cited_for(self, spans: Rows, scope: Scope) -> Cited:
        """Return what is cited for each span."""
        ...

    def said_of(self, rows: Rows, scope: Scope) -> Ragged:
        """Return the numbers of the spans for which each paper is cited, sorted."""
        ...

    def said_totals(self, scope: Scope) -> SaidTotals:
        """Return how much is said of each paper."""
        ...

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        ...

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations of each paper."""
        ...

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations made by each paper; each of the rows stands once."""
        ...

    def occurrences(self, spans: Rows, rows: Rows, scope: Scope, most: int) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper where that is said, the latest first, at most `most`."""
        ...

    def evidence_counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        ...


class Models(Protocol):
    """Models that were trained on a library and are kept with it."""

    def model(self, name: str) -> bytes | None:
        """Return a model as it was saved; None where the library has none of that name."""
        ...


Precision = Literal["int8", "fp32"]
"""In what numbers an encoder works."""


@dataclass(frozen=True, slots=True)
class EncodedBy:
    """The encoder that made vectors: only vectors of one and the same can be compared."""

    model: str
    """`minilm`, or a folder."""
    precision: Precision
    digest: str
    """Of the model's files."""
    size: int
    """How many numbers a vector has."""


class Vectors(Protocol):
    """Vectors of length 1 of what is said and of papers, kept with a library; where there is none, NaN."""

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors; None where the library has none."""
        ...

    def span_vectors(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span."""
        ...

    def paper_vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Return the vector of each paper's title and abstract."""
        ...


class Stores(Papers, Graph, Terms, Lexical, Evidence, Models, Vectors, Protocol):
    """All that a recommender reads."""


class Encoder(Protocol):
    """A model that turns texts into vectors whose cosine says how alike they are."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, as rows."""
        ...


class Retriever(Protocol):
    """A query to candidates."""

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return at most k papers in scope, each once, best first."""
        ...


class Expander(Protocol):
    """Candidates to more candidates."""

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, none dropped and their order kept, with further papers in scope behind them."""
        ...


class Ranker(Protocol):
    """Candidates to the same candidates in a better order."""

    def rank(self, query: Query, ranking: Ranking, scope: Scope, most: int | None = None) -> Ranking:
        """Return the candidates, none added, best first; with `most`, no more than so many need to be returned."""
        ...


class Grounder(Protocol):
    """Papers to the evidence for them."""

    def ground(self, query: Query, rows: Rows, scope: Scope, most: int) -> list[tuple[EvidenceSpan, ...]]:
        """Return for each paper at most so many sentences in scope that cite it, most like the query first."""
        ...


@runtime_checkable
class Explainer(Protocol):
    """A retriever or ranker that can say what its scores are made of."""

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return what the scores of some rows are made of; `ranking` is the whole ranking that it gave them in."""
        ...
