"""What the stages and a library's stores promise; a local folder and a remote engine keep the same promises.

Everything works on batches of rows: a store may be a memory-mapped file or a server behind a network.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.types import Paper, Query, Ranking, Rows, Scope

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
        """Return the same without the zeros: far less where papers are many; `field` is not "text"."""
        ...

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each stands there."""
        ...

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return how many terms a field of each paper has."""
        ...


class Lexical(Protocol):
    """An inverted index that finds the papers sharing terms with a query, best first by its own BM25."""

    def search(self, terms: NDArray[np.int64], weights: NDArray[np.int64], k: int, scope: Scope) -> Rows:
        """Return at most k rows in scope; a term's weight is how often it occurs in the query."""
        ...


class Stores(Papers, Graph, Terms, Lexical, Protocol):
    """All that a recommender reads."""


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

    def rank(self, query: Query, ranking: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, none added and none dropped, best first."""
        ...
