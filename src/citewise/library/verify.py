"""Is a library whole? Checks files, counts, tables and the lexical index against the segments they were made from."""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from citewise.author_names import author_numbers
from citewise.errors import BadLibrary
from citewise.ids import digest
from citewise.library import manifest as manifests
from citewise.library import vectors
from citewise.library.entries import keys_of
from citewise.library.evidence_tables import EvidenceTables, derive
from citewise.library.files import checksum
from citewise.library.library import Library
from citewise.library.manifest import Manifest
from citewise.library.segment import Segment
from citewise.library.sentences import Sentences, decode, text_digest
from citewise.library.tables import Tables
from citewise.marks import said
from citewise.types import Rows

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: problems (none in a sound library), and references to papers that are not in the library."""

    generation: int
    papers: int
    files: int
    references: int
    dangling: int
    sentences: int
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(path: Path | str, progress: Callable[[int, int], None] = lambda done, all_: None) -> Verification:
    """Check a library from its files' checksums up to every paper; `progress` hears of papers read."""
    manifest = manifests.load(Path(path))
    problems = list(_file_problems(Path(path), manifest))
    if problems and manifests.load(Path(path)).generation != manifest.generation:
        return verify(path, progress)  # a writer replaced the files that were being read
    if problems:
        return Verification(manifest.generation, manifest.papers, len(manifest.files), 0, 0, 0, tuple(problems))
    library = Library(path)
    try:
        problems += [*_count_problems(library), *_table_problems(library), *_paper_problems(library, progress),
                     *_sentence_problems(library), *_model_problems(library), *vectors.problems(library.path)]
    except (ValueError, IndexError) as error:
        raise BadLibrary(f"{path}: arrays do not fit together ({error}); index the sources again") from None
    return Verification(library.manifest.generation, len(library), len(library.manifest.files),
                        *_reference_counts(library), library.evidence_counts().sentences, tuple(problems))


def _file_problems(path: Path, manifest: Manifest) -> Iterator[str]:
    for name, entry in manifest.files.items():
        file = path / name
        if not file.is_file():
            yield f"{name}: missing"
        elif file.stat().st_size != entry.size:
            yield f"{name}: {file.stat().st_size} bytes instead of {entry.size}"
        elif checksum(file) != entry.checksum:
            yield f"{name}: content changed since it was written"


def _count_problems(library: Library) -> Iterator[str]:
    manifest = library.manifest
    if sum(entry.rows for entry in manifest.segments) != manifest.rows:
        yield f"segments have {sum(entry.rows for entry in manifest.segments)} rows, the manifest {manifest.rows}"
    if library.rows.size != manifest.papers:
        yield f"{library.rows.size} living rows, but {manifest.papers} papers in the manifest"
    if not np.array_equal(library.lexical_rows(), library.rows):
        yield "the lexical index does not hold exactly the living rows"


def _table_problems(library: Library) -> Iterator[str]:
    evidence = library.evidence
    tables, said = derive(library.segments, library.tables.deleted, evidence.segments, evidence.tables.deleted)
    yield from _differences("table", tables, library.tables)
    yield from _differences("table of evidence", said, evidence.tables)


def _differences(what: str, fresh: Tables | EvidenceTables, held: Tables | EvidenceTables) -> Iterator[str]:
    for field in dataclasses.fields(fresh):
        if not _equal(getattr(fresh, field.name), getattr(held, field.name)):
            yield f"{what} {field.name}: differs from what the segments say"


def _equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if dataclasses.is_dataclass(one):
        return all(_equal(getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(one))
    return one == other


def _paper_problems(library: Library, progress: Callable[[int, int], None]) -> Iterator[str]:
    """Read every paper and compare it with what the arrays say of its row."""
    done = 0
    for entry, segment in zip(library.manifest.segments, library.segments, strict=True):
        alive = library.rows - entry.first_row
        alive = alive[(alive >= 0) & (alive < entry.rows)]
        for start in range(0, alive.size, _BATCH):
            rows = alive[start: start + _BATCH]
            for place in _differing(segment, rows):
                yield f"row {entry.first_row + int(rows[place])}: its record and its arrays differ"
            done += rows.size
            progress(done, library.rows.size)


def _differing(segment: Segment, rows: Rows) -> Iterator[int]:
    years = segment.array("years")[rows].tolist()
    (keys,), (references,) = segment.lists("keys", rows, "hashes"), segment.lists("references", rows, "keys")
    (authors,) = segment.lists("authors", rows, "numbers")
    for place, paper in enumerate(segment.records.read(rows)):
        written = author_numbers(paper.authors).tolist() if authors[place].size else []  # none: an older library
        if (paper.year or 0, [*map(digest, keys_of(paper))], [*map(digest, paper.references)], written) != (
                years[place], keys[place].tolist(), references[place].tolist(), authors[place].tolist()):
            yield place


def _sentence_problems(library: Library) -> Iterator[str]:
    """Read every sentence and compare it with what the arrays say of it and of its spans."""
    for segment in library.evidence.segments:
        for start in range(0, len(segment), _BATCH):
            places = np.arange(start, min(start + _BATCH, len(segment)))
            for place in _differing_sentences(segment.sentences(places)):
                yield f"{segment.folder.name}, sentence {start + place}: its record and its arrays differ"


def _differing_sentences(held: Sentences) -> Iterator[int]:
    uses, starts = held.uses.tolist(), held.starts.tolist()
    for place, sentence in enumerate(map(decode, held.contents)):
        marks = [(group.start, group.end) for group in sentence.groups]
        cited = {digest(key) for group in sentence.groups for key in group.cited}
        numbers = range(starts[place], starts[place + 1])
        spans = all((digest(said(sentence.text, marks, *uses[number][1:3])) or 1) == held.hashes[uses[number][0]]
                    and cited.issuperset(held.cited[number].tolist()) for number in numbers)
        if not spans or (sentence.year or 0, digest(sentence.citing), text_digest(sentence)) != (
                held.years[place], held.citing[place], held.texts[place]):
            yield place


def _model_problems(library: Library) -> Iterator[str]:
    """Name the models that are no JSON; what is in them is for those who use them to check."""
    for name in library.models():
        try:
            msgspec.json.decode(library.model(name) or b"")
        except msgspec.DecodeError as error:
            yield f"models/{name}.json: {error}"


def _reference_counts(library: Library) -> tuple[int, int]:
    """Return how many references the living papers have, and how many of those lead to no paper of the library."""
    references = dangling = 0
    for entry, segment in zip(library.manifest.segments, library.segments, strict=True):
        alive = library.rows[(library.rows >= entry.first_row) & (library.rows < entry.first_row + entry.rows)]
        (found,) = segment.lists("references", alive - entry.first_row, "keys")
        keys = found.values.astype(np.uint64)
        references += keys.size
        dangling += int((library.tables.keys.find(keys) < 0).sum())
    return references, dangling
