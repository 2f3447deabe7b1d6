"""The sixth step: one vocabulary for all parts, with the numbers that one library would give."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.engines.dumps.changes import Part
from citewise.engines.dumps.parts import PARTS
from citewise.engines.dumps.plan import Build
from citewise.library.files import read_array, write_array
from citewise.library.segment import LISTS, Segment
from citewise.library.segments import Segments
from citewise.library.vocabulary import Vocabulary, VocabularyWriter
from citewise.protocols import FIELDS

WORDS = "words"


@dataclass(frozen=True, slots=True)
class NumberWords:
    """Numbers the words of all parts, in the order of their first occurrences."""

    build: Build
    parts: int

    @property
    def folder(self) -> Path:
        """Where the vocabulary is."""
        return self.build.place(WORDS)

    def write(self, folder: Path) -> None:
        """Write the vocabulary, and for each part the numbers of its words."""
        whole = VocabularyWriter(None)
        for number in range(self.parts):
            words = Vocabulary(self.build.place(PARTS, number)).words()
            numbers = np.array(whole.numbers(words))
            write_array(folder / f"{number:06d}.numbers", numbers, np.uint32)
        whole.save(folder)


class NumberedSegment(Segment):
    """A part's segment with the term numbers of the whole vocabulary."""

    def __init__(self, folder: Path, rows: int, numbers: NDArray[np.uint32]) -> None:
        super().__init__(folder, rows)
        self._numbers = numbers
        self._last: dict[str, tuple[Rows, list[Ragged]]] = {}

    def lists(self, name: str, rows: Rows, *columns: str) -> list[Ragged]:
        """Return columns of the lists of some rows, at most 65,536; terms are sorted by number."""
        if name not in FIELDS:
            return super().lists(name, rows, *columns)
        if name not in self._last or self._last[name][0] is not rows:  # it is asked for thrice
            self._last[name] = (rows, self._renumbered(name, rows))
        found = dict(zip(LISTS[name], self._last[name][1], strict=True))
        return [found[column] for column in columns]

    def _renumbered(self, name: str, rows: Rows) -> list[Ragged]:
        terms, counts = super().lists(name, rows, "terms", "counts")
        # paper (16 bits) | term (32) | count (16): sorted, the terms of each paper are in order
        packed = terms.owners.astype(np.uint64) << np.uint64(48)
        packed |= self._numbers[terms.values].astype(np.uint64) << np.uint64(16)
        packed |= counts.values.astype(np.uint64)
        packed.sort()
        sorted_terms = (packed >> np.uint64(16)).astype(np.uint32)
        return [
            Ragged(sorted_terms, terms.starts),
            Ragged(packed.astype(np.uint16), terms.starts),
        ]


def numbered_segments(build: Build, parts: Sequence[Part]) -> Segments:
    """Return the papers of all parts as one run of rows."""
    return Segments(
        [
            NumberedSegment(
                build.place(PARTS, number) / "segment",
                part.rows,
                read_array(build.place(WORDS) / f"{number:06d}.numbers", np.uint32),
            )
            for number, part in enumerate(parts)
        ]
    )
