"""A run of citing sentences in an immutable folder: their texts, their spans, and an inverted index over the spans."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from citewise.hash_table import HashTable
from citewise.library.files import read_array, write_array
from citewise.library.lists import flat_index
from citewise.library.records import RecordReader, RecordWriter
from citewise.library.sentences import Sentences
from citewise.protocols import Ragged
from citewise.text import Terms
from citewise.types import Rows

PER_SENTENCE: dict[str, type[np.generic]] = {
    "years": np.int16, "citing": np.uint64, "texts": np.uint64, "identities": np.uint64}
PER_USE: dict[str, type[np.generic]] = {
    "uses.spans": np.uint32, "uses.begins": np.uint16, "uses.ends": np.uint16, "uses.kinds": np.uint8}
_OTHERS: dict[str, type[np.generic]] = {
    "uses.starts": np.int64, "cited.starts": np.int64, "cited.keys": np.uint64,
    "spans.hashes": np.uint64, "spans.lengths": np.uint16, "spans.first_uses": np.uint32}
_POSTINGS: dict[str, type[np.generic]] = {
    "postings.terms": np.uint32, "postings.starts": np.int64, "postings.spans": np.uint32, "postings.counts": np.uint16}
_LOW = 0xFFFFFFFF
_COPIED = 20_000
"""Sentences copied at once."""

Contents = tuple[Ragged, NDArray[np.int64]]
"""The terms of some spans, and how often each stands there."""


class EvidenceSegment:
    """Reads a segment's arrays; sentences, uses and spans here count from the segment's first.

    `uses.starts` says where a sentence's uses of spans begin, `cited.starts` where a use's cited keys do.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.records = folder, RecordReader(folder)
        self._arrays: dict[str, NDArray[Any]] = {
            name: read_array(folder / name, dtype)
            for name, dtype in (PER_SENTENCE | PER_USE | _OTHERS | _POSTINGS).items()}

    def __len__(self) -> int:
        return self.array("years").size

    @property
    def spans(self) -> int:
        """Return how many spans there are."""
        return self.array("spans.hashes").size

    @property
    def uses(self) -> int:
        """Return how many uses of spans there are."""
        return self.array("uses.spans").size

    def array(self, name: str) -> NDArray[Any]:
        """Return an array by its name."""
        return self._arrays[name]

    def sentences(self, places: Rows) -> Sentences:
        """Return sentences as they were added; what the spans say is not kept, only its hash and terms."""
        uses, starts = flat_index(self.array("uses.starts")[places], self.array("uses.starts")[places + 1])
        cited, ends = flat_index(self.array("cited.starts")[uses], self.array("cited.starts")[uses + 1])
        columns = np.stack([self.array(name)[uses].astype(np.int64) for name in PER_USE], axis=1)
        years, citing, texts, identities = (self.array(name)[places] for name in PER_SENTENCE)
        return Sentences(self.records.raw(places), years, citing, texts, identities, starts, columns,
                         Ragged(self.array("cited.keys")[cited], ends), [], self.array("spans.hashes"))

    def postings(self, terms: NDArray[np.int64]) -> tuple[Ragged, NDArray[np.int64]]:
        """Return the spans with each term, sorted, and how often it stands there."""
        held, starts = self.array("postings.terms"), self.array("postings.starts")
        places = np.searchsorted(held, terms)
        known = places < held.size
        known[known] = held[places[known]] == terms[known]
        begins = np.where(known, starts[np.where(known, places, 0)], 0)
        ends = np.where(known, starts[np.where(known, places + 1, 0)], 0)
        index, lists = flat_index(begins, ends)
        return (Ragged(self.array("postings.spans")[index].astype(np.int64), lists),
                self.array("postings.counts")[index].astype(np.int64))

    def frequencies(self, counted: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the terms, and in how many of the spans that count each stands."""
        terms, starts = self.array("postings.terms").astype(np.int64), self.array("postings.starts")
        if counted.all():
            return terms, np.diff(starts)
        others = np.flatnonzero(~counted[self.array("postings.spans")])
        owners = np.searchsorted(starts, others, "right") - 1
        return terms, np.diff(starts) - np.bincount(owners, minlength=terms.size)

    def contents(self) -> Contents:
        """Return what stands in every span: the inverted index, inverted."""
        spans = self.array("postings.spans")
        order = np.argsort(spans, kind="stable")
        terms = np.repeat(self.array("postings.terms"), np.diff(self.array("postings.starts")))[order]
        starts = np.concatenate(([0], np.cumsum(np.bincount(spans, minlength=self.spans))))
        return Ragged(terms.astype(np.int64), starts), self.array("postings.counts")[order].astype(np.int64)


class EvidenceWriter:
    """Writes a new segment batch by batch; in memory are the spans' hashes and terms."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.sentences = folder, 0
        self._records, self._numbers = RecordWriter(folder), HashTable()
        self._files: dict[str, IO[bytes]] = {}
        self._spans, self._uses, self._cited = 0, 0, 0
        self._postings: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for name, dtype in (PER_SENTENCE | PER_USE | _OTHERS).items():
            self._append(name, np.zeros(1 if name.endswith(".starts") else 0), dtype)

    def extend(self, sentences: Sentences, terms: Terms) -> None:
        """Append sentences."""
        def contents(new: Rows) -> Contents:
            return _counted(Ragged(*terms.numbers([sentences.spans[place] for place in new.tolist()])))

        self._add(sentences, contents)

    def copy(self, segment: EvidenceSegment, places: Rows) -> None:
        """Append sentences of another segment."""
        terms, counts = segment.contents()

        def contents(new: Rows) -> Contents:
            index, begins = flat_index(terms.starts[new], terms.starts[new + 1])
            return Ragged(terms.values[index], begins), counts[index]

        for start in range(0, places.size, _COPIED):
            self._add(segment.sentences(places[start: start + _COPIED]), contents)

    def _add(self, sentences: Sentences, contents: Callable[[Rows], Contents]) -> None:
        self._records.extend(sentences.contents)
        for name, dtype in PER_SENTENCE.items():
            self._append(name, getattr(sentences, name), dtype)
        self._add_spans(sentences, contents)
        uses = sentences.uses.copy()
        uses[:, 0] = self._numbers.find(sentences.hashes[uses[:, 0]])
        for column, (name, dtype) in enumerate(PER_USE.items()):
            self._append(name, uses[:, column], dtype)
        self._append("uses.starts", sentences.starts[1:] + self._uses, np.int64)
        self._append("cited.keys", sentences.cited.values, np.uint64)
        self._append("cited.starts", sentences.cited.starts[1:] + self._cited, np.int64)
        self.sentences += len(sentences)
        self._uses += len(uses)
        self._cited += sentences.cited.values.size

    def _add_spans(self, sentences: Sentences, contents: Callable[[Rows], Contents]) -> None:
        """Number the spans that are used for the first time, and keep their terms for the inverted index."""
        used, first = np.unique(sentences.uses[:, 0], return_index=True)
        fresh = self._numbers.find(sentences.hashes[used]) < 0
        new, numbers = used[fresh], self._spans + np.arange(int(fresh.sum()))
        terms, counts = contents(new)
        owners = np.repeat(numbers, terms.lengths)
        self._postings.append((terms.values << 32 | owners, counts))
        self._append("spans.hashes", sentences.hashes[new], np.uint64)
        self._append("spans.lengths", np.bincount(owners - self._spans, counts, new.size), np.uint16)
        self._append("spans.first_uses", first[fresh] + self._uses, np.uint32)
        self._numbers.put(sentences.hashes[new], numbers)
        self._spans += new.size

    def _append(self, name: str, values: NDArray[Any], dtype: type[np.generic]) -> None:
        if name not in self._files:
            self._files[name] = (self.folder / name).open("wb")
        self._files[name].write(np.ascontiguousarray(values, np.dtype(dtype).newbyteorder("<")).tobytes())

    def close(self) -> None:
        """Finish all files; the inverted index is written now."""
        self._records.close()
        for file in self._files.values():
            file.close()
        keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in self._postings)])
        counts = np.concatenate([np.zeros(0, np.int64), *(counts for _, counts in self._postings)])
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        terms, starts = np.unique(keys >> 32, return_index=True)
        arrays = {"terms": terms, "starts": np.append(starts, keys.size), "spans": keys & _LOW, "counts": counts[order]}
        for name, array in arrays.items():
            write_array(self.folder / f"postings.{name}", array, _POSTINGS[f"postings.{name}"])

    def abandon(self) -> None:
        """Close all files as they are."""
        for file in (self._records.file, *self._files.values()):
            with contextlib.suppress(OSError):
                file.close()


def _counted(terms: Ragged) -> Contents:
    """Return the distinct terms of each list, and how often each occurs."""
    pairs, counts = np.unique(np.repeat(np.arange(len(terms)), terms.lengths) << 32 | terms.values,
                              return_counts=True)
    return Ragged(pairs & _LOW, np.searchsorted(pairs, np.arange(len(terms) + 1) << 32)), counts
