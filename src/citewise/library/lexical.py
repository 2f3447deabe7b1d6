"""The inverted index: tantivy over term codes, so that it and the forward index agree on every
term.
"""

import contextlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tantivy
from numpy.typing import NDArray

from citewise.arrays import Column, Ragged, Rows
from citewise.errors import BadInput
from citewise.library.files import give_usual_modes
from citewise.library.near_ties import in_exact_order, nearly_equal
from citewise.library.papers import PaperStore
from citewise.library.process_memory import uncollected
from citewise.library.scopes import year_range
from citewise.protocols import TermNumbers, Terms
from citewise.scoring import lucene
from citewise.types import Scope

_FILTERED_BELOW = 0.5
"""Where a smaller share of the papers is in scope, tantivy filters by year."""
_SPARE = 1.3
"""Above that share, tantivy is asked for this many times the hits that should have enough in scope.
"""
_MEMORY = "/dev/shm"  # noqa: S108 (folders in it get names that nobody can guess)
"""Where links are made if it exists: to make and delete them on a disk takes up to 40 ms."""
_DELETIONS = 10
"""Attempts to delete a folder; the second one succeeds, since the file comes back once."""
_HEAP = 160_000_000
_THREADS = 2
Segment = dict[str, Any]
"""What tantivy writes of a segment."""

_ABOUT = "meta.json"
"""Its file that names the segments."""

_WIDTH = 5
"""Characters of a term's code."""
_FURTHER, MOST_FURTHER = 16, 4096
"""Hits that are fetched behind the last: those that nearly equal it may belong before it. Where all
of them do, as for a query of one common word, more are fetched, but no more than the second number:
of those that equal the last one, the engine then chooses by where they are stored.
"""
_DIGITS = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijklmnopqrstuvwxyz", np.uint8
)
_TWO_DIGITS = np.stack((np.repeat(_DIGITS, 64), np.tile(_DIGITS, 64)), 1).view(np.uint16)[:, 0]
_LAST_DIGIT = np.stack((_DIGITS, np.full(64, ord(" "), np.uint8)), 1).view(np.uint16)[:, 0]


def codes(terms: NDArray[np.int64]) -> str:
    """Return terms as words of five characters, each followed by a space: what tantivy stores in
    place of stems.
    """
    # 30 bits of a term are 12 + 12 + 6: two digits of base 64, two digits, one digit and a space;
    # two characters at a time, since millions of terms pass here
    letters = np.empty((terms.size, 3), np.uint16)
    letters[:, 0] = _TWO_DIGITS[terms >> 18]
    letters[:, 1] = _TWO_DIGITS[terms >> 6 & 4095]
    letters[:, 2] = _LAST_DIGIT[terms & 63]
    return letters.tobytes().decode("ascii")


def _words(terms: Ragged) -> list[str]:
    """Return the codes of each list as one text."""
    text, starts = codes(terms.values), (terms.starts * (_WIDTH + 1)).tolist()
    return [text[start:end] for start, end in itertools.pairwise(starts)]


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="codes", index_option="freq")
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_unsigned_field("year", fast=True)
    return builder.build()


def _open(folder: Path, create: bool = False) -> tantivy.Index:
    """Open an index; only a writer may create one, or a reader would make an empty one in a folder
    that is being deleted.
    """
    index = tantivy.Index(_schema(), str(folder)) if create else tantivy.Index.open(str(folder))
    index.register_tokenizer(
        "codes", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    )
    return index


def segments_of(folder: Path) -> list[Segment]:
    """Return the segments of an index as tantivy describes them, the largest first."""
    about = json.loads((folder / _ABOUT).read_text("utf-8"))
    return sorted(about["segments"], key=lambda each: -each["max_doc"])


