"""ParsCit's XML of PDFs: the text by SectLabel, the references by ParsCit with the words by which
they are cited.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, from_spans
from citewise.ingest.fulltext.xml_tree import (
    Element,
    children,
    descendants,
    name_of,
    parsed,
    root_name,
    text_of,
)
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "parscit"

LONGEST_MARK = 200
MOST_MARKS = 1_000
"""Each is looked for in the whole text."""
_READ = ("bodyText", "listItem", "footnote", "figureCaption", "tableCaption")
_ANTHOLOGY = re.compile(r"[A-Z]\d\d-\d{4}|\d{4}\.[a-z0-9-]+\.\d+")
_HYPHEN = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")
_ENDED = re.compile(r"[.?!:][\"'”’)\]]*$")
_TELLING = re.compile(r"\[\w[^\]]*\]|[^\W\d_]{2}.*\d")
"""A mark in brackets, or a name and a year; a bare number might be anything."""


def detects(head: bytes) -> bool:
    """Whether the source is what ParsCit writes."""
    return root_name(head) == "algorithms" and (
        b'name="ParsCit"' in head or b'name="SectLabel"' in head
    )


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (1, the document)."""
    root = parsed(source, report)
    if root is None:
        return
    citations = descendants(_algorithm(root, "ParsCit"), "citation")
    entries = [(str(number), _reference(citation)) for number, citation in enumerate(citations)]
    document = assembled(
        _paper(root, Path(source.name)),
        _passages(root, _marks(citations)),
        entries,
        SourceLocation(source.name, 1),
        report,
    )
    if document is not None:
        yield 1, document


def _algorithm(root: Element, name: str) -> Element | None:
    return next((each for each in children(root, "algorithm") if each.get("name") == name), None)


def _paper(root: Element, path: Path) -> Raw:
    """Return the record of the paper by ParsHed, whose title is whole more often than SectLabel's."""
    header, labelled = _algorithm(root, "ParsHed"), _algorithm(root, "SectLabel")
    found = descendants(header, "title") or descendants(labelled, "title")
    return {
        "title": text_of(found[0]) if found else "",
        "authors": [text_of(name) for name in descendants(header, "author")],
        "abstract": " ".join(text_of(part) for part in descendants(header, "abstract")[:1]),
        "ids": {"acl": name}
        if _ANTHOLOGY.fullmatch(name := path.name.partition(".xml")[0])
        else {},
    }


def _reference(citation: Element) -> Raw:
    found = {name_of(child): text_of(child) for child in citation if name_of(child)}
    pages = found.get("pages", "").replace("--", "-")
    return {
        "title": found.get("title"),
        "authors": [text_of(name) for name in descendants(citation, "author")],
        "year": found.get("date"),
        "venue": found.get("journal") or found.get("booktitle"),
        "printed": found.get("rawString"),
        "details": {"volume": found.get("volume"), "pages": pages},
    }


def _marks(citations: list[Element]) -> dict[str, str]:
    """Return what each mark means; one that stands for several references, or that may be anything,
    is left out.
    """
    meant: dict[str, set[str]] = {}
    for number, citation in enumerate(citations):
        for context in descendants(citation, "context"):
            mark = " ".join((context.get("citStr") or "")[:LONGEST_MARK].split())
            if _TELLING.match(mark):
                meant.setdefault(mark, set()).add(str(number))
    return {mark: next(iter(names)) for mark, names in meant.items() if len(names) == 1}


def _passages(root: Element, marks: dict[str, str]) -> Iterator[Passage]:
    longest_first = sorted(list(marks)[:MOST_MARKS], key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})(?!\w)")
    for section, text in _texts(root):
        yield from_spans(
            text, [(*match.span(), marks[match[0]]) for match in pattern.finditer(text)], section
        )


def _texts(root: Element) -> Iterator[tuple[str, str]]:
    """Yield (section, text), paragraphs that a page's end parts put together again."""
    section = waiting = ""
    for element in descendants(
        _algorithm(root, "SectLabel"), "sectionHeader", "subsectionHeader", *_READ
    ):
        text = " ".join(_HYPHEN.sub("", "".join(element.itertext())).split())
        if name_of(element).endswith("Header"):
            yield section, waiting.strip()
            section, waiting = text, ""
        elif name_of(element) != "bodyText":
            yield section, text
        elif _ENDED.search(text):
            yield section, f"{waiting} {text}".strip()
            waiting = ""
        else:
            waiting = f"{waiting} {text}"
    yield section, waiting.strip()
