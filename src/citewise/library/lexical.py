"""The inverted index: tantivy over term codes, so that it and the forward index agree on every term."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray

from citewise.garbage import uncollected
from citewise.protocols import Ragged
from citewise.types import Rows

_HEAP = 160_000_000
_THREADS = 2
_WIDTH = 5
_SHIFT, _LOW = 32, 0xFFFFFFFF
_DIGITS_COMPARED = 3
"""Scores that differ less are equal: in which order the engine adds them up depends on how its segments came to be."""
_DIGITS = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijklmnopqrstuvwxyz", np.uint8)
_TWO_DIGITS = np.stack((np.repeat(_DIGITS, 64), np.tile(_DIGITS, 64)), 1).view(np.uint16)[:, 0]
_LAST_DIGIT = np.stack((_DIGITS, np.full(64, ord(" "), np.uint8)), 1).view(np.uint16)[:, 0]


def codes(terms: NDArray[np.int64]) -> str:
    """Return terms as words of five characters, each followed by a space: what tantivy stores in place of stems."""
    letters = np.empty((terms.size, 3), np.uint16)  # two characters at a time: millions of terms pass here
    letters[:, 0] = _TWO_DIGITS[terms >> 18]
    letters[:, 1] = _TWO_DIGITS[terms >> 6 & 4095]
    letters[:, 2] = _LAST_DIGIT[terms & 63]
    return letters.tobytes().decode("ascii")


def _words(terms: Ragged) -> list[str]:
    """Return the codes of each list."""
    text, starts = codes(terms.values), (terms.starts * (_WIDTH + 1)).tolist()
    return [text[start:end] for start, end in itertools.pairwise(starts)]


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="codes", index_option="freq")
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_unsigned_field("year", fast=True)
    return builder.build()


def _open(folder: Path, create: bool = False) -> tantivy.Index:
    """Open an index; only a writer may create one, lest a reader make an empty one of a folder being cleared away."""
    index = tantivy.Index(_schema(), str(folder)) if create else tantivy.Index.open(str(folder))
    index.register_tokenizer("codes", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


class LexicalWriter:
    """Adds and removes rows; nothing is seen by readers before `close`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
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
        for row in rows:  # not by term: tantivy-py makes a signed term, which an unsigned field never has
            self._writer.delete_documents_by_query(tantivy.Query.term_query(self._schema, "row", row))

    def close(self) -> None:
        """Commit, and wait for the merging of segments."""
        self._writer.commit()
        self._writer.wait_merging_threads()


class LexicalReader:
    """Finds rows by shared terms, ranked by tantivy's BM25 (k1 = 1.2, b = 0.75, lengths rounded to a byte)."""

    def __init__(self, folder: Path) -> None:
        index = _open(folder)
        index.config_reader("manual")
        self._schema, self._searcher = index.schema, index.searcher()

    def __len__(self) -> int:
        return self._searcher.num_docs

    def search(self, terms: NDArray[np.int64], weights: NDArray[np.int64], k: int,
               years: tuple[int, int] | None = None) -> Rows:
        """Return at most k rows, best first, equals in the order of rows; with `years`, only those of years in them."""
        if k <= 0 or not len(self):
            return np.zeros(0, np.int64)
        query = self._query(terms, weights)
        if years is not None:
            within = tantivy.Query.range_query(self._schema, "year", tantivy.FieldType.Unsigned, *years)
            query = tantivy.Query.boolean_query([
                (tantivy.Occur.Must, query),
                (tantivy.Occur.Must, tantivy.Query.const_score_query(within, 0.0))])
        rows, scores = self._hits(query, min(k, len(self)))
        worse = np.diff(np.round(scores, _DIGITS_COMPARED), prepend=scores[:1]) != 0
        return np.sort(np.cumsum(worse) << _SHIFT | rows) & _LOW

    def _hits(self, query: tantivy.Query, k: int) -> tuple[Rows, NDArray[np.float64]]:
        """Return the rows and scores of the k best, best first."""
        with uncollected():  # each hit is a tuple: a fifth of the time of an answer would go into looking at them
            hits = self._searcher.search(query, k, count=False).hits
            scores = np.array([score for score, _ in hits])
            rows = np.array(self._searcher.fast_field_values("row", [address for _, address in hits]), np.int64)
            del hits
        return rows, scores

    def rows(self) -> Rows:
        """Return every row in the index, sorted."""
        if not len(self):
            return np.zeros(0, np.int64)
        hits = self._searcher.search(tantivy.Query.all_query(), len(self), count=False, order_by_field="row").hits
        return np.sort(np.array([row for row, _ in hits], np.int64))

    def _query(self, terms: NDArray[np.int64], weights: NDArray[np.int64]) -> tantivy.Query:
        words = codes(terms).split()
        clauses = [tantivy.Query.term_query(self._schema, "text", word, "freq") for word in words]
        boosted = [tantivy.Query.boost_query(clause, float(weight)) if weight != 1 else clause
                   for clause, weight in zip(clauses, weights.tolist(), strict=True)]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in boosted])
