"""Checks whether a library is sound: files, counts, tables and the lexical index against the
segments from which they were made.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadLibrary
from citewise.library import manifest as manifests
from citewise.library import vectors
from citewise.library.checks import file_problem
from citewise.library.derived_tables import derive
from citewise.library.embeddings.problems import embedding_problems
from citewise.library.evidence.sentences import Sentences, decode, text_digest
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.files import checksum
from citewise.library.folder import LibraryFolder
from citewise.library.location import folder_of
from citewise.library.manifest import Manifest
from citewise.library.segment import Segment
from citewise.library.tables import Tables
from citewise.text.author_names import author_numbers
from citewise.text.ids import digest, keys_of
from citewise.text.marks import span_key

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Verification:
    """The problems of a library (none in a sound one), and how much was checked.

    `dangling` is the number of references to papers that are not in the library.
    """

    generation: int
    papers: int
    files: int
    references: int
    dangling: int
    sentences: int
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Return whether there are no problems."""
        return not self.problems


def verify(
    path: Path | str, progress: Callable[[int, int], None] = lambda done, all_: None
) -> Verification:
    """Check a library from its files' checksums up to every paper and sentence.

    `progress` is called with how much was read and how much there is: first bytes of files, then
    citing sentences if there are any, then papers.
    """
    folder = folder_of(path)
    manifest = manifests.load(folder)
    problems = list(_file_problems(folder, manifest, progress))
    if problems and manifests.load(folder).generation != manifest.generation:
        return verify(path, progress)  # a writer replaced the files that were being read
    if problems:
        return Verification(
            manifest.generation, manifest.papers, len(manifest.files), 0, 0, 0, tuple(problems)
        )

    library = LibraryFolder(path)
    try:
        problems += [
            *_count_problems(library),
            *_table_problems(library),
            *_sentence_problems(library, progress),
            *_paper_problems(library, progress),
            *_model_problems(library),
            *embedding_problems(library.vectors.sets, library.manifest.rows),
            *vectors.problems(library.path),
        ]
    except (ValueError, IndexError) as error:
        raise BadLibrary(
            f"{path}: arrays do not fit together ({error}); index the sources again"
        ) from None

    return Verification(
        library.manifest.generation,
        len(library.papers),
        len(library.manifest.files),
        *_reference_counts(library),
        library.evidence.counts().sentences,
        tuple(problems),
    )


def _file_problems(
    path: Path, manifest: Manifest, progress: Callable[[int, int], None]
) -> Iterator[str]:
    done, total = 0, sum(entry.size for entry in manifest.files.values())
    for name, entry in manifest.files.items():
        problem = file_problem(path, name, entry, checksum)
        if problem:
            yield problem
        done += entry.size
        progress(done, total)


def _count_problems(library: LibraryFolder) -> Iterator[str]:
    manifest = library.manifest
    if sum(entry.rows for entry in manifest.segments) != manifest.rows:
        rows = sum(entry.rows for entry in manifest.segments)
        yield f"segments have {rows} rows, the manifest {manifest.rows}"
    if library.papers.rows.size != manifest.papers:
        rows = library.papers.rows.size
        yield f"{rows} living rows, but {manifest.papers} papers in the manifest"
    if not np.array_equal(library.lexical.rows(), library.papers.rows):
        yield "the lexical index does not hold exactly the living rows"


def _table_problems(library: LibraryFolder) -> Iterator[str]:
    evidence = library.evidence
    tables, evidence_tables = derive(
        [*library.segments], library.tables.deleted, evidence.segments, evidence.tables.deleted
    )
    stored = library.tables.whole
    if stored.dangling is None:  # in two levels, or written by an older citewise
        tables = dataclasses.replace(tables, dangling=None)
    yield from _differences("table", _trimmed(tables), _trimmed(stored))
    yield from _differences("table of evidence", evidence_tables, evidence.tables)


def _trimmed(tables: Tables) -> Tables:
    """Return the tables without what may differ: zeros behind the last document frequency."""
    frequencies = {name: np.trim_zeros(each, "b") for name, each in tables.frequencies.items()}
    return dataclasses.replace(tables, frequencies=frequencies)


def _differences(
    what: str, fresh: Tables | EvidenceTables, stored: Tables | EvidenceTables
) -> Iterator[str]:
    """Yield the names of the tables that differ when they are computed anew."""
    for field in dataclasses.fields(fresh):
        if not _equal(getattr(fresh, field.name), getattr(stored, field.name)):
            yield f"{what} {field.name}: differs from what the segments say"


