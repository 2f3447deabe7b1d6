"""Papers' vectors from the vectors of their stems, in numpy alone: what NNSelect computes once it
is trained.

field = unit(sum over its stems of damped count * vector)
paper = unit(title weight * title + abstract weight * abstract)
"""

import functools
import hashlib
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.errors import BadLibrary
from citewise.protocols import CountedTerms, EncodedBy, Precision, TermNumbers
from citewise.text.tokens import TermNumbering

Floats = NDArray[np.float32]

Damping = Literal["log", "none", "once"]
"""What a count of c is worth: 1 + ln c, c, or 1."""

GO_BACK = (
    "go back to the model that ships with: citewise train nnselect --library LIBRARY --shipped"
)

_FORMAT = 1
_TYPES: dict[Precision, str] = {"int8": "|i1", "fp32": "<f4"}
_LARGEST = 127
_NEW, _UNKNOWN = -2, -1
"""Rows of terms that were not looked up yet, and of stems that the model does not know."""

_STEMS_AT_ONCE = 1_024
"""Stems whose vectors are multiplied in one call: few enough to stay in the cache."""

_TEXTS_KEPT = 8
"""Texts whose vectors are remembered: the stages of a system all ask for the same ones."""


class _File(msgspec.Struct, frozen=True):
    """A model as it is stored; msgspec writes bytes as base64."""

    format: int
    model: str
    precision: Precision
    size: int
    damping: Damping
    weights: tuple[float, float]
    stems: list[str]
    scales: bytes
    table: bytes
    digest: str
    provenance: dict[str, Any]


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A word model (`protocols.WordModel`): a vector for each stem, and how fields are weighted."""

    model: str
    stems: tuple[str, ...]
    table: NDArray[np.int8] | Floats
    """The vectors of the stems, as rows, each divided by its scale."""
    scales: Floats
    weights: tuple[float, float]
    """Of the title and of the abstract."""
    damping: Damping = "log"
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """What it was trained on, by which settings, and how well it did."""

    @classmethod
    def of(
        cls,
        stems: Sequence[str],
        vectors: Floats,
        weights: tuple[float, float],
        damping: Damping = "log",
        precision: Precision = "int8",
        model: str = "nnselect",
        provenance: Mapping[str, Any] | None = None,
    ) -> "WordVectors":
        """Return a model of stems' vectors, rounded to 8 bits with a scale a row unless `precision`
        is fp32.
        """
        table: NDArray[np.int8] | Floats = np.ascontiguousarray(vectors, np.float32)
        scales = np.ones(len(stems), np.float32)
        if precision == "int8":
            scales = (np.abs(vectors).max(axis=1, initial=0.0) / _LARGEST).astype(np.float32)
            rounded = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None])
            table = np.clip(rounded, -_LARGEST, _LARGEST).astype(np.int8)
        return cls(model, tuple(stems), table, scales, weights, damping, provenance or {})

    @functools.cached_property
    def about(self) -> EncodedBy:
        """What the vectors were made by; the digest is of all that decides them."""
        precision: Precision = "int8" if self.table.dtype == np.int8 else "fp32"
        size = int(self.table.shape[1])

        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"{_FORMAT} {self.damping} {size} {self.weights}".encode())
        digest.update("\n".join(self.stems).encode())
        digest.update(self.scales.astype("<f4").tobytes())
        digest.update(self.table.astype(_TYPES[precision], copy=False).tobytes())
        return EncodedBy(self.model, precision, digest.hexdigest(), size)

    def over(self, words: Callable[[TermNumbers], list[str]]) -> "WordEmbedder":
        """Return the model for a library's vocabulary."""
        return WordEmbedder(self, words)

    def of_text(self, title: str, abstract: str = "") -> Floats:
        """Return the unit vector of a text, equal to a paper's with the same text but for rounding;
        NaN where the model knows none of its stems.
        """
        return self._of_text(title, abstract)

    @functools.cached_property
    def _of_text(self) -> Callable[[str, str], Floats]:
        numbering, lock = (
            TermNumbering(lambda stems: [self.rows.get(stem, _UNKNOWN) for stem in stems]),
            threading.Lock(),
        )

        @functools.lru_cache(maxsize=_TEXTS_KEPT)
        def embedded(title: str, abstract: str) -> Floats:
            with lock:
                numbers, starts = numbering.numbers([title, abstract])
            counted = [np.unique(each, return_counts=True) for each in Ragged(numbers, starts)]
            fields = ((Ragged.of([rows]), counts) for rows, counts in counted)
            vector: Floats = self.vectors_of_rows(*fields)[0]
            vector.flags.writeable = False  # the next caller gets the same
            return vector

        return embedded

    @functools.cached_property
    def rows(self) -> dict[str, int]:
        """The row of each stem in the table."""
        return {stem: row for row, stem in enumerate(self.stems)}

    def vectors_of_rows(self, title: CountedTerms, abstract: CountedTerms) -> Floats:
        """Return one unit vector a paper; its stems are given as rows of the table, and those that
        are not in it as -1.
        """
        total = np.zeros((len(title[0]), self.about.size), np.float32)
        for (rows, counts), weight in zip((title, abstract), self.weights, strict=True):
            known = rows.values >= 0
            sums = self._sums(rows.kept(known), damped(counts[known], self.damping))
            total += np.float32(weight) * _unit(sums)

        vectors = _unit(total)
        vectors[~vectors.any(axis=1)] = np.nan
        return vectors

    def _sums(self, rows: Ragged, counts: Floats) -> Floats:
        """Return for each paper the sum of its stems' vectors, times their counts.

        Papers with the same number of stems are multiplied together, one product a paper: a paper's
        vector does not depend on the papers beside it.
        """
        counts = counts * self.scales[rows.values]
        sums = np.zeros((len(rows), self.about.size), np.float32)
        for papers, index in _of_equal_length(rows):
            vectors = self.table.take(rows.values.take(index), axis=0)
            # (papers, 1, stems) @ (papers, stems, size) is (papers, 1, size)
            products = counts.take(index)[:, None] @ vectors.astype(np.float32, copy=False)
            sums[papers] = products[:, 0]
        return sums

    def encoded(self) -> bytes:
        """Return the model as bytes, a JSON object."""
        about = self.about
        return msgspec.json.encode(
            _File(
                format=_FORMAT,
                model=self.model,
                precision=about.precision,
                size=about.size,
                damping=self.damping,
                weights=self.weights,
                stems=list(self.stems),
                scales=self.scales.astype("<f4").tobytes(),
                table=self.table.astype(_TYPES[about.precision], copy=False).tobytes(),
                digest=about.digest,
                provenance=dict(self.provenance),
            )
        )

    @classmethod
    def decode(cls, content: bytes, advice: str = GO_BACK) -> "WordVectors":
        """Return the model that `encoded` wrote; where the bytes are damaged, the error ends with
        an advice.
        """
        try:
            file = msgspec.json.decode(content, type=_File)
            return _checked(file, cls._of_file(file))
        except (msgspec.DecodeError, ValueError) as error:
            raise BadLibrary(
                f"the model of word vectors cannot be read ({error}); {advice}"
            ) from None

    @classmethod
    def _of_file(cls, file: _File) -> "WordVectors":
        if file.format != _FORMAT:
            raise ValueError(f"its format is {file.format}, this citewise reads {_FORMAT}")
        return cls(
            model=file.model,
            stems=tuple(file.stems),
            table=np.frombuffer(file.table, _TYPES[file.precision]).reshape(
                len(file.stems), file.size
            ),
            scales=np.frombuffer(file.scales, "<f4"),
            weights=file.weights,
            damping=file.damping,
            provenance=file.provenance,
        )


