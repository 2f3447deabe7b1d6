"""Citing sentences on their way into a library, as columns, with their spans and hashes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes, Ragged, Rows, flat_index
from citewise.text.ids import digest
from citewise.text.marks import span_key
from citewise.types import CitingSentence, Span, SpanKind

KINDS: tuple[SpanKind, ...] = ("mention", "clause", "sentence")
"""A kind's number is its position here."""

Uses = NDArray[np.int64]
"""Spans used for citing, as rows of (span, start, end, kind)."""

_encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(CitingSentence).decode


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences, the uses that they make of spans, and what is cited in each use."""

    contents: list[bytes]
    years: NDArray[np.int16]
    citing: Hashes
    texts: Hashes
    """Of the text and its position in the document."""
    identities: Hashes
    """Of all that a sentence has: one that is in the library already is not added again."""
    starts: Rows
    """Where each sentence's uses begin, and where the last one's end."""
    uses: Uses
    cited: Ragged
    """For each use the hashes of the keys that are cited."""
    spans: list[str]
    """The spans' texts, each once: see `marks.span_key`."""
    hashes: Hashes
    """Of the spans' texts."""

    @classmethod
    def of(
        cls, sentences: Sequence[CitingSentence], spans: Sequence[Sequence[Sequence[Span]]]
    ) -> "Sentences":
        """Return sentences as columns; `spans` are, for each sentence, those of each group."""
        numbers: dict[str, int] = {}
        uses, cited, ends, lengths = [], [], [0], [0]

        for sentence, groups in zip(sentences, spans, strict=True):
            marks = [(group.start, group.end) for group in sentence.groups]
            for group, group_spans in zip(sentence.groups, groups, strict=True):
                keys = [digest(key) for key in group.cited] if group_spans else []
                for span in group_spans:
                    words = span_key(sentence.text, marks, span.start, span.end)
                    number = numbers.setdefault(words, len(numbers))
                    uses.append((number, span.start, span.end, KINDS.index(span.kind)))
                    cited += keys
                    lengths.append(len(keys))
            ends.append(len(uses))

        return cls(
            [_encode(sentence) for sentence in sentences],
            np.array([sentence.year or 0 for sentence in sentences], np.int16),
            np.array([digest(sentence.citing) for sentence in sentences], np.uint64),
            np.array([text_digest(sentence) for sentence in sentences], np.uint64),
            np.array([_identity(*each) for each in zip(sentences, spans, strict=True)], np.uint64),
            np.array(ends),
            np.array(uses, np.int64).reshape(-1, 4),
            Ragged(np.array(cited, np.uint64), np.cumsum(lengths)),
            list(numbers),
            np.array([digest(words) or 1 for words in numbers], np.uint64),
        )

    def __len__(self) -> int:
        return len(self.contents)

    def take(self, positions: Rows) -> "Sentences":
        """Return the sentences at some positions, in that order; the spans stay all."""
        index, starts = flat_index(self.starts[positions], self.starts[positions + 1])

        return Sentences(
            [self.contents[position] for position in positions.tolist()],
            self.years[positions],
            self.citing[positions],
            self.texts[positions],
            self.identities[positions],
            starts,
            self.uses[index],
            self.cited.take(index),
            self.spans,
            self.hashes,
        )


def text_digest(sentence: CitingSentence) -> int:
    """Return a hash of a sentence's text and of its position in the document."""
    return digest(f"{sentence.start} {sentence.text}")


def _identity(sentence: CitingSentence, spans: Sequence[Sequence[Span]]) -> int:
    """Return a hash of a sentence's paper, text, position, year, citations and spans."""
    whole = _encode(
        (sentence.citing, sentence.text, sentence.start, sentence.year, sentence.groups, spans)
    )
    return int.from_bytes(hashlib.blake2b(whole, digest_size=8).digest(), "little") or 1
