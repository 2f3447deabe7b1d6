"""Passages to sentences, none of which ends inside a group of citations or after an abbreviation."""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[,;])(?:et al|al|e\.?g|i\.?e|cf|vs|viz|[Ff]igs?|[Ee]qn?s?|[Rr]efs?|[Ss]ecs?|[Ss]ect|[Tt]ab|[Cc]hap|pp"
    r"|[Nn]o|[Aa]pprox|resp|[Ss]uppl|Dr|Prof|St|ca|spp?|var|w\.?r\.?t|[A-Z]|[Ee]d|[Vv]ol|Mr|Mrs|Inc|Ltd|Co|Corp)\.$")
_NO_END = re.compile(r"(?:^|[\s(\[,;])(?:et al|e\.?g|i\.?e|cf|vs|viz|[Ff]igs?|[Ee]qn?s?|[Rr]efs?|[Ss]ecs?|[Ss]ect)\.$")
_STOP = re.compile(r"([.?!…][\"'”’)\]]*)(\s*)$")
_NUMBERS = re.compile(r"[\d\s,;()\[\]–—−-]+")
_NEW = re.compile(r"\s+[\"'“‘(]?[A-ZÀ-Þ]|\s*$")
_FORMULA = re.compile(r"\$[^$]{0,200}?[\\_^{}][^$]{0,200}\$")
_GLUED = re.compile(r"(?:(?<=[A-Za-z]{2}[.?!])|(?<=[x)][.?!])|(?<=[x)] [.?!]))(?=[A-Z][a-z]* [a-zX])"
                    r"|(?:(?<=[a-z]{3}\.\d )|(?<=[a-z]{3}\.\d\d )|(?<=Xxx\.\d ))(?=[A-Z])")
"""Where a sentence begins without a space before it, or behind the number of a note."""
_TAIL = 12
"""Characters before a place that tell whether an abbreviation ends there."""

Span = tuple[int, int]


@functools.cache
def _splitter() -> Callable[[str], list[Span]]:
    from nupunkt import sent_spans
    return sent_spans


def sentence_spans(text: str, groups: Sequence[Span]) -> list[Span]:
    """Return where each sentence of a passage stands, given its groups of citations in order."""
    masked = _masked(text, groups)
    spans: list[Span] = []
    for span in _unglued(masked, _splitter()(masked)):
        start, end = _stripped(text, span)
        if spans and start < end and _goes_on(text, spans[-1], start):
            spans[-1] = (spans[-1][0], end)
        elif start < end:
            spans.append((start, end))
    return spans


def _stripped(text: str, span: Span) -> Span:
    inner = text[slice(*span)]
    start = span[0] + len(inner) - len(inner.lstrip())
    return start, start + len(inner.strip())


def _unglued(masked: str, spans: list[Span]) -> Iterator[Span]:
    """Yield spans, cut where a paragraph's end was glued to the next one's begin: "was low.Many others"."""
    for start, end in spans:
        cuts = [match.start() for match in _GLUED.finditer(masked, start, end)]
        yield from pairwise([start, *cuts, end])


def _masked(text: str, groups: Sequence[Span]) -> str:
    """Return a text of the same length in which each group is one word, and each formula too.

    A number behind a full stop belongs to the sentence before, so the stop is moved behind it; another group behind
    one begins a sentence, so it becomes a word with which sentences begin.
    """
    parts: list[str] = []
    at = 0
    for start, end in groups:
        before, word = _without_formulas(text[at:start]), "X" + "x" * (end - start - 1)
        stop = _STOP.search(before)
        if stop and not _ABBREVIATION.search(before[-_TAIL:].rstrip()):
            number = _NUMBERS.fullmatch(text, start, end) and _NEW.match(text, end)
            if not stop[2] or number or text.startswith(".", end):
                before, word = before[:stop.start()] + " " * len(stop[2]), word + stop[1]
            else:
                word = "It"[:end - start].ljust(end - start)
        parts += [before, word]
        at = end
    return "".join([*parts, _without_formulas(text[at:])])


def _without_formulas(text: str) -> str:
    return _FORMULA.sub(lambda match: "x" * len(match[0]), text) if "$" in text else text


def _goes_on(text: str, last: Span, start: int) -> bool:
    """Whether what begins at a place still belongs to the last sentence."""
    tail = text[max(last[0], last[1] - _TAIL):last[1]]
    unended = text[start].islower() and tail[-1] not in ".?!\"”’)]"
    return unended or text[start] in ",;)]" or _NO_END.search(tail) is not None
