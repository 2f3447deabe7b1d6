"""What citewise itself writes into a library's folder: nothing else is ever deleted there."""

import contextlib
import re
from collections.abc import Container
from pathlib import Path

from citewise.ingest.library_folders import NAMES
from citewise.library import manifest as manifests

KINDS = ("segments", "lexical", "tables", "evidence")
"""The folders of a library in which each generation has one or more folders of its own."""

_LEFT_BY_SYSTEMS = frozenset({".DS_Store", ".gitkeep", "desktop.ini", "lost+found", "Thumbs.db"})
"""What an empty folder may hold without anybody having put it there."""

GENERATION = re.compile(r"(\d{6}|[1-9]\d{6,})(-joined|-scratch)?")
"""What a generation's folders are called."""

SET_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What a set of papers' vectors may be called: it is a folder's name."""

_RECORDS = r"records\.(zst|starts|firsts)"
_WRITTEN = {
    "segments": re.compile(
        r"years|titles|(title|abstract)\.(lengths|starts|terms|counts)|references\.(starts|keys)"
        r"|keys\.(starts|hashes)|authors\.(starts|numbers)|(title|abstract|text)\.frequencies"
        rf"|{_RECORDS}"
    ),
    "tables": re.compile(
        r"deleted|(keys|titles|authors|words)\.(hashes|numbers)|words\.(text|starts)"
        r"|(references|citers)\.(starts|rows|changed)|dangling\.(hashes|numbers)"
        r"|(title|abstract|text)\.(frequencies|terms|added)"
        r"|evidence\.(identities\.(hashes|numbers)|deleted|citing|years|numbers|starts|rows"
        r"|sentences|uses|said|said_starts|frequencies|totals)"
    ),
    "evidence": re.compile(
        r"years|citing|texts|identities|uses\.(spans|begins|ends|kinds|starts)"
        r"|cited\.(starts|keys)|spans\.(hashes|lengths|first_uses)"
        rf"|postings\.(terms|starts|spans|counts)|{_RECORDS}"
    ),
    "lexical": re.compile(
        r"[0-9a-f]{32}\.[0-9a-z.]+|(meta|\.managed)\.json|\.tantivy-\w+\.lock"
        r"|\.tmp\w+|mode\.new"
    ),
    "embeddings": re.compile(r"(\d{6}|[1-9]\d{6,})\.(codes|lists|centroids)"),
    "vectors": re.compile(r"\d{6,}\.(keys|values)|(manifest|unfinished)\.json(\.new)?"),
}
"""What the files in each kind of folder are called; tantivy names its own by random numbers."""


def foreign_files(folder: Path) -> list[str]:
    """Return what keeps a folder from becoming a library, sorted: all that is in it, unless it is a
    library or what a writer left that was killed before its first commit.
    """
    if not folder.is_dir() or (folder / manifests.NAME).exists():
        return []
    known = NAMES if (folder / "writer.lock").exists() else frozenset[str]()
    return sorted({file.name for file in folder.iterdir()} - known - _LEFT_BY_SYSTEMS)


def is_own(kind: str, name: str) -> bool:
    """Return whether a file in a folder of some kind has a name that citewise gives there."""
    return _WRITTEN[kind].fullmatch(name) is not None


def delete_own(kind: str, path: Path) -> None:
    """Remove what citewise wrote in a generation's folder, and the folder if that leaves it empty;
    what is still open (on Windows) stays for the next clean-up.
    """
    with contextlib.suppress(OSError):
        if path.name.endswith("-scratch"):  # a database, in one file
            path.unlink()
        elif path.is_dir() and not path.is_symlink():
            for file in path.iterdir():
                if is_own(kind, file.name):
                    file.unlink()
            path.rmdir()


def delete_embeddings(library: Path, used: Container[str]) -> None:
    """Remove the files of papers' vectors that are not among the used ones, and the folders that
    this leaves empty; what is still open (on Windows) stays for the next clean-up.
    """
    for folder in (library / "embeddings").glob("*"):
        if not SET_NAME.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
            continue
        with contextlib.suppress(OSError):
            for file in folder.iterdir():
                name = file.relative_to(library).as_posix()
                if is_own("embeddings", file.name) and name not in used:
                    file.unlink()
            folder.rmdir()
    with contextlib.suppress(OSError):  # sets are in it
        (library / "embeddings").rmdir()
