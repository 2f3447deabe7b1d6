"""Read unarXive: arXiv papers in whose text citations, formulas and figures are {{kind:key}}."""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.arxiv import record_of
from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, PassageWriter
from citewise.ingest.fulltext.printed_reference import printed
from citewise.ingest.json_stream import streamed_objects
from citewise.ingest.json_values import at
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "unarxive"

LONGEST_FORMULA = 80
"""Characters of LaTeX that are kept in a sentence; a longer formula becomes "FORMULA"."""

LONGEST_PARAGRAPH = 20_000
"""Characters to which paragraphs are joined."""

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+):([^{}\s]{1,100})\}\}")
_IDS = {
    "doi": "doi",
    "arxiv_id": "arxiv",
    "open_alex_id": "openalex",
    "pubmed_id": "pmid",
    "pmc_id": "pmcid",
}


def detects(head: bytes) -> bool:
    """Return whether the source starts with an object of unarXive."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n[")[:1] == b"{"
        and b'"paper_id"' in head
        and b'"_source_hash"' in head
    )


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (line, document)."""
    for line, record in streamed_objects(source, report):
        entries = record.get("bib_entries")
        listed = (
            [(name, _reference(entry)) for name, entry in entries.items()]
            if isinstance(entries, dict)
            else []
        )
        numbers = {name: number for number, (name, _) in enumerate(listed, 1)}

        document = assembled(
            _paper(record),
            _passages(record, numbers),
            listed,
            SourceLocation(source.name, line),
            report,
        )
        if document is not None:
            yield line, document


def _paper(record: dict[str, Any]) -> Raw:
    metadata = record.get("metadata")
    described = dict(metadata) if isinstance(metadata, dict) else {}
    return record_of({"id": record.get("paper_id"), **described})


def _reference(entry: Any) -> Raw:
    """Return the raw record of a printed reference, with the ids that unarXive gives for it."""
    text = at(entry, "bib_entry_raw")
    raw = printed(text) if isinstance(text, str) else {}

    ids = {
        scheme: at(entry, "ids", name) for name, scheme in _IDS.items() if at(entry, "ids", name)
    }
    inside = at(entry, "contained_arXiv_ids")
    if not ids.get("arxiv") and isinstance(inside, list) and inside:
        ids["arxiv"] = at(inside[0], "id")
    return {**raw, "ids": {**raw.get("ids", {}), **ids}}


def _passages(record: dict[str, Any], numbers: dict[str, int]) -> Iterator[Passage]:
    """Yield the passages; a citation is printed as its number in the list of references."""
    formulas = record.get("ref_entries")

    for section, text in _whole(_texts(record)):
        writer, position = PassageWriter(), 0
        for match in _PLACEHOLDER.finditer(text):
            writer.add(text[position : match.start()])
            if match[1] == "cite":
                writer.mark(f"[{numbers.get(match[2], '?')}]", [match[2]])
            else:
                writer.add(_shown(match[1], at(formulas, match[2], "latex")))
            position = match.end()
        writer.add(text[position:])
        yield writer.passage(_PLACEHOLDER.sub("", section))


def _whole(texts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (section, paragraph), with paragraphs that a formula has split joined again.

    A paragraph that begins with a small letter continues the one before.
    """
    last: tuple[str, str] | None = None
    for section, text in texts:
        continues = text.lstrip()[:1].islower()
        if last and last[0] == section and continues and len(last[1]) < LONGEST_PARAGRAPH:
            last = section, f"{last[1]} {text}"
        else:
            if last:
                yield last
            last = section, text

    if last:
        yield last


def _texts(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (section, paragraph) of a record.

    The release of 2022 has a list of paragraphs, that of 2024 an object of sections.
    """
    body, sections = record.get("body_text"), record.get("sections")
    for paragraph in body if isinstance(body, list) else []:
        if isinstance(text := at(paragraph, "text"), str):
            yield str(paragraph.get("section") or ""), text
    for section, part in sections.items() if isinstance(sections, dict) else []:
        if isinstance(text := at(part, "text"), str):
            yield from ((section, paragraph) for paragraph in text.split("\n\n"))


def _shown(kind: str, latex: Any) -> str:
    """Return the text of a placeholder that is no citation."""
    if kind != "formula":
        return "REF"

    short = (
        isinstance(latex, str)
        and 0 < len(latex.strip()) <= LONGEST_FORMULA
        and "\n" not in latex.strip()
    )
    return f"${latex.strip()}$" if short else "FORMULA"
