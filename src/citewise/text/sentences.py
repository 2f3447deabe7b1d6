"""Split passages into sentences, never inside a group of citations or after an abbreviation."""

import bisect
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

# A full stop that may end an abbreviation rather than a sentence: "et al.", "Fig.", "J.".
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[,;])(?:"
    r"et al|al|e\.?g|i\.?e|cf|vs|viz"
    r"|[Ff]igs?|[Ee]qn?s?|[Rr]efs?|[Ss]ecs?|[Ss]ect|[Tt]ab|[Cc]hap|pp"
    r"|[Nn]o|[Aa]pprox|resp|[Ss]uppl|Dr|Prof|St|ca|spp?|var|w\.?r\.?t"
    r"|[A-Z]|[Ee]d|[Vv]ol|Mr|Mrs|Inc|Ltd|Co|Corp"
    r")\.$"
)

# A full stop that never ends a sentence.
_NO_END = re.compile(
    r"(?:^|[\s(\[,;])(?:"
    r"et al|e\.?g|i\.?e|cf|vs|viz|[Ff]igs?|[Ee]qn?s?|[Rr]efs?|[Ss]ecs?|[Ss]ect"
    r")\.$"
)

# The end of a sentence with closing quotes or brackets (group 1), and the space after it (group 2).
_STOP = re.compile(r"([.?!…][\"'”’)\]]*)(\s*)$")

# A group of numbered citations: "[3, 5–7]", "(12)".
_NUMBERS = re.compile(r"[\d\s,;()\[\]–—−-]+")

# What comes after a complete sentence: a capitalised word, or the end of the text.
_NEW = re.compile(r"\s+[\"'“‘(]?[A-ZÀ-Þ]|\s*$")

# A formula with LaTeX marks in it, "$x_1$"; not the amounts in "$5 and $6".
_FORMULA = re.compile(r"\$[^$]{0,200}?[\\_^{}][^$]{0,200}\$")

# Where a sentence starts without a space before it ("was low.Many others"), or after the number
# of a footnote ("was low.1 Many others"). Works on masked text, where citations are "Xxx".
_GLUED = re.compile(
    r"(?:(?<=[A-Za-z]{2}[.?!])|(?<=[x)][.?!])|(?<=[x)] [.?!]))(?=[A-Z][a-z]* [a-zX])"
    r"|(?:(?<=[a-z]{3}\.\d )|(?<=[a-z]{3}\.\d\d )|(?<=Xxx\.\d ))(?=[A-Z])"
)

_TAIL = 12
"""How many characters before a position are searched for an abbreviation that ends there."""

Span = tuple[int, int]


@functools.cache
def _splitter() -> Callable[[str], list[Span]]:
    from nupunkt import sent_spans

    return sent_spans


def sentence_spans(text: str, groups: Sequence[Span]) -> list[Span]:
    """Return the (start, end) offsets of each sentence in a passage.

    `groups` are the offsets of the passage's citation groups, in order.
    """
    masked = _masked(text, groups)

    spans: list[Span] = []
    for begin, stop in _unglued(masked, _splitter()(masked)):
        start, end = _stripped(text, (_outside(groups, begin), _outside(groups, stop)))
        if spans and start < end and _continues(text, spans[-1], start):
            spans[-1] = (spans[-1][0], end)
        elif start < end:
            spans.append((start, end))
    return spans


def _outside(groups: Sequence[Span], position: int) -> int:
    """Return a position, moved to the end of the citation group that it is inside of.

    A stop of several characters that was moved behind a group (".]") may be cut within the group.
    """
    last = bisect.bisect_left(groups, (position,)) - 1
    return max(position, groups[last][1]) if last >= 0 else position


def _stripped(text: str, span: Span) -> Span:
    """Return a span without the white space at its ends."""
    inner = text[slice(*span)]
    start = span[0] + len(inner) - len(inner.lstrip())
    return start, start + len(inner.strip())


def _unglued(masked: str, spans: list[Span]) -> Iterator[Span]:
    """Yield the spans, cut where no space separates two sentences: "was low.Many others"."""
    for start, end in spans:
        cuts = [match.start() for match in _GLUED.finditer(masked, start, end)]
        yield from pairwise([start, *cuts, end])


def _masked(text: str, groups: Sequence[Span]) -> str:
    """Return the text with each citation group and formula replaced by a word of equal length.

    A group of numbers after a full stop belongs to the sentence before, so the stop moves behind
    it: "was low. [3] Many" becomes "was low Xxx. Many". Any other group after a full stop starts a
    sentence and becomes "It", a word that sentences start with.
    """
    parts: list[str] = []
    position = 0
    for start, end in groups:
        before, word = _without_formulas(text[position:start]), "X" + "x" * (end - start - 1)

        stop = _STOP.search(before)
        if stop and not _ABBREVIATION.search(before[-_TAIL:].rstrip()):
            number = _NUMBERS.fullmatch(text, start, end) and _NEW.match(text, end)
            if not stop[2] or number or text.startswith(".", end):
                before, word = before[: stop.start()] + " " * len(stop[2]), word + stop[1]
            else:
                word = "It"[: end - start].ljust(end - start)

        parts += [before, word]
        position = end
    return "".join([*parts, _without_formulas(text[position:])])


def _without_formulas(text: str) -> str:
    return _FORMULA.sub(lambda match: "x" * len(match[0]), text) if "$" in text else text


def _continues(text: str, last: Span, start: int) -> bool:
    """Return whether the text from `start` on still belongs to the last sentence."""
    tail = text[max(last[0], last[1] - _TAIL) : last[1]]
    unended = text[start].islower() and tail[-1] not in '.?!"”’)]'
    return unended or text[start] in ",;)]" or _NO_END.search(tail) is not None