@contextlib.contextmanager
def _linked(folder: Path, segments: Sequence[Segment] | None) -> Iterator[Path]:
    """Give a temporary folder with links to an index's files, or to those of some segments, so that
    opening it writes nothing into the folder; where no links can be made, the folder itself.

    tantivy makes a lock file to open an index, and a thread of its own makes it once more at any
    time later: it could come back in a folder that is being deleted. A searcher maps every file
    when it is made, so the links are needed no longer than that.
    """
    links = None
    try:
        in_memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        links = Path(tempfile.mkdtemp(prefix="citewise-", dir=in_memory))
        _link(folder, links, segments)
        readable = links
    except OSError:  # no space left, or a system where making links needs a right
        if segments is not None:
            if links is not None:
                _delete(links)
            raise
        readable = folder

    try:
        yield readable
    finally:
        if links is not None:
            _delete(links)


def _link(folder: Path, links: Path, segments: Sequence[Segment] | None) -> None:
    """Fill a folder with links to an index's files, and with copies of those that are rewritten."""
    for file in folder.resolve().iterdir():
        if file.suffix == ".json":
            shutil.copyfile(file, links / file.name)
        elif file.suffix != ".lock":
            (links / file.name).symlink_to(file)
    if segments is not None:
        about = json.loads((links / _ABOUT).read_text("utf-8"))
        (links / _ABOUT).write_text(json.dumps(about | {"segments": list(segments)}), "utf-8")


def _delete(links: Path) -> None:
    """Remove a folder in which tantivy's thread may make its lock file just now."""
    for _ in range(_DELETIONS):
        shutil.rmtree(links, ignore_errors=True)
        if not links.exists():
            break


class LexicalWriter:
    """Adds and removes rows; readers see nothing before `close`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        index = _open(folder, create=True)
        self._schema, self._writer = index.schema, index.writer(_HEAP, _THREADS)

    def add(self, first_row: int, years: Sequence[int], fields: Sequence[Ragged]) -> None:
        """Add consecutive rows, given each field's terms."""
        texts = map("".join, zip(*map(_words, fields), strict=True))
        for row, (year, text) in enumerate(zip(years, texts, strict=True), first_row):
            document = tantivy.Document()
            document.add_unsigned("row", row)
            document.add_unsigned("year", year)
            document.add_text("text", text)
            self._writer.add_document(document)

    def remove(self, rows: Sequence[int]) -> None:
        """Remove rows that are in the index."""
        # by query: to delete by term, tantivy-py makes a signed term, which no unsigned field has
        for row in rows:
            self._writer.delete_documents_by_query(
                tantivy.Query.term_query(self._schema, "row", row)
            )

    def close(self) -> None:
        """Commit, and wait for the merging of segments."""
        self._writer.commit()
        self._writer.wait_merging_threads()
        give_usual_modes(self._folder)


