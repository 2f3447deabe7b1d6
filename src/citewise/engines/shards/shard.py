"""One shard, opened from its folder: the few calls that a coordinator makes, each on a batch.

`rows` are the shard's own (the library's row divided by the number of shards); the rows in answers
are the library's.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Ragged, Rows
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.evidence_part import EvidencePart
from citewise.engines.shards.manifest import ShardsManifest, folder_name, shard_name
from citewise.errors import BadLibrary
from citewise.library.checks import check_at_opening
from citewise.library.embeddings.store import EmbeddingSet, open_sets
from citewise.library.files import scattered
from citewise.library.lexical import LexicalReader
from citewise.library.lexical_shares import share_of, with_idf_of_all
from citewise.library.papers import PaperStore
from citewise.library.process_memory import exceeds_memory
from citewise.library.records import RecordReader
from citewise.library.segment import Segment
from citewise.library.segments import Segments
from citewise.library.tables import Tables
from citewise.library.terms import TermStore
from citewise.library.vectors import VectorStore
from citewise.library.vocabulary import Vocabulary
from citewise.protocols import (
    Citations,
    CitedPapers,
    Matches,
    Profiles,
    ProfileStatistics,
    TermNumbers,
)
from citewise.types import Occurrence, Paper, Scope

Among = Rows | Literal["citing"] | None
"""Which rows may be found: some, those of papers with references, or all."""


class Carried(NamedTuple):
    """References that come along with papers, since whoever finds papers goes on to what they cite;
    that saves a round trip.
    """

    rows: Rows
    lists: Ragged


class _KnownBySize(Vocabulary):
    """The vocabulary as far as a shard needs it: its words are at the coordinators."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size


