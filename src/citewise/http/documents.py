"""What the server answers, as the OpenAPI document describes it."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from citewise.types import (
    Contribution,
    EvidenceSpan,
    Match,
    Paper,
    Reason,
    ServedBy,
    Understanding,
)

BIBLIOGRAPHY_TYPES = {
    "application/x-bibtex": "bibtex",
    "application/x-research-info-systems": "ris",
    "application/vnd.citationstyles.csl+json": "csl",
    "text/markdown": "markdown",
}
"""Formats of bibliographies by media type."""


class ProblemDocument(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(examples=["urn:citewise:problem:bad_input"])
    title: str = Field(examples=["What was sent cannot be used"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["k is at most 1000, not 5000"])
    code: str = Field(examples=["bad_input"])
    errors: list[dict[str, str]] | None = None


class ReadQueryDocument(BaseModel):
    """What was read of a draft, as /v1/recommend takes it."""

    title: str
    abstract: str
    authors: list[str]
    cited: list[str]
    hidden: list[str]


class ReadDocument(BaseModel):
    """What was understood of a draft."""

    query: ReadQueryDocument
    read: Understanding
    unknown: list[str]


class LibraryState(BaseModel):
    """The generation of the library that answered."""

    path: str
    generation: int
    fingerprint: str


class RecommendationDocument(BaseModel):
    """A recommended paper; the optional fields are those of explained answers."""

    rank: int
    paper: Paper
    score: float
    signals: dict[str, float | None]
    confidence: float | None
    evidence: list[EvidenceSpan]
    citation_key: str
    base: float | None = None
    contributions: list[Contribution] | None = None
    reasons: list[Reason] | None = None


class AnswerDocument(BaseModel):
    """The answer to a draft: the JSON of `citewise recommend --format json`."""

    library: LibraryState
    system: str
    served_by: ServedBy
    match: Match | None
    confidence: float | None
    calibrated_by: str
    query: dict[str, Any]
    read: Understanding
    recommendations: list[RecommendationDocument]


class SentenceDocument(BaseModel):
    """The answer to one sentence."""

    sentence: str
    written: str
    cites: bool
    wanted: bool
    served_by: ServedBy
    match: Match | None
    confidence: float | None
    calibrated_by: str
    recommendations: list[RecommendationDocument]


class CiteDocument(BaseModel):
    """The answer to a sentence: the JSON of `citewise cite --format json`."""

    system: str
    read: Understanding
    sentences: list[SentenceDocument]


class MarkedSentence(BaseModel):
    """A sentence of a passage, at its offsets."""

    text: str
    start: int
    end: int
    wants_citation: bool
    has_citation: bool
    answer: CiteDocument | None = None


class PassageDocument(BaseModel):
    """The sentences of a passage."""

    sentences: list[MarkedSentence]


class PaperDocument(BaseModel):
    """A paper, with its citation key, its addresses and how many papers cite it."""

    id: str
    title: str
    abstract: str
    year: int | None
    authors: list[str]
    venue: str
    ids: list[str]
    references: list[str]
    fields: list[str]
    date: str
    kind: str
    details: dict[str, str]
    light: bool
    key: str
    citations: int
    url: str | None = None
    doi: str | None = None


class PapersDocument(BaseModel):
    """Some papers."""

    papers: list[PaperDocument]


class NeighboursDocument(PapersDocument):
    """A page of papers, and how many there are."""

    total: int


class EvidenceDocument(BaseModel):
    """Sentences that cite a paper."""

    evidence: list[EvidenceSpan]


class MapPaper(BaseModel):
    """A paper on a map; x and y are from 0 to 1."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    citations: int
    role: Literal["recommended", "basket", "cited"]
    x: float
    y: float
    key: str


class MapYear(BaseModel):
    """The place of a year on a map."""

    year: int
    x: float


