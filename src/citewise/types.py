"""The values that pass between stages: papers, queries, rankings, evidence and answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Rows
from citewise.columns import sliced, taken
from citewise.errors import BadInput
from citewise.preferences import Preferences


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper of a library.

    `id` is its identity; `ids` and `references` are keys (see `citewise.text.ids`).
    """

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
    """article, inproceedings, book, chapter, thesis, report, preprint, dataset, software, or ""
    (unknown).
    """
    details: dict[str, str] = field(default_factory=dict)
    """What only a bibliography needs: volume, number, pages, publisher, url and whatever else the
    source gave; of a .bib file every field, with its LaTeX as `latex:FIELD` where the text alone
    would not give it back, and the type of the entry as `entrytype`.
    """
    light: bool = False
    """Whether it is known from other papers' lists of references only."""
    key_phrases: tuple[str, ...] = ()
    """Phrases that its authors, or a program, chose to say what it is about."""


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """Adjacent citations in a sentence: the offsets of their marks, and the keys they cite.

    Where the position of the marks is unknown, the group is empty (start = end) and at the
    sentence's end.
    """

    start: int
    end: int
    cited: tuple[str, ...]
    """Keys of the cited papers; empty where these are unknown."""


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence of a paper that cites others, word for word, citation marks included."""

    citing: str
    """A key of the citing paper."""
    text: str
    groups: tuple[CitationGroup, ...]
    """In the order of the text; they do not overlap."""
    section: str = ""
    year: int | None = None
    date: str = ""
    """The citing paper's date, as precise as `Paper.date`."""
    start: int = -1
    """The sentence's offset in the citing document's text, -1 where unknown."""


SpanKind = Literal["mention", "clause", "sentence"]
"""What papers are cited for: a noun with its qualifiers, the text since the previous group of
citations, or the whole sentence.
"""


@dataclass(frozen=True, slots=True)
class Span:
    """The part `text[start:end]` of a citing sentence for which papers are cited."""

    start: int
    end: int
    kind: SpanKind


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One use of a span: the sentence in which a paper cites another one for it."""

    citing: str
    """A key of the citing paper, as the source gave it."""
    row: int
    """The citing paper's row, -1 where it is not in the library."""
    year: int
    """The year of the citation, 0 where unknown."""
    section: str
    text: str
    """The whole sentence, word for word."""
    span: Span
    marks: tuple[tuple[int, int], ...]
    """The (start, end) offsets of the sentence's citation marks."""
    start: int
    """The sentence's offset in the citing document's text, -1 where unknown."""


@dataclass(frozen=True, slots=True)
class Query:
    """A draft, or one sentence of it, that needs papers to cite.

    With a year y, only papers of years <= y and citations made before y are used.
    """

    title: str = ""
    abstract: str = ""
    id: str = ""
    year: int | None = None
    since: int | None = None
    cited: tuple[str, ...] = ()
    """Ids of the papers that the draft cites already."""
    hidden: tuple[str, ...] = ()
    """Ids of papers that are ignored with every citation they make or receive: other versions of
    the draft.
    """
    authors: tuple[str, ...] = ()
    """The draft's authors."""
    preferences: Preferences = Preferences()
    sentence: str = ""
    """A claim or a mention that needs citations; the other fields then describe its draft."""
    venue: str = ""
    """Where the draft is to appear, "" where unknown."""
    key_phrases: tuple[str, ...] = ()
    """The draft's key phrases."""

    @property
    def text(self) -> str:
        """Return title and abstract, or the sentence where both are empty."""
        return f"{self.title}\n{self.abstract}" if self.has_draft else self.sentence

    @property
    def has_draft(self) -> bool:
        """Return whether a title or an abstract is known."""
        return bool(self.title.strip() or self.abstract.strip())

    @property
    def alone(self) -> "Query":
        """Return a sentence without the title and abstract of its draft; a draft as it is."""
        return replace(self, title="", abstract="") if self.sentence.strip() else self

    @property
    def claim(self) -> str:
        """Return the text that needs citations: the sentence, else title and abstract."""
        return self.sentence if self.sentence.strip() else self.text


@dataclass(frozen=True, slots=True)
class Scope:
    """The papers that may answer a query, and the citations that may be used for it.

    Papers: of years `since`..`year` (both included) and of `within`, none of `hidden`. Citations:
    made by papers of known years before `year`, none from or to a paper of `unseen`.
    """

    year: int | None = None
    since: int | None = None
    hidden: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    unseen_keys: tuple[str, ...] = ()
    """Keys of papers whose citing sentences are not used; they need not be in the library."""
    within: tuple[int, ...] | None = None
    """The only rows that may be returned, None for any; meant for some hundreds of rows, since each
    is scored on its own.
    """
    as_given: bool = False
    """Whether every row of `within` may be returned, though it be younger or in `hidden`; citations
    are limited all the same.
    """

    @property
    def bounded(self) -> bool:
        """Return whether years are limited, which leaves papers of unknown year out."""
        return self.year is not None or self.since is not None


