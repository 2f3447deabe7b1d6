"""Papers on their way into a library, as columns, hashed where they are read."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise import ids
from citewise.author_names import author_numbers
from citewise.hash_table import Hashes
from citewise.library.lists import join, take
from citewise.library.records import decode, encode
from citewise.library.sentences import Sentences
from citewise.protocols import Ragged
from citewise.report import Place
from citewise.types import CitingSentence, Paper, Rows, Span

BATCH = 1_000
"""Papers analysed at once: enough to amortise the calls, few enough to stay in the cache."""

TELLING_WORDS = 3
"""Titles of fewer words ("Introduction", "Editorial") do not tell works apart."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Papers with the hashes by which they are found."""

    contents: list[bytes]
    years: NDArray[np.int16]
    titles: Hashes
    keys: Ragged
    references: Ragged
    authors: Ragged
    light: NDArray[np.bool_]

    @classmethod
    def of(cls, papers: Sequence[Paper]) -> "Entries":
        """Hash what papers are found by."""
        return cls(
            [encode(paper) for paper in papers],
            np.array([paper.year or 0 for paper in papers], np.int16),
            _title_digests([paper.title for paper in papers]),
            _hashes([keys_of(paper) for paper in papers]), _hashes([paper.references for paper in papers]),
            _author_numbers([paper.authors for paper in papers]),
            np.array([paper.light for paper in papers], np.bool_))

    def __len__(self) -> int:
        return len(self.contents)

    def paper(self, place: int) -> Paper:
        """Return one of the papers."""
        return decode(self.contents[place])

    def take(self, places: Rows) -> "Entries":
        """Return the entries at some places, in that order."""
        return Entries([self.contents[place] for place in places.tolist()], self.years[places], self.titles[places],
                       take(self.keys, places), take(self.references, places), take(self.authors, places),
                       self.light[places])

    @classmethod
    def join(cls, parts: "Sequence[Entries]") -> "Entries":
        """Return entries end to end."""
        if len(parts) == 1:
            return parts[0]
        return cls(list(itertools.chain.from_iterable(part.contents for part in parts)),
                   np.concatenate([part.years for part in parts]), np.concatenate([part.titles for part in parts]),
                   join([part.keys for part in parts]), join([part.references for part in parts]),
                   join([part.authors for part in parts]),
                   np.concatenate([part.light for part in parts]))


Extract = Callable[[Sequence[CitingSentence]], Sequence[Sequence[Sequence[Span]]]]
"""Returns the spans of each group of each sentence."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one file, their lines, and the citing sentences read with them."""

    entries: Entries
    file: str
    lines: list[int]
    sentences: Sentences | None = None

    def place(self, number: int) -> Place:
        """Return where an entry was read."""
        return Place(self.file, self.lines[number])


def _without_spans(sentences: Sequence[CitingSentence]) -> list[list[tuple[Span, ...]]]:
    return [[() for _ in sentence.groups] for sentence in sentences]


def batches(records: Iterable[tuple[Paper | CitingSentence, Place]],
            extract: Extract = _without_spans) -> Iterator[Batch]:
    """Yield papers as entries and citing sentences with their spans, some at a time."""
    for file, run in itertools.groupby(records, key=lambda each: each[1].file):
        while some := list(itertools.islice(run, BATCH)):
            papers = [record for record, _ in some if isinstance(record, Paper)]
            lines = [place.line for record, place in some if isinstance(record, Paper)]
            sentences = [record for record, _ in some if isinstance(record, CitingSentence)]
            yield Batch(Entries.of(papers), file, lines,
                        Sentences.of(sentences, extract(sentences)) if sentences else None)


def keys_of(paper: Paper) -> tuple[str, ...]:
    """Return every key that a paper answers to."""
    return (paper.id, *(name for name in paper.ids if name != paper.id)) if paper.ids else (paper.id,)


def title_digest(title: str) -> int:
    """Return a hash of what versions of a title share, 0 where the title is too short to tell works apart."""
    return int(_title_digests([title])[0])


def _title_digests(titles: list[str]) -> Hashes:
    hashes = np.maximum(ids.digests(map(ids.title_key, titles)), np.uint64(1))
    short = [len(title.replace("-", " ").split(None, TELLING_WORDS)) < TELLING_WORDS for title in titles]
    return np.where(short, np.uint64(0), hashes)


def _hashes(lists: list[tuple[str, ...]]) -> Ragged:
    return _ragged(ids.digests(itertools.chain.from_iterable(lists)), lists)


def _author_numbers(lists: list[tuple[str, ...]]) -> Ragged:
    return _ragged(author_numbers(list(itertools.chain.from_iterable(lists))), lists)


def _ragged(values: Hashes, lists: list[tuple[str, ...]]) -> Ragged:
    return Ragged(values, np.concatenate(([0], np.cumsum([len(names) for names in lists]))).astype(np.int64))
