"""Split a passage of a draft into sentences, and see which of them cite."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewise.text.marks import unmarked
from citewise.text.sentences import sentence_spans

LONGEST = 200_000
"""Characters of a passage that are read; the rest is dropped."""

# Citation marks. Every repetition is bounded, so that no text takes long.
_MARK = re.compile(
    # LaTeX: "~\citep[see][p. 3]{key1,key2}"
    r"~?\\(?:auto|text|paren|foot|super|full)?[cC]ite[a-zA-Z]{0,20}\*?\s{0,9}"
    r"(?:\[[^\][]{0,300}\]\s{0,9}){0,2}\{[^{}]{0,999}\}"
    # pandoc: "[see @key, p. 3]", "@key"
    r"|\[[^\][@]{0,300}@[^\][]{0,999}\]|(?<![\w.])@[A-Za-z0-9_][\w:./+-]{0,300}\w"
    # numbers: "[3, 5-7]"
    r"|\[\s{0,9}\d{1,4}(?:\s{0,9}[,;–—-]\s{0,9}\d{1,4}){0,99}\s{0,9}\]"
    # placeholders: "[REF]", "[?]"
    r"|\[(?:REF|CITATION|CITE|OTHER|\?{1,9})\]"
    # names and years: "(Author, 2010)"
    r"|\([^()]{0,300}?\b(?:1[89]|20)\d\d[a-z]?\b[^()]{0,300}\)"
)
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of a draft, with and without its citation marks."""

    text: str
    """Without citation marks."""
    written: str
    """As in the draft, with single spaces."""
    cites: bool
    """Whether there is a citation in it."""
    start: int = -1
    end: int = -1
    """It is `passage[start:end]` of the passage that it was found in; -1 where unknown."""


def sentences_of(passage: str) -> list[DraftSentence]:
    """Return the sentences of a passage: plain text, Markdown or LaTeX."""
    sentences = []
    for offset, paragraph in _paragraphs(passage[:LONGEST]):
        marks = [match.span() for match in _MARK.finditer(paragraph)]
        for start, end in sentence_spans(paragraph, marks):
            sentences.append(_sentence(paragraph[start:end], offset + start))

    return [each for each in sentences if any(map(str.isalnum, each.text))]


def lines_of(text: str) -> list[DraftSentence]:
    """Return each line that has a letter or digit as a sentence of its own."""
    sentences = [_sentence(line.strip()) for line in text[:LONGEST].splitlines()]
    return [each for each in sentences if any(map(str.isalnum, each.text))]


def _paragraphs(passage: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each paragraph."""
    begin = 0
    for gap in _BETWEEN_PARAGRAPHS.finditer(passage):
        yield begin, passage[begin : gap.start()]
        begin = gap.end()
    yield begin, passage[begin:]


def _sentence(written: str, start: int = -1) -> DraftSentence:
    marks = [match.span() for match in _MARK.finditer(written)]
    return DraftSentence(
        text=unmarked(written, marks, 0, len(written)),
        written=" ".join(written.split()),
        cites=bool(marks),
        start=start,
        end=start + len(written) if start >= 0 else -1,
    )