class MapDocument(BaseModel):
    """A map: papers, citations as [citing, cited], years."""

    papers: list[MapPaper]
    edges: list[list[str]]
    years: list[MapYear]


class LibraryDocument(BaseModel):
    """What the library holds; only `open` and `writable` where there is none yet."""

    open: bool
    writable: bool
    name: str | None = None
    path: str | None = None
    generation: int | None = None
    papers: int | None = None
    citations: int | None = None
    sentences: int | None = None
    years: dict[str, int] | None = None
    topics: list[str] | None = None
    models: list[str] | None = None


class PreferenceDocument(BaseModel):
    """A preference; a range of null makes it a switch."""

    name: str
    label: str
    help: str
    range: list[float] | None
    default: bool | float


class DefaultSystems(BaseModel):
    """The systems that answer unless others are named."""

    drafts: str
    sentences: str


class SystemsDocument(BaseModel):
    """What can answer, and how answers can be made to lean."""

    systems: list[str]
    default: DefaultSystems
    preferences: list[PreferenceDocument]
    limits: dict[str, float]


class ImportStarted(BaseModel):
    """An import that was accepted."""

    job: str
    status_url: str
    events_url: str


class ImportEvent(BaseModel):
    """What was done to one record, and why."""

    action: str
    reason: str
    file: str
    line: int
    id: str
    detail: str


class ImportReport(BaseModel):
    """What an import did."""

    read: int
    added: int
    updated: int
    unchanged: int
    sentences: int
    merged: int
    repaired: int
    skipped: list[ImportEvent]
    repairs: list[ImportEvent]
    counts: dict[str, int]


class ImportDocument(BaseModel):
    """How far an import is."""

    job: str
    state: Literal["waiting", "running", "done", "failed"]
    stage: str
    done: int
    total: int
    report: ImportReport | None = None
    error: ProblemDocument | None = None


class FeedbackDocument(BaseModel):
    """The user's feedback on this library, and the file that has it."""

    entries: list[dict[str, Any]]
    file: str


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the problem documents that a route may answer with; some come from every route."""
    return {
        status: {
            "description": _MEANINGS[status],
            "content": {"application/problem+json": {"schema": _PROBLEM}},
        }
        for status in sorted({*statuses, 401, 403, 500})
    }


_PROBLEM = {"$ref": "#/components/schemas/ProblemDocument"}
_MEANINGS = {
    400: "The body is not JSON",
    401: "The token is missing or wrong",
    403: "The host name or the site that asks is not allowed, or the library may not be changed",
    404: "No such paper or job",
    406: "The formats of Accept cannot be had",
    408: "The body came too slowly",
    409: "There is no library yet, or, for the sample, there is one already",
    413: "The body is too large",
    415: "The body's type is not taken here",
    422: "A value cannot be used",
    500: "The server failed",
    501: "A part of citewise is not installed",
    503: "Too many requests, no answer in time, or the library cannot be read; see Retry-After",
}


def described(model: type[BaseModel], about: str) -> dict[int | str, dict[str, Any]]:
    """Return the usual answer of a route."""
    return {200: {"model": model, "description": about}}


def _with_bibliographies(model: type[BaseModel], about: str) -> dict[int | str, dict[str, Any]]:
    text: dict[str, Any] = {"schema": {"type": "string"}}
    content = dict.fromkeys(BIBLIOGRAPHY_TYPES, text)
    content["application/vnd.citationstyles.csl+json"] = {"schema": {"type": "array"}}
    content["text/event-stream"] = {}
    return {200: {"model": model, "description": about, "content": content}}


ANSWERS: dict[str, dict[int | str, dict[str, Any]]] = {
    "read": described(ReadDocument, "What was understood"),
    "recommend": _with_bibliographies(AnswerDocument, "The recommended papers"),
    "cite": _with_bibliographies(CiteDocument, "The papers to cite"),
    "passage": described(PassageDocument, "The sentences"),
}
"""The usual answers of the routes that answer."""
