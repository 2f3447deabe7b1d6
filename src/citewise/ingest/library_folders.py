"""Folders that are citewise libraries: what is in them is no source of papers."""

from pathlib import Path

NAMES = frozenset(
    {"manifest.json", "manifest.json.new", "writer.lock", "writer.json"}
    | {"segments", "lexical", "tables", "evidence", "models", "vectors", "embeddings"}
)
"""What citewise calls its files and folders at the top of a library."""


def is_library(folder: Path) -> bool:
    """Return whether a folder is a library, or being made one."""
    made = (folder / "manifest.json").is_file() and (folder / "tables").is_dir()
    return made or (folder / "writer.lock").is_file()


def library_around(file: Path, folder: Path) -> Path | None:
    """Return the library that a file below a folder is a part of; None for any other file, also
    for one that somebody put beside a library's own.
    """
    inside = file.relative_to(folder).parts
    for depth, name in enumerate(inside):
        if name in NAMES:
            parent = folder.joinpath(*inside[:depth])
            if is_library(parent):
                return parent
    return None
