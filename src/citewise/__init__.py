"""citewise: which papers a draft should cite, and why."""

from citewise.drafts import Draft, read_draft
from citewise.errors import BadInput, BadLibrary, CitewiseError, LibraryBusy, MissingData, MissingExtra
from citewise.library.verify import Verification, verify
from citewise.library.writer import compact, remove
from citewise.opened import Description, OpenLibrary, add, index, open
from citewise.report import Report
from citewise.types import Paper, Query, Recommendation

__all__ = [
    "BadInput",
    "BadLibrary",
    "CitewiseError",
    "Description",
    "Draft",
    "LibraryBusy",
    "MissingData",
    "MissingExtra",
    "OpenLibrary",
    "Paper",
    "Query",
    "Recommendation",
    "Report",
    "Verification",
    "add",
    "compact",
    "index",
    "open",
    "read_draft",
    "remove",
    "verify",
]
__version__ = "0.1.0"
