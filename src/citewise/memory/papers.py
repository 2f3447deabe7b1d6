"""Papers and the citation graph of a library in memory."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Ragged, Rows
from citewise.errors import MissingData
from citewise.text import ids
from citewise.text.author_names import author_numbers, namesakes
from citewise.types import Paper, Scope

CLOSE_YEARS = 2
"""Versions of one work are at most this many years apart."""


class MemoryPapers:
    """`protocols.Papers` over a list of papers; a paper's row is its position in it."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self._papers = list(papers)
        self._owners: dict[str, int] = {}
        for row, paper in enumerate(self._papers):
            for key in ids.keys_of(paper):
                self._owners.setdefault(ids.key(key), row)

    def __len__(self) -> int:
        return len(self._papers)

    @property
    def rows(self) -> Rows:
        """Every row."""
        return np.arange(len(self))

    def read(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return the papers at the rows, in that order."""
        wanted = [int(row) for row in rows]
        for row in wanted:
            if not 0 <= row < len(self):
                raise MissingData(f"the library in memory has no paper at row {row}")
        return [self._papers[row] for row in wanted]

    def titles(self, rows: Rows) -> list[str]:
        """Return the titles of the papers at the rows, in that order."""
        return [paper.title for paper in self.read(rows)]

    def find(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key, -1 where no paper has it; of several papers, the first."""
        return np.array([self.row_of(key) for key in keys], np.int64)

    def row_of(self, key: str) -> int:
        """Return the row of a key, -1 where no paper has it."""
        return self._owners.get(ids.key(key), -1)

    def find_same(self, paper: Paper) -> int:
        """Return the row of the work that a record describes, -1 where there is none."""
        by_key = [row for key in ids.keys_of(paper) if (row := self.row_of(key)) >= 0]
        by_title = [row for row, other in enumerate(self._papers) if _same_title(paper, other)]
        return next(iter(by_key + by_title), -1)

    def by_authors(self, authors: Sequence[str], scope: Scope | None = None) -> Ragged:
        """Return for each author the sorted rows of the papers under that name, in scope."""
        numbers = [author_numbers(paper.authors).tolist() for paper in self._papers]
        found = []
        for author in authors:
            meant = namesakes(author)
            rows = [
                row
                for row, own in enumerate(numbers)
                if any(first <= number <= last for number in own for first, last in meant)
            ]
            found.append([row for row in rows if scope is None or self.is_in_scope(row, scope)])
        return ragged(found)

    def years(self, rows: Rows) -> NDArray[np.int64]:
        """Return the papers' years, 0 where unknown."""
        return np.array([self.year_of(row) for row in rows.tolist()], np.int64)

    def year_of(self, row: int) -> int:
        """Return a paper's year, 0 where unknown."""
        return self._papers[row].year or 0

    def in_scope(self, rows: Rows, scope: Scope) -> Mask:
        """Return for each paper whether a query with this scope may get it."""
        return np.array([self.is_in_scope(row, scope) for row in rows.tolist()], np.bool_)

    def is_in_scope(self, row: int, scope: Scope) -> bool:
        """Return whether a query with this scope may get a paper."""
        if scope.within is not None and scope.as_given:
            return row in scope.within
        year = self.year_of(row)
        return (
            row not in scope.hidden
            and (scope.within is None or row in scope.within)
            and (not scope.bounded or year > 0)
            and (scope.since is None or year >= scope.since)
            and (scope.year is None or year <= scope.year)
        )


def _same_title(one: Paper, other: Paper) -> bool:
    """Return whether two records have the same title, of enough words to identify a work, and
    neither their authors nor their years contradict it.
    """
    title = ids.title_digest(one.title)
    if not title or title != ids.title_digest(other.title):
        return False
    if not (one.authors and other.authors):
        return True

    apart = abs(one.year - other.year) if one.year and other.year else 0
    names, others = ({ids.surname(each) for each in paper.authors} for paper in (one, other))
    return apart <= CLOSE_YEARS and bool((names & others) - {""})


class MemoryGraph:
    """`protocols.Graph` over pairs (citing row, cited row)."""

    def __init__(self, papers: MemoryPapers, citations: Iterable[tuple[int, int]]) -> None:
        self._papers = papers
        self._references: list[set[int]] = [set() for _ in range(len(papers))]
        self._citers: list[set[int]] = [set() for _ in range(len(papers))]
        for citing, cited in citations:
            self._references[citing].add(cited)
            self._citers[cited].add(citing)

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that each paper cites, sorted."""
        return ragged(
            [cited for cited in sorted(self._references[row]) if self._is_seen(row, cited, scope)]
            for row in rows.tolist()
        )

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return the papers of the library that cite each paper, sorted."""
        return ragged(
            [citing for citing in sorted(self._citers[row]) if self._is_seen(citing, row, scope)]
            for row in rows.tolist()
        )

    def _is_seen(self, citing: int, cited: int, scope: Scope | None) -> bool:
        """Return whether the scope lets a citation be seen."""
        if scope is None:
            return True
        in_time = scope.year is None or 0 < self._papers.year_of(citing) < scope.year
        return in_time and citing not in scope.unseen and cited not in scope.unseen


def ragged(lists: Iterable[Sequence[int]]) -> Ragged:
    """Return lists of numbers as arrays end to end."""
    return Ragged.of([np.array(each, np.int64) for each in lists])
