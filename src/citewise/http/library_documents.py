"""The library, imports and feedback, as the OpenAPI document describes them."""

from typing import Any, Literal

from pydantic import BaseModel

from citewise.http.documents import ProblemDocument


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
