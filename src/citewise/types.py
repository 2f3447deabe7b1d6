"""The values that pass between stages; they import nothing of the package."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Positions of papers in a library."""

Column = NDArray[np.float64]
"""One number for each of some papers."""


def summed(places: Rows, weights: Column, count: int) -> Column:
    """Return for each of `count` places the sum of the weights that fall on it."""
    return np.bincount(places, weights, count).astype(np.float64, copy=False)  # of nothing, numpy counts in integers


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper as a library holds it. `id` is its identity; `ids` and `references` are keys (see `citewise.ids`)."""

    id: str
    title: str
    abstract: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()
    venue: str = ""
    ids: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    date: str = ""
    """ISO 8601, as precise as known: 2018, 2018-06 or 2018-06-01."""
    kind: str = ""
    """article, inproceedings, book, chapter, thesis, report, preprint, dataset, software, or "" (unknown)."""
    details: dict[str, str] = field(default_factory=dict)
    """What only a bibliography needs: volume, number, pages, publisher, url."""


@dataclass(frozen=True, slots=True)
class Query:
    """A draft in want of citations. With a year y it sees papers of years <= y and citations made before y."""

    title: str = ""
    abstract: str = ""
    id: str = ""
    year: int | None = None
    since: int | None = None
    cited: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Ids of papers that are to be as if absent, with every citation that they make or get: other versions of it."""

    @property
    def text(self) -> str:
        """Return title and abstract together."""
        return f"{self.title}\n{self.abstract}"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query may see.

    Papers: of years `since`..`year` (both included) and of `within`, none of `hidden`. Citations: made by papers of
    known years before `year`, none that touches a paper of `unseen`.
    """

    year: int | None = None
    since: int | None = None
    hidden: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    within: tuple[int, ...] | None = None
    """The only rows that may be returned; None: any. Meant for some hundreds, which are scored one by one."""

    @property
    def bounded(self) -> bool:
        """Whether years matter; where they do, a paper without a year is out."""
        return self.year is not None or self.since is not None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates as columns, best first; each signal is a ranking feature and a reason at once."""

    rows: Rows
    scores: NDArray[np.float64]
    signals: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.rows.size

    def take(self, index: NDArray[np.int64] | NDArray[np.bool_] | slice) -> "Ranking":
        """Return the candidates at the given places, in that order."""
        signals = {name: column[index] for name, column in self.signals.items()}
        return Ranking(self.rows[index], self.scores[index], signals)

    def followed_by(self, rows: Rows) -> "Ranking":
        """Return the candidates with further ones behind them, whose score is 0 and whose signals are NaN."""
        unknown = np.full(rows.size, np.nan)
        signals = {name: np.append(column, unknown) for name, column in self.signals.items()}
        return Ranking(np.append(self.rows, rows), np.append(self.scores, np.zeros(rows.size)), signals)

    def with_signals(self, signals: "dict[str, Column]") -> "Ranking":
        """Return the candidates with further signals."""
        return Ranking(self.rows, self.scores, self.signals | signals)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One answer: a paper, its rank (from 1), its score (higher is better) and the signals behind it."""

    rank: int
    paper: Paper
    score: float
    signals: dict[str, float]