@dataclass(frozen=True, slots=True)
class ServedBy:
    """The system and the model that answered a query."""

    system: str = ""
    """The system's text form, which parses to the same system."""
    model: str = ""
    """The model that gave the scores, "" where no model was used."""
    provenance: str = ""
    """A fingerprint of that model: its weights and where it is from."""
    note: str = ""
    """Which fallback answered instead of what the system prefers, and why; "" where none did."""
    advice: str = ""
    """The same as a sentence for the author, with what to do about it; "" where no fallback did."""

    def __str__(self) -> str:
        """Return system, model and note as one line for people."""
        parts = [
            self.system,
            f"model {self.model} {self.provenance}" if self.model else "",
            self.note,
        ]
        return ", ".join(part for part in parts if part)


Judge = Literal["model", "words", "both"]
"""What gave the scores of a ranking: a learned model, BM25, or the ranks by both."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates as columns, best first; a signal is both a ranking feature and a reason."""

    rows: Rows
    scores: Column
    signals: Mapping[str, Column] = field(default_factory=dict)
    served_by: ServedBy = ServedBy()
    settled: bool = False
    """Whether the order is final: later rankers leave it as it is."""
    judge: Judge = "model"

    def __len__(self) -> int:
        return self.rows.size

    def take(self, index: NDArray[np.int64] | NDArray[np.bool_] | slice) -> "Ranking":
        """Return the candidates at the given positions, in that order."""
        if isinstance(index, slice):
            part = sliced(self.signals, index)
            return replace(self, rows=self.rows[index], scores=self.scores[index], signals=part)

        # positions are found once for all signals; `take` is faster than an index in brackets
        at = np.flatnonzero(index) if index.dtype == np.bool_ else index
        signals = taken(self.signals, at)
        return replace(self, rows=self.rows.take(at), scores=self.scores.take(at), signals=signals)

    def followed_by(self, rows: Rows) -> "Ranking":
        """Return the candidates followed by other rows, with scores of 0 and signals of NaN."""
        unknown = np.full(rows.size, np.nan)
        return replace(
            self,
            rows=np.append(self.rows, rows),
            scores=np.append(self.scores, np.zeros(rows.size)),
            signals={name: np.append(column, unknown) for name, column in self.signals.items()},
        )

    def with_signals(self, signals: Mapping[str, Column]) -> "Ranking":
        """Return the candidates with further signals."""
        return replace(self, signals={**self.signals, **signals})

    def scored(self, scores: Column, signals: Mapping[str, Column]) -> "Ranking":
        """Return the candidates, in the same order, with new scores and further signals."""
        return replace(self.with_signals(signals), scores=scores)

    def above(self, rest: "Ranking") -> "Ranking":
        """Return these candidates followed by the rest, whose scores are lowered below them all.

        Signals that the rest does not have are NaN there.
        """
        if not len(rest):
            return self

        lowest = self.scores.min(initial=0.0) - 1
        unknown = np.full(len(rest), np.nan)
        signals = {
            name: np.concatenate((column, rest.signals.get(name, unknown)))
            for name, column in self.signals.items()
        }

        return replace(
            self,
            rows=np.concatenate((self.rows, rest.rows)),
            scores=np.concatenate((self.scores, lowest + rest.scores - rest.scores.max())),
            signals=signals,
        )


@dataclass(frozen=True, slots=True)
class Contributions:
    """The parts of scores: a score is the sum of its base and its value in every part."""

    base: Column
    parts: dict[str, Column]
    """By signal, or by word (`term:bees`) where the score comes from words only."""


@dataclass(frozen=True, slots=True)
class NamedPaper:
    """A paper that a reason or evidence refers to; its title is "" where it is unknown."""

    id: str
    title: str
    year: int | None


