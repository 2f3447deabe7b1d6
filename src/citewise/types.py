"""The values that pass between stages; they import nothing of the package."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Positions of papers in a library."""

Column = NDArray[np.float64]
"""One number for each of some papers."""


def summed(places: Rows, weights: Column, count: int) -> Column:
    """Return for each of `count` places the sum of the weights that fall on it."""
    return np.bincount(places, weights, count).astype(np.float64, copy=False)  # of nothing, numpy counts in integers


def distinct(rows: Rows) -> Rows:
    """Return the rows that occur, sorted: where many of many thousands do, several times faster than a sort."""
    present = np.zeros(int(rows.max(initial=-1)) + 1, np.bool_)
    present[rows] = True
    return np.flatnonzero(present)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper as a library holds it. `id` is its identity; `ids` and `references` are keys (see `citewise.ids`)."""

    id: str
    title: str
    abstract: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()
    venue: str = ""
    ids: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    date: str = ""
    """ISO 8601, as precise as known: 2018, 2018-06 or 2018-06-01."""
    kind: str = ""
    """article, inproceedings, book, chapter, thesis, report, preprint, dataset, software, or "" (unknown)."""
    details: dict[str, str] = field(default_factory=dict)
    """What only a bibliography needs: volume, number, pages, publisher, url."""
    light: bool = False
    """Whether it is known from other papers' lists of references only."""


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """Adjacent citations in a sentence: where their marks stand in its text, and the keys of what they cite.

    Where it is not known at which mark they are cited, the group is empty (start = end) and at the sentence's end.
    """

    start: int
    end: int
    cited: tuple[str, ...]
    """Empty where it is not known what is cited."""


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence of a paper that cites others, word for word as it stands in that paper, marks included."""

    citing: str
    """A key of the citing paper."""
    text: str
    groups: tuple[CitationGroup, ...]
    """In the order of the text, apart from one another."""
    section: str = ""
    year: int | None = None
    date: str = ""
    """Of the citing paper, as `Paper.date`."""
    start: int = -1
    """Where the sentence begins in the citing document's text; -1 where that is not known."""


SpanKind = Literal["mention", "clause", "sentence"]
"""What is cited: a noun and what qualifies it, the text since the previous group, or the whole sentence."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a citing sentence for which papers are cited: `text[start:end]`, marks within it included."""

    start: int
    end: int
    kind: SpanKind


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a span stands in a paper that cites another for it."""

    citing: str
    """A key of the citing paper, as the source gave it."""
    row: int
    """The citing paper's row, -1 where it is not in the library."""
    year: int
    """Of the citation, 0 where unknown."""
    section: str
    text: str
    """The whole sentence, word for word."""
    span: Span
    marks: tuple[tuple[int, int], ...]
    """Where citations stand in the sentence: (start, end)."""
    start: int
    """Where the sentence begins in the citing document's text; -1 where that is not known."""


