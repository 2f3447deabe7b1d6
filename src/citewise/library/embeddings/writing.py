"""The vectors of the next generation: what stays is shared, what is new is embedded."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from citewise.arrays import Ragged, Rows
from citewise.errors import BadInput, MissingData
from citewise.library.embeddings.codes import (
    MISSING,
    Codes,
    Floats,
    coded,
    rows_with_vector,
    scale_of,
)
from citewise.library.embeddings.lists import GROWTH, LARGE, assigned, centroids_of
from citewise.library.embeddings.store import FOLDER, EmbeddingSet, SetFiles
from citewise.library.manifest import RunEntry, VectorSetEntry
from citewise.library.own_files import SET_NAME
from citewise.library.segment import Segment
from citewise.library.segments import Segments, first_joined
from citewise.protocols import CountedTerms, EncodedBy, TermNumbers, WordModel

_BATCH = 4_096
"""Papers that are embedded, copied or taken at once."""

Words = Callable[[TermNumbers], list[str]]

VectorsOf = Callable[[Rows], Floats]
"""Returns the vectors of papers by their rows, NaN where one has none."""


class EmbeddingWriter:
    """Writes every set of the next generation, after its segments are written.

    `old` are the sets of the generation before, `models` the word models that may embed papers.
    """

    def __init__(
        self,
        library: Path,
        generation: str,
        old: Mapping[str, EmbeddingSet] | None,
        models: Mapping[str, WordModel],
    ) -> None:
        self._library, self._generation, self._models = library, generation, dict(models)
        self._old = dict(old or {})
        self._made = {} if old is not None else dict(models)
        self._copies: dict[str, tuple[EncodedBy, VectorsOf]] = {}
        self.changed = False
        """Whether sets are made or dropped, so that there is something to write."""
        for name in self._made:
            _check(name)

    def make(self, name: str, model: WordModel) -> None:
        """Make a set for all papers, in place of one of that name."""
        _check(name)
        self._made[name], self.changed = model, True

    def copy(self, name: str, about: EncodedBy, vectors: VectorsOf) -> None:
        """Make a set of vectors that are there already, in place of one of that name."""
        _check(name)
        self._copies[name], self.changed = (about, vectors), True

    def drop(self, name: str) -> None:
        """Leave a set out."""
        if name not in self._old:
            known = ", ".join(sorted(self._old)) or "none"
            raise MissingData(
                f"{self._library}: no vectors of papers are named {name!r}; known: {known}"
            )
        del self._old[name]
        self.changed = True

    def write(
        self, segments: Segments, words: Words, taken: Rows | None = None
    ) -> dict[str, VectorSetEntry]:
        """Write the sets; `taken` are the rows of the old generation that come first in the new
        one, None for all of them in their places.
        """
        entries = {}
        for name in sorted({*self._old, *self._made, *self._copies}):
            if name in self._copies:
                entries[name] = self._copy_of(name, segments.rows)
            elif name in self._made:
                entries[name] = self._whole(name, segments, words)
            elif taken is not None:
                entries[name] = self._copied(name, taken)
            else:
                entries[name] = self._extended(name, segments, words)
        return entries

    def _whole(self, name: str, segments: Segments, words: Words) -> VectorSetEntry:
        model = self._made[name]
        fresh = VectorSetEntry(model.about, scale_of(model.about.size))
        return self._append(name, fresh, embedded(model, segments, words, 0, fresh), segments.rows)

    def _copy_of(self, name: str, rows: int) -> VectorSetEntry:
        about, vectors = self._copies[name]
        fresh = VectorSetEntry(about, scale_of(about.size))
        parts = (
            coded(vectors(np.arange(start, min(start + _BATCH, rows))), fresh.scale)
            for start in range(0, rows, _BATCH)
        )
        return self._append(name, fresh, parts, rows)

    def _copied(self, name: str, taken: Rows) -> VectorSetEntry:
        old = self._old[name]
        fresh = VectorSetEntry(old.about, old.entry.scale)
        parts = (
            old.files.codes.take(taken[start : start + _BATCH])
            for start in range(0, taken.size, _BATCH)
        )
        return self._append(name, fresh, parts, taken.size)

    def _extended(self, name: str, segments: Segments, words: Words) -> VectorSetEntry:
        """Return a set with the rows that are new; papers that no model embeds have no vector."""
        old, model = self._old[name], self._models.get(name)
        first = len(old.files.codes)
        if model is not None and model.about == old.about:
            parts = embedded(model, segments, words, first, old.entry)
        else:
            parts = _without_vectors(segments.rows - first, old.about)
        return self._append(name, old.entry, parts, segments.rows - first)

    def _append(
        self, name: str, entry: VectorSetEntry, parts: Iterable[Codes], count: int
    ) -> VectorSetEntry:
        """Write new rows behind those of an entry; return the new entry."""
        if not count:
            return entry
        folder = self._library / FOLDER / name
        folder.mkdir(parents=True, exist_ok=True)

        runs = self._written(folder, "codes", entry.codes, parts, count, np.int8)
        grown = VectorSetEntry(
            entry.about, entry.scale, runs, entry.lists, entry.centroids, entry.trained
        )
        return self._listed(folder, grown)

    def _listed(self, folder: Path, entry: VectorSetEntry) -> VectorSetEntry:
        """Return an entry whose rows have lists, if it is large enough; centroids are computed anew
        where there are none or the set has grown far.
        """
        codes, centroids = SetFiles.opened(folder, entry)[::2]
        rows, done = len(codes), sum(run.rows for run in entry.lists)
        lists, trained, name = entry.lists, entry.trained, entry.centroids
        if not name and (rows < LARGE or rows_with_vector(codes).size < LARGE):
            return VectorSetEntry(entry.about, entry.scale, entry.codes)

        if not name or rows > GROWTH * trained:
            centroids = centroids_of(codes, entry.scale)
            lists, done, trained, name = (), 0, rows, self._generation
            _write(folder / f"{name}.centroids", [centroids], "<f4")

        parts = assigned(codes, entry.scale, centroids, done)
        lists = self._written(folder, "lists", lists, parts, rows - done, "<u2")
        return VectorSetEntry(entry.about, entry.scale, entry.codes, lists, name, trained)

    def _written(
        self,
        folder: Path,
        kind: str,
        runs: tuple[RunEntry, ...],
        parts: Iterable[NDArray[Any]],
        count: int,
        dtype: DTypeLike,
    ) -> tuple[RunEntry, ...]:
        """Write a run of `count` rows, small runs before it included; return all runs."""
        tail = first_joined([*(run.rows for run in runs), count])
        small = (np.fromfile(folder / f"{run.name}.{kind}", dtype) for run in runs[tail:])
        run = RunEntry(self._generation, sum(each.rows for each in runs[tail:]) + count)
        _write(folder / f"{run.name}.{kind}", _chain(small, parts), dtype)
        return (*runs[:tail], run)


def _chain(*several: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    for each in several:
        yield from each


def _write(path: Path, parts: Iterable[NDArray[Any]], dtype: DTypeLike) -> None:
    with path.open("wb") as file:
        for part in parts:
            file.write(np.ascontiguousarray(part, dtype).data)


def _check(name: str) -> None:
    if not SET_NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot be the name of a set of vectors: use small letters, digits, - and _"
        )


def embedded(
    model: WordModel, segments: Segments, words: Words, first: int, entry: VectorSetEntry
) -> Iterator[Codes]:
    """Yield the codes of all rows from `first` on, a batch at a time."""
    embedder = model.over(words)
    for start in range(first, segments.rows, _BATCH):
        rows = np.arange(start, min(start + _BATCH, segments.rows))
        for segment, _, local in segments.split(rows):
            title, abstract = (_counted(segment, field, local) for field in ("title", "abstract"))
            yield coded(embedder.vectors(title, abstract), entry.scale)


def _counted(segment: Segment, field: str, rows: Rows) -> CountedTerms:
    terms, counts = segment.lists(field, rows, "terms", "counts")
    return Ragged(terms.values.astype(np.int64), terms.starts), counts.values


def _without_vectors(count: int, about: EncodedBy) -> Iterator[Codes]:
    for start in range(0, count, _BATCH):
        yield np.full((min(_BATCH, count - start), about.size), MISSING, np.int8)


def files_of(entries: Mapping[str, VectorSetEntry]) -> list[str]:
    """Return the names of the files of sets, within the library's folder."""
    return [
        f"{FOLDER}/{name}/{file}"
        for name, entry in entries.items()
        for file in (
            *(f"{run.name}.codes" for run in entry.codes),
            *(f"{run.name}.lists" for run in entry.lists),
            *([f"{entry.centroids}.centroids"] if entry.centroids else []),
        )
    ]
