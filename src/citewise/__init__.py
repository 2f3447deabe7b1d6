"""citewise: which papers a draft should cite, and why."""

from citewise.api import Description, Library, add, encode, index, open
from citewise.browse import PaperPage
from citewise.drafts.draft import Draft
from citewise.drafts.query import DraftOptions, ReadQuery
from citewise.drafts.reading import read_draft
from citewise.errors import (
    BadInput,
    BadLibrary,
    CitewiseError,
    LibraryBusy,
    MissingData,
    MissingExtra,
    NoPermission,
    Unavailable,
)
from citewise.feedback import Feedback, FeedbackContent, FeedbackEntry
from citewise.ingest.document import Document
from citewise.ingest.report import Report
from citewise.library.verify import Verification, verify
from citewise.library.writer import compact, remove
from citewise.preferences import Preferences
from citewise.types import (
    Answer,
    CitationGroup,
    CitingSentence,
    Contribution,
    EvidenceSpan,
    NamedPaper,
    Paper,
    Query,
    Reason,
    Recommendation,
    ServedBy,
    Understanding,
)

__all__ = [
    "Answer",
    "BadInput",
    "BadLibrary",
    "CitationGroup",
    "CitewiseError",
    "CitingSentence",
    "Contribution",
    "Description",
    "Document",
    "Draft",
    "DraftOptions",
    "EvidenceSpan",
    "Feedback",
    "FeedbackContent",
    "FeedbackEntry",
    "Library",
    "LibraryBusy",
    "MissingData",
    "MissingExtra",
    "NamedPaper",
    "NoPermission",
    "Paper",
    "PaperPage",
    "Preferences",
    "Query",
    "ReadQuery",
    "Reason",
    "Recommendation",
    "Report",
    "ServedBy",
    "Unavailable",
    "Understanding",
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
