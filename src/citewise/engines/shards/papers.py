"""Papers and graph over shards: what is small is at the coordinator, records are at the shards."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Ragged, Rows
from citewise.engines.shards.recent import RecentRows
from citewise.engines.shards.scatter import Answer, Scatter, gathered_list, gathered_lists
from citewise.engines.shards.shard import Carried
from citewise.library.papers import PaperStore
from citewise.library.records import decode
from citewise.library.segments import Segments
from citewise.library.tables import Tables
from citewise.types import Paper, Scope


class RowYears(Segments):
    """The years of all rows, without the papers."""

    def __init__(self, years: NDArray[np.int16]) -> None:
        super().__init__([])
        self.years = years

    @property
    def rows(self) -> int:
        """The number of rows, those of deleted papers included."""
        return self.years.size


class ShardedPapers(PaperStore):
    """`protocols.Papers` over shards; years, and so what is in scope, are known here."""

    def __init__(self, name: str, years: RowYears, tables: Tables, scatter: Scatter) -> None:
        super().__init__(name, years, tables)
        self._scatter = scatter

    def read(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return the papers at the rows, in that order."""
        wanted = np.asarray(rows, np.int64)
        self._check(wanted)
        contents = gathered_list(self._scatter.by_row("read", wanted), wanted.size)
        return [decode(content) for content in contents]

    def titles(self, rows: Rows) -> list[str]:
        """Return the titles of the papers at the rows, in that order."""
        return gathered_list(self._scatter.by_row("titles", rows), rows.size)

    def find(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key (any spelling of any id), -1 where no paper has it."""
        if not keys:
            return np.zeros(0, np.int64)
        return _first(self._scatter.all("find", list(keys)))

    def find_title(self, paper: Paper) -> int:
        """Return the first row with the title of a record, of the same authors; -1 for none."""
        return int(_first(self._scatter.all("find_title", paper)))

    def by_authors(self, authors: Sequence[str], scope: Scope | None = None) -> Ragged:
        """Return for each author the sorted rows of the papers under that name, within scope."""
        parts = self._scatter.all("by_authors", list(authors)) if authors else []
        lists = Ragged.of(
            [
                np.sort(np.concatenate([part[position] for part in parts]))
                for position in range(len(authors))
            ]
        )
        return lists if scope is None else lists.kept(self.in_scope(lists.values, scope))


def _first(found: Sequence[Rows] | Sequence[int]) -> Rows:
    """Return the lowest row that any shard found, -1 where none found one."""
    rows = np.array(found, np.int64)
    lowest = np.where(rows >= 0, rows, np.iinfo(np.int64).max).min(axis=0)
    return np.where((rows >= 0).any(axis=0), lowest, -1)


class ShardedLists:
    """One direction of the graph, at the shards."""

    def __init__(self, method: str, scatter: Scatter, listed: Rows | None = None) -> None:
        """`listed` are the rows that have a list, sorted; None where that is not known here."""
        self._method, self._scatter, self.listed = method, scatter, listed
        self._recent = RecentRows(Ragged.take)

    def lists(self, rows: Rows) -> Ragged:
        """Return the lists of some rows."""
        if self.listed is None:
            return gathered_lists(self._recent.answered(rows, self._ask), rows.size)[0]

        asked = np.flatnonzero(is_in(rows, self.listed))  # the others have empty lists
        known = self._recent.answered(rows[asked], self._ask)
        answers = [Answer(asked[positions], lists) for positions, lists in known]
        return gathered_lists(answers, rows.size)[0]

    def are_listed(self, rows: Rows) -> bool:
        """Return whether these rows are those that have a list."""
        return self.listed is not None and np.array_equal(rows, self.listed)

    def remember(self, carried: Sequence[Carried]) -> None:
        """Keep lists that came with something else."""
        if carried:
            rows = np.concatenate([each.rows for each in carried])
            self._recent.remember(rows, Ragged.join([each.lists for each in carried]))

    def _ask(self, rows: Rows) -> Ragged:
        return gathered_lists(self._scatter.by_row(self._method, rows), rows.size)[0]


def is_in(rows: Rows, ordered: Rows) -> Mask:
    """Return for each row whether it is one of many, which are sorted."""
    if not ordered.size:
        return np.zeros(rows.size, np.bool_)
    found: Mask = ordered[np.minimum(np.searchsorted(ordered, rows), ordered.size - 1)] == rows
    return found


class ShardedDirections:
    """Both directions of the graph."""

    def __init__(self, citing: Rows, scatter: Scatter) -> None:
        """`citing` are the papers that have references, sorted."""
        self.references = ShardedLists("references", scatter, citing)
        self.citers = ShardedLists("citers", scatter)
