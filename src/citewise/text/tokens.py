"""Turn text into terms: one analysis for papers and queries, fast enough to index in bulk."""

import codecs
import functools
import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import tantivy
from numpy.typing import NDArray

from citewise.arrays import Hashes, HashTable

LONGEST_TOKEN = 40
"""Bytes; a longer run of word characters is noise (a URL, a sequence, base64) and is dropped."""

_COMBINING = re.compile(r"[\u0300-\u036f]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NOT_WORD = re.compile(r"\W+")
_WORDS = re.compile(r"[^\W_]+")

_MARK = "|"
"""What ends a token that is analysed with others; no token has it."""

_WORD = 8
"""Bytes hashed at once."""

# A token's hash is the sum of its 8-byte words, each multiplied by an odd number of its own, so
# two tokens of up to 8 bytes never have the same hash.
_RANDOM = np.random.Generator(np.random.PCG64(20180415))
_FACTORS = _RANDOM.integers(0, 2**64 - 1, LONGEST_TOKEN // _WORD, np.uint64) | 1

# _MASKS[n] keeps the first n bytes of a little-endian word: 0, 0xff, 0xffff, ...
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], np.uint64)

_LOWER = bytes(
    byte if byte >= 128 else ord(chr(byte).lower()) if chr(byte).isalnum() else 0
    for byte in range(256)
)
"""A translation table that lower-cases letters and turns every separator into 0."""


def fold(text: str) -> bytes:
    """Return a text as bytes without accents, in which every byte above 127 is part of a word."""
    return text.encode("ascii", _FOLDING)


@functools.lru_cache(maxsize=1 << 16)
def _fold_run(run: str) -> bytes:
    """Return a run of non-ASCII characters without accents, case and punctuation, as UTF-8.

    CJK characters get a space on either side: each becomes a token.
    """
    run = _COMBINING.sub("", unicodedata.normalize("NFKD", run)).casefold()
    return _UNSPACED.sub(_spaced, _NOT_WORD.sub(" ", run)).encode("utf-8", "ignore")


def _spaced(characters: re.Match[str]) -> str:
    """Return each of some characters with a space on either side."""
    return f" {'  '.join(characters[0])} "


