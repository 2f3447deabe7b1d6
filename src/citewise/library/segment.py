"""A segment: an immutable folder with a run of rows, from which every table of a generation is
computed.
"""

import contextlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, flat_index
from citewise.library.entries import Entries
from citewise.library.files import read_array, write_array
from citewise.library.records import RecordReader, RecordWriter, decode_texts
from citewise.protocols import FIELDS
from citewise.text.tokens import TermNumbering

PER_ROW: dict[str, type[np.generic]] = {
    "years": np.int16,
    "titles": np.uint64,
    "title.lengths": np.uint32,
    "abstract.lengths": np.uint32,
}
"""Arrays with one value a row."""

LISTS: dict[str, dict[str, type[np.generic]]] = {
    "title": {"terms": np.uint32, "counts": np.uint16},
    "abstract": {"terms": np.uint32, "counts": np.uint16},
    "references": {"keys": np.uint64},
    "keys": {"hashes": np.uint64},
    "authors": {"numbers": np.uint64},
}
"""Arrays with a list for each row; `<name>.starts` has where each list begins."""

_LOW = 0xFFFFFFFF
"""The lower 32 bits of a packed pair, paper << 32 | term."""

_SORTED_AT_ONCE = 8
"""Papers whose terms are sorted together."""

FREQUENCIES = (*FIELDS, "text")
"""The texts for which `<name>.frequencies` has the document frequency of each term."""


class Segment:
    """Reads a segment's arrays; rows are numbered from the segment's first.

    Every file is opened at once: a reader keeps its generation though a writer removes the folder
    later.
    """

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder, self.rows = folder, rows
        self.records = RecordReader(folder)

        dtypes = PER_ROW | {f"{name}.frequencies": np.uint32 for name in FREQUENCIES}
        for name, columns in LISTS.items():
            dtypes |= {
                f"{name}.starts": np.int64,
                **{f"{name}.{column}": dtype for column, dtype in columns.items()},
            }

        absent: dict[str, NDArray[Any]] = {}
        if not (folder / "authors.starts").exists():  # written before authors were stored
            absent["authors.starts"] = np.zeros(rows + 1, np.int64)
            absent["authors.numbers"] = np.zeros(0, np.uint64)
        self._arrays: dict[str, NDArray[Any]] = absent | {
            name: read_array(folder / name, dtype)
            for name, dtype in dtypes.items()
            if name not in absent
        }

    def array(self, name: str) -> NDArray[Any]:
        """Return one of the arrays that have a value a row, or a `frequencies` array."""
        return self._arrays[name]

    def starts(self, name: str) -> Rows:
        """Return where each row's list begins among the values."""
        return self._arrays[f"{name}.starts"]

    def values(self, name: str, column: str) -> NDArray[Any]:
        """Return a column of all lists, end to end."""
        return self._arrays[f"{name}.{column}"]

    def lists(self, name: str, rows: Rows, *columns: str) -> list[Ragged]:
        """Return columns of the lists of some rows."""
        starts = self.starts(name)
        index, begins = flat_index(starts[rows], starts[rows + 1])
        return [Ragged(self.values(name, column).take(index), begins) for column in columns]


