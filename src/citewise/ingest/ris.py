"""Read RIS files, as EndNote, Zotero, Mendeley and publishers export them."""

import re
from collections.abc import Iterator
from typing import Any

import rispy

from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.reference_fields import given_first, iso_date, page_range
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source
from citewise.ingest.text_lines import text_lines

NAME = "ris"

KINDS = {
    "JOUR": "article",
    "EJOUR": "article",
    "JFULL": "article",
    "MGZN": "article",
    "INPR": "article",
    "ABST": "article",
    "CONF": "inproceedings",
    "CPAPER": "inproceedings",
    "BOOK": "book",
    "EBOOK": "book",
    "EDBOOK": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "THES": "thesis",
    "RPRT": "report",
    "GOVDOC": "report",
    "UNPB": "preprint",
    "DATA": "dataset",
    "COMP": "software",
}
_START = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]{0,4}TY {1,3}-[ \t]{0,3}[A-Za-z]{0,20}[ \t\r]*$", re.MULTILINE
)
_TAG = re.compile(r"\s{0,4}([A-Z][A-Z0-9])(?: {2,3}-| -(?= |$))\s*(.*)")
_ID_TAG = re.compile(r"\s{0,4}(PMID|PMCID|DOI) ?- ?(\S+)")
_OTHER_TAGS = {"CT": "TI", "BT": "T2", "JT": "JO", "ED": "A2"}
"""Tags of older programs, and what the standard has for them."""
_KNOWN = rispy.TAG_KEY_MAPPING.keys() - {"UK", "ER"}
_CONTINUED = ("AB", "N2", "N1", "TI", "T1", "T2", "KW", "AD", "M3", "C1", "RN")
"""Tags whose text may continue in the next line; after others, a line without a tag is broken."""


def detects(head: bytes) -> bool:
    """Return whether a line gives the type of a reference, in a source that is no JSON or XML."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"[", b"<")
        and _START.search(head) is not None
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); a reference without an end tag is kept, one without a type is not."""
    for line, text in _references(source, report):
        for reference in rispy.loads(text, delimiter_tags_mapping={}):
            yield line, _record(reference)


def _references(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each reference, with tags in standard spelling and an end tag."""
    current = _Reference()
    for number, line in text_lines(source, report):
        noted = _ID_TAG.match(line)
        tagged = _TAG.match(f"N1  - {noted[1].lower()}:{noted[2]}" if noted else line)
        tag = tagged[1] if tagged else ""
        if tag in ("TY", "ER") or (not current.lines and tag):
            yield from current.ended(source.name, report, whole=tag == "ER")
            current = _Reference(number, tag) if tag != "ER" else _Reference()
        current.add(tagged, line, SourceLocation(source.name, number), report)

    yield from current.ended(source.name, report, whole=False)


class _Reference:
    """Collects the lines of one reference."""

    def __init__(self, line: int = 0, first: str = "") -> None:
        self.line = line
        self.typed = first == "TY"
        self.lines: list[str] = []
        self._unknown: set[str] = set()
        self._last = ""
        self._size = 0

    def add(
        self, tagged: re.Match[str] | None, line: str, location: SourceLocation, report: Report
    ) -> None:
        """Add a line, with the match of its tag; lines outside a reference are ignored."""
        self._size += len(line)
        if not self.line or self._size > LONGEST_RECORD or (tagged and tagged[1] == "ER"):
            return

        if tagged:
            self._last = tagged[1]
            tag = _OTHER_TAGS.get(tagged[1], tagged[1])
            if tag in _KNOWN:
                self.lines.append(f"{tag}  - {tagged[2]}")
            else:
                self._unknown.add(tagged[1])
        elif self._last in self._unknown:
            return
        elif self._last in _CONTINUED:
            is_keyword = self._last == "KW"
            self.lines.append(f"KW  - {line}" if is_keyword else f"      {line.strip()}")
        else:
            report.note("repaired", "broken_line", location)

    def ended(self, file: str, report: Report, whole: bool) -> Iterator[tuple[int, str]]:
        """Yield (line, text) of the reference if it can be used, and report what is wrong."""
        location = SourceLocation(file, self.line)
        if not self.lines:
            return

        if self._size > LONGEST_RECORD:
            report.note("skipped", "record_too_long", location)
        elif not self.typed:
            report.note("skipped", "malformed_ris", location, detail="no TY line")
        else:
            if self._unknown:
                detail = ", ".join(sorted(self._unknown))
                report.note("repaired", "unknown_ris_tag", location, detail=detail)
            if not whole:
                report.note("repaired", "no_end_of_record", location)
            yield self.line, "\n".join([*self.lines, "ER  - "])


def _record(reference: dict[str, Any]) -> Raw:
    def first(*names: str) -> str:
        return next((str(reference[name]) for name in names if reference.get(name)), "")

    urls = [str(url) for url in reference.get("urls", [])]
    notes = [str(note) for note in reference.get("notes", [])]
    local = first("id")
    keys = [
        registry_key(first("doi"), "doi"),
        *map(registry_key, urls),
        *map(registry_key, [*notes, first("accession_number")]),
    ]
    people = (reference.get(name) for name in ("authors", "first_authors", "secondary_authors"))
    authors: list[Any] = next(filter(None, people), [])
    date = first("year", "publication_year", "date")

    return {
        # An id that is a number only counts the records of one export.
        **identity(keys, "" if local.isdecimal() else local, "ris"),
        "title": first("title", "primary_title", "translated_title", "short_title"),
        "abstract": first("abstract", "notes_abstract"),
        "authors": [given_first(str(name)) for name in authors],
        "venue": first(
            "journal_name",
            "alternate_title3",
            "secondary_title",
            "alternate_title2",
            "alternate_title1",
        ),
        "year": date[:60] or None,
        "date": iso_date(first("date")) or iso_date(date) or iso_date(f"{first('date')} {date}"),
        "fields": [str(word) for word in reference.get("keywords", [])],
        "kind": KINDS.get(first("type_of_reference").upper(), ""),
        "details": {
            "volume": first("volume"),
            "number": first("number"),
            "pages": page_range(first("start_page"), first("end_page")),
            "publisher": first("publisher"),
            "url": urls[0] if urls else "",
        },
    }
