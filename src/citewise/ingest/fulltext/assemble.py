"""What a format's reader found in a document, put together: one text with offsets, sentences,
groups, papers.
"""

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

PARTING = "\n\n"


def assembled(
    raw: Raw,
    passages: Iterable[Passage],
    entries: Iterable[tuple[str, Raw]],
    place: SourceLocation,
    report: Report,
) -> Document | None:
    """Return the document, or None where its record is none; `entries` are (the document's name of
    it, raw record).
    """
    cleaner = Cleaner(report)
    references = ReferenceList.of(entries, cleaner, place)
    named = _named(raw, place, report) if references.names else raw
    paper = cleaner.paper({**named, "references": list(references.papers)}, place)
    if paper is None:
        return None
    references.without((paper.id, *paper.ids))
    kept = _bounded(passages, place, report)
    return Document(
        paper,
        PARTING.join(passage.text for passage in kept),
        tuple(references.papers.values()),
        tuple(_sentences(paper, kept, references)),
    )


def _named(raw: Raw, place: SourceLocation, report: Report) -> Raw:
    """Return a record that has a name: where the document gives neither an id nor a title, that of
    its file.
    """
    ids = raw.get("ids") or ()
    known = any(ids.values() if isinstance(ids, dict) else ids)
    if known or raw.get("id") or (isinstance(raw.get("title"), str) and title_key(raw["title"])):
        return raw
    report.note("repaired", "title_from_file_name", place)
    name = Path(place.file).name.partition(".")[0] or place.file
    return {**raw, "title": name if place.line == 1 else f"{name} {place.line}"}


def _bounded(passages: Iterable[Passage], place: SourceLocation, report: Report) -> list[Passage]:
    kept: list[Passage] = []
    size = 0
    for passage in passages:
        size += len(passage.text)
        if size > LONGEST_TEXT:
            report.note("repaired", "text_cut", place)
            break
        if passage.text:
            kept.append(passage)
    return kept


def _sentences(
    paper: Paper, passages: list[Passage], references: ReferenceList
) -> Iterable[CitingSentence]:
    numbering, names = Numbering.of(passages, references.names), references.by_name_and_year()
    begins = 0
    for passage in passages:
        if passage.marks:
            for start, text, inner in _citing(
                passage, groups(passage, numbering, names), references
            ):
                yield CitingSentence(
                    paper.id, text, inner, passage.section, paper.year, paper.date, begins + start
                )
        begins += len(passage.text) + len(PARTING)


def _citing(
    passage: Passage, found: list[Group], references: ReferenceList
) -> Iterable[tuple[int, str, tuple[CitationGroup, ...]]]:
    """Yield (start, text, groups) of the sentences that cite."""
    if not found:
        return
    for start, end in sentence_spans(passage.text, [(group.start, group.end) for group in found]):
        inner = tuple(
            CitationGroup(group.start - start, group.end - start, cited(group, references.keys))
            for group in found
            if start <= group.start and group.end <= end
        )
        if inner:
            yield start, passage.text[start:end], inner
