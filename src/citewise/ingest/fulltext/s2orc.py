"""Read S2ORC in its three releases (2019, 2020, 2021), and the output of its tool doc2json."""

import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Passage, from_spans, spans_of
from citewise.ingest.json_stream import streamed_objects
from citewise.ingest.json_values import at
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
    """Return whether the first object has a paper's id and a parse, and is not unarXive's."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n[")[:1] == b"{"
        and b'"paper_id"' in head
        and b'"_source_hash"' not in head
        and _HEAD.search(head) is not None
    )


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (line, document); without metadata it is a patch for the paper of its id."""
    for line, record in streamed_objects(source, report):
        location = SourceLocation(source.name, line)
        parse = next(
            (parse for name in _PARSES if isinstance(parse := record.get(name), dict)), record
        )
        if not isinstance(parse.get("body_text"), list):
            report.note("skipped", "no_full_text", location)
            continue

        entries = parse.get("bib_entries")
        listed = (
            [(name, _reference(entry)) for name, entry in entries.items()]
            if isinstance(entries, dict)
            else []
        )
        document = assembled(paper_of(record), _passages(parse), listed, location, report)
        if document is not None:
            yield line, document


def paper_of(record: dict[str, Any]) -> Raw:
    """Return the raw record of a paper, whose fields may be in `metadata` or beside it."""
    metadata = record.get("metadata")
    known: dict[str, Any] = {**record, **(metadata if isinstance(metadata, dict) else {})}
    ids = {scheme: known.get(name) for name, scheme in _SCHEMES.items() if known.get(name)}
    own = str(record.get("paper_id"))
    year = str(known.get("year") or "")

    return {
        "id": None,
        "ids": [*_keys(ids), *([f"s2:{own}"] if _OWN.fullmatch(own) else [])],
        "title": known.get("title"),
        "abstract": _abstract(known.get("abstract")),
        "date": year,
        "authors": _names(known.get("authors")),
        "year": year[:4] or None,
        "venue": known.get("venue") or known.get("journal"),
    }


def _keys(ids: dict[str, Any]) -> list[str]:
    """Return the keys of ids by scheme; a scheme may have one id or a list."""
    return [
        f"{scheme}:{value}"
        for scheme, values in ids.items()
        for value in (values if isinstance(values, list) else [values])
        if isinstance(value, str | int)
    ]


def _abstract(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(text for part in value if isinstance(text := at(part, "text"), str))
    return value if isinstance(value, str) else ""


def _names(value: Any) -> list[str]:
    """Return the names of authors that are given in parts."""
    if not isinstance(value, list):
        return []
    return [_name(author) for author in value if isinstance(author, dict)]


def _name(author: dict[str, Any]) -> str:
    middle = author.get("middle")
    parts = [
        author.get("first"),
        *(middle if isinstance(middle, list) else []),
        *map(author.get, ("last", "suffix")),
    ]
    return " ".join(part for part in parts if part and isinstance(part, str))


def _reference(entry: Any) -> Raw:
    """Return the raw record of an entry of the list of references."""
    if not isinstance(entry, dict):
        return {}

    other = entry.get("other_ids")
    named = other.items() if isinstance(other, dict) else ()
    ids = {_SCHEMES[name.lower()]: value for name, value in named if name.lower() in _SCHEMES}
    link = str(entry.get("links") or entry.get("link"))

    return {
        "title": entry.get("title"),
        "authors": _names(entry.get("authors")),
        "year": entry.get("year"),
        "venue": entry.get("venue"),
        "printed": entry.get("raw_text"),
        "ids": [*_keys(ids), *([f"s2:{link}"] if _OWN.fullmatch(link) else [])],
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
                spans = spans_of(paragraph.get("cite_spans"))
                yield from_spans(text, spans, _section(paragraph.get("section")))


def _section(value: Any) -> str:
    """Return a heading that is a string, or the innermost of a list of (number, heading)."""
    if isinstance(value, list):
        value = next((part[-1] for part in reversed(value) if isinstance(part, list) and part), "")
    return value if isinstance(value, str) else ""
