"""Read BibTeX and biblatex files."""

import re
from collections.abc import Iterator, Mapping

from citewise.ingest import bibtex_fields
from citewise.ingest.bibtex_entries import BibEntry, entries
from citewise.ingest.bibtex_fields import VENUES, first, link, names
from citewise.ingest.clean import Raw
from citewise.ingest.keys import identity
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.text.latex import decode, encode

NAME = "bibtex"

KINDS = {
    "article": "article",
    "periodical": "article",
    "suppperiodical": "article",
    "journalarticle": "article",
    "newspaperarticle": "article",
    "magazinearticle": "article",
    "inproceedings": "inproceedings",
    "conference": "inproceedings",
    "conferencepaper": "inproceedings",
    "book": "book",
    "mvbook": "book",
    "booklet": "book",
    "proceedings": "book",
    "mvproceedings": "book",
    "conferenceproceedings": "book",
    "collection": "book",
    "mvcollection": "book",
    "reference": "book",
    "mvreference": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "bookinbook": "chapter",
    "suppbook": "chapter",
    "suppcollection": "chapter",
    "inreference": "chapter",
    "booksection": "chapter",
    "bookchapter": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "masterthesis": "thesis",
    "bachelorthesis": "thesis",
    "bachelorsthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "technicalreport": "report",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
    "computerprogram": "software",
}
"""Kinds of entry types; those that programs write with "_" or "-" are named without."""

ENTRY_TYPE = "entrytype"
"""The detail that keeps the type of the entry."""

LATEX = "latex:"
"""What the name of a detail begins with that keeps a field's LaTeX, where the text alone would not
give it back.
"""

VERBATIM = (
    "doi",
    "eprint",
    "file",
    "pdf",
    "url",
    "urlraw",
    "verba",
    "verbb",
    "verbc",
)
"""Fields that biber and styles read character by character, not as LaTeX."""

_NOT_KEPT = ("abstract", "crossref", "xdata", "title", "author")
_ENTRY = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]*+@\s*+(?:(?:string|comment|preamble)\s*+[{(]"
    rb"|[A-Za-z][\w.+-]*+\s*+[{(]\s*+(?:[^\s,{}()=\"]*+\s*+,|[A-Za-z][\w-]*+\s*+=\s*+[{\"\w]))",
    re.IGNORECASE | re.MULTILINE,
)
_PREPRINT_VENUE = re.compile(r"arxiv|corr\b|e-prints|biorxiv|medrxiv|preprint", re.IGNORECASE)
_LEGAL_NAME = re.compile(r"[a-z_][^\s:=,{}\"#%()'\\~]*")


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
    keys = bibtex_fields.keys(fields)
    venue = bibtex_fields.venue(fields)

    return {
        **identity(keys, entry.key, "bib"),
        "title": bibtex_fields.title(fields),
        "abstract": decode(fields.get("abstract", "")),
        "authors": names(first(fields, "author", "editor")),
        "venue": venue,
        "year": bibtex_fields.year(fields),
        "date": bibtex_fields.date(fields),
        "fields": keywords(fields.get("keywords", "")),
        "kind": _kind(entry, keys, venue),
        "details": _details(entry),
    }


def kind_of_type(type: str) -> str:
    """Return the kind of papers with an entry type, "" where it does not tell."""
    return KINDS.get(re.sub(r"[_-]", "", type), "")


def keywords(value: str) -> list[str]:
    """Return the words of a field of keywords, separated by semicolons or else by commas."""
    words = decode(value)
    parts = (part.strip() for part in words.split(";" if ";" in words else ","))
    return [word for word in parts if word]


def _kind(entry: BibEntry, keys: list[str], venue: str) -> str:
    """Return the paper's kind; what is on a preprint server is a preprint."""
    kind = kind_of_type(entry.type)
    in_archive = any(name.startswith("arxiv:") for name in keys)
    if kind == "article" and _PREPRINT_VENUE.match(venue):
        return "preprint"
    return "preprint" if not kind and in_archive else kind


def _details(entry: BibEntry) -> dict[str, str]:
    """Return the type and the fields of an entry, but for the abstract.

    A field is kept as text and, where that would not give the same LaTeX, as LaTeX too.
    """
    fields = entry.fields
    details = {
        ENTRY_TYPE: entry.type,
        "pages": re.sub(r"\s*[-–—]+\s*", "-", decode(fields.get("pages", ""))).strip("-"),
        "url": link(fields.get("url", "")),
        **_latex_of_people_and_title(fields),
    }
    for name, value in fields.items():
        if value.strip() and name not in _NOT_KEPT and _LEGAL_NAME.fullmatch(name):
            _keep(details, name, " ".join(value.split()))
    return details


def _latex_of_people_and_title(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the LaTeX of title and authors; of a title only where it says more than the text."""
    title, authors = (" ".join(fields.get(name, "").split()) for name in ("title", "author"))
    plain = decode(title) == title and not fields.get("subtitle")
    return {f"{LATEX}title": "" if plain else title, f"{LATEX}author": authors}


def _keep(details: dict[str, str], name: str, value: str) -> None:
    """Keep a field among the details."""
    if name in VERBATIM:
        details.setdefault(name, value)
        return

    text = details.setdefault(
        name, bibtex_fields.venue({name: value}) if name in VENUES else decode(value)
    )
    if encode(text) != value and not (name == "pages" and encode(text).replace("-", "--") == value):
        details[f"{LATEX}{name}"] = value
