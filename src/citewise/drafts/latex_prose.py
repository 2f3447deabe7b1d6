r"""Turn the body of a LaTeX draft into paragraphs of running text that keep their citations."""

import itertools
import re
from collections.abc import Iterable, Iterator

from citewise.ingest.fulltext.latex_passages import passages
from citewise.ingest.fulltext.passages import Passage
from citewise.text import tex_commands, tex_source
from citewise.text.encoding import with_plain_line_ends
from citewise.text.marks import unmarked
from citewise.text.sentences import sentence_spans

WORDS = 280
"""Words of what stands in for an abstract, at most."""

FEWEST_WORDS = 60
"""Words of a section that can stand in for an abstract."""

LATEST_INTRODUCTION = 20
"""Sections from the beginning among which an introduction is that of the whole draft."""

MOST_PASSAGES = 300
"""Paragraphs that are looked at for a stand-in."""

LONGEST_BODY = 80_000
"""Characters of a draft's body that are looked at for a stand-in."""

_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_INTRODUCTION = re.compile(
    r"\W*(?:\d[\d.]*\s*)?(?:general |allgemeine )?(?:introduc|introduzione|einleitung|einf[üu]hrung"
    r"|inleiding|johdanto|inledning|innledning|indledning|wst[ęe]p|[úu]vod|giri[sş]|введение|вступ"
    r"|引言|绪论|緒論|はじめに|서론)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\\\w])[^\W\d_]{2,}")
_IDEOGRAPH = re.compile("[\u3040-\u9fff]")
_FRONT_MATTER = re.compile(
    r"\W*(?:abstract|acknowledge?ment|declaration|dedicat|preface|vorwort|danksagung|erkl[äa]rung|eidesstatt"
    r"|remerciements|agradecim|dankwoord|abbreviation|abk[üu]rzung|nomenclature|notation|contents"
    r"|list of|publications|author summary|keywords|data availab|supplement|appendix|anhang"
    r"|references|te[sş]ekk[üu]r|ringraziamenti|conflict|funding)",
    re.IGNORECASE,
)


def prose_paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a LaTeX text as readable text, with citations as `\cite{key}`.

    The preamble, comments, headings, displayed formulas, tables and the bibliography are left out;
    footnotes and captions follow their paragraph. A text without `\begin{document}` is read whole.
    """
    source = tex_source.without_comments(with_plain_line_ends(text))
    return [_with_commands(passage) for passage in _passages(source) if _WORD.search(passage.text)]


def stand_in(text: str) -> tuple[str, str]:
    """Return a text that can stand in for the abstract of a draft, and what it is, in words.

    `text` is the draft without comments. It is the introduction, else the first section of some
    length, else the sentences that cite.
    """
    read: list[Passage] = []
    starts: list[int] = []
    for section in _sections(text):
        starts.append(len(read))
        read += section
        is_early = len(starts) <= LATEST_INTRODUCTION
        if (
            is_early
            and _INTRODUCTION.match(section[0].section)
            and _length(section) >= FEWEST_WORDS // 2
        ):
            return _shortened(map(_plain, section)), "the introduction"

    for start, end in itertools.pairwise([*starts, len(read)]):
        if _length(read[start:end]) >= FEWEST_WORDS:
            return _shortened(map(_plain, read[start:])), "the first paragraphs"

    citing = _shortened(sentence for passage in read for sentence in _citing_sentences(passage))
    if len(citing.split()) >= FEWEST_WORDS // 2:
        return citing, "the sentences that cite"
    whole = _shortened(map(_plain, read))
    return whole, "the text" if whole else ""


def _sections(text: str) -> Iterator[list[Passage]]:
    """Yield the passages of each section, without front matter, up to `MOST_PASSAGES`."""
    some = itertools.islice(_passages(text, LONGEST_BODY), MOST_PASSAGES)
    for heading, section in itertools.groupby(some, lambda passage: passage.section):
        if not _FRONT_MATTER.match(heading):
            yield [*section]


def _length(section: list[Passage]) -> int:
    """Return the number of words; a character of Chinese or Japanese counts as half a word."""
    return sum(len(each.text.split()) + len(_IDEOGRAPH.findall(each.text)) // 2 for each in section)


def _passages(text: str, longest: int | None = None) -> Iterator[Passage]:
    """Yield the passages of the body of a document without comments, or of its first `longest`
    characters.
    """
    begin = _BEGIN.search(text)
    start = begin.end() if begin else 0
    body, commands = tex_commands.split_commands(text[: start + 2 * longest] if longest else text)
    begin = _BEGIN.search(body)
    end = _END.search(body, begin.end()) if begin else None
    body = body[begin.end() if begin else 0 : end.start() if end else len(body)]

    pieces = tex_commands.pieces(body[:longest])
    return passages("\n\n".join(tex_commands.expanded(piece, commands) for piece in pieces))


def _shortened(texts: Iterable[str]) -> str:
    """Return the first words of some texts, at most `WORDS` and in whole sentences, if possible."""
    text = " ".join(itertools.islice(texts, WORDS))
    words = text.split()
    cut = " ".join(words[:WORDS])[: 10 * WORDS]
    if len(words) <= WORDS and len(text) <= 10 * WORDS:
        return cut

    end = max(cut.rfind(mark) for mark in (". ", "? ", "! ", "。", "．"))
    return cut[: end + 1] if end > len(cut) // 2 else cut


def _plain(passage: Passage) -> str:
    marks = [(mark.start, mark.end) for mark in passage.marks]
    return unmarked(passage.text, marks, 0, len(passage.text))


def _citing_sentences(passage: Passage) -> Iterator[str]:
    marks = [(mark.start, mark.end) for mark in passage.marks]
    for start, end in sentence_spans(passage.text, marks):
        if any(start <= mark_start < end for mark_start, _ in marks):
            yield unmarked(passage.text, marks, start, end)


def _with_commands(passage: Passage) -> str:
    r"""Return a passage's text with `\cite{key1,key2}` for each of its citation marks."""
    parts: list[str] = []
    position = 0
    for mark in passage.marks:
        command = rf"\cite{{{','.join(mark.targets)}}}"
        parts += [passage.text[position : mark.start], command]
        position = mark.end
    return "".join([*parts, passage.text[position:]])
