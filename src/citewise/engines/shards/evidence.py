"""Evidence over shards: spans are dealt by their number, citations also by the cited paper."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.engines.shards.scatter import (
    Answer,
    Scatter,
    gathered,
    gathered_list,
    gathered_lists,
)
from citewise.library.evidence.reader import EvidenceStore
from citewise.library.evidence.sentences import decode
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.papers import PaperStore
from citewise.protocols import (
    Citations,
    CitedPapers,
    EvidenceCounts,
    Matches,
    Profiles,
    ProfileStatistics,
    SentenceTable,
    TermNumbers,
    TermStatistics,
)
from citewise.types import CitingSentence, Occurrence, Scope


class ShardedEvidence:
    """`protocols.Evidence` over shards; `tables` has what is known here of all sentences and spans
    together.
    """

    def __init__(
        self, tables: EvidenceTables, counts: EvidenceCounts, papers: PaperStore, scatter: Scatter
    ) -> None:
        self._whole = EvidenceStore([], tables, papers.in_scope)
        self._counts, self._scatter = counts, scatter

    # Spans

    def search(self, terms: TermNumbers, scope: Scope) -> Matches:
        """Return where terms occur in visible spans: rows are span numbers."""
        parts: list[Matches] = self._scatter.all("spans_with", terms, scope)
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        return Matches(
            rows=rows[order],
            columns=np.concatenate([part.columns for part in parts])[order],
            counts=np.concatenate([part.counts for part in parts])[order],
        )

    def statistics(self, terms: TermNumbers) -> TermStatistics:
        """Return the terms' document frequencies among all spans."""
        return self._whole.statistics(terms)

    def lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return the number of terms in each span."""
        answers = self._scatter.by_number("span_lengths", spans)
        return gathered(answers, np.zeros(spans.size, np.int64))

    def texts(self, spans: Rows) -> list[str]:
        """Return the text of each span without citation marks, as it was first written."""
        return gathered_list(self._scatter.by_number("span_texts", spans), spans.size)

    # Citations

    def cited_for(self, spans: Rows, scope: Scope) -> CitedPapers:
        """Return the papers that are cited for each span."""
        answers = self._scatter.by_number("cited_for", spans, scope)
        lists = [Answer(positions, found.rows) for positions, found in answers]
        rows, (support,) = gathered_lists(
            lists, spans.size, [[found.support for _, found in answers]]
        )
        return CitedPapers(rows, support)

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        return _gathered_citations(self._scatter.by_number("citations_for", spans, scope))

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper received."""
        return _gathered_citations(self._scatter.by_number("citations_of", rows, scope))

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper makes; every shard may have some."""
        every = np.arange(rows.size)
        parts = self._scatter.all("citations_by", rows, scope) if rows.size else []
        found = _gathered_citations([Answer(every, part) for part in parts])
        # as the library has them: by span, cited row, latest first
        keys = (found.sentences, -found.years, found.rows, found.spans, found.positions)
        return _taken(found, np.lexsort(keys))

    def occurrences(
        self, spans: Rows, rows: Rows, scope: Scope, limit: int
    ) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper its sentences, latest first."""
        parts = self._scatter.split(spans)
        answers = self._scatter.ask(
            [
                (shard, "occurrences", (spans[positions], rows[positions], scope, limit))
                for shard, positions in parts
            ]
        )
        gathered_parts = [
            Answer(positions, found) for (_, positions), found in zip(parts, answers, strict=True)
        ]
        return gathered_list(gathered_parts, spans.size)

    # Profiles

    def profiles(self, rows: Rows, scope: Scope) -> Profiles:
        """Return how long the profile of each paper is."""
        answers = self._scatter.by_number("profiles", rows, scope)
        terms = [Answer(positions, found.terms) for positions, found in answers]
        citations = [Answer(positions, found.citations) for positions, found in answers]
        return Profiles(
            gathered(terms, np.zeros(rows.size)), gathered(citations, np.zeros(rows.size))
        )

    def profile_statistics(self, scope: Scope) -> ProfileStatistics:
        """Return how long all profiles of the library are together."""
        parts: list[ProfileStatistics] = self._scatter.all("profile_statistics", scope)
        return ProfileStatistics(
            papers=sum(part.papers for part in parts),
            terms=sum(part.terms for part in parts),
            citations=sum(part.citations for part in parts),
        )

    # Sentences

    def sentence_table(self) -> SentenceTable:
        """Return every citing sentence with its year and its paper."""
        return self._whole.sentence_table()

    def sentences(self, numbers: Rows) -> list[CitingSentence]:
        """Return the sentences with these numbers, in that order."""
        contents = gathered_list(self._scatter.by_row("sentences", numbers), numbers.size)
        return [decode(content) for content in contents]

    def counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        return self._counts


def _gathered_citations(answers: Sequence[Answer]) -> Citations:
    """Return the citations that shards found, sorted by what they belong to."""
    columns = {
        field.name: [getattr(found, field.name) for _, found in answers]
        for field in fields(Citations)
    }
    columns["positions"] = [positions[found.positions] for positions, found in answers]
    nothing = np.zeros(0, np.int64)
    whole = Citations(**{name: np.concatenate([nothing, *each]) for name, each in columns.items()})
    return _taken(whole, np.argsort(whole.positions, kind="stable"))


def _taken(found: Citations, order: Rows) -> Citations:
    return Citations(*(getattr(found, field.name)[order] for field in fields(Citations)))