def _fold_foreign(error: UnicodeError) -> tuple[bytes, int]:
    """Return the folded bytes of a run that is not ASCII, and the position after it.

    An error handler of `str.encode`, which finds such runs faster than a regular expression.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _fold_run(error.object[error.start : error.end]), error.end


_FOLDING = "citewise.fold"
codecs.register_error(_FOLDING, _fold_foreign)


@functools.cache
def _analyzer(tokenizer: Callable[[], tantivy.Tokenizer]) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tokenizer())
    for step in (tantivy.Filter.stopword("english"), tantivy.Filter.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()


@functools.lru_cache(maxsize=1 << 14)
def stem(token: str) -> str:
    """Return the Snowball English stem of a folded token, or "" for a stop word."""
    found = _analyzer(tantivy.Tokenizer.raw).analyze(token)
    return found[0] if found else ""


def stems(tokens: Sequence[str]) -> list[str]:
    """Return `stem` of each token, none of which has a space; in bulk at half the cost."""
    # "bees | the | dance |" is analysed to: bee | | danc |
    marked = "".join([f"{token} {_MARK} " for token in tokens])
    found, last = [], ""
    for word in _analyzer(tantivy.Tokenizer.whitespace).analyze(marked):
        if word == _MARK:
            found.append(last)
            last = ""
        else:
            last = word
    return found


def word_count(text: str) -> int:
    """Return the number of words of a text, stop words included."""
    return len(_WORDS.findall(text))


def words_by_stem(text: str) -> dict[str, str]:
    """Return for each stem in a text the first word that has it, as written; no stop words."""
    words: dict[str, str] = {}
    for word in _WORDS.findall(text):
        tokens = fold(word).translate(_LOWER).replace(b"\0", b" ").split()
        for token in tokens:
            if len(token) <= LONGEST_TOKEN:
                plain = token.decode("utf-8", "ignore")
                words.setdefault(stem(plain), word if len(tokens) == 1 else plain)

    return {stemmed: word for stemmed, word in words.items() if stemmed}


class TermNumbering:
    """Turns batches of texts into term numbers."""

    def __init__(self, numbers_of: Callable[[Sequence[str]], Sequence[int]]) -> None:
        """`numbers_of` maps stems to numbers >= 0, -1 where a stem has none; it is given each
        distinct token's stem once, and a stem as often as it is that of a token.
        """
        self._numbers_of = numbers_of
        self._known = HashTable()

    def numbers(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the term numbers of all texts, end to end, and where those of each text start.

        The second array has one entry more than there are texts: text i has the numbers from
        `starts[i]` up to `starts[i + 1]`.
        """
        # All texts in one buffer: "\n" text "\n" text ... "\n" and room to read a word at any byte.
        pieces = [fold(text) for text in texts]
        buffer = b"\n".join([b"", *pieces, b"\n" * _WORD]).translate(_LOWER)
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        text_starts = np.concatenate(([0], np.cumsum(lengths + 1))) + 1

        starts, ends = _tokens(buffer)
        numbers = self._look_up(_hashes(buffer, starts, ends - starts), buffer, starts, ends)

        terms = np.flatnonzero(numbers >= 0)
        return numbers[terms], np.searchsorted(starts[terms], text_starts)

    def _look_up(
        self, hashes: Hashes, buffer: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the number of each token, and remember those of tokens that are new."""
        numbers = self._known.find(hashes)

        missing = np.flatnonzero(numbers == -1)
        if missing.size:
            new, first = np.unique(hashes[missing], return_index=True)
            token_starts, token_ends = starts[missing[first]], ends[missing[first]]
            bounds = zip(token_starts.tolist(), token_ends.tolist(), strict=True)
            words = [buffer[start:end] for start, end in bounds]

            self._known.put(new, np.array(self._numbers(words), np.int64))
            numbers[missing] = self._known.find(hashes[missing])
        return numbers

    def _numbers(self, words: Sequence[bytes]) -> list[int]:
        """Return each token's number, or -2 where it is no term (-1 would be looked up again)."""
        plain = [
            word.decode("utf-8", "ignore") if len(word) <= LONGEST_TOKEN else "" for word in words
        ]
        stemmed = stems(plain)
        known = iter(self._numbers_of([*filter(None, stemmed)]))
        numbers = [next(known) if each else -1 for each in stemmed]
        return [number if number >= 0 else -2 for number in numbers]


def _tokens(buffer: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start and end of each run of non-zero bytes; the buffer starts and ends with 0.

    buffer  0 a b 0 0 c 0
    edges     1   3   5 6    starts 1 5, ends 3 6
    """
    inside = np.frombuffer(buffer, np.uint8) != 0
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return edges[::2], edges[1::2]


def _hashes(buffer: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Hashes:
    """Return a 64-bit hash of each token; tokens that are too long to be terms all have hash 1.

    The hash is the sum over i of word[i] * factor[i], where word[i] are bytes 8i to 8i + 7 of the
    token, padded with zeros; then its upper half is mixed into the lower half.
    """
    # words[i] is the 8-byte word that begins at byte i: overlapping views, nothing is copied.
    words: Hashes = np.ndarray((len(buffer) - _WORD + 1,), "<u8", buffer, strides=(1,))
    hashes = words[starts] & _MASKS[np.minimum(lengths, _WORD)]
    hashes *= _FACTORS[0]

    longer = np.flatnonzero(lengths > _WORD)
    for number, factor in enumerate(_FACTORS[1:].tolist(), 1):
        rest = lengths[longer] - number * _WORD
        mask = _MASKS[np.minimum(rest, _WORD)]
        hashes[longer] += (words[starts[longer] + number * _WORD] & mask) * np.uint64(factor)
        longer = longer[rest > _WORD]

    hashes ^= hashes >> np.uint64(32)
    np.maximum(hashes, np.uint64(1), out=hashes)
    hashes[longer] = 1
    return hashes