class LexicalReader:
    """Finds rows by shared terms, ranked by tantivy's BM25 (k1 = 1.2, b = 0.75, lengths rounded to
    a byte).
    """

    exact: ClassVar[bool] = False
    """Whether hits are in the order of exact scores, not of scores rounded to 32 bits."""

    def __init__(self, folder: Path, segments: Sequence[Segment] | None = None) -> None:
        """Open an index, or some of its segments; OSError where these cannot be opened apart."""
        with _linked(folder, segments) as links:
            index = _open(links)
            index.config_reader("manual")
            self._schema, self._searcher = index.schema, index.searcher()

    def __len__(self) -> int:
        return self._searcher.num_docs

    def hits(
        self,
        terms: NDArray[np.int64],
        weights: NDArray[np.float64],
        k: int,
        years: tuple[int, int] | None = None,
    ) -> tuple[Rows, NDArray[np.float64]]:
        """Return the rows of the k best and their scores, best first."""
        if k <= 0 or not terms.size or not len(self):
            return np.zeros(0, np.int64), np.zeros(0)

        query = self._query(terms, weights)
        if years is not None:
            within = tantivy.Query.range_query(
                self._schema, "year", tantivy.FieldType.Unsigned, *years
            )
            query = tantivy.Query.boolean_query(
                [
                    (tantivy.Occur.Must, query),
                    (tantivy.Occur.Must, tantivy.Query.const_score_query(within, 0.0)),
                ]
            )

        return self._hits(query, min(k, len(self)))

    def _hits(self, query: tantivy.Query, k: int) -> tuple[Rows, NDArray[np.float64]]:
        """Return the rows and scores of the k best, best first."""
        # each hit is a tuple: collecting garbage among them would take a fifth of an answer's time
        with uncollected():
            hits = self._searcher.search(query, k, count=False).hits
            found, addresses = zip(*hits, strict=True) if hits else ((), ())
            scores = np.array(found, np.float64)
            rows = np.array(self._searcher.fast_field_values("row", list(addresses)), np.int64)
            del hits, found, addresses
        return rows, scores

    def frequencies(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many documents of the index each term is, removed papers included."""
        found = [self._searcher.doc_freq("text", word) for word in codes(terms).split()]
        return np.array(found, np.int64)

    def some(self, count: int) -> Rows:
        """Return up to `count` rows of the index."""
        if not len(self):
            return np.zeros(0, np.int64)
        return self._hits(tantivy.Query.all_query(), min(count, len(self)))[0]

    def rows(self) -> Rows:
        """Return every row in the index, sorted."""
        if not len(self):
            return np.zeros(0, np.int64)
        hits = self._searcher.search(
            tantivy.Query.all_query(), len(self), count=False, order_by_field="row"
        ).hits
        return np.sort(np.array([row for row, _ in hits], np.int64))

    def _query(self, terms: NDArray[np.int64], weights: NDArray[np.float64]) -> tantivy.Query:
        words = codes(terms).split()
        clauses = [tantivy.Query.term_query(self._schema, "text", word, "freq") for word in words]
        boosted = [
            tantivy.Query.boost_query(clause, weight) if weight != 1 else clause
            for clause, weight in zip(clauses, weights.tolist(), strict=True)
        ]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in boosted])


class LexicalStore:
    """`protocols.Lexical` over the index, the papers' years and their terms."""

    def __init__(self, index: LexicalReader, papers: PaperStore, terms: Terms) -> None:
        self._index, self._papers, self._terms = index, papers, terms

    def search(
        self,
        terms: TermNumbers,
        weights: NDArray[np.int64],
        k: int,
        scope: Scope,
        minimum: int | None = None,
    ) -> Rows:
        """Return at most k rows in scope, best first by tantivy's BM25.

        The engine filters by year where that leaves few papers; else it is asked for more hits than
        needed, and those out of scope are dropped.
        """
        if k < 1:
            raise BadInput(f"k must be at least 1, not {k}")
        enough = k if minimum is None else min(minimum, k)
        years = year_range(scope) if scope.bounded else None
        share = self._share(years)
        filtered = years if share < _FILTERED_BELOW else None

        limit = k + len(scope.hidden)
        if years and not filtered:
            limit = int(max(k, enough / share * _SPARE)) + len(scope.hidden) + 10

        while True:
            rows = self._best(terms, weights.astype(np.float64), limit, filtered)
            kept = rows[self._papers.in_scope(rows, scope)]
            if kept.size >= enough or rows.size < limit:
                return kept[:k]
            limit *= 2

    def rows(self) -> Rows:
        """Return every row in the index, sorted."""
        return self._index.rows()

    def _best(
        self, terms: TermNumbers, weights: Column, k: int, years: tuple[int, int] | None
    ) -> Rows:
        """Return at most k rows, best first, equal scores by row; with `years`, only those from the
        first to the last of them.
        """
        if self._index.exact:
            return self._index.hits(terms, weights, k, years)[0]

        further = _FURTHER
        while True:
            rows, scores = self._index.hits(terms, weights, k + further, years)
            open_end = rows.size == k + further and nearly_equal(scores[k - 1], scores[-1])
            if not open_end or further >= MOST_FURTHER:
                break
            further = MOST_FURTHER

        def exact(some: Rows) -> Column:
            return lucene.scores(self._terms, some, terms, weights)

        return in_exact_order(rows, scores, exact)[:k]

    def _share(self, years: tuple[int, int] | None) -> float:
        """Return the share of the papers whose year is within the range."""
        if years is None or not len(self._papers):
            return 1.0
        by_year = self._papers.by_year
        return float(by_year[years[0] : years[1] + 1].sum() / max(by_year.sum(), 1))
