"""What a folder of shards holds: generations, each complete with its own manifest, and the current
one.

    DIR/shards.json                     a copy of the current generation's manifest
    DIR/000001/shards.json
    DIR/000001/coordinator/             what every coordinator has: vocabulary, years, models
    DIR/000001/shard-000/ shard-001/    the papers, row modulo the number of shards
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from citewise.errors import BadLibrary, MissingData, NoPermission
from citewise.library.checks import file_problem
from citewise.library.files import replace
from citewise.library.manifest import FileEntry, VectorSetEntry
from citewise.library.seal import sealed, unsealed
from citewise.protocols import EncodedBy, EvidenceCounts
from citewise.types import StoreInfo

FORMAT = 1
"""Raised by every change that an older citewise cannot read."""

NAME = "shards.json"
COORDINATOR = "coordinator"


class VectorSet(msgspec.Struct, frozen=True):
    """A set of papers' vectors over all shards."""

    about: EncodedBy
    papers: int
    """Papers that have a vector."""
    lists: int = 0
    """Inverted lists, 0 where every vector is compared."""


class ShardEntry(msgspec.Struct, frozen=True):
    """One shard: its rows, those of deleted papers included, and its sets of vectors."""

    rows: int
    papers: int
    indexed: int
    """Documents of its inverted index, with those that only make its mean length the library's."""
    vectors: dict[str, VectorSetEntry] = {}


class ShardsManifest(msgspec.Struct, frozen=True):
    """A generation of shards: where it is from, its counts, and every file with its checksum."""

    generation: int
    """Of the shards; the first is 1."""
    version: str
    """Of the citewise that cut them."""
    written: str
    """When, in UTC."""
    library: StoreInfo
    """The library that was cut, as it was then."""
    rows: int
    papers: int
    lengths: dict[str, int]
    """Terms in all papers, by field."""
    evidence: EvidenceCounts
    shards: tuple[ShardEntry, ...]
    files: dict[str, FileEntry]
    """By their path below the generation's folder."""
    vectors: dict[str, VectorSet] = {}
    """Sets of papers' vectors, by name."""
    encoder: EncodedBy | None = None
    """What made the vectors of spans."""
    span_vectors: int = 0
    format: int = FORMAT

    @property
    def bytes_on_disk(self) -> int:
        """Return the size of all files."""
        return sum(entry.size for entry in self.files.values())

    def files_of(self, part: str) -> dict[str, FileEntry]:
        """Return the files of one part, such as `shard-000`, by their path below that part."""
        return {
            name.removeprefix(f"{part}/"): entry
            for name, entry in self.files.items()
            if name.startswith(f"{part}/")
        }


def folder_name(generation: int) -> str:
    """Return the name of a generation's folder."""
    return f"{generation:06d}"


def shard_name(shard: int) -> str:
    """Return the name of a shard's folder."""
    return f"shard-{shard:03d}"


def is_shards(folder: Path) -> bool:
    """Return whether a folder holds shards."""
    return (folder / NAME).is_file()


class _Version(msgspec.Struct):
    format: int


def load(folder: Path, generation: int | None = None) -> ShardsManifest:
    """Return the manifest of the current generation of a folder of shards, or of the given one."""
    file = (folder if generation is None else folder / folder_name(generation)) / NAME
    try:
        content = unsealed(file.read_bytes())
        version = msgspec.json.decode(content, type=_Version).format
        if version > FORMAT:
            raise BadLibrary(
                f"{file}: written in format {version}, and this citewise reads up to {FORMAT}; "
                "upgrade with: pip install -U citewise"
            )
        return msgspec.json.decode(content, type=ShardsManifest)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingData(
            f"{file}: no such file, so there are no shards of this generation here; cut a library "
            f"with: citewise shard --library LIBRARY --shards 3 --output {folder}"
        ) from None
    except PermissionError:
        raise NoPermission(
            f"{file}: you may not read this file; its owner can allow that with: "
            f"chmod -R a+rX {folder}"
        ) from None
    except ValueError as error:  # msgspec's errors are ValueErrors
        raise BadLibrary(
            f"{file}: not a manifest ({error}); cut the library again with: citewise shard"
        ) from None


def damages(
    folder: Path, generation: int | None = None, digest: Callable[[Path], str] | None = None
) -> list[str]:
    """Return what is wrong with the files of a generation, by their sizes and, with `digest`, their
    checksums.
    """
    manifest = load(folder, generation)
    path = folder / folder_name(manifest.generation)
    found = (file_problem(path, name, entry, digest) for name, entry in manifest.files.items())
    return [f"{path}/{problem}" for problem in found if problem]


def save(folder: Path, manifest: ShardsManifest) -> None:
    """Write a manifest into a folder, in one step."""
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    replace(folder / NAME, sealed(content))
