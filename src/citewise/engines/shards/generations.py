"""Generations of a folder of shards: the number of the next one, and the step that makes it
current.
"""

import contextlib
import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.manifest import ShardsManifest, folder_name
from citewise.errors import BadInput, CitewiseError
from citewise.library.files import replace, sync
from citewise.library.lock import locked

MOST_SHARDS = 1_000

_GENERATION = re.compile(r"\d{6,}(\.new)?")
_OWN = re.compile(rf"{_GENERATION.pattern}|writer\.(lock|json)|served-\w+\.json")


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Keep a folder of shards to this process while it writes; LibraryBusy says who else does."""
    next_generation(folder)  # refuses a folder of other things
    with locked(folder):
        yield


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
            if not _OWN.fullmatch(file.name)
        ]
        if others:
            raise BadInput(
                f"{folder}: this folder has other files in it ({', '.join(sorted(others)[:3])}) "
                "and no shards; name a new or an empty folder"
            )
        return 1
    return manifests.load(folder).generation + 1


def newest_in(folder: Path) -> int:
    """Return the newest generation in a folder of shards, 0 where that cannot be seen from here."""
    try:
        return manifests.load(folder).generation
    except CitewiseError:
        return 0


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

    The one before it and those that clusters serve stay for who reads them; older ones are removed.
    """
    number, fresh = manifest.generation, unfinished(folder, manifest.generation)
    if fresh.exists():  # not where a build was killed after this step
        fresh.replace(folder / folder_name(number))
    sync(folder)
    manifests.save(folder, manifest)

    kept = served(folder)
    for file in folder.iterdir():
        if not _GENERATION.fullmatch(file.name):
            continue
        generation = int(file.name.removesuffix(".new"))
        if generation < number - 1 and generation not in kept:
            shutil.rmtree(file, ignore_errors=True)


def note_served(folder: Path, who: str, numbers: tuple[int, ...]) -> None:
    """Note which generations a cluster reads, in place of what it read before; none ends that."""
    file = folder / f"served-{hashlib.sha256(who.encode()).hexdigest()[:16]}.json"
    if numbers:
        replace(file, msgspec.json.encode({"by": who, "generations": numbers}))
    else:
        file.unlink(missing_ok=True)


def served(folder: Path) -> set[int]:
    """Return the generations that clusters read."""
    found = set[int]()
    for file in folder.glob("served-*.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            found.update(map(int, msgspec.json.decode(file.read_bytes())["generations"]))
    return found
