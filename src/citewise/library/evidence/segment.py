"""A run of citing sentences in an immutable folder: their texts, their spans, and an inverted index
over the spans.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import HashTable, Ragged, Rows, flat_index
from citewise.library.evidence.sentences import Sentences
from citewise.library.files import read_array, write_array
from citewise.library.records import RecordReader, RecordWriter
from citewise.text.tokens import TermNumbering

PER_SENTENCE: dict[str, type[np.generic]] = {
    "years": np.int16,
    "citing": np.uint64,
    "texts": np.uint64,
    "identities": np.uint64,
}
PER_USE: dict[str, type[np.generic]] = {
    "uses.spans": np.uint32,
    "uses.begins": np.uint16,
    "uses.ends": np.uint16,
    "uses.kinds": np.uint8,
}
_OTHERS: dict[str, type[np.generic]] = {
    "uses.starts": np.int64,
    "cited.starts": np.int64,
    "cited.keys": np.uint64,
    "spans.hashes": np.uint64,
    "spans.lengths": np.uint16,
    "spans.first_uses": np.uint32,
}
_POSTINGS: dict[str, type[np.generic]] = {
    "postings.terms": np.uint32,
    "postings.starts": np.int64,
    "postings.spans": np.uint32,
    "postings.counts": np.uint16,
}
_LOW = 0xFFFFFFFF
"""The lower 32 bits: two numbers are packed as first << 32 | second, which sorts as pairs do."""

_COPIED = 20_000
"""Sentences that are copied in one step."""

Contents = tuple[Ragged, NDArray[np.int64]]
"""The terms of some spans, and how often each occurs there."""


class EvidenceSegment:
    """Reads a segment's arrays; sentences, uses and spans are numbered from the segment's first.

    A use is one span of one sentence. `uses.starts` has where each sentence's uses begin,
    `cited.starts` where each use's cited keys begin.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.records = folder, RecordReader(folder)
        self._arrays: dict[str, NDArray[Any]] = {
            name: read_array(folder / name, dtype)
            for name, dtype in (PER_SENTENCE | PER_USE | _OTHERS | _POSTINGS).items()
        }

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

    def sentences(self, numbers: Rows) -> Sentences:
        """Return sentences as they were added; of a span's text, only the hash and the terms are
        stored.
        """
        uses, starts = flat_index(
            self.array("uses.starts")[numbers], self.array("uses.starts")[numbers + 1]
        )
        cited, ends = flat_index(
            self.array("cited.starts")[uses], self.array("cited.starts")[uses + 1]
        )

        columns = np.stack([self.array(name)[uses].astype(np.int64) for name in PER_USE], axis=1)
        years, citing, texts, identities = (self.array(name)[numbers] for name in PER_SENTENCE)

        return Sentences(
            self.records.raw(numbers),
            years,
            citing,
            texts,
            identities,
            starts,
            columns,
            Ragged(self.array("cited.keys")[cited], ends),
            [],
            self.array("spans.hashes"),
        )

    def postings(self, terms: NDArray[np.int64]) -> tuple[Ragged, NDArray[np.int64]]:
        """Return the spans with each term, sorted, and how often it occurs there."""
        stored, starts = self.array("postings.terms"), self.array("postings.starts")

        # stored[positions[i]] == terms[i] where the term is known
        positions = np.searchsorted(stored, terms)
        known = positions < stored.size
        known[known] = stored[positions[known]] == terms[known]

        begins = np.where(known, starts[np.where(known, positions, 0)], 0)
        ends = np.where(known, starts[np.where(known, positions + 1, 0)], 0)
        index, lists = flat_index(begins, ends)
        return (
            Ragged(self.array("postings.spans")[index].astype(np.int64), lists),
            self.array("postings.counts")[index].astype(np.int64),
        )

    def frequencies(
        self, counted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the terms, and the number of spans with each; only spans that are True in
        `counted` count.
        """
        terms, starts = self.array("postings.terms").astype(np.int64), self.array("postings.starts")
        if counted.all():
            return terms, np.diff(starts)

        others = np.flatnonzero(~counted[self.array("postings.spans")])
        # posting p belongs to the last term i with starts[i] <= p
        owners = np.searchsorted(starts, others, "right") - 1
        return terms, np.diff(starts) - np.bincount(owners, minlength=terms.size)

    def contents(self) -> Contents:
        """Return the terms of every span, and how often each occurs: the inverted index, turned
        round.
        """
        spans, counts = self.array("postings.spans"), self.array("postings.counts")
        lengths = np.diff(self.array("postings.starts"))
        terms = np.repeat(self.array("postings.terms"), lengths)

        order = np.argsort(spans, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(spans, minlength=self.spans))))
        return Ragged(terms[order].astype(np.int64), starts), counts[order].astype(np.int64)


class EvidenceWriter:
    """Writes a new segment batch by batch; it keeps the spans' hashes and terms in memory."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.sentences = folder, 0
        self._records, self._numbers = RecordWriter(folder), HashTable()
        self._files: dict[str, IO[bytes]] = {}
        self._spans, self._uses, self._cited = 0, 0, 0
        self._postings: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for name, dtype in (PER_SENTENCE | PER_USE | _OTHERS).items():
            self._append(name, np.zeros(1 if name.endswith(".starts") else 0), dtype)

    def extend(self, sentences: Sentences, terms: TermNumbering) -> None:
        """Append sentences."""

        def contents(new: Rows) -> Contents:
            texts = [sentences.spans[position] for position in new.tolist()]
            return _counted(Ragged(*terms.numbers(texts)))

        self._add(sentences, contents)

    def copy(self, segment: EvidenceSegment, numbers: Rows) -> None:
        """Append sentences of another segment."""
        terms, counts = segment.contents()

        def contents(new: Rows) -> Contents:
            index, begins = flat_index(terms.starts[new], terms.starts[new + 1])
            return Ragged(terms.values[index], begins), counts[index]

        for start in range(0, numbers.size, _COPIED):
            self._add(segment.sentences(numbers[start : start + _COPIED]), contents)

    def _add(self, sentences: Sentences, contents: Callable[[Rows], Contents]) -> None:
        """Append sentences; `contents` gives the terms of the spans at some positions."""
        self._records.extend(sentences.contents)
        for name, dtype in PER_SENTENCE.items():
            self._append(name, getattr(sentences, name), dtype)
        self._add_spans(sentences, contents)

        uses = sentences.uses.copy()
        # a span's number in the batch becomes its number in the segment
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
        """Number the spans that are used for the first time, and keep their terms for the inverted
        index, which is written last.
        """
        used, first = np.unique(sentences.uses[:, 0], return_index=True)
        fresh = self._numbers.find(sentences.hashes[used]) < 0
        new, numbers = used[fresh], self._spans + np.arange(int(fresh.sum()))

        terms, counts = contents(new)
        owners = np.repeat(numbers, terms.lengths)
        # term << 32 | span: sorted, this is the inverted index
        self._postings.append((terms.values << 32 | owners, counts))

        self._append("spans.hashes", sentences.hashes[new], np.uint64)
        self._append(
            "spans.lengths", np.bincount(owners - self._spans, counts, new.size), np.uint16
        )
        self._append("spans.first_uses", first[fresh] + self._uses, np.uint32)

        self._numbers.put(sentences.hashes[new], numbers)
        self._spans += new.size

    def _append(self, name: str, values: NDArray[Any], dtype: type[np.generic]) -> None:
        if name not in self._files:
            self._files[name] = (self.folder / name).open("wb")
        self._files[name].write(
            np.ascontiguousarray(values, np.dtype(dtype).newbyteorder("<")).tobytes()
        )

    def close(self) -> None:
        """Finish all files; the inverted index is written now."""
        self._records.close()
        for file in self._files.values():
            file.close()

        keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in self._postings)])
        counts = np.concatenate([np.zeros(0, np.int64), *(counts for _, counts in self._postings)])
        self.write_postings(self.folder, keys, counts)

    @staticmethod
    def write_postings(folder: Path, keys: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Write an inverted index, given as term << 32 | span with the count of each, in any
        order.
        """
        # sorted by term, then span
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        terms, starts = np.unique(keys >> 32, return_index=True)
        arrays = {
            "terms": terms,
            "starts": np.append(starts, keys.size),
            "spans": keys & _LOW,
            "counts": counts[order],
        }
        for name, array in arrays.items():
            write_array(folder / f"postings.{name}", array, _POSTINGS[f"postings.{name}"])

    def abandon(self) -> None:
        """Close all files without finishing them."""
        for file in (self._records.file, *self._files.values()):
            with contextlib.suppress(OSError):
                file.close()


def _counted(terms: Ragged) -> Contents:
    """Return the distinct terms of each list, and how often each occurs."""
    # list << 32 | term: equal ones are adjacent once sorted, and list i starts at i << 32
    packed = np.repeat(np.arange(len(terms)), terms.lengths) << 32 | terms.values
    pairs, counts = np.unique(packed, return_counts=True)
    starts = np.searchsorted(pairs, np.arange(len(terms) + 1) << 32)
    return Ragged(pairs & _LOW, starts), counts
