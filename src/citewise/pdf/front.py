"""Find title, authors, abstract, ids and year on the first pages of a PDF."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from citewise.pdf.pages import Line, Pages
from citewise.pdf.paragraphs import Paragraph
from citewise.text import section_names
from citewise.text.ids import surname, title_key
from citewise.text.people import people

LONGEST_TITLE = 300
"""Characters."""

LONGEST_ABSTRACT = 400
"""Words after which no further paragraph is taken for part of the abstract."""

FRONT_PAGES = 12
"""Pages in which an abstract is looked for; theses have it after some others."""

_MARKS = "∗*†‡§¶⋆⁎✉⁰¹²³⁴⁵⁶⁷⁸⁹ "
_BANNER = re.compile(
    r"(?:arxiv\s*:|https?:|www\.|doi\b|volume\b|vol\.|issn\b|preprint|under review|submitted to"
    r"|published|accepted|received|journal of\b.{0,60}$|proceedings of\b"
    r"|(?:original |research |review |short |full )*(?:article|paper|letter|report)s?$"
    r"|open access|draft\b.{0,40}$"
    r"|(?:master|bachelor|doctoral|phd|diploma)\S*\s+(?:thesis|dissertation)|universi\S+)",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"microsoft|untitled|^\S+\.(?:tex|docx?|pdf|dvi|indd|qxd)$|^title\b|latex", re.IGNORECASE
)
_LABEL = re.compile(rf"\s*{section_names.ABSTRACT_LABEL}\s*[:：.—–-]+\s*", re.IGNORECASE)
_RUN_IN = re.compile(r"\s*(?:Abstract|ABSTRACT|Summary|SUMMARY)\s+(?=[A-Z\"“])")
_KEYWORDS = re.compile(rf"\s(?=(?-i:[A-Z]))(?={section_names.KEYWORDS}\s*[:：.—–-])", re.IGNORECASE)

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+[^\s\"<>{}|\\^`.,;:)\]]")
_DATA_DOI = re.compile(r"10\.(?:5281|6084|5061|17605|7910)/")
_ARXIV = re.compile(r"arxiv\s*:\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE)
_DATED = re.compile(
    r"(?:©|\(c\)|copyright|published|accepted|received|proceedings|conference|workshop|\bvol\b|volume"
    r"|journal|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b)[^\n]{0,80}?\b((?:19|20)\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Front:
    """What the first pages say of a paper; empty where they do not surely say it."""

    title: str
    authors: tuple[str, ...]
    abstract: str
    ids: dict[str, str]
    year: int | None


def title_lines(lines: Sequence[Line], body: float, height: float) -> list[Line]:
    """Return the lines of the title: the largest of the first page that has text.

    Where none is larger than the text, they are the first ones.
    """
    first = [line for line in lines if line.page == lines[0].page]
    runs = [run for run in _runs(first) if _may_be_title(run, height)]
    if not runs:
        return []
    largest = max(run[0].size for run in runs)
    if largest < 1.05 * body:
        return next((run for run in runs if run[0].bold), runs[0])
    return next(run for run in runs if run[0].size > largest - 0.5)


def _runs(lines: Iterable[Line]) -> list[list[Line]]:
    """Return runs of lines of the same size that follow each other closely."""
    runs: list[list[Line]] = []
    for line in lines:
        last = runs[-1][-1] if runs else None
        if (
            last
            and abs(last.size - line.size) < 0.5
            and last.bold == line.bold
            and -2 < line.y - last.y < 2.1 * line.size
        ):
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _may_be_title(run: list[Line], height: float) -> bool:
    text = _text(run)
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    return (
        run[0].y < 0.75 * height
        and len(text) <= LONGEST_TITLE
        and (len(words) > 1 or (len(words) == 1 and len(text) > 7))
        and sum(map(str.isalpha, text)) > 0.5 * len(text)
        and not section_names.is_usual(text)
        and not _BANNER.match(text)
    )


def _text(lines: Iterable[Line]) -> str:
    return " ".join(line.text for line in lines).strip(_MARKS)


def title_of(run: list[Line], joined: str, pages: Pages, lines: Sequence[Line]) -> str:
    """Return the title; the file's own, if it is on the first page, since its letters are right."""
    given = " ".join(pages.metadata.get("Title", "").split())
    near = title_key(" ".join(line.text for line in lines[:200]))
    if len(given.split()) > 2 and not _NO_TITLE.search(given) and title_key(given) in near:
        return given
    return joined.strip(_MARKS) if run else ""