class Shard:
    """A shard of one generation."""

    def __init__(self, folder: Path, manifest: ShardsManifest, number: int) -> None:
        """Open shard `number` of a generation in `folder`, the folder of all its generations."""
        self._number, self._shards = number, len(manifest.shards)
        path = folder / folder_name(manifest.generation) / shard_name(number)
        try:
            check_at_opening(path, manifest.files_of(shard_name(number)))
            with scattered(exceeds_memory(manifest.bytes_on_disk)):
                self._open(path, manifest)
        except (FileNotFoundError, ValueError) as error:
            raise BadLibrary(
                f"{path}: shard {number} of generation {manifest.generation} is damaged ({error}); "
                "restore its files from a copy, or cut the library again with: citewise shard"
            ) from None

    @classmethod
    def of(cls, folder: Path, generation: int, number: int) -> "Shard":
        """Open a shard of a generation by its manifest."""
        return cls(folder, manifests.load(folder, generation), number)

    def _open(self, path: Path, manifest: ShardsManifest) -> None:
        entry = manifest.shards[self._number]
        segments = Segments([Segment(path / "segment", entry.rows)])
        self._indexed, self._tables = entry.indexed, Tables.load(path / "tables")
        self._papers = PaperStore(str(path), segments, self._tables)
        vocabulary = _KnownBySize(manifest.library.terms)
        self._terms = TermStore(segments, self._tables, vocabulary, entry.papers, {})
        self._records = segments[0].records
        self._lexical = LexicalReader(path / "lexical")

        self._by_span = EvidencePart(path / "evidence" / "spans")
        self._received = EvidencePart(path / "evidence" / "received")
        self._sentences = RecordReader(path / "evidence" / "sentences")
        sets = open_sets(path, entry.vectors, self._papers)
        self._vectors = VectorStore(path, self._papers, self._by_span.store, sets)

    # Papers

    def read(self, rows: Rows) -> list[bytes]:
        """Return the papers at the rows as they are stored."""
        return self._records.raw(rows)

    def titles(self, rows: Rows) -> list[str]:
        """Return the titles of the papers at the rows."""
        return self._papers.titles(rows)

    def find(self, keys: Sequence[str]) -> Rows:
        """Return the row of each key, -1 where no paper of the shard has it."""
        rows = self._papers.find(keys)
        return np.where(rows >= 0, self._whole(rows), -1)

    def find_title(self, paper: Paper) -> int:
        """Return the first row with the title of a record, as `PaperStore.find_title` does."""
        row = self._papers.find_title(paper)
        return row * self._shards + self._number if row >= 0 else -1

    def by_authors(self, authors: Sequence[str]) -> Ragged:
        """Return for each author the sorted rows of the papers under that name."""
        found = self._papers.by_authors(authors)
        return Ragged(self._whole(found.values), found.starts)

    # Graph

    def references(self, rows: Rows) -> Ragged:
        """Return the papers that each paper cites."""
        return self._tables.references.lists(rows)

    def citers(self, rows: Rows) -> Ragged:
        """Return the papers that cite each paper."""
        return self._tables.citers.lists(rows)

    def _carried(self, rows: Rows, limit: int) -> Carried:
        """Return the references of the first rows that have some."""
        starts = self._tables.references.starts
        citing = rows[starts[rows + 1] > starts[rows]][:limit]
        return Carried(self._whole(citing), self.references(citing))

    @cached_property
    def _citing(self) -> Rows:
        """The shard's papers that have references."""
        return np.flatnonzero(np.diff(self._tables.references.starts))

    # Terms

    def matches(self, rows: Rows, terms: TermNumbers, fields: Sequence[str]) -> list[Matches]:
        """Return for each field where terms occur, by positions in `rows` and `terms`."""
        return [self._terms.matches(rows, terms, field) for field in fields]

    def contents(self, rows: Rows, fields: Sequence[str]) -> list[tuple[Ragged, NDArray[np.int64]]]:
        """Return for each field every term of each paper, and how often each occurs there."""
        return [self._terms.contents(rows, field) for field in fields]

    def hits(
        self,
        terms: TermNumbers,
        weights: Column,
        k: int,
        years: tuple[int, int] | None,
        carried: int,
    ) -> tuple[Rows, Column, Carried]:
        """Return the k best rows and their scores, best first, and the references of the first
        `carried` that have some; a term's weight is its count in the query times its idf in the
        library.
        """
        table = self._tables.frequencies["text"]
        known = np.flatnonzero(terms < table.size)
        known = known[table[terms[known]] > 0]
        frequencies = table[terms[known]].astype(np.int64)

        boosts = with_idf_of_all(weights[known], self._indexed, frequencies)
        rows, scores = self._lexical.hits(terms[known], boosts, k, years)
        return self._whole(rows), scores, self._carried(rows, carried)

    # Evidence

    def spans_with(self, terms: TermNumbers, scope: Scope) -> Matches:
        """Return where terms occur in the shard's visible spans."""
        return self._by_span.search(terms, scope)

    def span_lengths(self, spans: Rows) -> NDArray[np.int64]:
        """Return the number of terms in each span."""
        return self._by_span.store.lengths(self._by_span.own_spans(spans))

    def span_texts(self, spans: Rows) -> list[str]:
        """Return the text of each span."""
        return self._by_span.store.texts(self._by_span.own_spans(spans))

    def cited_for(self, spans: Rows, scope: Scope) -> CitedPapers:
        """Return the papers that are cited for each span."""
        return self._by_span.cited_for(spans, scope)

    def citations_for(self, spans: Rows, scope: Scope) -> Citations:
        """Return the citations made for each span."""
        return self._by_span.citations_for(spans, scope)

    def citations_of(self, papers: Rows, scope: Scope) -> Citations:
        """Return the citations that each paper received; papers are given by the library's rows."""
        return self._received.citations_of(papers, scope)

    def citations_by(self, papers: Rows, scope: Scope) -> Citations:
        """Return the citations that any papers make of the shard's papers; they are given by the
        library's rows.
        """
        return self._received.citations_by(papers, scope)

    def occurrences(
        self, spans: Rows, papers: Rows, scope: Scope, limit: int
    ) -> list[list[Occurrence]]:
        """Return for each pair of a span and a cited paper its sentences, latest first."""
        return self._by_span.occurrences(spans, papers, scope, limit)

    def profiles(self, papers: Rows, scope: Scope) -> Profiles:
        """Return how long the profile of each paper is; papers are given by the library's rows."""
        return self._received.profiles(papers, scope)

    def profile_statistics(self, scope: Scope) -> ProfileStatistics:
        """Return how long the profiles of the shard's papers are together."""
        return self._received.profile_statistics(scope)

    def sentences(self, rows: Rows) -> list[bytes]:
        """Return sentences as they are stored; their numbers are dealt to shards as rows are."""
        return self._sentences.raw(rows)

    # Vectors

    def span_vectors(self, spans: Rows) -> NDArray[np.float32]:
        """Return the vector of each span, NaN where it has none."""
        return self._vectors.of_spans(self._by_span.own_spans(spans))

    def vectors(self, name: str, rows: Rows) -> NDArray[np.float32]:
        """Return the vector of each paper, by a set."""
        papers = self._vectors.papers(name)
        return (
            papers.of(rows) if papers is not None else np.full((rows.size, 1), np.nan, np.float32)
        )

    def cosines(self, name: str, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return the cosine of each paper with a vector."""
        papers = self._vectors.papers(name)
        return papers.cosines(vector, rows) if papers is not None else np.full(rows.size, np.nan)

    def similarities(self, name: str, vector: NDArray[np.float32], rows: Rows) -> Column:
        """Return how similar each paper is to a vector, by the distance of the set."""
        papers = self._vectors.papers(name)
        if papers is None:
            return np.full(rows.size, np.nan)
        return papers.similarities(vector, rows)

    def nearest(
        self,
        name: str,
        vector: NDArray[np.float32],
        k: int,
        scope: Scope,
        among: Among,
        probes: int | None,
    ) -> tuple[Rows, Column, Carried]:
        """Return the k nearest of the shard's papers in scope and their cosines, best first; where
        they are sought among those with references, these as well.

        `probes` is how many inverted lists to search, 0 for comparing all; None leaves it to the
        set.
        """
        rows = self._citing if isinstance(among, str) else among
        papers, own = self._vectors.papers(name), self._scope(scope)
        if papers is None:  # none of the shard's papers has a vector
            nothing = np.zeros(0, np.int64)
            return nothing, np.zeros(0), self._carried(nothing, 0)
        if probes is not None and isinstance(papers, EmbeddingSet):
            found, cosines = papers.nearest_in_lists(vector, k, own, rows, probes)
        else:
            found, cosines = papers.nearest(vector, k, own, rows)
        carried = share_of(k, 1 / self._shards) if isinstance(among, str) else 0
        return self._whole(found), cosines, self._carried(found, carried)

    # Rows

    def _whole(self, rows: Rows) -> Rows:
        """Return the library's rows of the shard's rows."""
        return rows * self._shards + self._number

    def _scope(self, scope: Scope) -> Scope:
        """Return a scope by the shard's rows."""

        def own(rows: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(row // self._shards for row in rows if row % self._shards == self._number)

        return replace(
            scope,
            hidden=own(scope.hidden),
            unseen=own(scope.unseen),
            within=None if scope.within is None else own(scope.within),
        )
