"""Where a library is, and whether it may be written there."""

import os
from pathlib import Path

from citewise.errors import BadInput, NoPermission
from citewise.library.own_files import KINDS, foreign_files

_SHOWN = 3


def folder_of(path: Path | str) -> Path:
    """Return a library's path; an empty one is an error, not the current folder."""
    if isinstance(path, str) and not path.strip():
        raise BadInput("the library's path is empty; name its folder, such as my-library")
    return Path(path)


def require_writable(library: Path) -> None:
    """Raise NoPermission where there is a library that this user may read but not change."""
    for folder in (
        library,
        *(library / kind for kind in (*KINDS, "models", "vectors", "embeddings")),
    ):
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            raise NoPermission(
                f"{library}: you may read this library but not change it: no write permission in "
                f"{folder}; copy the library (cp -r) and change the copy, or ask its owner"
            )


def require_own_folder(library: Path) -> None:
    """Raise BadInput where a folder has other things in it and is no library: it stays as it is."""
    try:
        found = foreign_files(library)
    except PermissionError:
        raise NoPermission(f"{library}: you may not read this folder") from None

    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise BadInput(
            f"{library}: this folder has other files in it ({', '.join(found[:_SHOWN])}{more}) and "
            "is no citewise library; name a new or an empty folder"
        )
