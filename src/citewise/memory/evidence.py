"""Evidence in memory: the spans of citing sentences, and the citations made for them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.ingest.spans import GroupSpans
from citewise.memory.papers import MemoryPapers, ragged
from citewise.memory.terms import DocumentFrequencies, Vocabulary, matches
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
from citewise.text.marks import span_key, unmarked
from citewise.types import CitingSentence, Occurrence, Scope, Span

Extract = Callable[[Sequence[CitingSentence]], Sequence[GroupSpans]]
"""Returns the spans of each group of each sentence."""


class _Use(NamedTuple):
    """A span where it stands in a sentence, and what is cited for it there."""

    sentence: int
    span: int
    where: Span
    keys: tuple[str, ...]


class _Citation(NamedTuple):
    """A sentence that cites a paper for a span; sorted by span and paper, then latest first."""

    span: int
    row: int
    negative_year: int
    """0 where the year is unknown."""
    sentence: int
    use: int
    """Index of the first `_Use` that makes the citation."""


@dataclass(frozen=True, slots=True)
class _Sentences:
    """Distinct sentences in the order given, and what is known of each."""

    texts: list[CitingSentence]
    citing: list[int]
    """The row of the citing paper, -1 where the library does not have it."""
    first: list[int]
    """The number of the first sentence with the same paper, text and start: they count as one."""
    years: list[int]
    """The latest year of the sentences that count as one and of their paper; 0 where unknown."""

    @classmethod
    def of(cls, sentences: Iterable[CitingSentence], papers: MemoryPapers) -> "_Sentences":
        """Resolve the citing papers; a sentence that was given before is left out."""
        distinct: dict[object, CitingSentence] = {}
        for each in sentences:
            identity = (each.citing, each.text, each.start, each.year, each.groups)
            distinct.setdefault(identity, each)
        texts = list(distinct.values())
        citing = [papers.row_of(each.citing) for each in texts]

        numbers: dict[object, int] = {}
        latest: Counter[int] = Counter()
        first = []
        for number, (each, row) in enumerate(zip(texts, citing, strict=True)):
            same = (row if row >= 0 else each.citing, each.text, each.start)
            first.append(numbers.setdefault(same, number))
            year = max(each.year or 0, papers.year_of(row) if row >= 0 else 0)
            latest[first[-1]] = max(latest[first[-1]], year)
        return cls(texts, citing, first, [latest[number] for number in first])


class MemoryEvidence:
    """`protocols.Evidence` over sentences; equal spans are numbered by their first use."""

    def __init__(
        self,
        papers: MemoryPapers,
        sentences: Iterable[CitingSentence],
        extract: Extract,
        vocabulary: Vocabulary,
    ) -> None:
        self._papers, self._sentences = papers, _Sentences.of(sentences, papers)
        self._citing_keys = [ids.key(each.citing) for each in self._sentences.texts]
        numbers: dict[str, int] = {}
        self._uses = list(_uses(self._sentences.texts, extract, numbers))
        self._contents = vocabulary.add(list(numbers))
        self._citations = self._find_citations()
        self._cited = sorted({each.span for each in self._citations})
        self._frequencies = DocumentFrequencies([self._contents[span] for span in self._cited])

    def __len__(self) -> int:
        """Return the number of spans; theirs are the numbers below it."""
        return len(self._contents)

    def _find_citations(self) -> list[_Citation]:
        """Return the distinct citations of papers of the library by others, sorted."""
        found: dict[object, _Citation] = {}
        for number, use in enumerate(self._uses):
            sentence = self._sentences.first[use.sentence]
            for row in map(self._papers.row_of, use.keys):
                if row >= 0 and row != self._sentences.citing[sentence]:
                    year = self._sentences.years[sentence]
                    citation = _Citation(use.span, row, -year, sentence, number)
                    found.setdefault((use.span, row, sentence), citation)
        return sorted(found.values())

    def dated_citations(self) -> list[tuple[int, int]]:
        """Return (citing row, cited row) of the citations that the graph may know.

        The graph dates a citation by the citing paper; a sentence of a later version of it is left
        out, since the graph would show it before it was written.
        """
        found = []
        for each in self._citations:
            citing = self._sentences.citing[each.sentence]
            own = self._papers.year_of(citing) if citing >= 0 else 0
            if citing >= 0 and (not own or self._sentences.years[each.sentence] <= own):
                found.append((citing, each.row))
        return found

    # Spans

    def search(self, terms: TermNumbers, scope: Scope) -> Matches:
        """Return where terms occur in visible spans: rows are span numbers."""
        visible = {each.span for each in self._visible(scope)}
        return matches(terms, {span: self._contents[span] for span in visible})

    def statistics(self, terms: TermNumbers) -> TermStatistics:
        """Return the terms' document frequencies among the spans for which a paper is cited."""
        return self._frequencies.statistics(terms)

    def lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return the number of terms in each span."""
        return np.array([self._contents[span].total() for span in spans.tolist()], np.int64)

    def texts(self, spans: Rows) -> list[str]:
        """Return the text of each span without citation marks, as it was first written."""
        first: dict[int, _Use] = {}
        for use in self._uses:
            first.setdefault(use.span, use)
        return [self._text(first[span]) for span in spans.tolist()]

    def _text(self, use: _Use) -> str:
        sentence = self._sentences.texts[use.sentence]
        return unmarked(sentence.text, _marks(sentence), use.where.start, use.where.end)

    def cited_spans(self) -> Rows:
        """Return the numbers of the spans for which a paper of the library is cited."""
        return np.array(self._cited, np.int64)

    # Citations

    def cited_for(self, spans: Rows, scope: Scope) -> CitedPapers:
        """Return the papers that are cited for each span."""
        by_span = self._grouped(scope, lambda citation: citation.span)
        support = [Counter(each.row for each in by_span[span]) for span in spans.tolist()]
        return CitedPapers(
            rows=ragged(sorted(each) for each in support),
            support=np.array([each[row] for each in support for row in sorted(each)], np.int64),
        )

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        return self._columns(spans, self._grouped(scope, lambda citation: citation.span))

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper received."""
        return self._columns(rows, self._grouped(scope, lambda citation: citation.row))

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper makes."""
        citing = self._sentences.citing
        return self._columns(rows, self._grouped(scope, lambda each: citing[each.sentence]))

    def _grouped(
        self, scope: Scope, by: Callable[[_Citation], int]
    ) -> defaultdict[int, list[_Citation]]:
        """Return the visible citations by a number, such as the span's."""
        groups = defaultdict(list)
        for each in self._visible(scope):
            groups[by(each)].append(each)
        return groups

    def _columns(self, wanted: Rows, groups: defaultdict[int, list[_Citation]]) -> Citations:
        """Return the citations of the wanted groups as columns."""
        columns = [
            (
                position,
                each.span,
                each.row,
                each.sentence,
                self._sentences.citing[each.sentence],
                self._sentences.years[each.sentence],
            )
            for position, number in enumerate(wanted.tolist())
            for each in groups[number]
        ]
        return Citations(*np.array(columns, np.int64).reshape(-1, 6).T)

    def occurrences(
        self, spans: Rows, rows: Rows, scope: Scope, limit: int
    ) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper its sentences, latest first."""
        by_span = self._grouped(scope, lambda citation: citation.span)
        found = []
        for span, row in zip(spans.tolist(), rows.tolist(), strict=True):
            chosen = [each for each in by_span[span] if each.row == row]
            found.append([self._occurrence(each) for each in chosen[:limit]])
        return found

    def _occurrence(self, citation: _Citation) -> Occurrence:
        sentence = self._sentences.texts[citation.sentence]
        return Occurrence(
            citing=sentence.citing,
            row=self._sentences.citing[citation.sentence],
            year=self._sentences.years[citation.sentence],
            section=sentence.section,
            text=sentence.text,
            span=self._uses[citation.use].where,
            marks=_marks(sentence),
            start=sentence.start,
        )

    def _visible(self, scope: Scope) -> list[_Citation]:
        """Return the citations that a scope sees."""
        unseen, unseen_keys = {*scope.unseen}, {*map(ids.key, scope.unseen_keys)}
        hidden = {
            number
            for number, (row, key) in enumerate(
                zip(self._sentences.citing, self._citing_keys, strict=True)
            )
            if row in unseen or key in unseen_keys
        }
        return [
            each
            for each in self._citations
            if each.sentence not in hidden
            and each.row not in unseen
            and (scope.year is None or 0 < self._sentences.years[each.sentence] < scope.year)
            and self._papers.is_in_scope(each.row, scope)
        ]

    # Profiles

    def profiles(self, rows: Rows, scope: Scope) -> Profiles:
        """Return how long the profile of each paper is."""
        by_row = self._grouped(scope, lambda citation: citation.row)
        spans = [[each.span for each in by_row[row]] for row in rows.tolist()]
        lengths = [sum(self._contents[span].total() for span in each) for each in spans]
        return Profiles(
            terms=np.array(lengths, np.float64),
            citations=np.array([len(each) for each in spans], np.float64),
        )

    def profile_statistics(self, scope: Scope) -> ProfileStatistics:
        """Return how long all profiles of the library are together."""
        every = self.profiles(self._papers.rows, scope)
        return ProfileStatistics(
            papers=int(np.count_nonzero(every.terms)),
            terms=float(every.terms.sum()),
            citations=float(every.citations.sum()),
        )

    # Sentences

    def sentence_table(self) -> SentenceTable:
        """Return every citing sentence with its year and its paper."""
        return SentenceTable(
            numbers=np.arange(len(self._sentences.texts)),
            years=np.array(self._sentences.years, np.int64),
            citing=np.array(self._sentences.citing, np.int64),
        )

    def sentences(self, numbers: Rows) -> list[CitingSentence]:
        """Return the sentences with these numbers, in that order."""
        return [self._sentences.texts[number] for number in numbers.tolist()]

    def counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        return EvidenceCounts(
            sentences=len(set(self._sentences.first)),
            spans=len(self._cited),
            citations=len(self._citations),
        )


def _uses(
    sentences: Sequence[CitingSentence], extract: Extract, numbers: dict[str, int]
) -> Iterator[_Use]:
    """Yield the uses that sentences make of spans; new spans get a number."""
    for number, (sentence, groups) in enumerate(zip(sentences, extract(sentences), strict=True)):
        marks = [(group.start, group.end) for group in sentence.groups]
        for group, spans in zip(sentence.groups, groups, strict=True):
            for span in spans:
                words = span_key(sentence.text, marks, span.start, span.end)
                yield _Use(number, numbers.setdefault(words, len(numbers)), span, group.cited)


def _marks(sentence: CitingSentence) -> tuple[tuple[int, int], ...]:
    """Return where marks stand in a sentence."""
    return tuple((group.start, group.end) for group in sentence.groups if group.start < group.end)
