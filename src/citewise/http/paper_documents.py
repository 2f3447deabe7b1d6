"""Papers and maps, as the OpenAPI document describes them."""

from typing import Literal

from pydantic import BaseModel

from citewise.types import EvidenceSpan


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
