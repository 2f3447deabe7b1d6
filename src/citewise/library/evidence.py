"""Evidence as a library's readers see it: spans by their terms, what is cited for them, and where that is said."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from citewise import ids
from citewise.errors import BadInput
from citewise.hash_table import Hashes
from citewise.ids import digest
from citewise.library.evidence_segment import EvidenceSegment
from citewise.library.evidence_tables import EvidenceTables
from citewise.library.lists import flat_index
from citewise.library.sentences import KINDS, decode
from citewise.marks import unmarked
from citewise.protocols import Citations, Cited, EvidenceCounts, Matches, Ragged, SaidTotals, TermStatistics
from citewise.types import CitingSentence, Occurrence, Rows, Scope, Span, summed

_SCOPES_KEPT = 8
_MOST_COUNTED = 0xFFFF


class EvidenceReader:
    """`protocols.Evidence` over segments and their tables; `in_scope` says of papers whether a scope has them."""

    def __init__(self, segments: Sequence[EvidenceSegment], tables: EvidenceTables,
                 in_scope: Callable[[Rows, Scope], NDArray[np.bool_]]) -> None:
        self.segments, self.tables, self._in_scope = list(segments), tables, in_scope
        self._first_sentences = np.cumsum([0, *map(len, segments)])
        self._first_uses = np.cumsum([0, *(segment.uses for segment in segments)])
        self._first_spans = np.cumsum([0, *(segment.spans for segment in segments)])
        self._seen = lru_cache(maxsize=_SCOPES_KEPT)(self._see)  # every question of a query has the same scope

    # Spans

    def spans_with(self, terms: NDArray[np.int64], scope: Scope) -> Matches:
        """Return where terms stand in the spans that are seen."""
        if terms.size > _MOST_COUNTED:
            raise BadInput(f"{terms.size:,} distinct terms; ask for at most {_MOST_COUNTED:,} at once")
        _, spans_seen = self._seen(scope)
        parts = [np.zeros(0, np.int64)]
        for segment, first in zip(self.segments, self._first_spans.tolist(), strict=False):
            found, counts = segment.postings(terms)
            columns = np.repeat(np.arange(terms.size), found.lengths)
            spans = found.values + first
            kept = spans_seen[spans]
            parts.append((spans << 32 | columns << 16 | counts)[kept])  # one number sorts far faster than three
        packed = np.sort(np.concatenate(parts))
        return Matches(packed >> 32, packed >> 16 & _MOST_COUNTED, (packed & _MOST_COUNTED).astype(np.float64))

    def span_statistics(self, terms: NDArray[np.int64]) -> TermStatistics:
        """Return how many spans have each term."""
        held, frequencies = self.tables.frequencies, np.zeros(terms.size, np.int64)
        known = terms < held.size
        frequencies[known] = held[terms[known]]
        _, spans, length = self.tables.totals.tolist()
        return TermStatistics(spans, frequencies, length / max(spans, 1))

    def span_lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return how many terms each span has."""
        found = np.zeros(spans.size, np.int64)
        for segment, places, local in self._within(self._first_spans, spans):
            found[places] = segment.array("spans.lengths")[local]
        return found

    def span_texts(self, spans: Rows) -> list[str]:
        """Return what each span says, without marks, as it was first written."""
        uses = np.zeros(spans.size, np.int64)
        for segment, places, local in self._within(self._first_spans, spans):
            uses[places] = segment.array("spans.first_uses")[local] + self._first_uses[self.segments.index(segment)]
        sentences = self.sentences(self._owners(uses))
        return [unmarked(sentence.text, _marks(sentence), span.start, span.end)
                for sentence, span in zip(sentences, self._spans(uses), strict=True)]

    def span_hashes(self, spans: Rows) -> Hashes:
        """Return the digest of what each span says."""
        found = np.zeros(spans.size, np.uint64)
        for segment, places, local in self._within(self._first_spans, spans):
            found[places] = segment.array("spans.hashes")[local]
        return found

    def spans(self) -> Rows:
        """Return the numbers of the spans for which a paper of the library is cited."""
        return np.flatnonzero(np.diff(self.tables.starts))

    # Citations

    def cited_for(self, spans: Rows, scope: Scope) -> Cited:
        """Return what is cited for each span."""
        seen, _ = self._seen(scope)
        index, begins = flat_index(self.tables.starts[spans], self.tables.starts[spans + 1])
        kept = seen[index]
        index, owners = index[kept], np.repeat(np.arange(spans.size), np.diff(begins))[kept]
        rows = self.tables.rows[index].astype(np.int64)
        first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]) | (owners[1:] != owners[:-1]))[: rows.size])
        starts = np.searchsorted(owners[first], np.arange(spans.size + 1))
        return Cited(Ragged(rows[first], starts), np.diff(np.append(first, rows.size)),
                     self._years_of(index[first]))

    def said_of(self, rows: Rows, scope: Scope) -> Ragged:
        """Return the numbers of the spans for which each paper is cited, sorted."""
        seen, _ = self._seen(scope)
        index, begins = flat_index(self.tables.said_starts[rows], self.tables.said_starts[rows + 1])
        citations = self.tables.said[index].astype(np.int64)
        kept = seen[citations]
        owners = np.repeat(np.arange(rows.size), np.diff(begins))[kept]
        spans = np.searchsorted(self.tables.starts, citations[kept], "right") - 1
        first = np.append(True, (spans[1:] != spans[:-1]) | (owners[1:] != owners[:-1]))[: spans.size]
        return Ragged(spans[first], np.searchsorted(owners[first], np.arange(rows.size + 1)))

    def said_totals(self, scope: Scope) -> SaidTotals:
        """Return how much is said of each paper."""
        seen, _ = self._seen(scope)
        rows, papers = self.tables.rows[seen].astype(np.int64), self.tables.said_starts.size - 1
        lengths = np.concatenate([np.zeros(0, np.uint16), *(part.array("spans.lengths") for part in self.segments)])
        each = np.repeat(lengths, np.diff(self.tables.starts))[seen]
        return SaidTotals(summed(rows, each, papers), summed(rows, np.ones(rows.size), papers))

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        index, begins = flat_index(self.tables.starts[spans], self.tables.starts[spans + 1])
        return self._cited(index, np.repeat(np.arange(spans.size), np.diff(begins)), scope)

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations of each paper."""
        index, begins = flat_index(self.tables.said_starts[rows], self.tables.said_starts[rows + 1])
        return self._cited(self.tables.said[index].astype(np.int64),
                           np.repeat(np.arange(rows.size), np.diff(begins)), scope)

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations made by each paper."""
        places = np.full(self.tables.said_starts.size, -1)  # the last is for sentences of papers that are not here
        places[rows] = np.arange(rows.size)
        by = places[self.tables.citing][self.tables.sentences]
        index = np.flatnonzero(by >= 0)
        index = index[np.argsort(by[index], kind="stable")]
        return self._cited(index, by[index], scope)

    def _cited(self, citations: Rows, places: Rows, scope: Scope) -> Citations:
        seen, _ = self._seen(scope)
        kept = seen[citations]
        citations, places = citations[kept], places[kept]
        return Citations(places, np.searchsorted(self.tables.starts, citations, "right") - 1,
                         self.tables.rows[citations].astype(np.int64),
                         self.tables.sentences[citations].astype(np.int64),
                         self.tables.citing[self.tables.sentences[citations]].astype(np.int64),
                         self._years_of(citations))

    def occurrences(self, spans: Rows, rows: Rows, scope: Scope, most: int) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper where that is said, the latest first."""
        seen, _ = self._seen(scope)
        index, begins = flat_index(self.tables.starts[spans], self.tables.starts[spans + 1])
        owners = np.repeat(np.arange(spans.size), np.diff(begins))
        kept = np.flatnonzero(seen[index] & (self.tables.rows[index] == rows[owners]))
        starts = np.searchsorted(owners[kept], np.arange(spans.size + 1))
        chosen, begins = flat_index(starts[:-1], np.minimum(starts[1:], starts[:-1] + most))
        found = self._described(index[kept[chosen]])
        return [found[begin:end] for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)]

    def evidence_counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        sentences, spans, _ = self.tables.totals.tolist()
        return EvidenceCounts(sentences, spans, self.tables.rows.size)

    def sentences_by(self, rows: Rows) -> Rows:
        """Return the sentences of some papers that are there, sorted."""
        return np.setdiff1d(np.flatnonzero(np.isin(self.tables.citing, rows)), self.tables.deleted)

    # What is seen

    def _see(self, scope: Scope) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which citations are seen, and which spans are cited for something seen."""
        tables = self.tables
        by_paper = self._in_scope(np.arange(tables.said_starts.size - 1), scope)
        by_paper[list(scope.unseen)] = False
        by_sentence = ~np.isin(tables.citing, scope.unseen)
        if scope.year is not None:
            by_sentence &= (tables.years > 0) & (tables.years < scope.year)
        if scope.unseen_keys:
            by_sentence &= ~np.isin(self._citing_hashes(),
                                    np.array([digest(ids.key(key)) for key in scope.unseen_keys], np.uint64))
        seen = by_paper[tables.rows] & by_sentence[tables.sentences]
        totals = np.concatenate(([0], np.cumsum(seen, dtype=np.int64)))
        return seen, np.diff(totals[tables.starts]) > 0

    def _citing_hashes(self) -> NDArray[np.uint64]:
        return np.concatenate([np.zeros(0, np.uint64), *(segment.array("citing") for segment in self.segments)])

    def _years_of(self, citations: Rows) -> NDArray[np.int64]:
        return self.tables.years[self.tables.sentences[citations]].astype(np.int64)

    # Reading

    def _within(self, firsts: Rows, numbers: Rows) -> list[tuple[EvidenceSegment, Rows, Rows]]:
        """Return (segment, places in `numbers`, numbers within the segment) for each segment that is concerned."""
        owners = np.searchsorted(firsts, numbers, "right") - 1
        places = [(owner, np.flatnonzero(owners == owner)) for owner in np.unique(owners).tolist()]
        return [(self.segments[owner], here, numbers[here] - firsts[owner]) for owner, here in places]

    def _owners(self, uses: Rows) -> Rows:
        """Return the sentence of each use."""
        found = np.zeros(uses.size, np.int64)
        for segment, places, local in self._within(self._first_uses, uses):
            first = self._first_sentences[self.segments.index(segment)]
            found[places] = np.searchsorted(segment.array("uses.starts"), local, "right") - 1 + first
        return found

    def sentences(self, numbers: Rows) -> list[CitingSentence]:
        """Return the sentences with these numbers, in that order."""
        found: dict[int, CitingSentence] = {}
        for segment, places, local in self._within(self._first_sentences, numbers):
            found |= zip(places.tolist(), map(decode, segment.records.raw(local)), strict=True)
        return [found[place] for place in range(numbers.size)]

    def _spans(self, uses: Rows) -> list[Span]:
        columns = np.zeros((uses.size, 3), np.int64)
        for segment, places, local in self._within(self._first_uses, uses):
            for column, name in enumerate(("begins", "ends", "kinds")):
                columns[places, column] = segment.array(f"uses.{name}")[local]
        return [Span(start, end, KINDS[kind]) for start, end, kind in columns.tolist()]

    def _described(self, citations: Rows) -> list[Occurrence]:
        numbers = self.tables.sentences[citations].astype(np.int64)
        papers, years = self.tables.citing[numbers].tolist(), self.tables.years[numbers].tolist()
        return [Occurrence(sentence.citing, row, year, sentence.section, sentence.text, span, _marks(sentence),
                           sentence.start)
                for sentence, span, row, year in zip(
                    self.sentences(numbers), self._spans(self.tables.uses[citations].astype(np.int64)), papers, years,
                    strict=True)]


def _marks(sentence: CitingSentence) -> tuple[tuple[int, int], ...]:
    return tuple((group.start, group.end) for group in sentence.groups if group.start < group.end)
