"""Generations of a folder of shards: the number of the next one, and the step that makes it
current.
"""

import re
import shutil
from pathlib import Path

from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.manifest import ShardsManifest, folder_name
from citewise.errors import BadInput
from citewise.library.files import sync

MOST_SHARDS = 1_000

_GENERATION = re.compile(r"\d{6,}(\.new)?")


def check_shards(shards: int) -> None:
    """Raise BadInput where a library cannot have this many shards."""
    if not 1 <= shards <= MOST_SHARDS:
        raise BadInput(f"a library has 1 to {MOST_SHARDS:,} shards, not {shards}")


def next_generation(folder: Path) -> int:
    """Return the number of the next generation; a folder that has other files is refused."""
    if not manifests.is_shards(folder):
        others = [
            file.name
            for file in (folder.iterdir() if folder.is_dir() else ())
            if not _GENERATION.fullmatch(file.name)
        ]
        if others:
            raise BadInput(
                f"{folder}: this folder has other files in it ({', '.join(sorted(others)[:3])}) "
                "and no shards; name a new or an empty folder"
            )
        return 1
    return manifests.load(folder).generation + 1


def unfinished(folder: Path, generation: int) -> Path:
    """Return the folder in which a generation is written."""
    return folder / f"{folder_name(generation)}.new"


def remove_unfinished(folder: Path, generation: int) -> None:
    """Remove what killed writers left of a generation and of later ones."""
    for file in folder.glob("*") if folder.is_dir() else ():
        if _GENERATION.fullmatch(file.name) and int(file.name.removesuffix(".new")) >= generation:
            shutil.rmtree(file)


def make_current(folder: Path, manifest: ShardsManifest) -> None:
    """Make a generation the current one, whose files and manifest are written and durable.

    The one before it stays for those who read it; older ones are removed.
    """
    number, fresh = manifest.generation, unfinished(folder, manifest.generation)
    if fresh.exists():  # not where a build was killed after this step
        fresh.replace(folder / folder_name(number))
    sync(folder)
    manifests.save(folder, manifest)

    for file in folder.iterdir():
        if _GENERATION.fullmatch(file.name) and int(file.name.removesuffix(".new")) < number - 1:
            shutil.rmtree(file, ignore_errors=True)
