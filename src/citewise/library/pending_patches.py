"""Patches: records without a title that came before their paper, kept on disk until it arrives."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from citewise.ingest.report import SourceLocation
from citewise.types import Paper

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[Paper, SourceLocation]).decode


class PendingPatches:
    """Patches by the hashes of their keys; in a scratch database, since a dump has a hundred
    million of them.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._database: sqlite3.Connection | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was ever put in."""
        return self._database is None

    def put(self, keys: list[int], patch: Paper, location: SourceLocation) -> None:
        """Keep a patch under the hashes of its keys."""
        if self._database is None:
            self._database = sqlite3.connect(self._file)
            self._database.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
                # a number is never used again: names of patches that were taken stay behind
                "CREATE TABLE patches (number INTEGER PRIMARY KEY AUTOINCREMENT, content BLOB);"
                "CREATE TABLE names (key INTEGER, number INTEGER, PRIMARY KEY (key, number)) "
                "WITHOUT ROWID;"
            )

        content = _encode((patch, location))
        number = self._database.execute(
            "INSERT INTO patches (content) VALUES (?)", (content,)
        ).lastrowid
        self._database.executemany(
            "INSERT OR IGNORE INTO names VALUES (?, ?)", [(_signed(key), number) for key in keys]
        )

    def take(self, keys: list[int]) -> list[Paper]:
        """Return the patches of a paper in the order in which they came, and forget them."""
        if self._database is None:
            return []

        patches: dict[int, Paper] = {}
        for key in keys:
            rows = self._database.execute(
                "SELECT number, content FROM names JOIN patches USING (number) WHERE key = ?",
                (_signed(key),),
            )
            patches |= {number: _decode(content)[0] for number, content in rows.fetchall()}

        self._database.executemany(
            "DELETE FROM patches WHERE number = ?", [(number,) for number in patches]
        )
        return [patches[number] for number in sorted(patches)]

    def rest(self) -> Iterator[tuple[Paper, SourceLocation]]:
        """Yield the patches that were not taken, in the order in which they came."""
        if self._database is not None:
            for (content,) in self._database.execute("SELECT content FROM patches ORDER BY number"):
                yield _decode(content)

    def close(self) -> None:
        """Remove the scratch database."""
        if self._database is not None:
            self._database.close()
            self._file.unlink(missing_ok=True)


def _signed(key: int) -> int:
    """Return a 64-bit number as SQLite stores it."""
    return key - 2**64 if key >= 2**63 else key
