"""Papers between a source and a library: columns, with the hashes of their keys, titles and names.

The process that reads a source hashes them, which leaves the writing process less to do.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes, Ragged, Rows
from citewise.ingest.report import SourceLocation
from citewise.library.evidence.sentences import Sentences
from citewise.library.records import decode, encode
from citewise.text import ids
from citewise.text.author_names import author_numbers
from citewise.types import CitingSentence, Paper, Span

BATCH = 1_000
"""Papers analysed at once: enough to amortise the calls, few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Papers with the hashes by which they are looked up."""

    contents: list[bytes]
    years: NDArray[np.int16]
    titles: Hashes
    keys: Ragged
    references: Ragged
    authors: Ragged
    light: NDArray[np.bool_]

    @classmethod
    def of(cls, papers: Sequence[Paper]) -> "Entries":
        """Return papers with the hashes of their keys, titles, references and authors."""
        return cls(
            [encode(paper) for paper in papers],
            np.array([paper.year or 0 for paper in papers], np.int16),
            ids.title_digests([paper.title for paper in papers]),
            _hashes([ids.keys_of(paper) for paper in papers]),
            _hashes([paper.references for paper in papers]),
            _author_numbers([paper.authors for paper in papers]),
            np.array([paper.light for paper in papers], np.bool_),
        )

    def __len__(self) -> int:
        return len(self.contents)

    def paper(self, position: int) -> Paper:
        """Return the paper at a position."""
        return decode(self.contents[position])

    def take(self, positions: Rows) -> "Entries":
        """Return the entries at some positions, in that order."""
        return Entries(
            [self.contents[position] for position in positions.tolist()],
            self.years[positions],
            self.titles[positions],
            self.keys.take(positions),
            self.references.take(positions),
            self.authors.take(positions),
            self.light[positions],
        )

    @classmethod
    def join(cls, parts: "Sequence[Entries]") -> "Entries":
        """Return the entries of all parts, one part after the other."""
        if len(parts) == 1:
            return parts[0]

        return cls(
            list(itertools.chain.from_iterable(part.contents for part in parts)),
            np.concatenate([part.years for part in parts]),
            np.concatenate([part.titles for part in parts]),
            Ragged.join([part.keys for part in parts]),
            Ragged.join([part.references for part in parts]),
            Ragged.join([part.authors for part in parts]),
            np.concatenate([part.light for part in parts]),
        )


Extract = Callable[[Sequence[CitingSentence]], Sequence[Sequence[Sequence[Span]]]]
"""Returns the spans of each group of each sentence."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one file, their lines, and the citing sentences read with them."""

    entries: Entries
    file: str
    lines: list[int]
    sentences: Sentences | None = None

    def location(self, position: int) -> SourceLocation:
        """Return the file and line from which an entry was read."""
        return SourceLocation(self.file, self.lines[position])


def _without_spans(sentences: Sequence[CitingSentence]) -> list[list[tuple[Span, ...]]]:
    return [[() for _ in sentence.groups] for sentence in sentences]


def batches(
    records: Iterable[tuple[Paper | CitingSentence, SourceLocation]],
    extract: Extract = _without_spans,
) -> Iterator[Batch]:
    """Yield papers as entries and citing sentences with their spans, `BATCH` records at a time."""
    for file, run in itertools.groupby(records, key=lambda each: each[1].file):
        while some := list(itertools.islice(run, BATCH)):
            papers = [record for record, _ in some if isinstance(record, Paper)]
            lines = [location.line for record, location in some if isinstance(record, Paper)]
            sentences = [record for record, _ in some if isinstance(record, CitingSentence)]

            yield Batch(
                Entries.of(papers),
                file,
                lines,
                Sentences.of(sentences, extract(sentences)) if sentences else None,
            )


def _hashes(lists: list[tuple[str, ...]]) -> Ragged:
    return _ragged(ids.digests(itertools.chain.from_iterable(lists)), lists)


def _author_numbers(lists: list[tuple[str, ...]]) -> Ragged:
    return _ragged(author_numbers(list(itertools.chain.from_iterable(lists))), lists)


def _ragged(values: Hashes, lists: list[tuple[str, ...]]) -> Ragged:
    # lists of 2, 0 and 3 values start at 0, 2, 2, and the last ends at 5
    starts = np.concatenate(([0], np.cumsum([len(names) for names in lists])))
    return Ragged(values, starts.astype(np.int64))
