"""Answers to drafts, sentences and passages, as the OpenAPI document describes them."""

from typing import Any

from pydantic import BaseModel

from citewise.http.documents import BIBLIOGRAPHY_TYPES, described
from citewise.types import (
    Contribution,
    EvidenceSpan,
    Match,
    Paper,
    Reason,
    ServedBy,
    Understanding,
)


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
