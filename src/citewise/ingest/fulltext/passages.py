"""Passages: paragraphs of running text with their citation marks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation: its bounds in a passage, and the references that it points to."""

    start: int
    end: int
    targets: tuple[str, ...]
    """The document's own names for the references; empty where it does not give them."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph with single spaces, and its marks in order."""

    text: str
    marks: tuple[Mark, ...] = ()
    section: str = ""


class PassageWriter:
    """Writes a passage piece by piece; control characters count as white space."""

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
        """Add a mark; one without a letter or digit is added as running text."""
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
        """Add a space, unless there is one already."""
        self.add(" ")

    def space_after_list(self) -> None:
        """Add a space after a mark that ends with a comma or semicolon."""
        if self._marks and self._marks[-1].end == self._length and self._pieces[-1][-1] in ",;":
            self.add(" ")

    def passage(self, section: str = "") -> Passage:
        """Return the passage written so far."""
        return Passage(
            "".join(self._pieces).rstrip(),
            tuple(self._marks),
            _SPACE.sub(" ", section).strip()[:300],
        )


def from_spans(text: str, spans: Iterable[tuple[int, int, str]], section: str = "") -> Passage:
    """Return the passage of a text whose marks are given as (start, end, target).

    Of marks that overlap, the first is kept.
    """
    writer, position = PassageWriter(), 0
    for start, end, target in sorted(spans):
        if position <= start < end <= len(text):
            writer.add(text[position:start])
            writer.mark(text[start:end], [target])
            position = end

    writer.add(text[position:])
    return writer.passage(section)


def spans_of(value: Any) -> Iterable[tuple[int, int, str]]:
    """Yield (start, end, target) of a JSON list of spans, without malformed ones."""
    for span in value if isinstance(value, list) else []:
        if isinstance(span, dict):
            start, end, target = span.get("start"), span.get("end"), span.get("ref_id")
            if isinstance(start, int) and isinstance(end, int):
                yield start, end, target if isinstance(target, str) else ""
