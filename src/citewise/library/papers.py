"""Papers by row, by key, by title and by author."""

from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Ragged, Rows, is_in_sorted
from citewise.errors import MissingData
from citewise.library.levels import LevelledTables
from citewise.library.scopes import LAST_YEAR, in_scope
from citewise.library.segments import Segments
from citewise.library.tables import Tables
from citewise.library.versions import same_work
from citewise.text import ids
from citewise.text.author_names import namesakes
from citewise.text.ids import keys_of, title_digest
from citewise.types import Paper, Scope


class _Titled(msgspec.Struct):
    title: str


_decode_titled = msgspec.msgpack.Decoder(_Titled).decode


class PaperStore:
    """`protocols.Papers` over segments and tables; `name` is the library's, for messages."""

    def __init__(self, name: str, segments: Segments, tables: Tables | LevelledTables) -> None:
        self._name, self._segments, self._tables = name, segments, tables

    def __len__(self) -> int:
        return self.rows.size

    @cached_property
    def rows(self) -> Rows:
        """Every row that holds a paper, sorted."""
        alive = np.ones(self._segments.rows, np.bool_)
        alive[self._tables.deleted] = False
        return np.flatnonzero(alive)

    def read(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return the papers at the rows, in that order."""
        wanted = np.asarray(rows, np.int64)
        self._check(wanted)

        by_position: list[Paper | None] = [None] * wanted.size
        for segment, positions, local in self._segments.split(wanted):
            papers = segment.records.read(local)
            for position, paper in zip(positions.tolist(), papers, strict=True):
                by_position[position] = paper
        return [paper for paper in by_position if paper is not None]

    def titles(self, rows: Rows) -> list[str]:
        """Return the titles of the papers at the rows; costs a third of reading the papers."""
        titles = [""] * rows.size
        for segment, positions, local in self._segments.split(rows):
            contents = segment.records.raw(local)
            for position, content in zip(positions.tolist(), contents, strict=True):
                titles[position] = _decode_titled(content).title
        return titles

    def _check(self, rows: Rows) -> None:
        outside = (rows < 0) | (rows >= self._segments.rows)
        bad = rows[outside | is_in_sorted(rows, self._tables.deleted)]
        if bad.size:
            raise MissingData(f"{self._name}: no paper at row {bad[0]}")

    def find(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key (any spelling of any id), -1 where no paper has it."""
        if not keys:  # as of a draft that cites nothing yet, which several stages ask about
            return np.zeros(0, np.int64)
        names = [ids.key(each) for each in keys]
        rows = self._tables.keys.find(ids.digests(names))
        known = np.flatnonzero(rows >= 0)
        for position, paper in zip(known.tolist(), self.read(rows[known]), strict=True):
            if names[position] not in keys_of(paper):  # another key with the same hash
                rows[position] = -1
        return rows

    def find_same(self, paper: Paper) -> int:
        """Return the row of the work that a record describes, by its keys, else by its title and
        authors; -1 where there is none.
        """
        for row in self.find(keys_of(paper)).tolist():
            if row >= 0:
                return int(row)
        return self.find_title(paper)

    def find_title(self, paper: Paper) -> int:
        """Return the first row with the title of a record and, where both have authors, those of
        the same work; -1 where there is none.
        """
        digest = title_digest(paper.title)
        rows = self._tables.titles.find_all(digest) if digest else []
        for row, candidate in zip(rows, self.read(rows), strict=True):
            anonymous = not (candidate.authors and paper.authors)
            if anonymous or same_work(candidate, paper):
                return row
        return -1

    def by_authors(self, authors: Sequence[str], scope: Scope | None = None) -> Ragged:
        """Return for each author the sorted rows of the papers under that name, within scope."""
        rows = []
        for author in authors:
            ranges = [self._tables.authors.between(*each) for each in namesakes(author)]
            rows.append(np.unique(np.concatenate([np.zeros(0, np.int64), *ranges])))

        lists = Ragged.of(rows)
        return lists if scope is None else lists.kept(self.in_scope(lists.values, scope))

    def years(self, rows: Rows) -> NDArray[np.int64]:
        """Return the papers' years, 0 where unknown."""
        return self._segments.years.take(rows).astype(np.int64)

    @property
    def all_years(self) -> NDArray[np.int16]:
        """The year of each row, 0 where unknown."""
        return self._segments.years

    def in_scope(self, rows: Rows, scope: Scope) -> Mask:
        """Return for each paper whether a query with this scope may get it."""
        return in_scope(rows, self._segments.years, scope)

    @cached_property
    def by_year(self) -> NDArray[np.int64]:
        """The number of papers of each year from 0 (unknown) to 9999."""
        return self.in_each_year(self.rows)

    def in_each_year(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of some papers of each year from 0 (unknown) to 9999."""
        years = np.maximum(self._segments.years[rows], 0)
        return np.bincount(years, minlength=LAST_YEAR + 1)
