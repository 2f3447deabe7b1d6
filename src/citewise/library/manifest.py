"""The manifest: the one file that says what a library's current generation consists of."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from citewise.errors import BadInput, BadLibrary, MissingData, NoPermission
from citewise.library.files import replace
from citewise.library.seal import sealed, unsealed
from citewise.protocols import EncodedBy

FORMAT = 4
"""Raised by every change that an older citewise cannot read: 2 has evidence, 3 vectors of papers, 4
tables in two levels. A library is written in the first format that has all of it.
"""

NAME = "manifest.json"


class FileEntry(msgspec.Struct, frozen=True):
    """A file's size in bytes and its checksum."""

    size: int
    checksum: str


class SegmentEntry(msgspec.Struct, frozen=True):
    """A run of consecutive rows, stored in one folder."""

    name: str
    first_row: int
    rows: int


class RunEntry(msgspec.Struct, frozen=True):
    """Consecutive rows of a set of vectors, stored in one file."""

    name: str
    rows: int


class VectorSetEntry(msgspec.Struct, frozen=True):
    """A set of papers' vectors: what made it, and the runs of its files."""

    about: EncodedBy
    scale: float
    """What a code of 1 stands for."""
    codes: tuple[RunEntry, ...] = ()
    lists: tuple[RunEntry, ...] = ()
    centroids: str = ""
    """The name of the file with the lists' centroids; "" where the set has no lists."""
    trained: int = 0
    """Rows of the set when its centroids were computed."""


class Manifest(msgspec.Struct, frozen=True):
    """A generation: its segments, tables and lexical index, and every file with its checksum."""

    generation: int
    papers: int
    rows: int
    segments: tuple[SegmentEntry, ...]
    tables: str
    """The folder with the tables; with `changes`, those of an older generation."""
    lexical: str
    lengths: dict[str, int]
    """Terms in all papers, by field."""
    files: dict[str, FileEntry]
    written: str
    """When, in UTC."""
    light: bool = False
    """Whether papers were added that are known from lists of references only."""
    evidence: tuple[str, ...] = ()
    """The folders with citing sentences, in order."""
    vectors: dict[str, VectorSetEntry] = {}
    """Sets of papers' vectors, by name."""
    changes: str = ""
    """The folder with what has changed since the tables were written; "" where they are whole."""
    format: int = 1

    @property
    def table_folders(self) -> tuple[str, ...]:
        """The folders with tables, the lower level first."""
        return (self.tables, self.changes) if self.changes else (self.tables,)

    @property
    def fingerprint(self) -> str:
        """Return a hash that is the same for libraries with the same content."""
        return fingerprint_of(self.papers, self.rows, self.files)


def fingerprint_of(papers: int, rows: int, files: Mapping[str, FileEntry]) -> str:
    """Return a hash of counts and checksums; the same papers may give another inverted index."""
    checksums = sorted(
        (path, entry.checksum) for path, entry in files.items() if "lexical/" not in path
    )
    whole = msgspec.json.encode([papers, rows, checksums])
    return hashlib.blake2b(whole, digest_size=8).hexdigest()


class _Version(msgspec.Struct):
    format: int


def load(library: Path) -> Manifest:
    """Return the current manifest."""
    try:
        content = (library / NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if (library / "shards.json").is_file():
            raise BadInput(
                f"{library}: these are shards, and this command needs the library that they were "
                "cut from"
            ) from None
        raise MissingData(
            f"{library}: no citewise library here; make one with: "
            f"citewise index SOURCE... --library {library}"
        ) from None
    except PermissionError:
        raise NoPermission(
            f"{library}: you may not read {NAME} in this folder; its owner can allow that with: "
            f"chmod -R a+rX {library}"
        ) from None

    try:
        content = unsealed(content)
        version = msgspec.json.decode(content, type=_Version).format
        if version > FORMAT:
            raise BadLibrary(
                f"{library}: written in format {version}, and this citewise reads up to {FORMAT}; "
                "upgrade with: pip install -U citewise"
            )
        return msgspec.json.decode(content, type=Manifest)
    except ValueError as error:  # msgspec's errors are ValueErrors
        raise BadLibrary(
            f"{library / NAME}: not a manifest ({error}); restore it from a backup "
            "or index the sources again"
        ) from None


def save(library: Path, manifest: Manifest) -> None:
    """Make a generation current: the atomic step of every change."""
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    replace(library / NAME, sealed(content))
