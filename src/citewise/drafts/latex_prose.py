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

MOST_PASSAGES = 5_000
"""Paragraphs that are looked at for a stand-in."""

LONGEST_STAND_IN_SOURCE = 2_000_000
"""Characters of a body that are looked at for a stand-in."""

_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_INTRODUCTION = re.compile(
    r"\W*(?:\d[\d.]*\s*)?(?:general |allgemeine )?(?:introduc|introduzione|einleitung|einf[üu]hrung"
    r"|inleiding|johdanto|inledning|innledning|indledning|wst[ęe]p|[úu]vod|giri[sş]|введение|вступ"
    r"|引言|绪论|緒論|はじめに|서론|motivation|background|overview|problemstellung)",
    re.IGNORECASE,
)
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
    return [_with_commands(passage) for passage in _passages(text)]


def stand_in(text: str) -> tuple[str, str]:
    """Return a text that can stand in for a draft's missing abstract, and what it is, in words.

    The introduction, else the first section of some length, else the sentences that cite.
    """
    body = text[:LONGEST_STAND_IN_SOURCE]
    found = [
        passage
        for passage in itertools.islice(_passages(body), MOST_PASSAGES)
        if not _FRONT_MATTER.match(passage.section)
    ]
    sections = [[*each] for _, each in itertools.groupby(found, lambda passage: passage.section)]

    introduction = _from_first(sections, _INTRODUCTION, FEWEST_WORDS // 2)
    if introduction:
        return introduction, "the introduction"
    first = _from_first(sections, re.compile(""), FEWEST_WORDS)
    if first:
        return first, "the first paragraphs"

    citing = _shortened(sentence for passage in found for sentence in _citing_sentences(passage))
    if len(citing.split()) >= FEWEST_WORDS // 2:
        return citing, "the sentences that cite"
    whole = _shortened(map(_plain, found))
    return whole, "the text" if whole else ""


def _passages(text: str) -> Iterator[Passage]:
    """Yield the passages of a document's body."""
    source = tex_source.without_comments(with_plain_line_ends(text))
    body, commands = tex_commands.split_commands(source)
    begin = _BEGIN.search(body)
    end = _END.search(body, begin.end()) if begin else None
    body = body[begin.end() if begin else 0 : end.start() if end else len(body)]

    pieces = tex_commands.pieces(body)
    return passages("\n\n".join(tex_commands.expanded(piece, commands) for piece in pieces))


def _from_first(sections: list[list[Passage]], heading: re.Pattern[str], fewest: int) -> str:
    """Return the text of the first section of some length with a heading, and of the next ones
    where it is short.
    """
    for number, section in enumerate(sections):
        text = " ".join(map(_plain, section))
        if heading.match(section[0].section) and len(text.split()) >= fewest:
            following = sections[number + 1 :] if len(text.split()) < 2 * FEWEST_WORDS else []
            return _shortened(map(_plain, itertools.chain(section, *following)))
    return ""


def _shortened(texts: Iterable[str]) -> str:
    """Return the first words of some texts, at most `WORDS` and in whole sentences."""
    words: list[str] = []
    for text in texts:
        words += text.split()
        if len(words) >= WORDS:
            break
    if len(words) <= WORDS:
        return " ".join(words)

    cut = " ".join(words[:WORDS])
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
