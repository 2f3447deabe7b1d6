"""The terms of a library and their numbers, which never change."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes
from citewise.library.files import read_array, write_array
from citewise.library.tables import Lookup
from citewise.text.ids import digests

_FEW = 20_000
"""Words that are looked up on disk when papers are added; beyond that, all are loaded."""


class Vocabulary:
    """Reads numbers of words and words of numbers from disk, without loading all of them.

    Each folder has the words that follow behind those of the folder before.
    """

    def __init__(self, *folders: Path) -> None:
        self._parts = [_Words(folder) for folder in folders]
        self._firsts = [*itertools.accumulate(map(len, self._parts), initial=0)]

    def __len__(self) -> int:
        return self._firsts[-1]

    def numbers(self, words: Sequence[str]) -> list[int]:
        """Return the words' numbers, -1 where one is unknown."""
        hashes, numbers = digests(words), [-1] * len(words)
        for part, first in zip(self._parts, self._firsts, strict=False):
            found = part.lookup.find(hashes)
            for position in np.flatnonzero(found >= 0).tolist():
                number = int(found[position])
                if part.word(number) == words[position]:
                    numbers[position] = first + number
        return numbers

    def word(self, number: int) -> str:
        """Return the word with a number."""
        for part, first in zip(reversed(self._parts), self._firsts[-2::-1], strict=True):
            if number >= first:
                return part.word(number - first)
        raise IndexError(number)

    def words(self, first: int = 0) -> list[str]:
        """Return all words in order of their numbers, from the first of a folder on."""
        return [word for part in self._from(first) for word in part.words()]

    def hashes(self, first: int = 0) -> Hashes:
        """Return the hashes of all words in order of their numbers, from the first of a folder
        on.
        """
        return np.concatenate(
            [np.zeros(0, np.uint64), *(part.hashes() for part in self._from(first))]
        )

    def below(self) -> int:
        """Return the number of words in the first folder."""
        return self._firsts[1]

    def _from(self, first: int) -> "list[_Words]":
        return self._parts[self._firsts.index(first) :]


class _Words:
    """The words of one folder, numbered from 0."""

    def __init__(self, folder: Path) -> None:
        self.lookup = Lookup.load(folder, "words")
        self._text: NDArray[np.uint8] = read_array(folder / "words.text", np.uint8)
        self._starts: NDArray[np.int64] = read_array(folder / "words.starts", np.int64)

    def __len__(self) -> int:
        return self._starts.size - 1

    def word(self, number: int) -> str:
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes().decode()

    def words(self) -> list[str]:
        text, starts = self._text.tobytes(), self._starts.tolist()
        return [text[start:end].decode() for start, end in itertools.pairwise(starts)]

    def hashes(self) -> Hashes:
        hashes = np.zeros(len(self), np.uint64)
        hashes[self.lookup.numbers] = self.lookup.hashes
        return hashes


class VocabularyWriter:
    """Numbers new words behind those of an older vocabulary; `numbers` may be given millions."""

    def __init__(self, old: Vocabulary | None) -> None:
        self._old, self._first = old, len(old) if old is not None else 0
        self._numbers: dict[str, int] = {}
        self._new: list[str] = []
        self._looked_up = 0

    def numbers(self, words: Sequence[str]) -> list[int]:
        """Return the words' numbers, giving the next ones to those that are new."""
        known = self._numbers
        missing = [*dict.fromkeys(word for word in words if word not in known)]
        for word, number in zip(missing, self._old_numbers(missing), strict=True):
            known[word] = number if number >= 0 else self._first + len(self._new)
            if number < 0:
                self._new.append(word)
        return [known[word] for word in words]

    def _old_numbers(self, words: Sequence[str]) -> list[int]:
        """Return the numbers of words that were not asked for yet, -1 where one is new."""
        if self._old is None or not words:
            return [-1] * len(words)
        if self._looked_up <= _FEW:
            self._looked_up += len(words)
            if self._looked_up <= _FEW:
                return self._old.numbers(words)
            self._numbers |= {word: number for number, word in enumerate(self._old.words())}
        return [self._numbers.get(word, -1) for word in words]

    def word(self, number: int) -> str:
        """Return the word with a number."""
        if self._old is None or number >= self._first:
            return self._new[number - self._first]
        return self._old.word(number)

    def save(self, folder: Path, first: int = 0) -> None:
        """Write the words with numbers from the `first` on."""
        words, hashes = self._new, digests(self._new)
        if self._old is not None:
            words = [*self._old.words(first), *words]
            hashes = np.append(self._old.hashes(first), hashes)
        save_words(words, hashes, folder)


def save_words(words: Sequence[str], hashes: Hashes, folder: Path) -> None:
    """Write words, where each begins, and the lookup from their hashes to their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    encoded = [word.encode() for word in words]
    write_array(folder / "words.text", np.frombuffer(b"".join(encoded), np.uint8), np.uint8)
    write_array(folder / "words.starts", np.cumsum([0, *map(len, encoded)]), np.int64)
    Lookup.of(hashes, np.arange(len(encoded))).save(folder, "words")