@dataclass(frozen=True, slots=True)
class Understanding:
    """What was read from a draft, for its author to see what was missed."""

    title: str = ""
    abstract_words: int = 0
    abstract_from: str = ""
    """What stands in for the abstract ("the introduction"), "" where the draft has one."""
    authors: tuple[str, ...] = ()
    citations: int = 0
    """Distinct works that the draft cites."""
    in_library: int = 0
    """How many of them the library has; these are left out of the answer."""
    not_in_library: tuple[str, ...] = ()
    """The others, each as “Family year “Title””."""
    without_entry: tuple[str, ...] = ()
    """Cited keys for which neither a bibliography nor the library has an entry."""
    left_out: tuple[NamedPaper, ...] = ()
    """Papers that have the draft's title: the draft itself, or other versions of it."""
    notes: tuple[str, ...] = ()
    """What was done without being asked, in words."""
    lost: tuple[str, ...] = ()
    """What could not be read, in words."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A fact that supports a recommendation, and a sentence that states it."""

    kind: str
    """What it is about: see `citewise.explain.reasons`."""
    sentence: str
    share: float
    """The part of the score that comes from the reason's signals."""
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
    """The (start, end) offsets of the query's words in the sentence."""
    marks: tuple[tuple[int, int], ...]
    """The (start, end) offsets of the sentence's citation marks."""
    section: str
    citing: tuple[NamedPaper, ...]
    """The papers that cite for this part, the sentence's own first; cut where there are many."""
    support: int
    """How often the paper is cited for this part."""
    score: float
    """The part's similarity to the query: BM25 over the total weight of the query's terms."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """The value that one signal added to a score."""

    signal: str
    label: str
    """The signal's name in plain words."""
    value: float


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One answer: a paper, its rank (from 1), its score (higher is better) and its signals.

    The last four fields are filled on request only; then `base` and the contributions add up to
    the score.
    """

    rank: int
    paper: Paper
    score: float
    signals: dict[str, float]
    confidence: float | None = None
    """The chance that a paper like the draft cites it; None where the system has no calibration."""
    base: float = 0.0
    contributions: tuple[Contribution, ...] = ()
    """Largest first."""
    reasons: tuple[Reason, ...] = ()
    """Strongest first."""
    evidence: tuple[EvidenceSpan, ...] = ()
    """Sentences that cite the paper for similar claims, most similar first."""


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """A library's location, its size, and the generation that is open."""

    location: str
    """What `citewise.open` takes: a folder, or an engine's address."""
    fingerprint: str
    """A name for exactly this content of the library."""
    generation: int = 0
    written: str = ""
    """When the generation was written, in UTC."""
    terms: int = 0
    segments: int = 0
    deleted: int = 0
    """Rows whose paper was deleted."""
    bytes_on_disk: int = 0


Match = Literal["good", "weak", "none"]
"""How well a library answers a query, by the chance that any of the best candidates is cited."""

Renderer = Callable[["Answer"], str]
"""Turns an answer into text in one output format."""


_FORMATS = {".bib": "bibtex", ".md": "markdown", ".txt": "table"}
"""Formats by a file's suffix, where that is not the format's name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The recommendations for one query, best first, and the system that made them.

    It iterates over its recommendations, and its slices are answers; `to` returns it in any output
    format, `write` writes it to a file.
    """

    recommendations: tuple[Recommendation, ...]
    served_by: ServedBy
    explained: bool = False
    query: Query = Query()
    library: StoreInfo = StoreInfo("", "")
    read: Understanding | None = None
    """What was read from the draft, None for a query that was not read from one."""
    match: Match | None = None
    """How well the library answers the query; None where the system has no calibration."""
    confidence: float | None = None
    """The chance that a paper like the draft cites any of the 20 best candidates."""
    calibrated_by: str = ""
    """What the chances were learned from; "" where there are none."""
    renderers: Mapping[str, Renderer] = field(default_factory=dict, repr=False, compare=False)
    """The output formats, by name."""

    def __iter__(self) -> Iterator[Recommendation]:
        return iter(self.recommendations)

    def __len__(self) -> int:
        return len(self.recommendations)

    @overload
    def __getitem__(self, position: int) -> Recommendation: ...
    @overload
    def __getitem__(self, position: slice) -> "Answer": ...
    def __getitem__(self, position: int | slice) -> "Recommendation | Answer":
        if isinstance(position, slice):
            return replace(self, recommendations=self.recommendations[position])
        return self.recommendations[position]

    def to(self, format: str) -> str:
        """Return the answer as text.

        `format` is "table", "json", "bibtex", "ris", "csl", "markdown" or a plug-in's format.
        """
        if format not in self.renderers:
            known = ", ".join(self.renderers)
            raise BadInput(f"unknown output format {format!r}; known: {known}")
        return self.renderers[format](self)

    def write(self, path: str | Path, format: str = "") -> None:
        """Write the answer to a file, in the format that is named or that the suffix stands for.

        Suffixes are .bib, .ris, .csl, .json, .md and .txt (the table), or a plug-in's format.
        """
        suffix = Path(path).suffix.lower()
        known = {**{f".{name}": name for name in self.renderers}, **_FORMATS}
        if not format and suffix not in known:
            raise BadInput(
                f"{path}: the suffix {suffix!r} stands for no format; name one, or end the file's "
                f"name with {', '.join(known)}"
            )
        text = self.to(format or known[suffix])
        Path(path).write_text(text, "utf-8", newline="\n")
