"""citewise: which papers a draft should cite, and why."""

from citewise.drafts import Draft, read_draft
from citewise.errors import BadInput, BadLibrary, CitewiseError, LibraryBusy, MissingData, MissingExtra
from citewise.ingest.document import Document
from citewise.library.verify import Verification, verify
from citewise.library.writer import compact, remove
from citewise.opened import Description, OpenLibrary, add, encode, index, open
from citewise.report import Report
from citewise.types import (
    Answer,
    CitationGroup,
    CitingSentence,
    NamedPaper,
    Paper,
    Query,
    Reason,
    Recommendation,
    ServedBy,
)

__all__ = [
    "Answer",
    "BadInput",
    "BadLibrary",
    "CitationGroup",
    "CitewiseError",
    "CitingSentence",
    "Description",
    "Document",
    "Draft",
    "LibraryBusy",
    "MissingData",
    "MissingExtra",
    "NamedPaper",
    "OpenLibrary",
    "Paper",
    "Query",
    "Reason",
    "Recommendation",
    "Report",
    "ServedBy",
    "Verification",
    "add",
    "compact",
    "encode",
    "index",
    "open",
    "read_draft",
    "remove",
    "verify",
]
__version__ = "0.1.0"
