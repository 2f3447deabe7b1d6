"""A passage of a draft as sentences, each with whether a citation stands in it."""

import re
from dataclasses import dataclass

from citewise.text.marks import unmarked
from citewise.text.sentences import sentence_spans

LONGEST = 200_000
"""Characters; what is longer is no passage that anybody wants cited sentence by sentence."""

_MARK = re.compile(
    r"~?\\(?:auto|text|paren|foot|super|full)?[cC]ite[a-zA-Z]{0,20}\*?\s{0,9}(?:\[[^\][]{0,300}\]\s{0,9}){0,2}\{[^{}]{0,999}\}"
    # pandoc; above, LaTeX
    r"|\[[^\][@]{0,300}@[^\][]{0,999}\]|(?<![\w.])@[A-Za-z0-9_][\w:./+-]{0,300}\w"
    r"|\[\s{0,9}\d{1,4}(?:\s{0,9}[,;–—-]\s{0,9}\d{1,4}){0,99}\s{0,9}\]|\[(?:REF|CITATION|CITE|OTHER|\?{1,9})\]"
    r"|\([^()]{0,300}?\b(?:1[89]|20)\d\d[a-z]?\b[^()]{0,300}\)"
)  # numbers, marks of a want, (Author, 2010)
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
    return DraftSentence(
        unmarked(written, marks, 0, len(written)), " ".join(written.split()), bool(marks)
    )
