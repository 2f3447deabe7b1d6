"""One shard's part of the evidence: the library's evidence store over the part's own numbers, which
are translated on the way in and out.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from citewise.arrays import Column, Ragged, Rows
from citewise.library.evidence.reader import EvidenceStore
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.files import read_array
from citewise.library.scopes import in_scope
from citewise.protocols import (
    Citations,
    CitedPapers,
    Matches,
    Profiles,
    ProfileStatistics,
    TermNumbers,
)
from citewise.types import Occurrence, Scope


class EvidencePart:
    """The citations of a shard, by span or by cited paper; all numbers that it is asked for and
    that it returns are those of the whole library.
    """

    def __init__(self, folder: Path) -> None:
        self._spans: Rows = read_array(folder / "map.spans", np.int64)
        self._sentences: Rows = read_array(folder / "map.sentences", np.int64)
        self._papers: Rows = read_array(folder / "map.papers", np.int64)
        years = read_array(folder / "map.years", np.int16)
        self.store = EvidenceStore(
            [EvidenceSegment(folder)],
            EvidenceTables.load(folder),
            lambda rows, scope: in_scope(rows, years, scope),
        )

    def search(self, terms: TermNumbers, scope: Scope) -> Matches:
        """Return where terms occur in visible spans."""
        found = self.store.search(terms, self._scope(scope))
        return Matches(self._spans[found.rows], found.columns, found.counts)

    def cited_for(self, spans: Rows, scope: Scope) -> CitedPapers:
        """Return the papers that are cited for each span."""
        found = self.store.cited_for(self.own_spans(spans), self._scope(scope))
        return CitedPapers(
            Ragged(self._papers[found.rows.values], found.rows.starts), found.support
        )

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        return self._whole(self.store.citations_for(self.own_spans(spans), self._scope(scope)))

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper received."""
        positions, own = self._own_papers(rows)
        return self._whole(self.store.citations_of(own, self._scope(scope)), positions)

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations of this part that each paper makes."""
        positions, own = self._own_papers(rows)
        return self._whole(self.store.citations_by(own, self._scope(scope)), positions)

    def occurrences(
        self, spans: Rows, rows: Rows, scope: Scope, limit: int
    ) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper its sentences, latest first."""
        positions, own = self._own_papers(rows)
        cited = np.full(rows.size, -1)
        cited[positions] = own
        found = self.store.occurrences(self.own_spans(spans), cited, self._scope(scope), limit)
        papers = self._papers
        return [
            [
                replace(each, row=int(papers[each.row])) if each.row >= 0 else each
                for each in occurrences
            ]
            for occurrences in found
        ]

    def profiles(self, rows: Rows, scope: Scope) -> Profiles:
        """Return how long the profile of each paper is."""
        positions, own = self._own_papers(rows)
        found = self.store.profiles(own, self._scope(scope))
        return Profiles(
            _placed(found.terms, positions, rows.size),
            _placed(found.citations, positions, rows.size),
        )

    def profile_statistics(self, scope: Scope) -> ProfileStatistics:
        """Return how long all profiles of this part are together."""
        return self.store.profile_statistics(self._scope(scope))

    def own_spans(self, spans: Rows) -> Rows:
        """Return the part's numbers of spans, all of which it has."""
        return np.searchsorted(self._spans, spans)

    def _own_papers(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the positions of the rows that the part knows, and its numbers of them."""
        if not self._papers.size:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        own = np.minimum(np.searchsorted(self._papers, rows), self._papers.size - 1)
        positions = np.flatnonzero(self._papers[own] == rows)
        return positions, own[positions]

    def _scope(self, scope: Scope) -> Scope:
        """Return a scope by the part's numbers of papers."""

        def own(rows: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(self._own_papers(np.array(rows, np.int64))[1].tolist())

        return replace(
            scope,
            hidden=own(scope.hidden),
            unseen=own(scope.unseen),
            within=None if scope.within is None else own(scope.within),
        )

    def _whole(self, found: Citations, positions: Rows | None = None) -> Citations:
        """Return citations by the library's numbers; `positions` are those of what was asked."""
        papers = self._papers if self._papers.size else np.zeros(1, np.int64)
        return Citations(
            positions=found.positions if positions is None else positions[found.positions],
            spans=self._spans[found.spans],
            rows=papers[found.rows],
            sentences=self._sentences[found.sentences],
            citing=np.where(found.citing >= 0, papers[found.citing], -1),
            years=found.years,
        )


def _placed(values: Column, positions: Rows, count: int) -> Column:
    """Return a column with values at some positions, 0 elsewhere."""
    column = np.zeros(count)
    column[positions] = values
    return column
