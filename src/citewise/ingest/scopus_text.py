"""Read Scopus's plain-text export: paragraphs of which some begin with a name in capitals."""

import re
from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import dois_in, keywords, kind_of, page_range, people
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source
from citewise.ingest.text_lines import text_lines

NAME = "scopus"

_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*Scopus[ \t]*\n\s*EXPORT DATE:", re.IGNORECASE)
_ENTRY = re.compile(rb"^@\w{2,30}\s*\{", re.MULTILINE)
"""Of BibTeX, above which Scopus writes the same lines."""
_NAMED = re.compile(r"([A-Z][A-Z /&-]{2,40}):\s*(.*)")
_PUBLISHED = re.compile(
    r"\((?P<year>\d{4})\)\s*(?P<venue>[^,]+)(?:,\s*(?P<volume>[\w.-]+))?"
    r"(?:\s*\((?P<number>[^()]{1,30})\))?"
)
_PAGES = re.compile(r"pp?\.\s*([\w.]+(?:\s*[-–]\s*[\w.]+)?)")
_EID = re.compile(r"eid=(2-s2\.0-\d+)")


def detects(head: bytes) -> bool:
    """Return whether the source starts as Scopus's plain text does."""
    return _HEAD.match(head) is not None and _ENTRY.search(head) is None


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); the last line of each says that its source is Scopus."""
    lines: list[str] = []
    start = size = 0
    for number, line in text_lines(source, report):
        if not lines and line.strip().lower() in ("scopus", ""):
            continue
        if not lines and line.upper().startswith("EXPORT DATE:"):
            continue
        start = start if lines else number
        size += len(line)
        if size <= LONGEST_RECORD:
            lines.append(line.strip())

        if line.upper().startswith("SOURCE:"):
            yield from _whole(lines, size, SourceLocation(source.name, start), report)
            lines, size = [], 0
    if lines:
        location = SourceLocation(source.name, start)
        report.note("repaired", "no_end_of_record", location)
        yield from _whole(lines, size, location, report)


def _whole(
    lines: list[str], size: int, location: SourceLocation, report: Report
) -> Iterator[tuple[int, Raw]]:
    if size > LONGEST_RECORD:
        report.note("skipped", "record_too_long", location)
    else:
        yield location.line, _record(lines)


def _record(lines: list[str]) -> Raw:
    named = {match[1]: match[2] for match in map(_NAMED.match, lines) if match}
    listed = [*map(_PUBLISHED.match, lines)]
    at = next((number for number, match in enumerate(listed) if match), len(lines))
    published = next(filter(None, listed), None)
    details = published.groupdict("") if published else {}
    address = next((line for line in lines if line.startswith("http")), "")
    own, pages = _EID.search(address), _PAGES.search(lines[at]) if at < len(lines) else None

    return {
        **identity([registry_key(named.get("DOI", ""), "doi")], own[1] if own else "", "scopus"),
        "title": _title(lines[:at]),
        "abstract": named.get("ABSTRACT", ""),
        "authors": people(named.get("AUTHOR FULL NAMES", "") or lines[0]),
        "venue": details.get("venue", "").strip(),
        "year": details.get("year") or None,
        "references": dois_in(named.get("REFERENCES", "").split("; ")),
        "fields": keywords([named.get("INDEX KEYWORDS", "")]),
        "key_phrases": keywords([named.get("AUTHOR KEYWORDS", "")]),
        "kind": kind_of(named.get("DOCUMENT TYPE", "")),
        "details": {
            "volume": details.get("volume", ""),
            "number": details.get("number", ""),
            "pages": page_range(pages[1]) if pages else "",
            "publisher": named.get("PUBLISHER", ""),
            "url": address,
        },
    }


def _title(lines: list[str]) -> str:
    """Return the last line before that of the journal which is no list of numbers or names."""
    plain = [line for line in lines if not _NAMED.match(line) and re.search(r"[^\d;\s]", line)]
    return plain[-1] if plain else ""
