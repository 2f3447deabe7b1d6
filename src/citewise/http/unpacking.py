"""Files from clients: names without tricks, archives unpacked within bounds."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from citewise.drafts.reading import KINDS, NOT_READ
from citewise.errors import BadInput
from citewise.http.problems import Problem
from citewise.http.settings import Limits
from citewise.ingest.decompress import DAMAGE
from citewise.ingest.source import open_source

_NOT_IN_NAMES = re.compile(r"[^\w. ()+@=,-]+")
_LONGEST_NAME = 200
"""Bytes of one part of a path: file systems take 255, and a number may follow."""

_DEEPEST = 8
"""Folders in a file's path."""

_PIECE = 1 << 20
_MAIN = re.compile(rb"\\documentclass|\\begin\s*\{document\}")


def free_path(folder: Path, name: str) -> Path:
    """Return a path in a folder for a file that a client names; its own folders are made.

    Whatever the name, the path is below the folder and not taken.
    """
    path = folder.joinpath(*safe_parts(name))
    for parent in reversed(path.relative_to(folder).parents):
        if (folder / parent).is_file():  # "a" and "a/b" in one upload
            path = folder / "_".join(safe_parts(name))
            break
    path.parent.mkdir(parents=True, exist_ok=True)
    stem, number = path.stem, 2
    while path.exists():
        path = path.with_name(f"{stem}-{number}{path.suffix}")
        number += 1
    return path


def safe_parts(name: str) -> list[str]:
    """Return the parts of a path without what leads out of a folder, hides a file or is no name."""
    parts = [
        _ending(_NOT_IN_NAMES.sub("_", part).strip(". ")).lstrip(". ")
        for part in name.replace("\\", "/").split("/")
    ]
    return [part for part in parts if part][-_DEEPEST:] or ["file"]


def _ending(part: str) -> str:
    """Return the end of a name, as long as a file's name may be."""
    return part.encode()[-_LONGEST_NAME:].decode("utf-8", "ignore")


def unpack(folder: Path, limits: Limits) -> None:
    """Replace the zip archives in a folder by their files; a bomb is refused.

    Word files and archives in archives stay as they are.
    """
    files = [*_files(folder)]
    archives = [file for file in files if file.suffix.lower() == ".zip"]
    room, left = limits.unpacked, limits.files - (len(files) - len(archives))
    for archive in archives:
        target = archive.with_name(archive.stem)
        while target.exists():
            target = target.with_name(f"{target.name}-files")
        try:
            with zipfile.ZipFile(archive) as opened:
                entries = [entry for entry in opened.infolist() if not entry.is_dir()]
                left -= len(entries)
                if left < 0:
                    raise too_many_files(limits.files)
                room -= _unpack(opened, entries, target, room)
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            RuntimeError,
            ValueError,
            *DAMAGE,
        ) as error:
            name = archive.relative_to(folder)
            raise BadInput(f"{name}: cannot be unpacked ({error}); is it whole?") from None
        archive.unlink()


def _unpack(
    opened: zipfile.ZipFile, entries: list[zipfile.ZipInfo], target: Path, room: int
) -> int:
    """Write the files of an archive into a folder; return their bytes."""
    size = 0
    target.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        if _is_hidden(entry.filename):
            continue
        with opened.open(entry) as source, free_path(target, entry.filename).open("wb") as file:
            while piece := source.read(_PIECE):  # what the archive says of sizes is not believed
                size += len(piece)
                if size > room:
                    raise too_much(room)
                file.write(piece)
    return size


def _is_hidden(name: str) -> bool:
    """Return whether a file of an archive is a system's own, such as .DS_Store."""
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def check_sizes(folder: Path, limits: Limits) -> None:
    """Raise Problem 413 where compressed files (.gz, .xz, .zst) unpack to more than is allowed."""
    size = 0
    for file in _files(folder):
        source = open_source(str(file))
        try:
            while piece := source.stream.read(_PIECE):
                size += len(piece)
                if size > limits.unpacked:
                    raise too_much(limits.unpacked)
        except DAMAGE:
            continue  # the reader meets it again, and reports it
        finally:
            source.close()


def too_many_files(most: int) -> Problem:
    """Return the problem of an upload with too many files, those in archives included."""
    return Problem(413, "too_large", f"these are more than {most:,} files")


def too_much(size: int) -> Problem:
    """Return the problem of files that are too large once they are decompressed."""
    return Problem(413, "too_large", f"the files unpack to more than {size:,} bytes")


def sources_of(folder: Path, limits: Limits) -> tuple[str, tuple[str, ...]]:
    """Return the draft among some files, and the bibliographies that no draft names.

    Of several LaTeX files, the main one is the draft.
    """
    unpack(folder, limits)
    files = [*_files(folder)]
    drafts = [file for file in files if file.suffix.lower() in {*KINDS, *NOT_READ}]
    if not drafts:
        names = ", ".join(file.name for file in files[:5])
        raise BadInput(
            f"no draft among the files ({names}); a draft is LaTeX, Markdown, Word, a PDF, a "
            "notebook or plain text"
        )
    draft = min(drafts, key=_rank)
    unnaming = (".docx", ".pdf", ".txt", ".text")
    named = (".bib", ".bbl") if draft.suffix.lower() not in unnaming else ()
    listed = (".bib", ".ris", ".nbib", ".enw", ".rdf", ".xml", ".json")
    others = (file for file in files if file.suffix.lower() in listed)
    return str(draft), tuple(str(file) for file in others if file.suffix.lower() not in named)


def _rank(file: Path) -> tuple[bool, bool, bool, int, str]:
    """Return what sorts the main draft first: readable, a source, a whole document, not deep, by
    name. A PDF beside a source is its print, or one of its figures.
    """
    readable = file.suffix.lower() in KINDS
    is_tex = KINDS.get(file.suffix.lower()) == "tex"
    whole = not is_tex or bool(_MAIN.search(file.read_bytes()))
    is_print = KINDS.get(file.suffix.lower()) == "pdf"
    return not readable, is_print, not whole, len(file.parts), file.name


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file())
