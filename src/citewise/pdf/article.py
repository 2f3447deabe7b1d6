"""A PDF as an article: what its first pages say, its prose by sections, its list of references."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from citewise.pdf import front
from citewise.pdf.layout import body_size, lines_of
from citewise.pdf.pages import Line, Pages, read_pages
from citewise.pdf.paragraphs import Joiner, Paragraph, paragraphs_of
from citewise.pdf.reference_list import Entry, entries_of, split_references
from citewise.text import section_names

SHORTEST_PARAGRAPH = 8
"""Words; shorter ones are labels of figures, cells of tables, formulas."""

MOST_FRONT_LINES = 80
"""Lines below the title in which authors are looked for."""


@dataclass(frozen=True, slots=True)
class Section:
    """Paragraphs of prose under one heading, "" for those before the first."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """What was read of a PDF; empty where it is not there or not certain."""

    title: str
    authors: tuple[str, ...]
    abstract: str
    """The labelled one, or the text between the authors and an introduction."""
    ids: dict[str, str]
    year: int | None
    sections: tuple[Section, ...]
    """Without the abstract and the list of references."""
    references: tuple[Entry, ...]
    unread: str
    """Which pages were left out of a long file, in words."""

    @property
    def words(self) -> int:
        """How many words its prose has."""
        return sum(len(each.split()) for part in self.sections for each in part.paragraphs)


def read_article(content: bytes, name: str) -> Article:
    """Return the article in a PDF, which messages call `name`."""
    pages = read_pages(content, name)
    lines, margins = lines_of(pages.read)
    text, listed = split_references(lines)
    body, joiner = body_size(text or lines), Joiner(lines)
    paragraphs = paragraphs_of(text, body, joiner)
    read = _front(pages, text, margins, paragraphs, body)
    start = _start(paragraphs, read.abstract)

    return Article(
        title=read.title,
        authors=read.authors,
        abstract=read.abstract,
        ids=read.ids,
        year=read.year,
        sections=tuple(_sections(paragraphs[start:], body)),
        references=tuple(entries_of(listed, joiner)) if listed else (),
        unread=_unread(pages),
    )


def _front(
    pages: Pages,
    text: list[Line],
    margins: list[Line],
    paragraphs: list[Paragraph],
    body: float,
) -> front.Front:
    if not text:
        return front.Front("", (), "", {}, None)

    height = next(page.height for page in pages.read if page.number == text[0].page)
    run = front.title_lines(text, body, height)
    title = front.title_of(run, Joiner(text).joined(line.text for line in run), pages, text)
    above, below = _around(text, run)
    abstract = front.labelled_abstract(paragraphs) or front.unlabelled_abstract(paragraphs)

    around = " ".join(line.text for line in margins if line.page == text[0].page)
    first = " ".join(line.text for line in [*above, *run, *below])
    ids = front.ids_of(pages, first, around)
    return front.Front(
        title=title,
        authors=front.authors_of(below, pages.metadata.get("Author", "")),
        abstract=abstract,
        ids=ids,
        year=front.year_of(ids.get("arxiv", ""), [around, first]),
    )


def _around(text: list[Line], run: list[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines above the title, and those between it and the abstract or first section."""
    start = next((number for number, line in enumerate(text) if run and line is run[-1]), -1) + 1
    found = []
    for line in text[start : start + MOST_FRONT_LINES]:
        ends = section_names.is_abstract(line.text) or section_names.is_introduction(line.text)
        if ends or front.starts_abstract(line.text) or len(line.text.split()) > 25:
            break
        found.append(line)
    return text[: max(0, start - len(run))], found


def _start(paragraphs: list[Paragraph], abstract: str) -> int:
    """Return the position of the first paragraph after the abstract."""
    for number, each in enumerate(paragraphs):
        if abstract and abstract[-40:] in each.text:
            return number + 1
    headings = (number for number, each in enumerate(paragraphs) if _is_first_section(each))
    return next(headings, 0)


def _is_first_section(paragraph: Paragraph) -> bool:
    return paragraph.heading and section_names.is_introduction(paragraph.text)


def _sections(paragraphs: list[Paragraph], body: float) -> Iterator[Section]:
    """Yield the sections of running text; what floats, notes or figures cut apart is joined."""
    heading: str = ""
    prose: list[str] = []
    for each in paragraphs:
        if each.heading:
            if prose:
                yield Section(heading, tuple(prose))
            heading, prose = each.text, []
        elif section_names.is_margin(heading):
            continue
        elif len(each.text.split()) >= SHORTEST_PARAGRAPH and abs(each.size - body) < 0.15 * body:
            if prose and _is_cut(prose[-1], each.text):
                prose[-1] = f"{prose[-1]} {each.text}"
            else:
                prose.append(each.text)
    if prose:
        yield Section(heading, tuple(prose))


def _is_cut(one: str, other: str) -> bool:
    """Return whether a paragraph goes on in the next: it has no end, and the next no beginning."""
    return one[-1:] not in '.?!:;"”' and other[:1].islower()


def _unread(pages: Pages) -> str:
    missing = pages.count - len(pages.read)
    if not missing:
        return ""
    numbers = [page.number for page in pages.read]
    gap = next((one for one, other in itertools.pairwise(numbers) if other > one + 1), 0)
    first = gap + 1 if gap else len(numbers) + 1
    return f"pages {first} to {first + missing - 1} of {pages.count} were not read"
