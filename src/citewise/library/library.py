"""A library as its readers see it: one generation, opened once, memory-mapped, never changing."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise import ids
from citewise.author_names import namesakes
from citewise.errors import BadInput, BadLibrary, MissingData
from citewise.garbage import keep_freed_memory
from citewise.hash_table import Hashes
from citewise.library import manifest as manifests
from citewise.library import models
from citewise.library.entries import keys_of, title_digest
from citewise.library.evidence import EvidenceReader
from citewise.library.evidence_segment import EvidenceSegment
from citewise.library.evidence_tables import EvidenceTables
from citewise.library.lexical import LexicalReader
from citewise.library.lists import flat_index
from citewise.library.manifest import Manifest
from citewise.library.segment import Segment
from citewise.library.tables import Tables, years_of
from citewise.library.vectors import Kind, VectorReader, text_hashes
from citewise.library.vectors import load as load_vectors
from citewise.library.versions import same_work
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import (
    FIELDS,
    Citations,
    Cited,
    EncodedBy,
    EvidenceCounts,
    Matches,
    Ragged,
    SaidTotals,
    TermStatistics,
)
from citewise.text import Terms
from citewise.types import Occurrence, Paper, Rows, Scope

_OPEN_ATTEMPTS = 20
_FILTERED_BELOW = 0.5
"""Where fewer papers than this share are in scope, tantivy filters by year; above, asking for more hits is faster."""
_SPARE = 1.3
"""So many times the hits are then asked for that should hold enough in scope."""


class _Titled(msgspec.Struct):
    title: str


_decode_titled = msgspec.msgpack.Decoder(_Titled).decode


class Library:
    """The stores of `citewise.protocols` over a folder."""

    def __init__(self, path: Path | str) -> None:
        """Open the current generation; should a writer replace it meanwhile, open the next one."""
        keep_freed_memory()
        self.path = Path(path)
        for _ in range(_OPEN_ATTEMPTS):
            manifest = manifests.load(self.path)
            try:
                self._open(manifest)
                return
            except FileNotFoundError as error:
                missing = error.filename
            except ValueError as error:
                missing = str(error)
            if manifests.load(self.path).generation == manifest.generation:
                break
        raise BadLibrary(f"{self.path}: damaged ({missing} is missing or unreadable); run: "
                         f"citewise verify --library {self.path}")

    def _open(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.segments = [Segment(self.path / "segments" / entry.name, entry.rows) for entry in manifest.segments]
        self.tables = Tables.load(self.path / "tables" / manifest.tables)
        self.vocabulary = Vocabulary(self.path / "tables" / manifest.tables)
        self._lexical = LexicalReader(self.path / "lexical" / manifest.lexical)
        self._firsts = np.array([entry.first_row for entry in manifest.segments] + [manifest.rows], np.int64)
        self._years = years_of(self.segments)
        self.evidence = self._open_evidence(manifest)
        self._model = lru_cache(partial(models.load, self.path))
        self._terms = Terms(self.vocabulary.number)
        self._terms_lock = threading.Lock()
        self._terms_of = lru_cache(maxsize=8)(self._count_terms)  # the stages of a system all ask for the same texts

    def _open_evidence(self, manifest: Manifest) -> EvidenceReader:
        segments = [EvidenceSegment(self.path / "evidence" / name) for name in manifest.evidence]
        tables = EvidenceTables.load(self.path / "tables" / manifest.tables) if segments else (
            EvidenceTables.build([], np.zeros(0, np.int64), self.tables.keys, self._years))
        return EvidenceReader(segments, tables, self.in_scope)

    def __len__(self) -> int:
        return self.manifest.papers

    def __bool__(self) -> bool:
        """Return True: a library without papers is still a library."""
        return True

    @cached_property
    def rows(self) -> Rows:
        """Return the rows that hold a paper, in order."""
        alive = np.ones(self.manifest.rows, np.bool_)
        alive[self.tables.deleted] = False
        return np.flatnonzero(alive)

    # Papers

    def papers(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return the papers at the rows, in that order."""
        wanted = np.asarray(rows, np.int64)
        self._check(wanted)
        found: list[Paper | None] = [None] * wanted.size
        for segment, places, local in self._by_segment(wanted):
            for place, paper in zip(places.tolist(), segment.records.read(local), strict=True):
                found[place] = paper
        return [paper for paper in found if paper is not None]

    def titles(self, rows: Rows) -> list[str]:
        """Return the titles of the papers at the rows, in that order; a third of the cost of the whole papers."""
        found = [""] * rows.size
        for segment, places, local in self._by_segment(rows):
            for place, content in zip(places.tolist(), segment.records.raw(local), strict=True):
                found[place] = _decode_titled(content).title
        return found

    def _check(self, rows: Rows) -> None:
        bad = rows[(rows < 0) | (rows >= self.manifest.rows) | np.isin(rows, self.tables.deleted)]
        if bad.size:
            raise MissingData(f"{self.path}: no paper at row {bad[0]}")

    def _by_segment(self, rows: Rows) -> list[tuple[Segment, Rows, Rows]]:
        """Return (segment, places in `rows`, rows within the segment) for each segment that is concerned."""
        if len(self.segments) == 1:
            return [(self.segments[0], np.arange(rows.size), rows)]
        owners = np.searchsorted(self._firsts, rows, "right") - 1
        places = [(owner, np.flatnonzero(owners == owner)) for owner in np.unique(owners).tolist()]
        return [(self.segments[owner], here, rows[here] - self._firsts[owner]) for owner, here in places]

    def rows_of(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key (any spelling of any id), -1 where no paper has it."""
        names = [ids.key(each) for each in keys]
        rows = self.tables.keys.find(ids.digests(names))
        held = np.flatnonzero(rows >= 0)
        for place, paper in zip(held.tolist(), self.papers(rows[held]), strict=True):
            if names[place] not in keys_of(paper):  # another key with the same hash
                rows[place] = -1
        return rows

    def get(self, key: str) -> Paper:
        """Return the paper with an id, in any spelling."""
        row = int(self.rows_of([key])[0])
        if row < 0:
            raise MissingData(f"{self.path}: no paper {key!r}")
        return self.papers([row])[0]

    def row_like(self, paper: Paper) -> int:
        """Return the row of the paper that a record describes, by its keys, else by its title; -1 if there is none."""
        for row in self.rows_of(keys_of(paper)).tolist():
            if row >= 0:
                return int(row)
        rows = self.tables.titles.find_all(title_digest(paper.title)) if title_digest(paper.title) else []
        for row, held in zip(rows, self.papers(rows), strict=True):
            if same_work(held, paper) or not (held.authors and paper.authors):
                return row
        return -1

    def papers_by(self, authors: Sequence[str], scope: Scope | None = None) -> Ragged:
        """Return the rows of each author's papers in scope, and of those who cannot be told from the author by name."""
        none, held = np.zeros(0, np.int64), self.tables.authors
        found = [np.unique(np.concatenate([none, *(held.between(*each) for each in namesakes(author))]))
                 for author in authors]
        lists = Ragged(np.concatenate([none, *found]),
                       np.concatenate(([0], np.cumsum([rows.size for rows in found]))).astype(np.int64))
        return lists if scope is None else _kept(lists, self.in_scope(lists.values, scope))

    def years(self, rows: Rows) -> NDArray[np.int64]:
        """Return the papers' years, 0 where unknown."""
        return self._years[rows].astype(np.int64)

    def in_scope(self, rows: Rows, scope: Scope) -> NDArray[np.bool_]:
        """Return of each paper whether a query with this scope may get it."""
        kept = ~np.isin(rows, scope.hidden)
        if scope.within is not None:
            kept &= np.isin(rows, scope.within)
        if scope.bounded:
            first, last = _year_range(scope)
            years = self._years[rows]
            kept &= (years >= first) & (years <= last)
        return kept

    # Graph

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what each paper cites, within the library and the scope."""
        found = self.tables.references.lists(rows)
        if scope is None:
            return found
        citing = np.repeat(self._citing(rows, scope), found.lengths)
        return _kept(found, citing & ~np.isin(found.values, scope.unseen))

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what cites each paper, within the scope."""
        found = self.tables.citers.lists(rows)
        if scope is None:
            return found
        cited = np.repeat(~np.isin(rows, scope.unseen), found.lengths)
        return _kept(found, cited & self._citing(found.values, scope))

    def _citing(self, rows: Rows, scope: Scope) -> NDArray[np.bool_]:
        """Return of each paper whether the citations that it makes are seen."""
        seen = ~np.isin(rows, scope.unseen)
        if scope.year is not None:
            years = self._years[rows]
            seen &= (years > 0) & (years < scope.year)
        return seen

    # Terms

    def terms_of(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of a text's terms that the library knows, each once, and how often each occurs."""
        return self._terms_of(text)

    def _count_terms(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        with self._terms_lock:
            numbers, _ = self._terms.numbers([text])
        terms, counts = np.unique(numbers, return_counts=True)
        terms.flags.writeable = counts.flags.writeable = False  # they are kept for who asks next
        return terms, counts

    def words(self, terms: NDArray[np.int64]) -> list[str]:
        """Return the stems with these numbers."""
        return [self.vocabulary.word(number) for number in terms.tolist()]

    def statistics(self, terms: NDArray[np.int64], field: str) -> TermStatistics:
        """Return how many papers have each term in a field, or in "text"."""
        held = self.tables.frequencies[field]
        if terms.size and terms.max() < held.size:
            frequencies = held[terms].astype(np.int64)
        else:
            frequencies = np.zeros(terms.size, np.int64)
            known = terms < held.size
            frequencies[known] = held[terms[known]]
        total = sum(self.manifest.lengths.values()) if field == "text" else self.manifest.lengths[field]
        return TermStatistics(len(self), frequencies, total / max(len(self), 1))

    def counts(self, rows: Rows, terms: NDArray[np.int64], field: str) -> NDArray[np.float64]:
        """Return how often each term (column) stands in a field (or in "text") of each paper (row)."""
        if field == "text":
            return self.counts(rows, terms, "title") + self.counts(rows, terms, "abstract")
        found = np.zeros((rows.size, terms.size))
        matches = self.matches(rows, terms, field)
        found[matches.places, matches.columns] = matches.counts
        return found

    def matches(self, rows: Rows, terms: NDArray[np.int64], field: str) -> Matches:
        """Return where the terms stand in a field of the papers."""
        numbers = np.zeros(len(self.vocabulary), np.uint16 if terms.size < 2**16 - 1 else np.uint32)
        numbers[terms] = np.arange(1, terms.size + 1)
        parts = []
        for segment, places, local in self._by_segment(rows):
            starts = segment.starts(field)
            index, begins = flat_index(starts[local], starts[local + 1])
            found = numbers.take(segment.values(field, "terms").take(index))
            hits = np.flatnonzero(found)
            owners = np.repeat(places, np.diff(begins))  # a search for each hit takes longer
            parts.append((owners[hits], found[hits].astype(np.int64) - 1,
                          segment.values(field, "counts")[index[hits]].astype(np.float64)))
        if len(parts) == 1:
            return Matches(*parts[0])
        if not parts:
            return Matches(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        joined = [np.concatenate([np.zeros(0, np.int64), *columns]) for columns in zip(*parts, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return Matches(joined[0][order], joined[1][order], joined[2][order])

    def contents(self, rows: Rows, field: str) -> tuple[Ragged, NDArray[np.int64]]:
        """Return every term of a field of each paper, and how often each stands there."""
        if len(self.segments) == 1:
            terms, counts = self.segments[0].lists(field, rows, "terms", "counts")
            return terms, counts.values
        lengths, parts = np.zeros(rows.size, np.int64), []
        for segment, places, local in self._by_segment(rows):
            terms, counts = segment.lists(field, local, "terms", "counts")
            lengths[places] = terms.lengths
            parts.append((np.repeat(places, terms.lengths), terms.values, counts.values))
        owners, values, counted = (np.concatenate([np.zeros(0, np.int64), *column]).astype(np.int64)
                                   for column in (zip(*parts, strict=True) if parts else ((), (), ())))
        order = np.argsort(owners, kind="stable")
        return Ragged(values[order], np.concatenate(([0], np.cumsum(lengths)))), counted[order]

    def lengths(self, rows: Rows, field: str) -> NDArray[np.int64]:
        """Return how many terms a field (or "text") of each paper has."""
        if field == "text":
            return sum((self.lengths(rows, each) for each in FIELDS), np.zeros(rows.size, np.int64))
        found = np.zeros(rows.size, np.int64)
        for segment, places, local in self._by_segment(rows):
            found[places] = segment.array(f"{field}.lengths")[local]
        return found

    # Lexical

    def search(self, terms: NDArray[np.int64], weights: NDArray[np.int64], k: int, scope: Scope,
               least: int | None = None) -> Rows:
        """Return at most k rows in scope, best first by tantivy's BM25; `least`: so many of them are enough."""
        if k < 1:
            raise BadInput(f"k must be at least 1, not {k}")
        enough = k if least is None else min(least, k)
        years = _year_range(scope) if scope.bounded else None
        share = self._share(years)
        filtered = years if share < _FILTERED_BELOW else None
        limit = k + len(scope.hidden)
        if years and not filtered:
            limit = int(max(k, enough / share * _SPARE)) + len(scope.hidden) + 10
        while True:
            rows = self._lexical.search(terms, weights, limit, filtered)
            kept = rows[self.in_scope(rows, scope)]
            if kept.size >= enough or rows.size < limit:
                return kept[:k]
            limit *= 2

    def _share(self, years: tuple[int, int] | None) -> float:
        if years is None or not self._years.size:
            return 1.0
        by_year = self._papers_by_year
        return float(by_year[years[0]: years[1] + 1].sum() / max(by_year.sum(), 1))

    @cached_property
    def _papers_by_year(self) -> NDArray[np.int64]:
        return np.bincount(np.maximum(self._years[self.rows], 0), minlength=10_000)

    def lexical_rows(self) -> Rows:
        """Return the rows in the lexical index, sorted."""
        return self._lexical.rows()

    # Evidence

    def spans_with(self, terms: NDArray[np.int64], scope: Scope) -> Matches:
        """Return where terms stand in the spans that are seen."""
        return self.evidence.spans_with(terms, scope)

    def span_statistics(self, terms: NDArray[np.int64]) -> TermStatistics:
        """Return how many spans have each term."""
        return self.evidence.span_statistics(terms)

    def span_lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return how many terms each span has."""
        return self.evidence.span_lengths(spans)

    def span_texts(self, spans: Rows) -> list[str]:
        """Return what each span says, without citation marks, as it was first written."""
        return self.evidence.span_texts(spans)

    def cited_for(self, spans: Rows, scope: Scope) -> Cited:
        """Return what is cited for each span."""
        return self.evidence.cited_for(spans, scope)

    def said_of(self, rows: Rows, scope: Scope) -> Ragged:
        """Return the numbers of the spans for which each paper is cited, sorted."""
        return self.evidence.said_of(rows, scope)

    def said_totals(self, scope: Scope) -> SaidTotals:
        """Return how much is said of each paper."""
        return self.evidence.said_totals(scope)

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        return self.evidence.citations_for(spans, scope)

    def citations_of(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations of each paper."""
        return self.evidence.citations_of(rows, scope)

    def citations_by(self, rows: Rows, scope: Scope) -> Citations:
        """Return the citations made by each paper."""
        return self.evidence.citations_by(rows, scope)

    def occurrences(self, spans: Rows, rows: Rows, scope: Scope, most: int) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper where that is said, the latest first."""
        return self.evidence.occurrences(spans, rows, scope, most)

    def evidence_counts(self) -> EvidenceCounts:
        """Return how much evidence there is."""
        return self.evidence.evidence_counts()

    # Models

    def model(self, name: str) -> bytes | None:
        """Return a model as it was saved when it was first asked for; unlike all else it is of no generation."""
        return self._model(name)

    def models(self) -> tuple[str, ...]:
        """Return the names of the models that were trained on this library."""
        return models.names(self.path)

    # Vectors

    @cached_property
    def vectors(self) -> VectorReader | None:
        """Return the vectors as they were when first asked for; like models they are of no generation."""
        return load_vectors(self.path)

    def encoded_by(self) -> EncodedBy | None:
        """Return what made the vectors; None where the library has none."""
        return self.vectors.manifest.encoder if self.vectors is not None else None

    def span_vectors(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span, NaN where it has none."""
        return self._vectors("spans", lambda: self.evidence.span_hashes(spans), spans.size)

    def paper_vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Return the vector of each paper's title and abstract, NaN where it has none."""
        return self._vectors("papers", lambda: text_hashes(self.papers(rows)), rows.size)

    def _vectors(self, kind: Kind, hashes: Callable[[], Hashes], count: int) -> NDArray[np.float32]:
        if self.vectors is None or not self.vectors.has(kind):
            return np.full((count, 1), np.nan, np.float32)
        return self.vectors.find(kind, hashes()).astype(np.float32)

    # Description

    def year_counts(self) -> Counter[int]:
        """Return how many papers there are of each year; year 0 stands for an unknown one."""
        counted = self._papers_by_year
        return Counter({int(year): int(counted[year]) for year in np.flatnonzero(counted)})


def _year_range(scope: Scope) -> tuple[int, int]:
    """Return the first and the last year in scope, within what an index of years can hold."""
    first, last = 1 if scope.since is None else scope.since, 9_999 if scope.year is None else scope.year
    return min(max(first, 1), 10_000), min(max(last, 0), 9_999)


def _kept(lists: Ragged, keep: NDArray[np.bool_]) -> Ragged:
    """Return the lists without what is not kept."""
    ends = np.concatenate(([0], np.cumsum(keep)))
    return Ragged(lists.values[keep], ends[lists.starts])
