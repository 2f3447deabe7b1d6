"""Read BibTeX and biblatex files."""

import re
from collections.abc import Iterator, Mapping

from bibtexparser.middlewares.names import parse_single_name_into_parts

from citewise.ingest.bibtex_entries import BibEntry, entries
from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity, registry_key
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.text.latex import decode

NAME = "bibtex"

KINDS = {
    "article": "article",
    "inproceedings": "inproceedings",
    "conference": "inproceedings",
    "book": "book",
    "mvbook": "book",
    "proceedings": "book",
    "collection": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
}
JOURNALS = {
    "aj": "Astronomical Journal",
    "araa": "Annual Review of Astronomy and Astrophysics",
    "apj": "Astrophysical Journal",
    "apjl": "Astrophysical Journal Letters",
    "apjs": "Astrophysical Journal Supplement Series",
    "aap": "Astronomy and Astrophysics",
    "aapr": "Astronomy and Astrophysics Reviews",
    "aaps": "Astronomy and Astrophysics Supplement Series",
    "apss": "Astrophysics and Space Science",
    "baas": "Bulletin of the American Astronomical Society",
    "grl": "Geophysical Research Letters",
    "icarus": "Icarus",
    "jcap": "Journal of Cosmology and Astroparticle Physics",
    "jgr": "Journal of Geophysical Research",
    "mnras": "Monthly Notices of the Royal Astronomical Society",
    "nat": "Nature",
    "pra": "Physical Review A",
    "prb": "Physical Review B",
    "prc": "Physical Review C",
    "prd": "Physical Review D",
    "pre": "Physical Review E",
    "prl": "Physical Review Letters",
    "pasa": "Publications of the Astronomical Society of Australia",
    "pasj": "Publications of the Astronomical Society of Japan",
    "physrep": "Physics Reports",
    "pasp": "Publications of the Astronomical Society of the Pacific",
    "procspie": "Proceedings of SPIE",
    "planss": "Planetary and Space Science",
    "solphys": "Solar Physics",
    "ssr": "Space Science Reviews",
}
"""The journal commands that NASA ADS writes and AASTeX defines."""
_MACRO = re.compile(r"\s*\{?\\([a-z]+)\}?")
_ENTRY = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*@"
    rb"(?:(?:string|comment|preamble)\s*[{(]|[A-Za-z]+\s*[{(]\s*[^\s,{}()=\"]*\s*,)",
    re.IGNORECASE | re.MULTILINE,
)
_ARXIV = re.compile(
    r"arxiv\s*:\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})|abs/(\d{4}\.\d{4,5})", re.IGNORECASE
)
_AND = re.compile(r"\\.|[{}]|(?<=\s)and(?=\s)", re.IGNORECASE | re.DOTALL)
_PREPRINT_VENUE = re.compile(r"arxiv|corr\b|e-prints|biorxiv|medrxiv|preprint", re.IGNORECASE)
_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_URL_WRAPPER = re.compile(r"\\url\s*\{|[{}\s]")
_ESCAPED = re.compile(r"\\([_%&#~$])")


def detects(head: bytes) -> bool:
    """Return whether a line starts an entry, in a source that is neither JSON, XML nor LaTeX."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[", b"<"):
        return False
    entry = _ENTRY.search(head)
    return entry is not None and b"\\documentclass" not in head[: entry.start()]


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); a citation key is in `ids` as `bib:key`, as it is valid in its file
    only.
    """
    for entry in entries(source, report):
        yield entry.line, record_of(entry)


def record_of(entry: BibEntry) -> Raw:
    """Return the raw record of an entry."""
    fields = entry.fields
    keys = _keys(fields)
    venue = _venue(fields)

    return {
        **identity(keys, entry.key, "bib"),
        "title": decode(_title(fields)),
        "abstract": decode(fields.get("abstract", "")),
        "authors": names(_first(fields, "author", "editor")),
        "venue": venue,
        "year": decode(_first(fields, "year", "date"))[:60] or None,
        "date": _date(fields),
        "fields": _keywords(fields.get("keywords", "")),
        "kind": _kind(entry, keys, venue),
        "details": _details(fields),
    }


def _first(fields: Mapping[str, str], *names: str) -> str:
    """Return the first of the named fields that is not empty, or ""."""
    return next((fields[name] for name in names if fields.get(name, "").strip()), "")


def _venue(fields: Mapping[str, str]) -> str:
    r"""Return the venue as text, with journal commands such as \apj resolved."""
    venue = _first(fields, "journal", "journaltitle", "booktitle", "school")
    macro = _MACRO.match(venue)
    if macro and macro[1] in JOURNALS:
        return JOURNALS[macro[1]] + decode(venue[macro.end() :])
    return decode(venue)


