"""Passages: paragraphs of running text, with the marks in them by which the author cites."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a citation stands in its passage, and the document's own names of the references that
    it points to.
    """

    start: int
    end: int
    targets: tuple[str, ...]
    """Empty where the document does not say."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, its white space folded, with its marks in order."""

    text: str
    marks: tuple[Mark, ...] = ()
    section: str = ""


class PassageWriter:
    """Writes a passage piece by piece; what is not printable counts as white space."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._ends_with_space = True
        self._marks: list[Mark] = []

    def add(self, text: str) -> None:
        """Add running text."""
        text = _SPACE.sub(" ", text)
        if self._ends_with_space:
            text = text.removeprefix(" ")
        if text:
            self._pieces.append(text)
            self._length += len(text)
            self._ends_with_space = text.endswith(" ")

    def mark(self, text: str, targets: Iterable[str]) -> None:
        """Add a mark; without a word or a number it is running text."""
        folded = _SPACE.sub(" ", text)
        inner = folded.strip()
        if not any(character.isalnum() for character in inner):
            self.add(text)
            return
        if folded[0] == " ":
            self.add(" ")
        start = self._length
        self.add(inner)
        self._marks.append(Mark(start, self._length, tuple(target for target in targets if target)))
        if folded[-1] == " ":
            self.add(" ")

    def space(self) -> None:
        """Part what comes from what was, where nothing parts them yet."""
        self.add(" ")

    def space_after_list(self) -> None:
        """Part a mark from the comma or semicolon of the mark before it."""
        if self._marks and self._marks[-1].end == self._length and self._pieces[-1][-1] in ",;":
            self.add(" ")

    def passage(self, section: str = "") -> Passage:
        """Return what was written."""
        return Passage(
            "".join(self._pieces).rstrip(),
            tuple(self._marks),
            _SPACE.sub(" ", section).strip()[:300],
        )


def from_spans(text: str, spans: Iterable[tuple[int, int, str]], section: str = "") -> Passage:
    """Return the passage of a text whose marks are given as (start, end, target); overlapping ones
    are left out.
    """
    writer, at = PassageWriter(), 0
    for start, end, target in sorted(spans):
        if at <= start < end <= len(text):
            writer.add(text[at:start])
            writer.mark(text[start:end], [target])
            at = end
    writer.add(text[at:])
    return writer.passage(section)


def spans_of(value: Any) -> Iterable[tuple[int, int, str]]:
    """Yield (start, end, target) of a JSON list of spans; whatever is malformed is left out."""
    for span in value if isinstance(value, list) else []:
        if isinstance(span, dict):
            start, end, target = span.get("start"), span.get("end"), span.get("ref_id")
            if isinstance(start, int) and isinstance(end, int):
                yield start, end, target if isinstance(target, str) else ""
