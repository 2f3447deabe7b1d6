"""Terms of papers in memory, and the search for papers by their terms."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.errors import BadInput
from citewise.memory.papers import MemoryPapers, ragged
from citewise.protocols import FIELDS, Matches, TermNumbers, TermStatistics
from citewise.scoring import lucene
from citewise.text.tokens import TermNumbering
from citewise.types import Paper, Scope

TermCounts = Counter[int]
"""How often each term, by its number, occurs in a text."""


class Vocabulary:
    """Numbers stems as they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._numbering = TermNumbering(self._numbers_of)

    def _numbers_of(self, stems: Sequence[str]) -> list[int]:
        return [self.numbers.setdefault(stem, len(self.numbers)) for stem in stems]

    def add(self, texts: Sequence[str]) -> list[TermCounts]:
        """Return the terms of each text; new stems get a number."""
        return _counted(self._numbering, texts)

    def known(self, text: str) -> TermCounts:
        """Return the terms of a text; stems without a number are left out."""
        numbering = TermNumbering(lambda stems: [self.numbers.get(stem, -1) for stem in stems])
        return _counted(numbering, [text])[0]


def _counted(numbering: TermNumbering, texts: Sequence[str]) -> list[TermCounts]:
    terms, starts = numbering.numbers(texts)
    bounds = itertools.pairwise(starts.tolist())
    return [Counter(terms[start:end].tolist()) for start, end in bounds]


class DocumentFrequencies:
    """In how many of some texts each term occurs, counted once, and how long the texts are."""

    def __init__(self, texts: Sequence[TermCounts]) -> None:
        self._documents = len(texts)
        self._frequencies = Counter(itertools.chain.from_iterable(texts))
        self._mean_length = sum(text.total() for text in texts) / max(len(texts), 1)

    def statistics(self, terms: TermNumbers) -> TermStatistics:
        """Return the terms' document frequencies."""
        frequencies = [self._frequencies[term] for term in terms.tolist()]
        return TermStatistics(
            documents=self._documents,
            frequencies=np.array(frequencies, np.int64),
            mean_length=self._mean_length,
        )


def matches(terms: TermNumbers, texts: Mapping[int, TermCounts]) -> Matches:
    """Return where terms occur in texts: rows are the texts' numbers, columns positions in
    `terms`.
    """
    found = [
        (number, column, texts[number][term])
        for number in sorted(texts)
        for column, term in enumerate(terms.tolist())
        if term in texts[number]
    ]
    rows, columns, counts = np.array(found, np.int64).reshape(-1, 3).T
    return Matches(rows, columns, counts.astype(np.float64))


class MemoryTerms:
    """`protocols.Terms` over the counted terms of each field of each paper."""

    def __init__(self, papers: Iterable[Paper], vocabulary: Vocabulary) -> None:
        self._vocabulary, papers = vocabulary, list(papers)
        self._texts = {
            field: vocabulary.add([getattr(paper, field) for paper in papers]) for field in FIELDS
        }
        self._texts["text"] = [
            title + abstract for title, abstract in zip(*self._texts.values(), strict=True)
        ]
        self._frequencies = {
            field: DocumentFrequencies(texts) for field, texts in self._texts.items()
        }

    def of(self, text: str) -> tuple[TermNumbers, NDArray[np.int64]]:
        """Return the distinct terms of a text that the library knows, and their counts."""
        counts = sorted(self._vocabulary.known(text).items())
        terms, numbers = np.array(counts, np.int64).reshape(-1, 2).T
        return terms, numbers

    def words(self, terms: TermNumbers) -> list[str]:
        """Return the stems with these numbers."""
        stems = list(self._vocabulary.numbers)
        return [stems[term] for term in terms.tolist()]

    def statistics(self, terms: TermNumbers, field: str) -> TermStatistics:
        """Return the terms' document frequencies in a field of all papers."""
        return self._frequencies[field].statistics(terms)

    def counts(self, rows: Rows, terms: TermNumbers, field: str) -> NDArray[np.float64]:
        """Return the papers x terms matrix of how often each term occurs in a field."""
        matrix = [[text[term] for term in terms.tolist()] for text in self._of(rows, field)]
        return np.array(matrix, np.float64).reshape(rows.size, terms.size)

    def matches(self, rows: Rows, terms: TermNumbers, field: str) -> Matches:
        """Return the same matrix without its zeros."""
        return matches(terms, dict(enumerate(self._of(rows, field))))

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each occurs there."""
        texts = [sorted(text.items()) for text in self._of(rows, field)]
        counts = [count for text in texts for _, count in text]
        return ragged([term for term, _ in text] for text in texts), np.array(counts, np.int64)

    def lists(self, rows: Rows, field: str) -> Ragged:
        """Return every term of a field of each paper."""
        return self.contents(rows, field)[0]

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return the number of terms in a field of each paper."""
        return np.array([text.total() for text in self._of(rows, field)], np.int64)

    def _of(self, rows: Rows, field: str) -> list[TermCounts]:
        return [self._texts[field][row] for row in rows.tolist()]


class MemoryLexical:
    """`protocols.Lexical` that scores every paper."""

    def __init__(self, papers: MemoryPapers, terms: MemoryTerms) -> None:
        self._papers, self._terms = papers, terms

    def search(
        self,
        terms: TermNumbers,
        weights: NDArray[np.int64],
        k: int,
        scope: Scope,
        minimum: int | None = None,
    ) -> Rows:
        """Return the k best rows in scope, best first, equals in the order of rows."""
        if k < 1:
            raise BadInput(f"k must be at least 1, not {k}")
        rows = self._papers.rows
        scores = lucene.scores(self._terms, rows, terms, weights.astype(np.float64))
        found = np.flatnonzero((scores > 0) & self._papers.in_scope(rows, scope))
        return rows[found[np.argsort(-scores[found], kind="stable")]][:k]
