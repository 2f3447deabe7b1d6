"""What `Intake` adds papers to: the next generation of a library, or records of a dump that may be
versions of one work.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from citewise.arrays import Rows
from citewise.library.entries import Entries
from citewise.library.evidence.sentences import Sentences
from citewise.library.folder import LibraryFolder
from citewise.types import Paper


class Growing(Protocol):
    """Rows that are appended, replaced and deleted; `generation.Generation` says what each does."""

    path: Path
    scratch: Path
    """A file for patches whose papers have not come yet."""
    kept: LibraryFolder | None
    """The library whose rows come before the new ones."""

    def paper(self, row: int) -> Paper:
        """Return the paper at a row."""
        ...

    def has(self, row: int) -> bool:
        """Return whether a row has not been deleted."""
        ...

    def new_titles(self) -> Iterator[tuple[int, str]]:
        """Yield the new rows and their titles."""
        ...

    def append(self, entries: Entries) -> Rows:
        """Add papers behind the last; return their rows."""
        ...

    def replace(self, row: int, entry: Entries) -> Rows:
        """Put a new record in place of an old one; return its row."""
        ...

    def delete(self, rows: list[int]) -> None:
        """Mark rows as deleted."""
        ...

    def append_sentences(self, sentences: Sentences) -> None:
        """Add citing sentences behind the last."""
        ...

    def flush(self) -> None:
        """End a batch: rows that are replaced from now on get new places."""
        ...
