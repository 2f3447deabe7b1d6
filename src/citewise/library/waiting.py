"""Records without a title that came before their paper, kept on disk until it arrives."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from citewise.report import Place
from citewise.types import Paper

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[Paper, Place]).decode


class Waiting:
    """Patches by the hash of a key; in a scratch database, since an abstracts dump has a hundred million of them."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._database: sqlite3.Connection | None = None

    def put(self, key: int, patch: Paper, place: Place) -> None:
        """Keep a patch."""
        if self._database is None:
            self._database = sqlite3.connect(self._file)
            self._database.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
                "CREATE TABLE patches (number INTEGER PRIMARY KEY, key INTEGER, content BLOB);"
                "CREATE INDEX by_key ON patches (key);")
        self._database.execute("INSERT INTO patches (key, content) VALUES (?, ?)",
                               (_signed(key), _encode((patch, place))))

    def take(self, keys: list[int]) -> list[Paper]:
        """Return the patches of a paper in the order in which they came, and forget them."""
        if self._database is None:
            return []
        found = []
        for key in keys:
            rows = self._database.execute("SELECT content FROM patches WHERE key = ? ORDER BY number", (_signed(key),))
            found += [_decode(content)[0] for content, in rows.fetchall()]
            self._database.execute("DELETE FROM patches WHERE key = ?", (_signed(key),))
        return found

    def rest(self) -> Iterator[tuple[Paper, Place]]:
        """Yield what no paper claimed."""
        if self._database is not None:
            for content, in self._database.execute("SELECT content FROM patches ORDER BY number"):
                yield _decode(content)

    def close(self) -> None:
        """Remove the scratch database."""
        if self._database is not None:
            self._database.close()
            self._file.unlink(missing_ok=True)


def _signed(key: int) -> int:
    """Return a 64-bit number as SQLite stores it."""
    return key - 2**64 if key >= 2**63 else key
