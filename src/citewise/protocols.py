"""What the stages of a system and the stores of a library promise.

A library on disk, one in memory and a remote engine keep the same promises. Every call works on
batches of rows, since a store may be a memory-mapped file or a server behind a network.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Mask, Ragged, Rows
from citewise.signals import VectorSignals
from citewise.types import (
    CitingSentence,
    Contributions,
    EvidenceSpan,
    Occurrence,
    Paper,
    Query,
    Ranking,
    Scope,
    StoreInfo,
)

FIELDS = ("title", "abstract")
"""The fields of a paper whose terms are counted; "text" stands for both together."""

TermNumbers = NDArray[np.int64]
"""Numbers of terms in a library's vocabulary."""


# Stores


class Papers(Protocol):
    """The papers of a library, by row and by key."""

    def __len__(self) -> int:
        """Return the number of papers."""
        ...

    @property
    def rows(self) -> Rows:
        """Every row that holds a paper, sorted."""
        ...

    def read(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return the papers at the rows, in that order."""
        ...

    def titles(self, rows: Rows) -> list[str]:
        """Return the titles of the papers at the rows, in that order; cheaper than `read`."""
        ...

    def find(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key (any spelling of any id), -1 where no paper has it."""
        ...

    def find_same(self, paper: Paper) -> int:
        """Return the row of the work that a record describes, by its keys, else by its title and
        authors; -1 where there is none.
        """
        ...

    def by_authors(self, authors: Sequence[str], scope: Scope | None = None) -> Ragged:
        """Return for each author the sorted rows of the papers under that name, within the scope.

        An initial matches every first name that it begins.
        """
        ...

    def years(self, rows: Rows) -> NDArray[np.int64]:
        """Return the papers' years, 0 where unknown."""
        ...

    def in_scope(self, rows: Rows, scope: Scope) -> Mask:
        """Return for each paper whether a query with this scope may get it."""
        ...


class Graph(Protocol):
    """The citation graph; with a scope, only the citations that the scope lets be seen."""

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that each paper cites."""
        ...

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that cite each paper."""
        ...


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What BM25 needs to know about some terms in one field of a collection."""

    documents: int
    """The size of the collection: papers, or spans."""
    frequencies: NDArray[np.int64]
    """Document frequency of each term."""
    mean_length: float


@dataclass(frozen=True, slots=True)
class Matches:
    """A sparse matrix of counts: term `columns[i]` occurs `counts[i]` times in document `rows[i]`.

    What rows and columns point into, the method that returns it says. Sorted by row, then column.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: Column


class Terms(Protocol):
    """The forward index: which terms occur in which papers, how often."""

    def of(self, text: str) -> tuple[TermNumbers, NDArray[np.int64]]:
        """Return the distinct terms of a text that the library knows, and their counts."""
        ...

    def words(self, terms: TermNumbers) -> list[str]:
        """Return the stems with these numbers."""
        ...

    def statistics(self, terms: TermNumbers, field: str) -> TermStatistics:
        """Return the terms' document frequencies in a field of all papers."""
        ...

    def counts(self, rows: Rows, terms: TermNumbers, field: str) -> NDArray[np.float64]:
        """Return the papers x terms matrix of how often each term occurs in a field."""
        ...

    def matches(self, rows: Rows, terms: TermNumbers, field: str) -> Matches:
        """Return the same matrix without its zeros: far less where papers are many.

        Terms are given sorted; `field` is not "text". Rows and columns of the result are positions
        in `rows` and `terms`.
        """
        ...

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each occurs there."""
        ...

    def lists(self, rows: Rows, field: str) -> Ragged:
        """Return the same terms without their counts, at half the cost."""
        ...

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return the number of terms in a field of each paper."""
        ...


class Lexical(Protocol):
    """An inverted index: finds the papers that share terms with a query, by its own BM25."""

    def search(
        self,
        terms: TermNumbers,
        weights: NDArray[np.int64],
        k: int,
        scope: Scope,
        minimum: int | None = None,
    ) -> Rows:
        """Return the k best rows in scope, best first; a term's weight is its count in the query.

        With `minimum`, an engine may stop at fewer than k rows, but at no fewer than that, where
        this is faster.
        """
        ...


@dataclass(frozen=True, slots=True)
class EvidenceCounts:
    """How much evidence a library holds."""

    sentences: int
    spans: int
    """Distinct spans for which a paper of the library is cited."""
    citations: int
    """Times that a sentence cites a paper of the library for a span."""


@dataclass(frozen=True, slots=True)
class CitedPapers:
    """The papers that are cited for each of some spans, sorted by row."""

    rows: Ragged
    support: NDArray[np.int64]
    """For each of `rows.values`, the number of sentences that cite the paper for the span."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Times that a sentence cites a paper for a span, one a position of these columns."""

    positions: Rows
    """To which of the spans or papers asked for each citation belongs; sorted."""
    spans: Rows
    rows: Rows
    """The cited papers."""
    sentences: Rows
    """Numbers of the citing sentences; several spans may belong to one sentence."""
    citing: Rows
    """The citing papers, -1 where the library does not have them."""
    years: NDArray[np.int64]
    """Years of the citations, 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """How long the profiles of some papers are.

    A paper's profile is the text of all spans that cite it, a span as often as it does.
    """

    terms: Column
    """The number of terms in each profile."""
    citations: Column
    """The number of citations that each profile is made of."""


@dataclass(frozen=True, slots=True)
class ProfileStatistics:
    """The profiles of a whole library, as far as a scope sees them."""

    papers: int
    """Papers with a profile that is not empty."""
    terms: float
    citations: float

    @property
    def mean_length(self) -> float:
        """Return the mean number of terms in a profile that is not empty."""
        return self.terms / max(self.papers, 1)


@dataclass(frozen=True, slots=True)
class SentenceTable:
    """Every citing sentence of a library."""

    numbers: Rows
    """Sorted."""
    years: NDArray[np.int64]
    """0 where unknown."""
    citing: Rows
    """The citing paper's row, -1 where the library does not have it."""


class Evidence(Protocol):
    """What papers are cited for: spans of citing sentences, equal ones merged, known by numbers.

    A citation is seen in a scope as in the graph, and only if the cited paper is in scope; a span
    without a visible citation is not found, though statistics count it. Numbers of spans and
    sentences are valid for as long as the library is open.
    """

    def search(self, terms: TermNumbers, scope: Scope) -> Matches:
        """Return where terms occur in visible spans: rows are span numbers, columns positions in
        `terms`.
        """
        ...

    def statistics(self, terms: TermNumbers) -> TermStatistics:
        """Return the terms' document frequencies among all spans."""
        ...

    def lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return the number of terms in each span."""
        ...

    def texts(self, spans: Rows) -> list[str]:
        """Return the text of each span without citation marks, as it was first written."""
        ...

    def cited_for(self, spans: Rows, scope: Scope) -> CitedPapers:
        """Return the papers that are cited for each span."""
        ...

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        ...

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper received."""
        ...

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper makes; the rows are distinct."""
        ...

    def profiles(self, rows: Rows, scope: Scope) -> Profiles:
        """Return how long the profile of each paper is."""
        ...

    def profile_statistics(self, scope: Scope) -> ProfileStatistics:
        """Return how long all profiles of the library are together."""
        ...

    def occurrences(
        self, spans: Rows, rows: Rows, scope: Scope, limit: int
    ) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper the sentences in which it is cited for
        that span, latest first, at most `limit`.
        """
        ...

    def sentence_table(self) -> SentenceTable:
        """Return every citing sentence with its year and its paper."""
        ...

    def sentences(self, numbers: Rows) -> list[CitingSentence]:
        """Return the sentences with these numbers, in that order."""
        ...

    def counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        ...


Precision = Literal["int8", "fp32"]
"""The number format in which an encoder computes."""

Distance = Literal["cosine", "l2"]
"""How vectors are compared: by the cosine of their angle, or by the length of their difference."""


@dataclass(frozen=True, slots=True)
class EncodedBy:
    """The encoder that made vectors; vectors of different encoders cannot be compared."""

    model: str
    """A registered name such as `minilm`, or a folder."""
    precision: Precision
    digest: str
    """Of the model's files."""
    size: int
    """Numbers in a vector."""
    distance: Distance = "cosine"
    """How the vectors are compared; they have length 1 unless by `l2`."""


class PaperVectors(Protocol):
    """Vectors of papers, all made by one model; a paper without a vector has NaN.

    They are unit vectors unless `about` says that they are compared by `l2`. A store may round
    vectors: their length is then 1 but for that.
    """

    @property
    def about(self) -> EncodedBy:
        """What made the vectors."""
        ...

    def __len__(self) -> int:
        """Return the number of papers that have a vector."""
        ...

    def of(self, rows: Rows) -> NDArray[np.float32]:
        """Return the vector of each paper, as rows."""
        ...

    def cosines(self, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return the cosine of each paper with a vector of the same model, NaN where either has
        none.
        """
        ...

    def similarities(self, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return how similar each paper is to a vector by the distance of the set, NaN where either
        has none: the cosine, or 1 / (1 + d) for `l2`.
        """
        ...

    def nearest(
        self, vector: NDArray[np.float32], k: int, scope: Scope, among: Rows | None = None
    ) -> tuple[Rows, Column]:
        """Return the k papers in scope that are most similar to a vector, best first, equal ones by
        row, and their similarities.

        Papers without a vector are not found. With `among`, which is sorted, only these rows may
        be. A store may miss a few of the k where there are many papers.
        """
        ...


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A set of papers' vectors, and the model that made it."""

    papers: PaperVectors
    of: Callable[[Query], NDArray[np.float32]]
    """Returns the vector of a query, of length 1 unless the set is compared by `l2`; NaN where the
    model knows none of its words.
    """


Compared = tuple[PaperVectors, NDArray[np.float32]]
"""The vectors of papers, and the vector of a draft that they can be compared with."""


class DraftVectors(Protocol):
    """Turns drafts into vectors of a set that a library need not have."""

    @property
    def signals(self) -> VectorSignals:
        """The names of the signals that the set gives."""
        ...

    def of(self, query: Query) -> Compared | None:
        """Return the papers' vectors and the draft's; None where either is not to be had."""
        ...


class Vectors(Protocol):
    """Unit vectors of spans, by one encoder, and vectors of papers, in sets by name."""

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors of spans; None where the library has none."""
        ...

    def of_spans(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span, as rows; NaN where it has none."""
        ...

    def span_count(self) -> int:
        """Return the number of spans that have a vector."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return the names of the sets of papers' vectors, sorted."""
        ...

    def papers(self, name: str) -> PaperVectors | None:
        """Return a set of papers' vectors; None where there is none of that name."""
        ...


class Models(Protocol):
    """Models that were trained on a library and are kept with it."""

    def load(self, name: str) -> bytes | None:
        """Return a model as it was saved; None where the library has none of that name."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return the names of the saved models."""
        ...

    def save(self, name: str, content: bytes) -> None:
        """Keep a model, in place of an older one of that name; a library that is open goes on with
        what it has loaded.
        """
        ...

    def remove(self, name: str) -> None:
        """Forget a model, where there is one of that name."""
        ...


class Together(Protocol):
    """Calls functions that need nothing of each other, and returns what they return.

    They may run at the same time or in turn, so none may wait for another one.
    """

    def __call__(self, first: Callable[[], Any], *others: Callable[[], Any]) -> list[Any]: ...


class Stores(Protocol):
    """A library as everything but its writer knows it."""

    @property
    def papers(self) -> Papers: ...
    @property
    def graph(self) -> Graph: ...
    @property
    def terms(self) -> Terms: ...
    @property
    def lexical(self) -> Lexical: ...
    @property
    def evidence(self) -> Evidence: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def models(self) -> Models: ...
    @property
    def info(self) -> StoreInfo: ...

    @property
    def together(self) -> Together:
        """What runs functions that ask the stores: behind a network, the questions that several of
        them ask at a time travel in one message.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoreParts:
    """Stores as a plain value, for a library that is put together from parts of others."""

    papers: Papers
    graph: Graph
    terms: Terms
    lexical: Lexical
    evidence: Evidence
    vectors: Vectors
    models: Models
    info: StoreInfo
    together: Together

    @classmethod
    def of(cls, stores: Stores) -> "StoreParts":
        """Return the parts of a library."""
        return cls(**{name: getattr(stores, name) for name in cls.__slots__})


# Stages


Signals = Mapping[str, Column]
"""Named columns: one number a candidate."""


class Stage(Protocol):
    """What every stage says of itself, so that a system whose stages do not fit can be refused."""

    @property
    def reads(self) -> frozenset[str]:
        """The signals that candidates must have when they reach this stage."""
        ...

    @property
    def writes(self) -> frozenset[str]:
        """The signals that candidates have behind this stage, whatever it is asked."""
        ...


class Retriever(Stage, Protocol):
    """From a query to candidates."""

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return at most k papers in scope, each once, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Expansion:
    """What an expander found: further candidates, and its signals for any candidates."""

    rows: Rows
    """Papers in scope that were no candidates before, most promising first."""
    signals: Callable[[Rows], dict[str, Column]]
    """Computes the expander's signals for given rows; called once, with the final candidates."""


class Expander(Stage, Protocol):
    """From candidates to more candidates."""

    def expand(self, query: Query, ranking: Ranking, scope: Scope) -> Expansion:
        """Return further candidates for those of the ranking, and the signals that say why."""
        ...


@runtime_checkable
class EarlyExpander(Expander, Protocol):
    """An expander that can search before there are candidates, while the retrievers do."""

    def expand_early(self, query: Query, scope: Scope) -> Callable[[Ranking], Expansion]:
        """Return what `expand` returns, as a function of the ranking."""
        ...


class Ranker(Stage, Protocol):
    """Puts candidates into a better order."""

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates, none added or dropped, best first.

        `candidates` are the best of `pool`, which holds all that were found.
        """
        ...


class Grounder(Protocol):
    """From papers to the evidence for them."""

    def ground(
        self, query: Query, rows: Rows, scope: Scope, limit: int
    ) -> list[tuple[EvidenceSpan, ...]]:
        """Return for each paper at most `limit` sentences in scope that cite it, most similar to
        the query first.
        """
        ...


@runtime_checkable
class Explainer(Protocol):
    """A retriever or ranker that can say what its scores are made of."""

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return the parts of the scores of some rows; `ranking` is all that the stage ranked."""
        ...


# Models


class Encoder(Protocol):
    """A model that turns texts into vectors, whose similarity is that of the texts."""

    @property
    def about(self) -> EncodedBy:
        """What the vectors were made by."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, as rows: a unit vector, unless `about` says that vectors are
        compared by `l2`.
        """
        ...


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a title and an abstract become the text that an encoder reads."""

    separator: str = " "
    query_prefix: str = ""
    paper_prefix: str = ""

    def paper(self, title: str, abstract: str) -> str:
        """Return the text of a paper that can be found."""
        return self.paper_prefix + self._joined(title, abstract)

    def query(self, title: str, abstract: str) -> str:
        """Return the text of a draft, or of a claim, for which papers are sought."""
        return self.query_prefix + self._joined(title, abstract)

    def _joined(self, title: str, abstract: str) -> str:
        return f"{title}{self.separator}{abstract}".strip()


@runtime_checkable
class ArticleEncoder(Encoder, Protocol):
    """An encoder that has a form of its own for papers and queries."""

    @property
    def form(self) -> TextForm:
        """How titles and abstracts become the texts to encode."""
        ...


def form_of(encoder: Encoder) -> TextForm:
    """Return how an encoder reads papers: its own form, else title and abstract with a space."""
    return encoder.form if isinstance(encoder, ArticleEncoder) else TextForm()


@dataclass(frozen=True, slots=True)
class ScoredBy:
    """The model that made scores of pairs; scores of different ones cannot be compared."""

    model: str
    """A registered name, or a folder."""
    precision: Precision
    digest: str
    """Of the model's files."""
    truncation: str
    """How the texts were cut, such as `longest-first` or `256+256`."""


class PairScorer(Protocol):
    """A model that reads two texts together, such as a draft and a paper that it may cite."""

    @property
    def about(self) -> ScoredBy:
        """What the scores are made by."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return one score a pair, the higher the better: the logit of a model with one label, the
        log-odds of the second label of a model with two.
        """
        ...


CountedTerms = tuple[Ragged, NDArray[np.integer]]
"""The distinct terms of each of some texts, and for each of them how often it occurs there."""


class TermEmbedder(Protocol):
    """A model that turns the counted terms of a vocabulary into vectors."""

    def vectors(self, title: CountedTerms, abstract: CountedTerms) -> NDArray[np.float32]:
        """Return one unit vector a paper, as rows; NaN for a paper without a stem that the model
        knows.
        """
        ...


class WordModel(Protocol):
    """A model with a vector for each stem: it needs no texts, only counted stems."""

    @property
    def about(self) -> EncodedBy:
        """What the vectors were made by."""
        ...

    def over(self, words: Callable[[TermNumbers], list[str]]) -> TermEmbedder:
        """Return the model for a vocabulary; `words` returns the stems with some numbers, as
        `Terms.words` does, and a number never changes its stem.
        """
        ...