def _title(fields: Mapping[str, str]) -> str:
    title, subtitle = fields.get("title", ""), fields.get("subtitle", "")
    return f"{title}: {subtitle}" if title and subtitle else title


def names(field: str) -> list[str]:
    """Return the people in an author field, each as "First von Last Jr"; names in braces stay
    whole.
    """
    people = [name for name in _people(field) if name and name.lower() != "others"]
    if len(people) == 1:
        people = _comma_separated(people[0])
    return [name for name in map(_name, people) if name]


def _people(field: str) -> list[str]:
    """Return the names in an author field, split at each "and" outside braces.

    bibtexparser 2.1 can split them too, but drops words that start with a command.
    """
    parts: list[str] = []
    position = depth = 0
    for match in _AND.finditer(field):
        if match[0] in "{}":
            depth = max(depth + (1 if match[0] == "{" else -1), 0)
        elif depth == 0 and match[0][0] != "\\":
            parts.append(field[position : match.start()].strip())
            position = match.end()

    return [*parts, field[position:].strip()]


def _comma_separated(names: str) -> list[str]:
    """Return the names in a list that wrongly has commas for "and", else a list of the text.

    A single name has at most two commas: "von Last, Jr, First".
    """
    parts = [part.strip() for part in names.split(",") if part.strip()]
    if "{" in names or len(parts) < 4:
        return [names]
    if all(" " in part for part in parts):
        return parts
    return [", ".join(parts[start : start + 2]) for start in range(0, len(parts), 2)]


def _name(name: str) -> str:
    return decode(parse_single_name_into_parts(name, strict=False).merge_first_name_first)


def _keys(fields: Mapping[str, str]) -> list[str]:
    """Return the paper's keys in registries, "" where there is none."""
    prefix = _first(fields, "archiveprefix", "eprinttype").strip().lower()
    eprint = _link(fields.get("eprint", ""))
    notes = (fields.get(name, "") for name in ("journal", "note", "howpublished", "volume"))
    mentioned = _ARXIV.search(" ".join(notes))

    return [
        registry_key(_identifier(fields.get("doi", "")), "doi"),
        registry_key(eprint, "arxiv") if prefix in ("arxiv", "") else "",
        registry_key(mentioned[1] or mentioned[2], "arxiv") if mentioned else "",
        registry_key(fields.get("pmid") or (eprint if prefix == "pubmed" else ""), "pmid"),
        registry_key(_link(fields.get("url", ""))),
    ]


def _identifier(value: str) -> str:
    return decode(value) if any(mark in value for mark in "\\{$") else value


def _link(value: str) -> str:
    r"""Return an address without \url, braces and escapes."""
    return _ESCAPED.sub(r"\1", _URL_WRAPPER.sub("", value.replace(r"{\textasciitilde}", "~")))


def _date(fields: Mapping[str, str]) -> str:
    """Return the date, or year and month, as ISO 8601; "" where they are not known."""
    date = _DATE.match(fields.get("date", "").strip())
    if date:
        return date[0]

    year, month = fields.get("year", "").strip("{} "), fields.get("month", "").strip("{} ")
    named = _MONTH.search(month)
    number = int(month) if month.isdecimal() and len(month) < 3 else 0
    if named:
        number = _MONTHS.index(named[0].lower()) + 1

    known = 1 <= number <= 12 and year.isdecimal() and len(year) == 4
    return f"{year}-{number:02}" if known else ""


def _keywords(value: str) -> list[str]:
    words = decode(value)
    parts = (part.strip() for part in words.split(";" if ";" in words else ","))
    return [word for word in parts if word]


def _kind(entry: BibEntry, keys: list[str], venue: str) -> str:
    """Return the paper's kind; what is on a preprint server is a preprint."""
    kind = KINDS.get(entry.type, "")
    in_archive = any(name.startswith("arxiv:") for name in keys)
    if kind == "article" and _PREPRINT_VENUE.match(venue):
        return "preprint"
    return "preprint" if not kind and in_archive else kind


def _details(fields: Mapping[str, str]) -> dict[str, str]:
    return {
        "volume": decode(fields.get("volume", "")),
        "number": decode(_first(fields, "number", "issue")),
        "pages": re.sub(r"\s*[-–—]+\s*", "-", decode(fields.get("pages", ""))).strip("-"),
        "publisher": decode(_first(fields, "publisher", "institution", "organization")),
        "url": _link(fields.get("url", "")),
    }
