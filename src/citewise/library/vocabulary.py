"""The terms of a library and their numbers, which never change."""

import itertools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes
from citewise.library.files import read_array, write_array
from citewise.library.tables import Lookup
from citewise.text.ids import digest, digests


class Vocabulary:
    """Reads numbers of words and words of numbers from disk, without loading all of them."""

    def __init__(self, folder: Path) -> None:
        self._lookup = Lookup.load(folder, "words")
        self._text: NDArray[np.uint8] = read_array(folder / "words.text", np.uint8)
        self._starts: NDArray[np.int64] = read_array(folder / "words.starts", np.int64)

    def __len__(self) -> int:
        return self._starts.size - 1

    def number(self, word: str) -> int:
        """Return a word's number, -1 where it is unknown."""
        number = int(self._lookup.find(np.array([digest(word)], np.uint64))[0])
        return number if number >= 0 and self.word(number) == word else -1

    def word(self, number: int) -> str:
        """Return the word with a number."""
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes().decode()

    def words(self) -> list[str]:
        """Return all words in order of their numbers."""
        text, starts = self._text.tobytes(), self._starts.tolist()
        return [text[start:end].decode() for start, end in itertools.pairwise(starts)]

    def hashes(self) -> Hashes:
        """Return the hashes of all words in order of their numbers."""
        hashes = np.zeros(len(self), np.uint64)
        hashes[self._lookup.numbers] = self._lookup.hashes
        return hashes


class VocabularyWriter:
    """Numbers new words; `number` may be called millions of times."""

    def __init__(self, old: Vocabulary | None) -> None:
        words = old.words() if old else []
        self._hashes = old.hashes() if old else np.zeros(0, np.uint64)
        self._numbers = dict(zip(words, range(len(words)), strict=True))

    def number(self, word: str) -> int:
        """Return a word's number, giving it the next one if it is new."""
        return self._numbers.setdefault(word, len(self._numbers))

    def words(self) -> list[str]:
        """Return all words in order of their numbers."""
        return list(self._numbers)

    def save(self, folder: Path) -> None:
        """Write the words, where each begins, and the lookup from hash to number."""
        folder.mkdir(parents=True, exist_ok=True)
        encoded = [word.encode() for word in self._numbers]
        write_array(folder / "words.text", np.frombuffer(b"".join(encoded), np.uint8), np.uint8)
        write_array(folder / "words.starts", np.cumsum([0, *map(len, encoded)]), np.int64)

        new = itertools.islice(self._numbers, self._hashes.size, None)
        Lookup.of(np.append(self._hashes, digests(new)), np.arange(len(encoded))).save(
            folder, "words"
        )
