"""A passage of a draft as sentences, each with whether a citation stands in it."""

import re
from dataclasses import dataclass

from citewise.ingest.fulltext.sentences import sentence_spans
from citewise.marks import unmarked
from citewise.types import Answer, Recommendation

LONGEST = 200_000
"""Characters; what is longer is no passage that anybody wants cited sentence by sentence."""

NEARLY_THE_SAME = 0.45
"""Likeness of a span to a sentence from which on others are said to cite for the same.

Measured on sentences of papers that cite (marks removed) and on sentences of abstracts, which do not: 21% and 34% of
the former are found in two collections, and 9% of the latter are taken for such.
"""

_MARK = re.compile(
    r"~?\\(?:auto|text|paren|foot|super|full)?[cC]ite[a-zA-Z]{0,20}\*?\s{0,9}(?:\[[^\][]{0,300}\]\s{0,9}){0,2}\{[^{}]{0,999}\}"
    r"|\[[^\][@]{0,300}@[^\][]{0,999}\]|(?<![\w.])@[A-Za-z0-9_][\w:./+-]{0,300}\w"  # pandoc; above, LaTeX
    r"|\[\s{0,9}\d{1,4}(?:\s{0,9}[,;–—-]\s{0,9}\d{1,4}){0,99}\s{0,9}\]|\[(?:REF|CITATION|CITE|OTHER|\?{1,9})\]"
    r"|\([^()]{0,300}?\b(?:1[89]|20)\d\d[a-z]?\b[^()]{0,300}\)")  # numbers, marks of a want, (Author, 2010)
"""Citations; every repetition is bounded, so that no text takes long."""
_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of a draft."""

    text: str
    """Without citation marks."""
    written: str
    """As the draft has it."""
    cites: bool
    """Whether a citation stands in it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to cite for a sentence of a draft."""

    sentence: DraftSentence
    answer: Answer
    wanted: bool
    """Whether a citation seems needed and none stands: others cite for nearly the same words."""

    @classmethod
    def of(cls, sentence: DraftSentence, answer: Answer) -> "Advice":
        """Say whether the evidence is so near that a citation seems needed."""
        nearest = max((span.score for each in answer.recommendations for span in each.evidence), default=0.0)
        return cls(sentence, answer, not sentence.cites and nearest >= NEARLY_THE_SAME)

    @property
    def answers(self) -> tuple[Recommendation, ...]:
        """Return the papers, best first."""
        return self.answer.recommendations


def sentences_of(passage: str) -> list[DraftSentence]:
    """Return the sentences of a passage: plain text, Markdown or LaTeX."""
    found = []
    for paragraph in _LINES.split(passage[:LONGEST]):
        marks = [match.span() for match in _MARK.finditer(paragraph)]
        for start, end in sentence_spans(paragraph, marks):
            found.append(_sentence(paragraph[start:end]))
    return [each for each in found if any(map(str.isalnum, each.text))]


def lines_of(text: str) -> list[DraftSentence]:
    """Return each line that says something as a sentence of its own."""
    found = [_sentence(line.strip()) for line in text[:LONGEST].splitlines()]
    return [each for each in found if any(map(str.isalnum, each.text))]


def _sentence(written: str) -> DraftSentence:
    marks = [match.span() for match in _MARK.finditer(written)]
    return DraftSentence(unmarked(written, marks, 0, len(written)), " ".join(written.split()), bool(marks))
