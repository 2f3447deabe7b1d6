"""Assemble a document from its parts: one text with offsets, citing sentences, cited papers."""

from collections.abc import Iterable
from pathlib import Path

from citewise.ingest.clean import Cleaner, Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.citations import Group, Numbering, cited, groups
from citewise.ingest.fulltext.passages import Passage
from citewise.ingest.fulltext.references import ReferenceList
from citewise.ingest.report import Report, SourceLocation
from citewise.text.ids import title_key
from citewise.text.sentences import sentence_spans
from citewise.types import CitationGroup, CitingSentence, Paper

LONGEST_TEXT = 20_000_000
"""Characters."""

PARTING = "\n\n"
"""What is between two passages in a document's text."""


def assembled(
    raw: Raw,
    passages: Iterable[Passage],
    entries: Iterable[tuple[str, Raw]],
    location: SourceLocation,
    report: Report,
) -> Document | None:
    """Return the document, or None where the raw record of its paper cannot be used.

    `entries` are the list of references: (the document's own name for it, raw record).
    """
    cleaner = Cleaner(report)
    references = ReferenceList.of(entries, cleaner, location)
    named = _named(raw, location, report) if references.names else raw
    paper = cleaner.paper({**named, "references": list(references.papers)}, location)
    if paper is None:
        return None

    references.without((paper.id, *paper.ids))
    kept = _bounded(passages, location, report)
    return Document(
        paper=paper,
        text=PARTING.join(passage.text for passage in kept),
        cited=tuple(references.papers.values()),
        sentences=tuple(_sentences(paper, kept, references)),
    )


def _named(raw: Raw, location: SourceLocation, report: Report) -> Raw:
    """Return a record with an id or a title; where it has neither, the file's name is its title."""
    ids = raw.get("ids") or ()
    known = any(ids.values() if isinstance(ids, dict) else ids)
    if known or raw.get("id") or (isinstance(raw.get("title"), str) and title_key(raw["title"])):
        return raw

    report.note("repaired", "title_from_file_name", location)
    name = Path(location.file).name.partition(".")[0] or location.file
    return {**raw, "title": name if location.line == 1 else f"{name} {location.line}"}


def _bounded(
    passages: Iterable[Passage], location: SourceLocation, report: Report
) -> list[Passage]:
    """Return the passages that are not empty, up to `LONGEST_TEXT` characters in all."""
    kept: list[Passage] = []
    size = 0
    for passage in passages:
        size += len(passage.text)
        if size > LONGEST_TEXT:
            report.note("repaired", "text_cut", location)
            break
        if passage.text:
            kept.append(passage)

    return kept


def _sentences(
    paper: Paper, passages: list[Passage], references: ReferenceList
) -> Iterable[CitingSentence]:
    """Yield the citing sentences of all passages."""
    numbering, names = Numbering.of(passages, references.names), references.by_name_and_year()

    offset = 0
    for passage in passages:
        marked = groups(passage, numbering, names) if passage.marks else []
        for start, text, inner in _citing(passage, marked, references):
            yield CitingSentence(
                citing=paper.id,
                text=text,
                groups=inner,
                section=passage.section,
                year=paper.year,
                date=paper.date,
                start=offset + start,
            )
        offset += len(passage.text) + len(PARTING)


def _citing(
    passage: Passage, marked: list[Group], references: ReferenceList
) -> Iterable[tuple[int, str, tuple[CitationGroup, ...]]]:
    """Yield (start, text, groups) of the sentences of a passage that have groups in them."""
    if not marked:
        return

    for start, end in sentence_spans(passage.text, [(group.start, group.end) for group in marked]):
        inner = tuple(
            CitationGroup(group.start - start, group.end - start, cited(group, references.keys))
            for group in marked
            if start <= group.start and group.end <= end
        )
        if inner:
            yield start, passage.text[start:end], inner