class SegmentWriter:
    """Writes a new segment batch by batch, with no more than a batch in memory."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.rows = folder, 0
        self.records = RecordWriter(folder)

        self._files: dict[str, IO[bytes]] = {}
        self._ends = dict.fromkeys(LISTS, 0)
        self._frequencies = {name: np.zeros(1 << 10, np.uint32) for name in FREQUENCIES}

        for name, dtype in PER_ROW.items():
            self._append(name, np.zeros(0), dtype)
        for name, columns in LISTS.items():
            self._append(f"{name}.starts", np.zeros(1), np.int64)
            for column, dtype in columns.items():
                self._append(f"{name}.{column}", np.zeros(0), dtype)

    def extend(self, entries: Entries, terms: TermNumbering) -> list[Ragged]:
        """Append papers; return each field's terms, as often as they occur."""
        self.records.extend(entries.contents)
        self._append("years", entries.years, np.int16)
        self._append("titles", entries.titles, np.uint64)
        self._append_lists("keys", {"hashes": entries.keys.values}, entries.keys.starts[1:])
        self._append_lists(
            "references", {"keys": entries.references.values}, entries.references.starts[1:]
        )
        self._append_lists(
            "authors", {"numbers": entries.authors.values}, entries.authors.starts[1:]
        )

        texts = [decode_texts(content) for content in entries.contents]
        occurring = [
            Ragged(*terms.numbers([getattr(each, field) for each in texts])) for field in FIELDS
        ]
        self._count_papers(
            [self._append_terms(field, each) for field, each in zip(FIELDS, occurring, strict=True)]
        )

        self.rows += len(entries)
        return occurring

    def copy(self, segment: Segment, rows: Rows) -> list[Ragged]:
        """Append rows of another segment; return each field's terms, as often as they occur."""
        self.records.extend(segment.records.raw(rows))
        for name, dtype in PER_ROW.items():
            self._append(name, segment.array(name)[rows], dtype)
        for name, columns in LISTS.items():
            lists = segment.lists(name, rows, *columns)
            values = {column: each.values for column, each in zip(columns, lists, strict=True)}
            self._append_lists(name, values, lists[0].starts[1:])

        self._count_papers([_pairs(*segment.lists(field, rows, "terms")) for field in FIELDS])
        self.rows += rows.size
        return [_repeated(segment, field, rows) for field in FIELDS]

    def close(self) -> None:
        """Finish all files."""
        self.records.close()
        for file in self._files.values():
            file.close()
        for name, counted in self._frequencies.items():
            write_array(self.folder / f"{name}.frequencies", np.trim_zeros(counted, "b"), np.uint32)

    def abandon(self) -> None:
        """Close all files without finishing them."""
        for file in (self.records.file, *self._files.values()):
            with contextlib.suppress(OSError):  # on a full disk the last bytes cannot be written
                file.close()

    def _append_terms(self, field: str, terms: Ragged) -> NDArray[np.int64]:
        """Write a field's distinct terms with their counts; return them as paper << 32 | term,
        sorted.
        """
        every = _sorted(_pairs(terms), terms.starts)

        # a run of equal pairs is one term of one paper, its length the count
        first = np.flatnonzero(np.diff(every, prepend=-1))
        pairs, counts = every[first], np.diff(first, append=every.size)
        ends = np.searchsorted(pairs, np.arange(1, len(terms) + 1) << 32)

        self._append(f"{field}.lengths", terms.lengths, np.uint32)
        self._append_lists(
            field, {"terms": pairs & _LOW, "counts": np.minimum(counts, 65_535)}, ends
        )
        return pairs

    def _count_papers(self, present: Sequence[NDArray[np.int64]]) -> None:
        """Add to the document frequencies of each field, and of both together."""
        title, abstract = present
        # abstract[i] == title[j] at the i where title[j] would be inserted: the term is in both
        only_title = title[np.append(abstract, -1)[np.searchsorted(abstract, title)] != title]

        for name, pairs in zip(
            FREQUENCIES, [title, abstract, np.append(abstract, only_title)], strict=True
        ):
            added = np.bincount(pairs & _LOW).astype(np.uint32)
            if added.size > self._frequencies[name].size:
                self._frequencies[name] = np.append(
                    self._frequencies[name], np.zeros(added.size, np.uint32)
                )
            self._frequencies[name][: added.size] += added

    def _append_lists(self, name: str, columns: dict[str, NDArray[Any]], ends: Rows) -> None:
        for column, values in columns.items():
            self._append(f"{name}.{column}", values, LISTS[name][column])
        self._append(f"{name}.starts", ends + self._ends[name], np.int64)
        self._ends[name] += int(ends[-1]) if ends.size else 0

    def _append(self, name: str, values: NDArray[Any], dtype: type[np.generic]) -> None:
        if name not in self._files:
            self._files[name] = (self.folder / name).open("wb")
        self._files[name].write(
            np.ascontiguousarray(values, np.dtype(dtype).newbyteorder("<")).data
        )


def total_of(arrays: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the sum of arrays of different lengths."""
    total = np.zeros(max((array.size for array in arrays), default=0), np.int64)
    for array in arrays:
        total[: array.size] += array
    return total


def _pairs(terms: Ragged) -> NDArray[np.int64]:
    """Return paper << 32 | term for each occurrence; papers count from 0."""
    return np.repeat(np.arange(len(terms)), terms.lengths) << 32 | terms.values.astype(np.int64)


def _sorted(pairs: NDArray[np.int64], starts: Rows) -> NDArray[np.int64]:
    """Sort pairs in place, those of a few papers at a time: the papers are in order already."""
    for start, end in itertools.pairwise([*starts[:-1:_SORTED_AT_ONCE].tolist(), pairs.size]):
        pairs[start:end].sort()
    return pairs


def _repeated(segment: Segment, field: str, rows: Rows) -> Ragged:
    """Return each term as often as it occurs, not in the order of the text (BM25 ignores it)."""
    terms, counts = segment.lists(field, rows, "terms", "counts")
    # ends[i] is the sum of the first i counts: list p starts where its first term's copies do
    ends = np.concatenate(([0], np.cumsum(counts.values.astype(np.int64))))
    return Ragged(np.repeat(terms.values.astype(np.int64), counts.values), ends[terms.starts])
