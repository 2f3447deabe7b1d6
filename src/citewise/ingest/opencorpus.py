"""Read Semantic Scholar's Open Research Corpus of 2017 to 2020 (Citeomatic's): JSON lines."""

from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.report import Report
from citewise.ingest.source import Source

NAME = "opencorpus"

_MARKS = {"paperAbstract", "outCitations", "inCitations"}


def detects(head: bytes) -> bool:
    """Return whether the source starts with papers of the Open Research Corpus."""
    return any("id" in paper and len(_MARKS & paper.keys()) >= 2 for paper in first_objects(head))


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record).

    `inCitations` is left out: its citations are also in the citing papers' `outCitations`, and a
    popular paper has tens of thousands of them.
    """
    for line, paper in objects(source, report):
        yield line, _record(paper)


def _record(paper: dict[str, Any]) -> Raw:
    return {
        "id": paper.get("id"),
        "title": paper.get("title"),
        "abstract": paper.get("paperAbstract"),
        "year": paper.get("year"),
        "authors": paper.get("authors"),
        "venue": paper.get("venue") or paper.get("journalName"),
        "ids": {"doi": paper.get("doi"), "pmid": paper.get("pmid"), "mag": paper.get("magId")},
        "references": paper.get("outCitations"),
        "fields": paper.get("fieldsOfStudy"),
        "key_phrases": paper.get("keyPhrases") or paper.get("entities"),
        "details": {"volume": paper.get("journalVolume"), "pages": paper.get("journalPages")},
    }
