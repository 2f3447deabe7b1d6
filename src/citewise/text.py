"""Text to terms: one analysis for papers and queries, fast enough in bulk to feed an index."""

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import tantivy
from numpy.typing import NDArray

LONGEST_TOKEN = 40
"""Bytes; a longer run of word characters is noise (a URL, a sequence, base64) and is dropped."""

_COMBINING = re.compile(r"[\u0300-\u036f]+")
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_NOT_WORD = re.compile(r"\W+")

# A token's hash is sum(code[byte] * base**position) modulo 2**64: base is odd, hence invertible,
# so the hashes of all tokens of a buffer come from one running product and one reduceat.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)
_MASK = 2**64 - 1


def _byte_codes() -> tuple[NDArray[np.uint64], bytes]:
    """Return a random 64-bit code per byte (0 = separator), letters folded, and the lower-casing table."""
    lower = bytes(ord(chr(byte).lower()) if byte < 128 else byte for byte in range(256))
    random = np.random.Generator(np.random.PCG64(20180415)).integers(1, _MASK, 256, np.uint64)
    is_word = np.array([byte >= 128 or chr(byte).isalnum() for byte in range(256)])
    return np.where(is_word, random[np.frombuffer(lower, np.uint8)], np.uint64(0)), lower


_CODES, _LOWER = _byte_codes()


def fold(text: str) -> bytes:
    """Return the text as bytes in which every byte above 127 belongs to a word."""
    if not text.isascii():
        text = _FOREIGN.sub(_fold_match, text)
    return text.encode("utf-8", "ignore")


def _fold_match(match: re.Match[str]) -> str:
    return _fold_run(match[0])


@functools.lru_cache(maxsize=1 << 16)
def _fold_run(run: str) -> str:
    """Fold the accents and case of a run of non-ASCII characters, blank its punctuation, set CJK characters apart."""
    run = _COMBINING.sub("", unicodedata.normalize("NFKD", run)).casefold()
    return _UNSPACED.sub(r" \1 ", _NOT_WORD.sub(" ", run))


@functools.cache
def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
    for step in (tantivy.Filter.stopword("english"), tantivy.Filter.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()


def stem(token: str) -> str:
    """Return the Snowball English stem of a folded token, or "" for a stop word."""
    stems = _analyzer().analyze(token)
    return stems[0] if stems else ""


_POWERS: dict[int, NDArray[np.uint64]] = {}


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    """Return the first powers of a base modulo 2**64; kept, and made longer when a longer text comes."""
    if base not in _POWERS or _POWERS[base].size < count:
        powers = np.full(1 << (count - 1).bit_length(), base, np.uint64)
        powers[0] = 1
        _POWERS[base] = np.multiply.accumulate(powers)
    return _POWERS[base]


class Terms:
    """Turns batches of texts into term numbers; `number_of` says which number a stem has."""

    def __init__(self, number_of: Callable[[str], int]) -> None:
        """`number_of` maps a stem to a number >= 0; it is asked once for each distinct token."""
        self._number_of = number_of
        self._allocate(1 << 16)

    def numbers(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the term numbers of all texts in order, and where each text's begin (one more than texts)."""
        pieces = [fold(text) for text in texts]
        buffer = np.frombuffer(b"\n".join(pieces) + b"\n", np.uint8)
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        begins = np.concatenate(([0], np.cumsum(lengths + 1)))
        starts, ends, hashes = _tokens(buffer)
        numbers = self._look_up(hashes, buffer, starts, ends)
        kept = numbers >= 0
        bounds = np.concatenate(([0], np.cumsum(kept)))[np.searchsorted(starts, begins)]
        return numbers[kept], bounds

    def _look_up(self, hashes: NDArray[np.uint64], buffer: NDArray[np.uint8],
                 starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        slots, missing = self._probe(hashes)
        if missing.size:
            keys, first = np.unique(hashes[missing], return_index=True)
            tokens = missing[first].tolist()
            words = (buffer[starts[token]:ends[token]].tobytes() for token in tokens)
            self._insert(keys, np.fromiter(map(self._number, words), np.int64, len(tokens)))
            slots, _ = self._probe(hashes)
        return self._numbers[slots]

    def _number(self, word: bytes) -> int:
        if len(word) > LONGEST_TOKEN:
            return -1
        stemmed = stem(word.translate(_LOWER).decode("utf-8", "ignore"))
        return self._number_of(stemmed) if stemmed else -1

    def _probe(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each hash's slot by linear probing, and the positions whose hash is not in the table."""
        mask = self._size - 1
        slots = (hashes >> np.uint64(40)).astype(np.int64) & mask
        absent: list[NDArray[np.int64]] = []
        open_ = np.arange(hashes.size)
        while open_.size:
            found = self._keys[slots[open_]]
            absent.append(open_[found == 0])
            open_ = open_[(found != hashes[open_]) & (found != 0)]
            slots[open_] = (slots[open_] + 1) & mask
        return slots, np.concatenate(absent) if absent else open_

    def _insert(self, keys: NDArray[np.uint64], numbers: NDArray[np.int64]) -> None:
        """Add distinct keys that are not in the table; it is never more than half full."""
        if 2 * (self._known + keys.size) > self._size:
            used = self._keys != 0
            keys = np.concatenate((self._keys[used], keys))
            numbers = np.concatenate((self._numbers[used], numbers))
            self._allocate(1 << (4 * keys.size).bit_length())
        self._known += keys.size
        while keys.size:
            slots, _ = self._probe(keys)
            self._keys[slots] = keys  # of several keys that meet in a slot, one stays
            placed = self._keys[slots] == keys
            self._numbers[slots[placed]] = numbers[placed]
            keys, numbers = keys[~placed], numbers[~placed]

    def _allocate(self, size: int) -> None:
        self._size, self._known = size, 0
        self._keys = np.zeros(size, np.uint64)
        self._numbers = np.zeros(size, np.int64)


def _tokens(buffer: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Return where each run of word bytes starts and ends, and a 64-bit hash of its lower-cased bytes."""
    codes = _CODES[buffer]
    edges = np.flatnonzero(np.diff(codes != 0, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2]
    if not starts.size:
        return starts, ends, np.zeros(0, np.uint64)
    sums = np.add.reduceat(codes * _powers(_BASE, buffer.size)[: buffer.size], starts)
    return starts, ends, sums * _powers(_INVERSE, buffer.size)[starts] | np.uint64(1)
