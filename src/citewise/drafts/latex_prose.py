r"""Turn the body of a LaTeX draft into paragraphs of running text that keep their citations."""

import itertools
import re
from collections.abc import Iterable, Iterator

from citewise.drafts import prose
from citewise.drafts.prose import count_words
from citewise.ingest.fulltext.latex_passages import passages
from citewise.ingest.fulltext.passages import Passage
from citewise.text import section_names, tex_commands, tex_source
from citewise.text.encoding import with_plain_line_ends
from citewise.text.marks import unmarked
from citewise.text.sentences import sentence_spans

FEWEST_WORDS = 60
"""Words of a section that can stand in for an abstract."""

LATEST_INTRODUCTION = 20
"""Sections from the beginning among which an introduction is that of the whole draft."""

MOST_PASSAGES = 300
"""Paragraphs that are looked at for a stand-in."""

LONGEST_BODY = 80_000
"""Characters of a draft's body that are looked at for a stand-in."""

_TITLE_PAGE = re.compile(r"\\begin\s*\{(titlepage|titlingpage|frontmatter)\*?\}")
_MAKE_TITLE = re.compile(r"\\maketitle(?![A-Za-z])")
_HEADING = re.compile(r"\\(?:part|chapter|section)(?![A-Za-z])")
_WORD = re.compile(r"(?<![\\\w])[^\W\d_]{2,}")


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
            and section_names.introduces(section[0].section)
            and _length(section) >= FEWEST_WORDS // 2
        ):
            return _joined(map(_plain, section)), "the introduction"

    for start, end in itertools.pairwise([*starts, len(read)]):
        if _length(read[start:end]) >= FEWEST_WORDS:
            return _joined(map(_plain, read[start:])), "the first paragraphs"

    citing = _joined(sentence for passage in read for sentence in _citing_sentences(passage))
    if count_words(citing) >= FEWEST_WORDS // 2:
        return citing, "the sentences that cite"
    whole = _joined(map(_plain, read))
    return whole, "the text" if whole else ""


def _sections(text: str) -> Iterator[list[Passage]]:
    """Yield the passages of each section, without front matter, up to `MOST_PASSAGES`."""
    some = itertools.islice(_passages(text, LONGEST_BODY), MOST_PASSAGES)
    for heading, section in itertools.groupby(some, lambda passage: passage.section):
        if not (section_names.is_abstract(heading) or section_names.is_margin(heading)):
            yield [*section]


def _length(section: list[Passage]) -> int:
    return sum(count_words(passage.text) for passage in section)


def _passages(text: str, longest: int | None = None) -> Iterator[Passage]:
    """Yield the passages of the body of a document without comments, or of its first `longest`
    characters.
    """
    begin = tex_source.BEGIN_DOCUMENT.search(text)
    start = begin.end() if begin else 0
    whole, commands = tex_commands.split_commands(text[: start + 2 * longest] if longest else text)
    body = tex_source.body_of(whole)[:longest]
    body = _without_title(body) if longest else body
    return passages(tex_commands.expanded_pieces(body, commands))


def _without_title(body: str) -> str:
    """Return a document's body without its title page, and what is before the title elsewhere."""
    page = _TITLE_PAGE.search(body)
    end = body.find(rf"\end{{{page[1]}", page.end()) if page else -1
    body = body[: page.start()] + body[end:] if page and end >= 0 else body
    made = _MAKE_TITLE.search(body)
    is_front = made and not _HEADING.search(body, 0, made.start())
    return body[made.end() :] if made and is_front else body


def _joined(texts: Iterable[str]) -> str:
    """Return the first of some texts as one that can stand in for an abstract."""
    joined = " ".join(itertools.islice(texts, prose.STAND_IN_WORDS))
    return prose.stand_in(tex_commands.without_commands(joined))


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
