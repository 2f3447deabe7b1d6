"""Read papers in PDF: the paper, its printed references, and its citing sentences."""

import re
from collections.abc import Iterator
from pathlib import Path

from citewise.errors import BadInput, MissingExtra
from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, PassageWriter
from citewise.ingest.fulltext.printed_reference import printed
from citewise.ingest.keys import registry_key
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source, content_of
from citewise.pdf.article import Article, read_article
from citewise.pdf.pages import LARGEST, START

NAME = "pdf"

LEAST_WORDS = 100
"""Words of prose; with fewer and no abstract, a PDF is a figure, a slide or a form."""

LEAST_CITED = 0.2
"""The part of the references that marks of one kind must name to be taken for citations."""

_NUMBERS = r"\d{1,4}(?:\s?[,;–—-]\s?\d{1,4}){0,40}"
_STYLES = {
    "[": re.compile(r"\[[^\[\]]{1,120}\]"),
    "(": re.compile(rf"\({_NUMBERS}\)"),
    "^": re.compile(
        r"(?<=[^\W\d_]{3}|\w[.,;:)”]{2}|\w\w[.,;:)”]) ?[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[,–-][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*"
    ),
}
"""Marks with the labels of references, by the way in which they are printed."""

_NAMES = re.compile(
    r"[A-ZÀ-Þ][\w'’-]+(?:,? (?:and|&) [A-ZÀ-Þ][\w'’-]+| et al\.?)?,? \((?:1[89]|20)\d\d[a-z]?\)"
    r"|\([^()]{0,300}?\b(?:1[89]|20)\d\d[a-z]?[^()]{0,300}?\)"
)
_NUMERIC = re.compile(_NUMBERS)
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ARXIV = re.compile(r"(?:^|arxiv[-_: ]?)(\d{4}\.\d{4,5})(?:v\d+)?$", re.IGNORECASE)


def detects(head: bytes) -> bool:
    """Return whether the source is a PDF."""
    return START.match(head) is not None


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (1, the document); a PDF that cannot be read is an error only where it is alone."""
    location = SourceLocation(source.name, 1)
    content = content_of(source, report, LARGEST)
    if content is None:
        return
    try:
        article = _article(content, source.name)
    except (BadInput, MissingExtra) as error:
        if len(source.siblings.files) < 2:
            raise
        detail = str(error).removeprefix(f"{source.name}: ")
        report.note("skipped", "not_readable", location, detail=detail)
        return

    if article.unread:
        report.note("repaired", "pages_left_out", location, detail=article.unread)
    entries = [(entry.label, printed(entry.text)) for entry in article.references]
    passages = _passages(article)
    document = assembled(_paper(article, source.name), passages, entries, location, report)
    if document is not None:
        yield 1, document


def _article(content: bytes, name: str) -> Article:
    """Return the article in a PDF, or raise BadInput where there is none."""
    article = read_article(content, name)
    if article.words + len(article.abstract.split()) < LEAST_WORDS and not article.references:
        raise BadInput(
            f"{name}: this PDF has too little text for a paper; is it a figure, or a scan without "
            "its text (ocrmypdf scan.pdf text.pdf)?"
        )
    return article


def _paper(article: Article, name: str) -> Raw:
    """Return the raw record of the paper; the file's name may be an id of arXiv."""
    named = _ARXIV.search(Path(name).name.removesuffix(".pdf"))
    arxiv = article.ids.get("arxiv") or (named[1] if named else "")
    return {
        "title": article.title,
        "authors": [*article.authors],
        "abstract": article.abstract,
        "year": article.year or (2000 + int(arxiv[:2]) if arxiv[:4].isdigit() else None),
        "ids": {
            "doi": registry_key(article.ids.get("doi", ""), "doi"),
            "arxiv": registry_key(arxiv, "arxiv"),
        },
    }


def _passages(article: Article) -> Iterator[Passage]:
    """Yield the abstract and the paragraphs, with their citation marks."""
    style, labels = _style(article), frozenset(entry.label for entry in article.references)
    if article.abstract:
        yield _marked(article.abstract, style, labels, "Abstract")
    for part in article.sections:
        for text in part.paragraphs:
            yield _marked(text, style, labels, part.heading)


def _style(article: Article) -> str:
    """Return how most references of a document are cited: "[", "(", "^", or "" for by names."""
    labels = frozenset(entry.label for entry in article.references)
    texts = [article.abstract, *(text for part in article.sections for text in part.paragraphs)]
    cited = {
        style: {
            label
            for text in texts
            for match in pattern.finditer(text)
            for label in _labels(match[0], labels)
        }
        for style, pattern in _STYLES.items()
    }
    best = max(cited, key=lambda style: len(cited[style]))
    return best if len(cited[best]) > LEAST_CITED * len(labels) else ""


def _labels(mark: str, labels: frozenset[str]) -> list[str]:
    """Return the labels that a mark lists; none where it is no mark."""
    inner = mark.translate(_LOWERED).strip("[]() ")
    if _NUMERIC.fullmatch(inner) and not {*re.findall(r"\d+", inner)} <= labels:
        return []
    return [name for each in re.split(r"[,;]", inner) if (name := each.strip()) in labels]


def _marked(text: str, style: str, labels: frozenset[str], section: str) -> Passage:
    """Return a paragraph with its citation marks; raised numbers become numbers in brackets.

    What a mark lists is its target. Ranges, and names with years, are looked up later.
    """
    writer, position = PassageWriter(), 0
    for match in (_STYLES[style] if style else _NAMES).finditer(text):
        known = _labels(match[0], labels) if style else []
        is_range = style and _NUMERIC.fullmatch(match[0].translate(_LOWERED).strip("[]() "))
        if not style or known or is_range:
            writer.add(text[position : match.start()])
            writer.mark(_plain(match[0]), known)
            position = match.end()
    writer.add(text[position:])
    return writer.passage(section)


def _plain(mark: str) -> str:
    """Return a mark on the line: raised numbers in brackets."""
    lowered = mark.translate(_LOWERED)
    return mark if lowered == mark else f" [{lowered}]"