def authors_of(lines: Sequence[Line], metadata: str) -> tuple[str, ...]:
    """Return the authors that the lines below the title name, empty where that is not certain."""
    block = _first_block(lines)
    whole = people(" ".join(line.text for line in block)) if block else ()
    rest = lines[len(block) :] if whole else lines
    if whole or (lines and people(lines[0].text)):
        style = (lines[0].size, lines[0].bold)
        same = [people(line.text) for line in rest if (line.size, line.bold) == style]
        return tuple(dict.fromkeys([*whole, *(name for names in same for name in names)]))

    given = people(metadata.replace(";", ","))
    text = " ".join(line.text for line in lines).casefold()
    known = [name for name in given if surname(name) in text]
    return given if given and len(known) == len(given) else ()


def _first_block(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that follow each other closely in the style of the first, as one list."""
    block: list[Line] = []
    for line in lines:
        if block and (
            (line.size, line.bold) != (block[0].size, block[0].bold)
            or line.y - block[-1].y > 1.5 * line.size
        ):
            break
        block.append(line)
    return block


def labelled_abstract(paragraphs: Sequence[Paragraph]) -> str:
    """Return the text after the label of an abstract, "" where there is none."""
    for number, each in enumerate(paragraphs):
        if each.lines[0].page > FRONT_PAGES:
            break
        if section_names.is_abstract(each.text) and len(each.text) < 40:
            text = _up_to_end(paragraphs[number + 1 :])
            if text:
                return text
        label = _LABEL.match(each.text) or _RUN_IN.match(each.text)
        if label and len(each.text) > 60:
            rest = _up_to_end(paragraphs[number + 1 :], each)
            return _without_keywords(f"{each.text[label.end() :]} {rest}".strip())
    return ""


def starts_abstract(line: str) -> bool:
    """Return whether a line begins with the label of an abstract: "Abstract—We show"."""
    return _LABEL.match(line) is not None or _RUN_IN.match(line) is not None


def _up_to_end(paragraphs: Sequence[Paragraph], first: Paragraph | None = None) -> str:
    """Return the paragraphs up to a heading, the keywords or another size, as one text."""
    found: list[str] = []
    words, size = len(first.text.split()) if first else 0, first.size if first else 0.0
    for each in paragraphs:
        size = size or each.size
        other = abs(each.size - size) > 0.6
        if each.heading or words > LONGEST_ABSTRACT or section_names.starts_keywords(each.text):
            break
        if other and words:
            break
        if len(each.text.split()) < 8 and not words:
            continue
        found.append(each.text)
        words += len(each.text.split())
    return _without_keywords(" ".join(found))


def _without_keywords(text: str) -> str:
    found = _KEYWORDS.search(text)
    return (text[: found.start()] if found else text).strip()


def unlabelled_abstract(paragraphs: Sequence[Paragraph]) -> str:
    """Return the text between the authors and the introduction, if that is as long as abstracts."""
    ends = (
        number
        for number, each in enumerate(paragraphs)
        if each.lines[0].page <= 3 and each.heading and section_names.is_introduction(each.text)
    )
    end = next(ends, 0)
    long = [each.text for each in paragraphs[:end] if len(each.text.split()) >= 40]
    text = _without_keywords(" ".join(long))
    return text if 40 <= len(text.split()) <= LONGEST_ABSTRACT + 100 else ""


def ids_of(pages: Pages, front: str, margins: str) -> dict[str, str]:
    """Return the paper's own DOI and arXiv id, as far as the first page or the file gives them."""
    given = " ".join(pages.metadata.get(name, "") for name in ("doi", "Subject"))
    doi = next(
        (found[0] for text in (given, margins, front) if (found := _own(_DOI.findall(text)))),
        "",
    )
    arxiv = _ARXIV.search(f"{pages.aside} {margins}") or _ARXIV.match(front)
    return {
        name: value for name, value in (("doi", doi), ("arxiv", arxiv[1] if arxiv else "")) if value
    }


def _own(dois: Iterable[str]) -> list[str]:
    """Return the one DOI of a text that is not a data set's; none where there are several."""
    distinct = [*dict.fromkeys(doi.lower() for doi in dois if not _DATA_DOI.match(doi))]
    return distinct if len(distinct) == 1 else []


def year_of(arxiv: str, texts: Iterable[str]) -> int | None:
    """Return the year of a paper by its arXiv id, else by a dated line in the margins or above the
    abstract; None where none says it.
    """
    if re.match(r"\d{4}\.", arxiv):
        return 2000 + int(arxiv[:2])
    now = datetime.now(UTC).year
    years = [int(match[1]) for text in texts for match in _DATED.finditer(text)]
    known = [year for year in years if 1900 <= year <= now]
    return max(known) if known else None
