"""A library as its readers see it: one generation of a folder, opened once, memory-mapped."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np

from citewise.beside import together
from citewise.errors import BadLibrary, NoPermission
from citewise.library import manifest as manifests
from citewise.library.checks import blaming_damage, check_at_opening, damaged
from citewise.library.embeddings.store import open_sets
from citewise.library.evidence.reader import EvidenceStore
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.files import scattered, walk
from citewise.library.graph import GraphStore
from citewise.library.levels import Changes, LevelledTables
from citewise.library.lexical import LexicalStore
from citewise.library.lexical_parts import lexical_reader
from citewise.library.location import folder_of
from citewise.library.manifest import Manifest
from citewise.library.models import ModelStore
from citewise.library.papers import PaperStore
from citewise.library.process_memory import exceeds_memory, keep_freed_memory
from citewise.library.segment import Segment
from citewise.library.segments import Segments
from citewise.library.tables import Tables
from citewise.library.terms import TermStore
from citewise.library.vectors import VectorStore
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import Together
from citewise.types import StoreInfo

_OPEN_ATTEMPTS = 20


class LibraryFolder:
    """`protocols.Stores` over a folder; it stays at the generation that it was opened at.

    `manifest`, `segments`, `tables` and `vocabulary` are for the writer and for `verify`.
    """

    def __init__(self, path: Path | str, for_answers: bool = False) -> None:
        """Open the current generation; should a writer replace it meanwhile, open the next one.

        `for_answers` says that little of it will be read at a time, here and there: then the system
        does not read ahead where the files exceed the memory.
        """
        keep_freed_memory()
        self._for_answers = for_answers
        self.path = folder_of(path)

        for _ in range(_OPEN_ATTEMPTS):
            manifest = manifests.load(self.path)
            try:
                self._open(manifest)
                return
            except FileNotFoundError as missing:
                error = damaged(self.path, f"{missing.filename}: missing")
            except PermissionError as forbidden:
                raise _unreadable(self.path, forbidden) from None
            except ValueError as unreadable:
                error = damaged(self.path, str(unreadable))
            except BadLibrary as found:
                error = found
            if manifests.load(self.path).generation == manifest.generation:
                break

        raise error

    def _open(self, manifest: Manifest) -> None:
        check_at_opening(self.path, manifest.files)
        size = sum(entry.size for entry in manifest.files.values())
        with (
            blaming_damage(self.path, manifest.files),
            scattered(self._for_answers and exceeds_memory(size)),
        ):
            self._open_stores(manifest)

    def _open_stores(self, manifest: Manifest) -> None:
        folders = [self.path / "tables" / name for name in manifest.table_folders]
        self.manifest = manifest
        self.segments = Segments(
            [
                Segment(self.path / "segments" / entry.name, entry.rows)
                for entry in manifest.segments
            ]
        )

        self.tables: Tables | LevelledTables = Tables.load(folders[0])
        if manifest.changes:
            changes = Changes.load(folders[-1])
            self.tables = LevelledTables(self.tables, changes, manifest.rows)
        self.vocabulary = Vocabulary(*folders)
        self.papers = PaperStore(str(self.path), self.segments, self.tables)
        self.graph = GraphStore(self.tables, self.segments.years)
        self.terms = TermStore(
            self.segments, self.tables, self.vocabulary, manifest.papers, manifest.lengths
        )
        lexical = lexical_reader(
            self.path / "lexical" / manifest.lexical, self.terms, manifest.papers
        )
        self.lexical = LexicalStore(lexical, self.papers, self.terms)
        self.evidence = self._open_evidence(manifest)
        sets = open_sets(self.path, manifest.vectors, self.papers)
        self.vectors = VectorStore(self.path, self.papers, self.evidence, sets)
        self.models = ModelStore(self.path)

    def _open_evidence(self, manifest: Manifest) -> EvidenceStore:
        segments = [EvidenceSegment(self.path / "evidence" / name) for name in manifest.evidence]
        if segments:
            tables = EvidenceTables.load(self.path / "tables" / manifest.table_folders[-1])
        else:
            nothing = np.zeros(0, np.int64)
            tables = EvidenceTables.build([], nothing, self.tables.keys, self.segments.years)
        return EvidenceStore(segments, tables, self.papers.in_scope)

    @cached_property
    def _bytes_beside(self) -> int:
        """The size of what belongs to no generation: an encoder's vectors, and own models."""
        return sum(
            file.stat().st_size for kind in ("vectors", "models") for file in walk(self.path / kind)
        )

    @contextmanager
    def blaming_damage(self) -> Iterator[None]:
        """Where something fails in this context because a file is damaged, name the file."""
        with blaming_damage(self.path, self.manifest.files):
            yield

    @property
    def together(self) -> Together:
        """What runs functions that ask this library: in turn."""
        return together

    @property
    def info(self) -> StoreInfo:
        """What this library is, and which state of it is open."""
        return StoreInfo(
            location=str(self.path),
            fingerprint=self.manifest.fingerprint,
            generation=self.manifest.generation,
            written=self.manifest.written,
            terms=len(self.vocabulary),
            segments=len(self.segments),
            deleted=self.tables.deleted.size,
            bytes_on_disk=sum(entry.size for entry in self.manifest.files.values())
            + self._bytes_beside,
        )


def _unreadable(library: Path, error: PermissionError) -> NoPermission:
    return NoPermission(
        f"{library}: you may not read {error.filename or 'a file in it'}; its owner can allow that "
        f"with: chmod -R a+rX {library}"
    )
