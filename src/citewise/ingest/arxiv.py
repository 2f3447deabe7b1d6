"""The arXiv metadata snapshot (Kaggle) as JSON lines."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import LONGEST_ABSTRACT, Raw
from citewise.ingest.json_lines import at, first_objects, objects
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.text import latex

NAME = "arxiv"

LONGEST_FRAGMENT = 400
"""Characters of LaTeX that are converted at once; a longer piece is noise and stays as it is."""

_MARKS = {"authors_parsed", "versions", "submitter", "update_date", "journal-ref"}

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
        start=1,
    )
}
_CREATED = re.compile(r"(?:\w{3}, )?(\d{1,2}) (\w{3}) (\d{4})\b")

_GENERATION = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)
_AFFILIATION = re.compile(r"\((?:[^()]|\([^()]{0,100}\)){0,300}\)")
_BETWEEN_AUTHORS = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_JOURNAL = re.compile(r"[^\d,;(]{3,}")
_VOLUME_LABEL = re.compile(r"[\s:]*(?:\b(?:vol|volume|no|pp)\b\.?)?[\s:]*$", re.IGNORECASE)
_UNFINISHED = re.compile(r"\b(?:the|of|on|in|for|and|at)$", re.IGNORECASE)

_LATEX = re.compile(r"[\\{$]")
_GROUP = r"\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\}"
_FRAGMENT = re.compile(
    r"\$\$?[^$]{1,400}\$\$?(?!\d)"  # a formula; "$5 and $10" is none
    rf"|\\[^\sA-Za-z]\s?(?:{_GROUP}|\\[ij](?![A-Za-z])\s?|[A-Za-z])"  # an accent and its letter
    r"|\\[Hbcdkrtuv]\s[A-Za-z]"
    rf"|\\[A-Za-z]+\s?(?:{_GROUP}){{0,2}}"
    rf"|\\[^\sA-Za-z]|{_GROUP}"
)
_GLUED_COMMAND = re.compile(r"(?<=[A-Za-z)])(?=\\[a-z]{3})")
_BRACKETS = str.maketrans("", "", "${}")


def detects(head: bytes) -> bool:
    """Whether the source starts with records of the snapshot."""
    return any(
        "id" in record
        and isinstance(record.get("categories"), str)
        and len(_MARKS & record.keys()) >= 2
        for record in first_objects(head)
    )


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); year and date are those of the first version."""
    for line, record in objects(source, report):
        yield line, record_of(record)


def record_of(record: dict[str, Any]) -> Raw:
    """Return the raw record of a paper as the snapshot describes it."""
    own, journal, doi = record.get("id"), unicode(record.get("journal-ref")), record.get("doi")
    categories = record.get("categories")
    date = _created(record.get("versions"))
    return {
        "id": f"arxiv:{own}"
        if own and isinstance(own, str)
        else None,  # a number has lost its zeros
        "title": unicode(record.get("title")),
        "abstract": unicode(record.get("abstract")),
        "year": date[:4],
        "date": date,
        "authors": _authors(record),
        "venue": _venue(journal),
        "ids": [f"doi:{part}" for part in doi.split()] if isinstance(doi, str) else None,
        "fields": categories.split() if isinstance(categories, str) else categories,
        "kind": "article" if journal or doi else "preprint",
        "details": {"note": journal},
    }


def _created(versions: Any) -> str:
    """Return the ISO date of the first version, of which arXiv gives the RFC 2822 date, or ""."""
    created = at(versions[0], "created") if isinstance(versions, list) and versions else None
    found = _CREATED.match(created) if isinstance(created, str) else None
    return (
        f"{found[3]}-{_MONTHS[found[2]]:02}-{int(found[1]):02}"
        if found and found[2] in _MONTHS
        else ""
    )


def _venue(journal: Any) -> Any:
    """Return the name before volume, year and pages in a journal reference, or all of it where that
    is no name.
    """
    if not journal or not isinstance(journal, str):
        return journal or "arXiv"
    found = _JOURNAL.match(journal)
    name = _VOLUME_LABEL.sub("", found[0], count=1) if found else ""
    return journal if not name or _UNFINISHED.search(name) else name


def _authors(record: dict[str, Any]) -> Any:
    parsed, named = record.get("authors_parsed"), record.get("authors")
    if isinstance(parsed, list) and parsed:
        return [_author(parts) for parts in parsed]
    if not isinstance(named, str) or len(named) > LONGEST_ABSTRACT:
        return named
    return _BETWEEN_AUTHORS.split(_AFFILIATION.sub("", unicode(named)))


def _author(parts: Any) -> str:
    """Return the name in [last, first, suffix, affiliation...]; what stands in the suffix is often
    no suffix.
    """
    if not isinstance(parts, list):
        return ""
    last, first, suffix = (
        [unicode(part) if isinstance(part, str) else "" for part in parts] + ["", "", ""]
    )[:3]
    if _GENERATION.fullmatch(suffix):
        return f"{last}, {suffix}, {first}"
    return f"{first} {last}".strip()


def unicode(text: Any) -> Any:
    r"""Return text with its LaTeX as Unicode: Erd\H{o}s, $\alpha$-decay; what is no string stays as
    it is.

    Only the pieces that are LaTeX are converted, each kind once: whole abstracts would take a
    millisecond each.
    """
    if not isinstance(text, str) or len(text) > 2 * LONGEST_ABSTRACT or not _LATEX.search(text):
        return text
    return _FRAGMENT.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    fragment = match[0]
    if "\\" not in fragment:
        return fragment.translate(_BRACKETS)
    return _converted(fragment) if len(fragment) <= LONGEST_FRAGMENT else fragment


@functools.lru_cache(maxsize=1 << 14)
def _converted(fragment: str) -> str:
    return latex.decode(_GLUED_COMMAND.sub(" ", fragment) if fragment.startswith("$") else fragment)