def _equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if dataclasses.is_dataclass(one):
        return all(
            _equal(getattr(one, field.name), getattr(other, field.name))
            for field in dataclasses.fields(one)
        )
    return one == other


def _paper_problems(library: LibraryFolder, progress: Callable[[int, int], None]) -> Iterator[str]:
    """Yield the rows whose paper differs from the arrays; every paper is read."""
    done = 0
    for entry, segment in zip(library.manifest.segments, library.segments, strict=True):
        alive = library.papers.rows - entry.first_row
        alive = alive[(alive >= 0) & (alive < entry.rows)]

        for start in range(0, alive.size, _BATCH):
            rows = alive[start : start + _BATCH]
            for position in _differing(segment, rows):
                row = entry.first_row + int(rows[position])
                yield f"row {row}: its record and its arrays differ"
            done += rows.size
            progress(done, library.papers.rows.size)


def _differing(segment: Segment, rows: Rows) -> Iterator[int]:
    """Yield the positions in `rows` of papers that differ from the segment's arrays."""
    years = segment.array("years")[rows].tolist()
    (keys,) = segment.lists("keys", rows, "hashes")
    (references,) = segment.lists("references", rows, "keys")
    (authors,) = segment.lists("authors", rows, "numbers")

    for position, paper in enumerate(segment.records.read(rows)):
        stored = (
            years[position],
            keys[position].tolist(),
            references[position].tolist(),
            authors[position].tolist(),
        )
        expected = (
            paper.year or 0,
            [*map(digest, keys_of(paper))],
            [*map(digest, paper.references)],
            # an older library has no numbers of authors
            author_numbers(paper.authors).tolist() if authors[position].size else [],
        )
        if stored != expected:
            yield position


def _sentence_problems(
    library: LibraryFolder, progress: Callable[[int, int], None]
) -> Iterator[str]:
    """Yield the sentences that differ from the arrays or their spans; every sentence is read."""
    done, total = 0, sum(map(len, library.evidence.segments))
    for segment in library.evidence.segments:
        for start in range(0, len(segment), _BATCH):
            numbers = np.arange(start, min(start + _BATCH, len(segment)))
            for position in _differing_sentences(segment.sentences(numbers)):
                name = f"{segment.folder.name}, sentence {start + position}"
                yield f"{name}: its record and its arrays differ"
            done += numbers.size
            progress(done, total)


def _differing_sentences(stored: Sentences) -> Iterator[int]:
    """Yield the positions of sentences whose record differs from the arrays."""
    uses, starts = stored.uses.tolist(), stored.starts.tolist()
    for position, sentence in enumerate(map(decode, stored.contents)):
        marks = [(group.start, group.end) for group in sentence.groups]
        cited = {digest(key) for group in sentence.groups for key in group.cited}

        numbers = range(starts[position], starts[position + 1])
        spans = all(
            (digest(span_key(sentence.text, marks, *uses[number][1:3])) or 1)
            == stored.hashes[uses[number][0]]
            and cited.issuperset(stored.cited[number].tolist())
            for number in numbers
        )
        if not spans or (sentence.year or 0, digest(sentence.citing), text_digest(sentence)) != (
            stored.years[position],
            stored.citing[position],
            stored.texts[position],
        ):
            yield position


def _model_problems(library: LibraryFolder) -> Iterator[str]:
    """Yield the models that were changed or are no JSON; whoever loads one checks what is in it."""
    for name in library.models.names():
        try:
            msgspec.json.decode(library.models.load(name) or b"")
        except BadLibrary as error:
            yield str(error)
        except msgspec.DecodeError as error:
            yield f"models/{name}.json: {error}"


def _reference_counts(library: LibraryFolder) -> tuple[int, int]:
    """Return how many references the papers have, and how many of those lead to no paper of the
    library.
    """
    references = dangling = 0
    for entry, segment in zip(library.manifest.segments, library.segments, strict=True):
        local = library.papers.rows - entry.first_row
        local = local[(local >= 0) & (local < entry.rows)]
        (lists,) = segment.lists("references", local, "keys")

        keys = lists.values.astype(np.uint64)
        references += keys.size
        dangling += int((library.tables.keys.find(keys) < 0).sum())
    return references, dangling
