"""Turn the references in a draft into papers: CSL items, records of EndNote, printed ones."""

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from citewise.ingest import csl, endnote_xml
from citewise.ingest.clean import Cleaner, Raw
from citewise.ingest.fulltext.printed_reference import printed
from citewise.ingest.fulltext.xml_tree import descendants, first, parsed, text_of
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source
from citewise.text.ids import scheme_of
from citewise.types import Paper

LONGEST_TITLE = 300
"""Characters of a printed reference that stand for its title, where none is recognised."""

_HERE = SourceLocation("the draft", 1)


def source_of(name: str, content: bytes) -> Source:
    """Return bytes as a source of the readers of bibliographies."""
    return Source(name, io.BufferedReader(io.BytesIO(content)), len(content))


def csl_references(items: Iterable[Any]) -> tuple[Paper, ...]:
    """Return the papers of CSL items, each with its own id as a key."""
    papers = (_csl_paper(item) for item in items if isinstance(item, dict))
    return tuple(paper for paper in papers if paper is not None)


def _csl_paper(item: dict[str, Any]) -> Paper | None:
    report = Report()
    source = source_of("the draft", json.dumps([item]).encode("utf-8", "replace"))
    raws = [raw for _, raw in csl.records(source, report)]
    paper = paper_of(raws[0]) if raws else None
    local = str(item.get("id") or "")
    return _with_key(paper, local) if paper and local else paper


def printed_references(texts: Iterable[str]) -> tuple[Paper, ...]:
    """Return the papers of printed references, each with its number as a key; one in which no title
    is recognised has its text as title.
    """
    papers = []
    for number, text in enumerate(texts, 1):
        raw = printed(text)
        paper = paper_of(raw) if raw["title"] or any(raw["ids"].values()) else None
        papers.append(_with_key(paper or Paper("", text[:LONGEST_TITLE]), f"#{number}"))
    return tuple(papers)


def endnote_references(content: bytes) -> list[Raw]:
    """Return the raw records in the XML that EndNote leaves in the citations of a document; one
    without a title where a citation has no record, or none can be read.
    """
    root = parsed(source_of("the draft", content), Report())
    return [_endnote_record(cite) for cite in descendants(root, "Cite")] or [{"title": ""}]


def _endnote_record(cite: Any) -> Raw:
    record = first(cite, "record")
    if record is None:
        return {"title": ""}
    raw = endnote_xml.record_of(record)
    return {
        **raw,
        "id": None,  # its label in a library of EndNote
        "authors": raw["authors"] or [text_of(first(cite, "Author"))],
        "year": raw["year"] or text_of(first(cite, "Year")),
    }


def numbered(references: Sequence[Paper]) -> tuple[str, ...]:
    """Return the keys that stand for references without keys of their own: "#1", "#2"."""
    return tuple(f"#{number}" for number, _ in enumerate(references, 1))


def with_numbers(papers: Iterable[Paper]) -> tuple[Paper, ...]:
    """Return papers with their numbers as keys, instead of those that they have."""
    unkeyed = (
        replace(paper, ids=tuple(filter(scheme_of, paper.ids)))  # only ids in registries
        for paper in papers
    )
    return tuple(_with_key(paper, f"#{number}") for number, paper in enumerate(unkeyed, 1))


def paper_of(raw: Raw) -> Paper | None:
    """Return the paper of a raw record, None where it has neither a title nor an id."""
    return Cleaner(Report()).paper(raw, _HERE)


def _with_key(paper: Paper, key: str) -> Paper:
    return replace(paper, ids=tuple(dict.fromkeys([*paper.ids, f"bib:{key}"])))
