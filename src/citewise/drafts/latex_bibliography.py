r"""Find what a LaTeX draft lists as its references: .bib files, .bbl files, thebibliography."""

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from citewise.errors import MissingData
from citewise.ingest.bibtex import record_of
from citewise.ingest.bibtex_entries import entries
from citewise.ingest.clean import Cleaner, Raw
from citewise.ingest.fulltext.latex_references import from_list
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import open_source
from citewise.text import tex_source
from citewise.text.encoding import text_of
from citewise.text.latex_front import LatexFront
from citewise.types import Paper

LARGEST_LIST = 20 * 1024 * 1024
"""Bytes of a .bbl or .bib file."""

MOST_VISITED = 5_000
"""Files and folders of a project that are looked at for a file that is not where it should be."""

MOST_REFERENCES = 20_000
MOST_NAMED = 5
"""Keys that a message names."""

_KEY = re.compile(r"@\s{0,9}[\w-]{1,50}\s{0,9}[{(]\s{0,9}([^\s,{}()]{1,500})\s{0,9},")
_GLOB = re.compile(r"[*?[\]]")
_ADDRESS = re.compile(r"[a-z]+://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a draft lists: its .bib files, the entries of other lists, and what was not found."""

    bibliographies: tuple[str, ...] = ()
    references: tuple[Paper, ...] = ()
    lost: tuple[str, ...] = ()


def listed_by(front: LatexFront, text: str, folders: tuple[Path, ...], stem: str) -> Listed:
    """Return what a draft lists as its references.

    `folders` are those of its files, the main file's first; `stem` is the main file's name without
    suffix. Without folders no file is read.
    """
    inline = dict(itertools.islice(from_list(text), MOST_REFERENCES))
    if not folders:
        return Listed(front.bibliographies, _papers(inline))

    found = {name: _files_named(name, folders) for name in front.bibliographies}
    lost = [f"{name}: no such file" for name, paths in found.items() if not paths]
    files = [*dict.fromkeys(itertools.chain.from_iterable(found.values()))]
    cited = {*front.cited_keys, *front.listed_keys}
    if not front.bibliographies and not inline:
        files = _files_with(cited, folders[0], lost)

    records = {**_from_bbl(cited, folders[0], stem, lost), **inline}
    records |= _without_citation(front, files, lost)

    shown = tuple(_relative(path, folders[0]) for path in files)
    return Listed(shown, _papers(records), tuple(dict.fromkeys(lost)))


def _files_named(name: str, folders: tuple[Path, ...]) -> list[Path]:
    """Return the files that a draft means by the name of a .bib file.

    As in LaTeX, a name is relative to the main file's folder; else the file is looked for in the
    folders of the included files and, by its name alone, below the main folder.
    """
    if _ADDRESS.match(name) or PurePosixPath(name).is_absolute():
        return []
    if _GLOB.search(name):
        return [path for path in _below(folders[0]) if path.match(name)]

    for folder in folders:
        path = tex_source.file_at(folder, name)
        if path and path.suffix.lower() == ".bib":
            return [path]
    wanted = PurePosixPath(name).name.casefold()
    return [path for path in _below(folders[0]) if path.name.casefold() == wanted][:1]


def _below(folder: Path, suffix: str = ".bib") -> Iterator[Path]:
    """Yield the files with a suffix in a folder and below, nearest first; some thousand are
    visited.
    """
    visited = 0
    for where, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        visited += 1 + len(names)
        if visited > MOST_VISITED:
            return
        for name in sorted(names):
            path = Path(where, name)
            if path.suffix.lower() == suffix and path.resolve().is_relative_to(folder):
                yield path


def _files_with(cited: set[str], folder: Path, lost: list[str]) -> list[Path]:
    """Return the .bib file in, below or beside a folder that has most of the cited keys.

    A chapter alone names no bibliography; that of its thesis is near.
    """
    if not cited:
        return []
    near = [*_below(folder), *sorted(folder.parent.glob("*.bib"))[:MOST_NAMED]]
    known = ((path, cited.intersection(_KEY.findall(_content(path, lost)))) for path in near)
    return [path for path, keys in known if 2 * len(keys) >= len(cited)][:1]


def _content(path: Path, lost: list[str]) -> str:
    """Return the text of a list of references; "", and a note in `lost`, where it is too large or
    cannot be read.
    """
    try:
        if path.stat().st_size <= LARGEST_LIST:
            return text_of(path.read_bytes())
        lost.append(f"{path.name}: more than {LARGEST_LIST >> 20} MB, so it was not read")
    except OSError as error:
        lost.append(f"{path.name}: cannot be read ({error.strerror})")
    return ""


def _from_bbl(cited: set[str], folder: Path, stem: str, lost: list[str]) -> dict[str, Raw]:
    """Return the cited entries of the draft's .bbl file, else of one that has most of its keys."""
    files = [path for path in _below(folder, ".bbl") if path.parent == folder]
    for path in sorted(files, key=lambda path: (path.stem != stem, path.name)):
        found = tex_source.without_comments(_content(path, lost))
        records = dict(itertools.islice(from_list(found), MOST_REFERENCES))
        known = {key: raw for key, raw in records.items() if key in cited}
        if known and (path.stem == stem or 2 * len(known) >= len(cited)):
            return known
    return {}


def _without_citation(front: LatexFront, files: list[Path], lost: list[str]) -> dict[str, Raw]:
    r"""Return the entries of .bib files that are listed without being cited (\nocite)."""
    wanted, records = {*front.listed_keys}, dict[str, Raw]()
    for path in files if wanted else ():
        try:
            records |= _entries_of(path, wanted)
        except MissingData as error:
            lost.append(str(error))
    return records


def _entries_of(path: Path, wanted: set[str]) -> dict[str, Raw]:
    source = open_source(str(path))
    try:
        read = entries(source, Report())
        return {entry.key: record_of(entry) for entry in read if entry.key in wanted}
    finally:
        source.close()


def _papers(records: dict[str, Raw]) -> tuple[Paper, ...]:
    """Return raw records as papers, each with its key among its ids, as `bib:key`."""
    cleaner, location = Cleaner(Report()), SourceLocation("the draft", 1)
    papers = (cleaner.paper(_keyed(key, raw), location) for key, raw in records.items())
    return tuple(paper for paper in papers if paper is not None)


def _keyed(key: str, raw: Raw) -> Raw:
    known = raw.get("ids") or {}
    names = list(known) if isinstance(known, list | tuple) else [*filter(None, known.values())]
    return {**raw, "id": None, "ids": [*dict.fromkeys([*names, f"bib:{key}"])]}


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, or absolute where it is outside."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
