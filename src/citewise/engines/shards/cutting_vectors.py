"""Cuts the vectors of a library: each is stored beside its paper or its span."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.library.embeddings.store import FOLDER
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.files import write_array
from citewise.library.folder import LibraryFolder
from citewise.library.manifest import RunEntry, VectorSetEntry
from citewise.library.vectors import (
    VECTORS,
    Kind,
    VectorWriter,
    load_folder,
    set_folders,
    text_hashes,
)
from citewise.protocols import EncodedBy

RUN = "000001"
"""What the files of a set are called in a shard."""

_BATCH = 4_096


@dataclass(frozen=True, slots=True)
class _Recorded:
    """An encoder that is known by what it made."""

    about: EncodedBy

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode nothing: a cut only copies."""
        raise NotImplementedError


def cut_embeddings(source: LibraryFolder, rows: Rows, folder: Path) -> dict[str, VectorSetEntry]:
    """Write the vectors of some rows, of every set; a set keeps its centroids, so that all shards
    together search the lists that the library would search.
    """
    entries = {}
    for name, each in source.vectors.sets.items():
        runs, below = (RunEntry(RUN, rows.size),), folder / FOLDER / name
        write_array(below / f"{RUN}.codes", each.files.codes.take(rows), np.int8)
        entry = msgspec.structs.replace(each.entry, codes=runs, lists=(), centroids="")
        if each.entry.centroids:
            write_array(below / f"{RUN}.lists", each.files.lists.take(rows), np.uint16)
            write_array(below / f"{RUN}.centroids", each.files.centroids, np.float32)
            entry = msgspec.structs.replace(entry, lists=runs, centroids=RUN)
        entries[name] = entry
    return entries


def cut_text_vectors(source: LibraryFolder, rows: Rows, folder: Path) -> None:
    """Write the vectors that encoders made of some papers, and of the shard's spans."""
    folders = (source.path / VECTORS, *set_folders(source.path))
    readers = {each: reader for each in folders if (reader := load_folder(each)) is not None}
    if not readers:
        return

    rows = rows[np.isin(rows, source.papers.rows)]
    batches = (rows[start : start + _BATCH] for start in range(0, rows.size, _BATCH))
    papers = [text_hashes(source.papers.read(batch)) for batch in batches]
    spans = EvidenceSegment(folder / "evidence" / "spans").array("spans.hashes")
    wanted: dict[Kind, NDArray[np.uint64]] = {
        "spans": np.unique(spans),
        "papers": np.unique(np.concatenate([np.zeros(0, np.uint64), *papers])),
    }
    for each, reader in readers.items():
        below = folder / each.relative_to(source.path)
        VectorWriter(below, _Recorded(reader.manifest.encoder)).copy(reader, wanted)
