"""S2ORC in its three releases (2019, 2020, 2021), and what its tool doc2json writes."""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, from_spans, spans_of
from citewise.ingest.json_lines import at
from citewise.ingest.json_stream import streamed_objects
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "s2orc"

_PARSES = ("latex_parse", "grobid_parse", "pdf_parse")
_SCHEMES = {
    "doi": "doi",
    "arxiv": "arxiv",
    "arxiv_id": "arxiv",
    "pmid": "pmid",
    "pubmed_id": "pmid",
    "pmcid": "pmcid",
    "pmc_id": "pmcid",
    "acl_id": "acl",
    "mag_id": "mag",
}
_HEAD = re.compile(rb'"(?:body_text|grobid_parse|pdf_parse|latex_parse)"\s*:')
_OWN = re.compile(r"\d{5,18}|[0-9a-f]{40}")


def detects(head: bytes) -> bool:
    """Whether the source starts with an object that has a paper's id and a parse, and is not
    unarXive's.
    """
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n[")[:1] == b"{"
        and b'"paper_id"' in head
        and b'"_source_hash"' not in head
        and _HEAD.search(head) is not None
    )


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (line, document); without metadata a document is a patch of the paper of its id."""
    for line, record in streamed_objects(source, report):
        place = SourceLocation(source.name, line)
        parse = next(
            (parse for name in _PARSES if isinstance(parse := record.get(name), dict)), record
        )
        if not isinstance(parse.get("body_text"), list):
            report.note("skipped", "no_full_text", place)
            continue
        entries = parse.get("bib_entries")
        listed = (
            [(name, _reference(entry)) for name, entry in entries.items()]
            if isinstance(entries, dict)
            else []
        )
        document = assembled(paper_of(record), _passages(parse), listed, place, report)
        if document is not None:
            yield line, document


def paper_of(record: dict[str, Any]) -> Raw:
    """Return the record of a paper as S2ORC describes it, at the top or under `metadata`."""
    metadata = record.get("metadata")
    known: dict[str, Any] = {**record, **(metadata if isinstance(metadata, dict) else {})}
    found = {scheme: known.get(name) for name, scheme in _SCHEMES.items() if known.get(name)}
    own = str(record.get("paper_id"))
    year = str(known.get("year") or "")
    return {
        "id": None,
        "ids": [*_keys(found), *([f"s2:{own}"] if _OWN.fullmatch(own) else [])],
        "title": known.get("title"),
        "abstract": _abstract(known.get("abstract")),
        "date": year,
        "authors": _names(known.get("authors")),
        "year": year[:4] or None,
        "venue": known.get("venue") or known.get("journal"),
    }


def _keys(found: dict[str, Any]) -> list[str]:
    return [
        f"{scheme}:{value}"
        for scheme, values in found.items()
        for value in (values if isinstance(values, list) else [values])
        if isinstance(value, str | int)
    ]


def _abstract(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(text for part in value if isinstance(text := at(part, "text"), str))
    return value if isinstance(value, str) else ""


def _names(value: Any) -> list[str]:
    """Return names given in parts, first to last."""
    return (
        [_name(author) for author in value if isinstance(author, dict)]
        if isinstance(value, list)
        else []
    )


def _name(author: dict[str, Any]) -> str:
    middle = author.get("middle")
    parts = [
        author.get("first"),
        *(middle if isinstance(middle, list) else []),
        *map(author.get, ("last", "suffix")),
    ]
    return " ".join(part for part in parts if part and isinstance(part, str))


def _reference(entry: Any) -> Raw:
    if not isinstance(entry, dict):
        return {}
    other = entry.get("other_ids")
    found = (
        {_SCHEMES[name.lower()]: value for name, value in other.items() if name.lower() in _SCHEMES}
        if isinstance(other, dict)
        else {}
    )
    link = str(entry.get("links") or entry.get("link"))
    return {
        "title": entry.get("title"),
        "authors": _names(entry.get("authors")),
        "year": entry.get("year"),
        "venue": entry.get("venue"),
        "printed": entry.get("raw_text"),
        "ids": [*_keys(found), *([f"s2:{link}"] if _OWN.fullmatch(link) else [])],
        "details": {
            "volume": entry.get("volume"),
            "pages": str(entry.get("pages") or "").replace("--", "-"),
            "number": entry.get("issue"),
        },
    }


def _passages(parse: dict[str, Any]) -> Iterator[Passage]:
    for part in ("abstract", "body_text", "back_matter"):
        for paragraph in parse[part] if isinstance(parse.get(part), list) else []:
            text = at(paragraph, "text")
            if isinstance(text, str):
                yield from_spans(
                    text, spans_of(paragraph.get("cite_spans")), _section(paragraph.get("section"))
                )


def _section(value: Any) -> str:
    """Return a heading: a string, or a list of (number, heading) from the outermost."""
    if isinstance(value, list):
        value = next((part[-1] for part in reversed(value) if isinstance(part, list) and part), "")
    return value if isinstance(value, str) else ""