def _checked(file: _File, model: WordVectors) -> WordVectors:
    """Return a model that was read, or raise ValueError where its parts do not fit."""
    if len(model.rows) != len(model.stems) or model.scales.size != len(model.stems):
        raise ValueError("its stems and their vectors do not belong together")
    if not all(math.isfinite(each) and each >= 0 for each in model.weights):
        raise ValueError(f"its weights are {model.weights}")
    finite = np.isfinite(model.scales).all() and np.isfinite(model.table).all()
    if not (file.size > 0 and finite):
        raise ValueError("its vectors are no numbers")
    if model.about.digest != file.digest:
        raise ValueError("its content has changed since it was written")
    return model


class WordEmbedder:
    """A model for the vocabulary of one library (`protocols.TermEmbedder`).

    It remembers which row of the table each term has; terms that come later are looked up then.
    """

    def __init__(self, model: WordVectors, words: Callable[[TermNumbers], list[str]]) -> None:
        self._model, self._words = model, words
        self._rows: Rows = np.zeros(0, np.int64)

    def vectors(self, title: CountedTerms, abstract: CountedTerms) -> Floats:
        """Return one unit vector a paper, as rows; NaN for a paper without a stem that the model
        knows.
        """
        return self._model.vectors_of_rows(
            *(
                (Ragged(self.rows(terms.values), terms.starts), counts)
                for terms, counts in (title, abstract)
            )
        )

    def rows(self, terms: TermNumbers) -> Rows:
        """Return the row of each term in the model's table, -1 where it has none."""
        missing = int(terms.max(initial=-1)) + 1 - self._rows.size
        if missing > 0:
            self._rows = np.concatenate([self._rows, np.full(missing, _NEW)])

        found = self._rows[terms]
        if (found == _NEW).any():
            new = np.unique(terms[found == _NEW])
            known = self._model.rows
            self._rows[new] = [known.get(word, _UNKNOWN) for word in self._words(new)]
            found = self._rows[terms]
        return found


def _of_equal_length(lists: Ragged) -> Iterator[tuple[Rows, Rows]]:
    """Yield the positions of some lists that are equally long, and the indexes of their values, a
    row for each list; empty lists are left out.
    """
    lengths = lists.lengths
    order = np.argsort(lengths, kind="stable")
    ends = np.cumsum(np.bincount(lengths)).tolist()

    # order[ends[n - 1]:ends[n]] are the lists of length n
    for length, (begin, end) in enumerate(itertools.pairwise(ends), 1):
        at_once = max(1, _STEMS_AT_ONCE // length)
        for start in range(begin, end, at_once):
            some = order[start : min(start + at_once, end)]
            yield some, lists.starts[some][:, None] + np.arange(length)


def damped(counts: NDArray[np.integer], damping: Damping) -> Floats:
    """Return what each count of a stem in a field is worth."""
    if damping == "once":
        return np.ones(counts.size, np.float32)
    plain: Floats = counts.astype(np.float32)
    logged: Floats = 1 + np.log(plain)
    return plain if damping == "none" else logged


def _unit(vectors: Floats) -> Floats:
    """Return each row divided by its length; rows of zeros stay as they are."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit
