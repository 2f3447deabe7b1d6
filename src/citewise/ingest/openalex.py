"""Read works of OpenAlex: JSON lines of the snapshot, or saved pages of the API."""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.json_values import at, each
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "openalex"

MOST_WORDS = 10_000
LONGEST_WORD = 300
"""Bounds of an inverted abstract: a long word at many positions makes a huge text."""

_ENTITY = "https://openalex.org/"
_WORK = "https://openalex.org/W"
_MARKS = {
    "authorships",
    "referenced_works",
    "abstract_inverted_index",
    "publication_year",
    "primary_location",
}
_PAGE = "results"

_KINDS = {
    "article": "article",
    "review": "article",
    "letter": "article",
    "editorial": "article",
    "erratum": "article",
    "book": "book",
    "book-chapter": "chapter",
    "reference-entry": "chapter",
    "dissertation": "thesis",
    "preprint": "preprint",
    "dataset": "dataset",
    "report": "report",
    "standard": "report",
    "software": "software",
    # the types of Crossref, which snapshots before 2023 have
    "journal-article": "article",
    "proceedings-article": "inproceedings",
    "monograph": "book",
    "edited-book": "book",
    "posted-content": "preprint",
}
_PMCID = re.compile(r"(?:.*/)?(?:pmc)?(\d{1,12})/?", re.IGNORECASE)
_ARXIV = re.compile(r"https?://(?:www\.)?arxiv\.org/abs/([\w.-]+(?:/\d{7})?)", re.IGNORECASE)


def detects(head: bytes) -> bool:
    """Return whether the source starts with works of OpenAlex."""
    return any(
        str(work.get("id")).startswith(_WORK) and not _MARKS.isdisjoint(work)
        for work in first_objects(head, page=_PAGE)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record) of the works; other entities (authors, sources, ...) are skipped."""
    for line, work in objects(source, report, _PAGE):
        own = str(work.get("id"))
        if own.startswith(_ENTITY) and not own.startswith(_WORK):
            report.note("skipped", "not_a_work", SourceLocation(source.name, line), own)
            continue

        abstract, whole = _abstract(work.get("abstract_inverted_index"))
        if not whole:
            report.note("repaired", "bad_abstract_index", SourceLocation(source.name, line), own)
        yield line, _record(work, abstract)


def _record(work: dict[str, Any], abstract: str) -> Raw:
    source = at(work, "primary_location", "source") or work.get("host_venue")

    return {
        "id": work.get("id"),
        "title": work.get("title") or work.get("display_name"),
        "abstract": abstract,
        "year": work.get("publication_year"),
        "date": work.get("publication_date"),
        "authors": each(work.get("authorships"), "author", "display_name"),
        "venue": at(source, "display_name"),
        "ids": _ids(work),
        "references": work.get("referenced_works"),
        "fields": _fields(work),
        "kind": _kind(work, source),
        "details": _details(work.get("biblio")),
    }


def _abstract(index: Any) -> tuple[str, bool]:
    """Return the text of an inverted index, and whether the whole index was valid."""
    if index is None:
        return "", True
    if not isinstance(index, dict):
        return "", False

    words: dict[int, str] = {}
    whole = True
    for word, positions in index.items():
        short = word[:LONGEST_WORD]
        whole = whole and short == word and isinstance(positions, list)
        for position in positions if isinstance(positions, list) else ():
            if type(position) is int and 0 <= position < MOST_WORDS:  # a bool is an int too
                words[position] = short
            else:
                whole = False

    return " ".join([words[position] for position in sorted(words)]), whole


def _ids(work: dict[str, Any]) -> dict[str, Any]:
    named = work.get("ids")
    return {
        "doi": work.get("doi") or at(named, "doi"),
        "pmid": at(named, "pmid"),
        "pmcid": _pmcid(at(named, "pmcid")),
        "mag": at(named, "mag"),
        "arxiv": _arxiv(work.get("locations")),
    }


def _pmcid(value: Any) -> str:
    """Return a PubMed Central id with its prefix, which OpenAlex leaves out of the address."""
    match = _PMCID.fullmatch(value) if isinstance(value, str) else None
    return f"PMC{match[1]}" if match else ""


def _arxiv(locations: Any) -> str:
    """Return the arXiv id in the addresses of a work, or "": OpenAlex does not list it as an id."""
    for address in each(locations, "landing_page_url") if isinstance(locations, list) else ():
        match = _ARXIV.match(address) if isinstance(address, str) else None
        if match:
            return match[1]
    return ""


def _fields(work: dict[str, Any]) -> list[Any]:
    """Return the names of a few topics, best first, and of concepts, which topics have replaced."""
    topics = each(work.get("topics"), "display_name")
    concepts = each(work.get("concepts"), "display_name")

    return [
        at(work, "primary_topic", "display_name"),
        *(topics[:3] if isinstance(topics, list) else ()),
        *(concepts[:5] if isinstance(concepts, list) else ()),
    ]


def _kind(work: dict[str, Any], source: Any) -> str:
    kind = _KINDS.get(str(work.get("type")), "")
    conference = (
        work.get("type_crossref") == "proceedings-article" or at(source, "type") == "conference"
    )
    return "inproceedings" if conference and kind in ("", "article") else kind


def _details(biblio: Any) -> dict[str, Any]:
    first, last = at(biblio, "first_page"), at(biblio, "last_page")
    pages = f"{first}-{last}" if first and last and first != last else first or last
    return {"volume": at(biblio, "volume"), "number": at(biblio, "issue"), "pages": pages}
