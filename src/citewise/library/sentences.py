"""Citing sentences on their way into a library, as columns, with their spans, hashed where they are read."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.hash_table import Hashes
from citewise.ids import digest
from citewise.library.lists import flat_index, take
from citewise.marks import said
from citewise.protocols import Ragged
from citewise.types import CitingSentence, Rows, Span, SpanKind

KINDS: tuple[SpanKind, ...] = ("mention", "clause", "sentence")
"""A kind's number is its place here."""

LONGEST_SENTENCE = 20_000
"""Characters; a place in a sentence must fit into 16 bits."""

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
    """Of the text and its place in the document."""
    identities: Hashes
    """Of all that a sentence says: one that is there already is not added again."""
    starts: Rows
    """Where each sentence's uses begin, and where the last one's end."""
    uses: Uses
    cited: Ragged
    """For each use the hashes of the keys that are cited."""
    spans: list[str]
    """What the uses' spans say, each once: see `marks.said`."""
    hashes: Hashes
    """Of what they say."""

    @classmethod
    def of(cls, sentences: Sequence[CitingSentence], spans: Sequence[Sequence[Sequence[Span]]]) -> "Sentences":
        """Number the spans (for each sentence those of each group) and hash what is looked up."""
        numbers: dict[str, int] = {}
        uses, cited, ends, lengths = [], [], [0], [0]
        for sentence, groups in zip(sentences, spans, strict=True):
            marks = [(group.start, group.end) for group in sentence.groups]
            for group, found in zip(sentence.groups, groups, strict=True):
                keys = [digest(key) for key in group.cited] if found else []
                for span in found:
                    words = said(sentence.text, marks, span.start, span.end)
                    number = numbers.setdefault(words, len(numbers))
                    uses.append((number, span.start, span.end, KINDS.index(span.kind)))
                    cited += keys
                    lengths.append(len(keys))
            ends.append(len(uses))
        return cls([_encode(sentence) for sentence in sentences],
                   np.array([sentence.year or 0 for sentence in sentences], np.int16),
                   np.array([digest(sentence.citing) for sentence in sentences], np.uint64),
                   np.array([text_digest(sentence) for sentence in sentences], np.uint64),
                   np.array([_identity(*each) for each in zip(sentences, spans, strict=True)], np.uint64),
                   np.array(ends), np.array(uses, np.int64).reshape(-1, 4),
                   Ragged(np.array(cited, np.uint64), np.cumsum(lengths)), list(numbers),
                   np.array([digest(words) or 1 for words in numbers], np.uint64))

    def __len__(self) -> int:
        return len(self.contents)

    def take(self, places: Rows) -> "Sentences":
        """Return the sentences at some places, in that order; all spans stay."""
        index, starts = flat_index(self.starts[places], self.starts[places + 1])
        return Sentences([self.contents[place] for place in places.tolist()], self.years[places], self.citing[places],
                         self.texts[places], self.identities[places], starts, self.uses[index],
                         take(self.cited, index), self.spans, self.hashes)


def text_digest(sentence: CitingSentence) -> int:
    """Return a hash of a sentence's text and of its place in the document."""
    return digest(f"{sentence.start} {sentence.text}")


def _identity(sentence: CitingSentence, spans: Sequence[Sequence[Span]]) -> int:
    """Return a hash of who says what, where and when, citing what for which spans."""
    whole = _encode((sentence.citing, sentence.text, sentence.start, sentence.year, sentence.groups, spans))
    return int.from_bytes(hashlib.blake2b(whole, digest_size=8).digest(), "little") or 1
