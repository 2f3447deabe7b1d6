"""Evidence as a library's readers see it: spans by their terms, and the citations made for them."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes, Mask, Ragged, Rows, flat_index, summed
from citewise.errors import BadInput
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.evidence.sentences import KINDS, decode
from citewise.library.evidence.tables import EvidenceTables
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
from citewise.text import ids
from citewise.text.marks import unmarked
from citewise.types import CitingSentence, Occurrence, Scope, Span

_SCOPES_KEPT = 8
"""Scopes whose visible citations are remembered: every call of a query has the same scope."""

_PACKED = 0xFFFF
"""Columns and counts are packed into 16 bits each while they are sorted."""


class _Visible(NamedTuple):
    """Which citations and spans a scope sees."""

    citations: Mask
    spans: Mask
    """Spans with at least one visible citation."""


class EvidenceStore:
    """`protocols.Evidence` over segments and their tables.

    `in_scope` says which papers a scope includes. `first_uses` and `first_spans` have the number of
    each segment's first use and first span.
    """

    def __init__(
        self,
        segments: Sequence[EvidenceSegment],
        tables: EvidenceTables,
        in_scope: Callable[[Rows, Scope], Mask],
    ) -> None:
        self.segments, self.tables, self._in_scope = list(segments), tables, in_scope

        self._first_sentences = np.cumsum([0, *map(len, segments)])
        self.first_uses = np.cumsum([0, *(segment.uses for segment in segments)])
        self.first_spans = np.cumsum([0, *(segment.spans for segment in segments)])
        self._visible = lru_cache(maxsize=_SCOPES_KEPT)(self._find_visible)
        self._all_profiles = lru_cache(maxsize=_SCOPES_KEPT)(self._count_profiles)

    # Spans

    def search(self, terms: TermNumbers, scope: Scope) -> Matches:
        """Return where terms occur in visible spans: rows are span numbers, columns positions in
        `terms`.
        """
        if terms.size > _PACKED:
            raise BadInput(f"{terms.size:,} distinct terms; ask for at most {_PACKED:,} at once")
        visible = self._visible(scope).spans

        parts = [np.zeros(0, np.int64)]
        for segment, first in zip(self.segments, self.first_spans.tolist(), strict=False):
            postings, counts = segment.postings(terms)
            spans = postings.values + first
            # span | column | count in one number, which sorts far faster than three columns
            packed = spans << 32 | postings.owners << 16 | counts
            parts.append(packed[visible[spans]])

        packed = np.sort(np.concatenate(parts))
        return Matches(
            rows=packed >> 32,
            columns=packed >> 16 & _PACKED,
            counts=(packed & _PACKED).astype(np.float64),
        )

    def statistics(self, terms: TermNumbers) -> TermStatistics:
        """Return the terms' document frequencies among all spans."""
        table, frequencies = self.tables.frequencies, np.zeros(terms.size, np.int64)
        known = terms < table.size
        frequencies[known] = table[terms[known]]

        _, spans, length = self.tables.totals.tolist()
        return TermStatistics(spans, frequencies, length / max(spans, 1))

    def lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return the number of terms in each span."""
        return self._span_values(spans, "spans.lengths", np.zeros(spans.size, np.int64))

    def hashes(self, spans: Rows) -> Hashes:
        """Return the digest of each span's text."""
        return self._span_values(spans, "spans.hashes", np.zeros(spans.size, np.uint64))

    def _span_values(self, spans: Rows, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Return `values`, filled with the segments' values of each span."""
        for segment, positions, local in self._split(self.first_spans, spans):
            values[positions] = segment.array(name)[local]
        return values

    def texts(self, spans: Rows) -> list[str]:
        """Return the text of each span without citation marks, as it was first written."""
        uses = np.zeros(spans.size, np.int64)
        for segment, positions, local in self._split(self.first_spans, spans):
            first = self.first_uses[self.segments.index(segment)]
            uses[positions] = segment.array("spans.first_uses")[local] + first

        sentences = self.sentences(self._sentence_of(uses))
        return [
            unmarked(sentence.text, _marks(sentence), span.start, span.end)
            for sentence, span in zip(sentences, self._spans(uses), strict=True)
        ]

    def cited_spans(self) -> Rows:
        """Return the numbers of the spans for which a paper of the library is cited."""
        return np.flatnonzero(np.diff(self.tables.starts))

    # Citations

    def cited_for(self, spans: Rows, scope: Scope) -> CitedPapers:
        """Return the papers that are cited for each span, and how many sentences cite each."""
        index, begins = flat_index(self.tables.starts[spans], self.tables.starts[spans + 1])
        kept = self._visible(scope).citations[index]
        owners = np.repeat(np.arange(spans.size), np.diff(begins))[kept]
        rows = self.tables.rows[index[kept]].astype(np.int64)

        # citations of one span are sorted by row: a run of equal rows is one paper
        changes = (rows[1:] != rows[:-1]) | (owners[1:] != owners[:-1])
        first = np.flatnonzero(np.append(True, changes)[: rows.size])
        starts = np.searchsorted(owners[first], np.arange(spans.size + 1))
        support = np.diff(np.append(first, rows.size))
        return CitedPapers(Ragged(rows[first], starts), support)

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span, as columns."""
        index, begins = flat_index(self.tables.starts[spans], self.tables.starts[spans + 1])
        return self._citations(index, np.repeat(np.arange(spans.size), np.diff(begins)), scope)

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper received, as columns."""
        starts = self.tables.by_cited_starts
        index, begins = flat_index(starts[rows], starts[rows + 1])
        citations = self.tables.by_cited[index].astype(np.int64)
        return self._citations(citations, np.repeat(np.arange(rows.size), np.diff(begins)), scope)

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper makes, as columns."""
        # positions[row] is the position of a row in `rows`, else -1; the last entry is there for
        # sentences of papers that the library does not have, whose row is -1
        positions = np.full(self.tables.by_cited_starts.size, -1)
        positions[rows] = np.arange(rows.size)

        by = positions[self.tables.citing][self.tables.sentences]
        index = np.flatnonzero(by >= 0)
        index = index[np.argsort(by[index], kind="stable")]
        return self._citations(index, by[index], scope)

    def _citations(self, citations: Rows, positions: Rows, scope: Scope) -> Citations:
        """Return those of the citations that the scope sees, as columns."""
        kept = self._visible(scope).citations[citations]
        citations = citations[kept]
        sentences = self.tables.sentences[citations].astype(np.int64)

        # starts is sorted: the span of citation c is the last i with starts[i] <= c
        return Citations(
            positions=positions[kept],
            spans=np.searchsorted(self.tables.starts, citations, "right") - 1,
            rows=self.tables.rows[citations].astype(np.int64),
            sentences=sentences,
            citing=self.tables.citing[sentences].astype(np.int64),
            years=self.tables.years[sentences].astype(np.int64),
        )

    def occurrences(
        self, spans: Rows, rows: Rows, scope: Scope, limit: int
    ) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper its sentences, latest first, at most
        `limit`.
        """
        index, begins = flat_index(self.tables.starts[spans], self.tables.starts[spans + 1])
        owners = np.repeat(np.arange(spans.size), np.diff(begins))
        visible = self._visible(scope).citations[index]
        kept = np.flatnonzero(visible & (self.tables.rows[index] == rows[owners]))

        # the citations of pair i are kept[starts[i]:starts[i + 1]]; take the first `limit` of them
        starts = np.searchsorted(owners[kept], np.arange(spans.size + 1))
        ends = np.minimum(starts[1:], starts[:-1] + limit)
        chosen, begins = flat_index(starts[:-1], ends)
        occurrences = self._described(index[kept[chosen]])

        bounds = zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)
        return [occurrences[begin:end] for begin, end in bounds]

    # Profiles

    def profiles(self, rows: Rows, scope: Scope) -> Profiles:
        """Return how long the profile of each paper is."""
        every = self._all_profiles(scope)
        return Profiles(every.terms[rows], every.citations[rows])

    def profile_statistics(self, scope: Scope) -> ProfileStatistics:
        """Return how long all profiles of the library are together."""
        every = self._all_profiles(scope)
        return ProfileStatistics(
            papers=int(np.count_nonzero(every.terms)),
            terms=float(every.terms.sum()),
            citations=float(every.citations.sum()),
        )

    def _count_profiles(self, scope: Scope) -> Profiles:
        """Return how long the profile of every row is."""
        visible = self._visible(scope).citations
        rows = self.tables.rows[visible].astype(np.int64)
        papers = self.tables.by_cited_starts.size - 1

        lengths = np.concatenate(
            [np.zeros(0, np.uint16), *(part.array("spans.lengths") for part in self.segments)]
        )

        # one length a citation, and only those of visible ones
        each = np.repeat(lengths, np.diff(self.tables.starts))[visible]
        return Profiles(summed(rows, each, papers), summed(rows, np.ones(rows.size), papers))

    # Sentences

    def counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        sentences, spans, _ = self.tables.totals.tolist()
        return EvidenceCounts(sentences, spans, self.tables.rows.size)

    def sentence_table(self) -> SentenceTable:
        """Return every citing sentence with its year and its paper."""
        numbers = np.delete(np.arange(self.tables.years.size), self.tables.deleted)
        return SentenceTable(
            numbers,
            self.tables.years[numbers].astype(np.int64),
            self.tables.citing[numbers].astype(np.int64),
        )

    def sentences(self, numbers: Rows) -> list[CitingSentence]:
        """Return the sentences with these numbers, in that order."""
        return [decode(content) for content in self.raw_sentences(numbers)]

    def raw_sentences(self, numbers: Rows) -> list[bytes]:
        """Return the sentences with these numbers as they are stored."""
        contents: dict[int, bytes] = {}
        for segment, positions, local in self._split(self._first_sentences, numbers):
            contents |= zip(positions.tolist(), segment.records.raw(local), strict=True)
        return [contents[position] for position in range(numbers.size)]

    # What is visible

    def _find_visible(self, scope: Scope) -> _Visible:
        """Return the citations and the spans that a scope sees."""
        tables = self.tables
        by_paper = self._in_scope(np.arange(tables.by_cited_starts.size - 1), scope)
        by_paper[list(scope.unseen)] = False

        by_sentence = ~np.isin(tables.citing, scope.unseen)
        if scope.year is not None:
            by_sentence &= (tables.years > 0) & (tables.years < scope.year)
        if scope.unseen_keys:
            unseen = [ids.digest(ids.key(key)) for key in scope.unseen_keys]
            by_sentence &= ~np.isin(self._citing_hashes(), np.array(unseen, np.uint64))

        citations = by_paper[tables.rows] & by_sentence[tables.sentences]
        # totals[c] counts the visible citations before c: a span has some if the total grows
        totals = np.concatenate(([0], np.cumsum(citations, dtype=np.int64)))
        return _Visible(citations, np.diff(totals[tables.starts]) > 0)

    def _citing_hashes(self) -> Hashes:
        """Return the hash of each sentence's citing paper."""
        hashes = (segment.array("citing") for segment in self.segments)
        return np.concatenate([np.zeros(0, np.uint64), *hashes])

    # Reading

    def _split(self, firsts: Rows, numbers: Rows) -> list[tuple[EvidenceSegment, Rows, Rows]]:
        """Return (segment, positions in `numbers`, numbers within the segment) of each segment."""
        owners = np.searchsorted(firsts, numbers, "right") - 1

        parts = []
        for owner in np.unique(owners).tolist():
            here = np.flatnonzero(owners == owner)
            parts.append((self.segments[owner], here, numbers[here] - firsts[owner]))
        return parts

    def _sentence_of(self, uses: Rows) -> Rows:
        """Return the number of the sentence that each use of a span is in."""
        sentences = np.zeros(uses.size, np.int64)
        for segment, positions, local in self._split(self.first_uses, uses):
            first = self._first_sentences[self.segments.index(segment)]
            owners = np.searchsorted(segment.array("uses.starts"), local, "right") - 1
            sentences[positions] = owners + first
        return sentences

    def _spans(self, uses: Rows) -> list[Span]:
        columns = np.zeros((uses.size, 3), np.int64)
        for segment, positions, local in self._split(self.first_uses, uses):
            for column, name in enumerate(("begins", "ends", "kinds")):
                columns[positions, column] = segment.array(f"uses.{name}")[local]
        return [Span(start, end, KINDS[kind]) for start, end, kind in columns.tolist()]

    def _described(self, citations: Rows) -> list[Occurrence]:
        """Return for each citation its sentence and where the span is in it."""
        numbers = self.tables.sentences[citations].astype(np.int64)
        sentences = self.sentences(numbers)
        spans = self._spans(self.tables.uses[citations].astype(np.int64))
        rows, years = self.tables.citing[numbers].tolist(), self.tables.years[numbers].tolist()

        return [
            Occurrence(
                citing=sentence.citing,
                row=row,
                year=year,
                section=sentence.section,
                text=sentence.text,
                span=span,
                marks=_marks(sentence),
                start=sentence.start,
            )
            for sentence, span, row, year in zip(sentences, spans, rows, years, strict=True)
        ]


def _marks(sentence: CitingSentence) -> tuple[tuple[int, int], ...]:
    return tuple((group.start, group.end) for group in sentence.groups if group.start < group.end)