@dataclass(frozen=True, slots=True)
class Query:
    """A draft in want of citations, or a sentence of it. With a year y it sees papers of years <= y and citations made
    before y.
    """

    title: str = ""
    abstract: str = ""
    id: str = ""
    year: int | None = None
    since: int | None = None
    cited: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Ids of papers that are to be as if absent, with every citation that they make or get: other versions of it."""
    authors: tuple[str, ...] = ()
    """The draft's authors."""
    no_self_citations: bool = False
    """Whether papers of the draft's authors are left out of the answer."""
    prefer_recent: float = 0.0
    """From -1 (older papers are put forward) to 1 (younger ones); 0: as the system ranks them."""
    prefer_cited: float = 0.0
    """From -1 (less cited papers are put forward) to 1 (more cited ones); 0: as the system ranks them."""
    diversify: float = 0.0
    """From 0 (as the system ranks them) to 1: how much a paper steps back for being like those before it."""
    sentence: str = ""
    """A claim or a mention; where there is one, papers to cite for it are sought, and the rest is what is known of the
    draft around it."""

    @property
    def text(self) -> str:
        """Return title and abstract together; a sentence of which the draft is not known stands for it."""
        return f"{self.title}\n{self.abstract}" if self.has_draft else self.sentence

    @property
    def has_draft(self) -> bool:
        """Whether anything is known of the draft."""
        return bool(self.title.strip() or self.abstract.strip())

    @property
    def claim(self) -> str:
        """Return what citations are sought for: the sentence, else the whole draft."""
        return self.sentence if self.sentence.strip() else self.text


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query may see.

    Papers: of years `since`..`year` (both included) and of `within`, none of `hidden`. Citations: made by papers of
    known years before `year`, none that touches a paper of `unseen`.
    """

    year: int | None = None
    since: int | None = None
    hidden: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    unseen_keys: tuple[str, ...] = ()
    """Keys of papers whose citing sentences are not seen, though the papers may not be in the library."""
    within: tuple[int, ...] | None = None
    """The only rows that may be returned; None: any. Meant for some hundreds, which are scored one by one."""

    @property
    def bounded(self) -> bool:
        """Whether years matter; where they do, a paper without a year is out."""
        return self.year is not None or self.since is not None


@dataclass(frozen=True, slots=True)
class ServedBy:
    """What answered a query."""

    system: str = ""
    """As it parses."""
    model: str = ""
    """The model that gave the scores; "" where none did."""
    provenance: str = ""
    """A fingerprint of that model: its weights and where it is from."""
    note: str = ""
    """What answered in place of what the system would rather use, and why; "" where nothing stood in for it."""

    def __str__(self) -> str:
        """Return it in one line for people."""
        parts = [self.system, f"model {self.model} {self.provenance}" if self.model else "", self.note]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates as columns, best first; each signal is a ranking feature and a reason at once."""

    rows: Rows
    scores: NDArray[np.float64]
    signals: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    served_by: ServedBy = ServedBy()

    def __len__(self) -> int:
        return self.rows.size

    def take(self, index: NDArray[np.int64] | NDArray[np.bool_] | slice) -> "Ranking":
        """Return the candidates at the given places, in that order."""
        signals = {name: column[index] for name, column in self.signals.items()}
        return replace(self, rows=self.rows[index], scores=self.scores[index], signals=signals)

    def followed_by(self, rows: Rows) -> "Ranking":
        """Return the candidates with further ones behind them, whose score is 0 and whose signals are NaN."""
        unknown = np.full(rows.size, np.nan)
        signals = {name: np.append(column, unknown) for name, column in self.signals.items()}
        return replace(self, rows=np.append(self.rows, rows), scores=np.append(self.scores, np.zeros(rows.size)),
                       signals=signals)

    def with_signals(self, signals: "dict[str, Column]") -> "Ranking":
        """Return the candidates with further signals."""
        return replace(self, signals=self.signals | signals)


@dataclass(frozen=True, slots=True)
class Contributions:
    """What scores are made of: each is its base and its value in every part, added up."""

    base: Column
    parts: dict[str, Column]
    """By signal; or, where words alone gave the score, by word: `term:bees`."""


@dataclass(frozen=True, slots=True)
class NamedPaper:
    """A paper that a reason or a piece of evidence names; the title is empty where the library does not have it."""

    id: str
    title: str
    year: int | None


@dataclass(frozen=True, slots=True)
class Reason:
    """A fact that speaks for a paper, and a sentence that tells it."""

    kind: str
    """What it is about: see `citewise.explain.reasons`."""
    sentence: str
    share: float
    """How much of the score the signals behind it gave."""
    papers: tuple[NamedPaper, ...] = ()
    words: tuple[str, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict)
    """The numbers of the sentence, by name."""


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """A sentence of the literature that cites a paper, and the part of it for which it does."""

    text: str
    """The whole sentence, word for word."""
    start: int
    end: int
    """The part is `text[start:end]`."""
    words: tuple[tuple[int, int], ...]
    """Where words of the query stand in the sentence: (start, end)."""
    marks: tuple[tuple[int, int], ...]
    """Where citations stand in it."""
    section: str
    citing: tuple[NamedPaper, ...]
    """Who says so, the sentence's own paper first; not all where they are many."""
    support: int
    """How often the paper is cited for this part."""
    score: float
    """How like the query the part is, by BM25 over what the query's words weigh."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One answer: a paper, its rank (from 1), its score (higher is better) and the signals behind it.

    The last three are there only where they were asked for: `base` and the contributions add up to the score.
    """

    rank: int
    paper: Paper
    score: float
    signals: dict[str, float]
    base: float = 0.0
    contributions: dict[str, float] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    """Most telling first."""
    evidence: tuple[EvidenceSpan, ...] = ()
    """Sentences for which others cite the paper, most like the query first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """All that is said to a query: the recommendations, best first, and what made them."""

    recommendations: tuple[Recommendation, ...]
    served_by: ServedBy
    explained: bool = False
