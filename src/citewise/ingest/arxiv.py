"""Read the arXiv metadata snapshot (Kaggle): a JSON object a line."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from citewise.ingest.clean import LONGEST_ABSTRACT, Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.json_values import at
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.text import latex

NAME = "arxiv"

LONGEST_FRAGMENT = 400
"""Characters of LaTeX that are converted; a longer piece is noise and stays as it is."""

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
    """Return whether the source starts with records of the snapshot."""
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
    """Return the raw record of a paper of the snapshot."""
    own, journal, doi = record.get("id"), unicode(record.get("journal-ref")), record.get("doi")
    categories = record.get("categories")
    date = _created(record.get("versions"))

    return {
        # an id that is a number has lost its zeros
        "id": f"arxiv:{own}" if own and isinstance(own, str) else None,
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
    """Return the ISO date of the first version, which arXiv gives as in RFC 2822, or ""."""
    created = at(versions[0], "created") if isinstance(versions, list) and versions else None
    match = _CREATED.match(created) if isinstance(created, str) else None
    if match is None or match[2] not in _MONTHS:
        return ""
    return f"{match[3]}-{_MONTHS[match[2]]:02}-{int(match[1]):02}"


def _venue(journal: Any) -> Any:
    """Return the journal's name in a journal reference: what comes before volume, year and pages.

    Where that is no name, all of the reference is returned.
    """
    if not journal or not isinstance(journal, str):
        return journal or "arXiv"

    match = _JOURNAL.match(journal)
    name = _VOLUME_LABEL.sub("", match[0], count=1) if match else ""
    return journal if not name or _UNFINISHED.search(name) else name


def _authors(record: dict[str, Any]) -> Any:
    parsed, named = record.get("authors_parsed"), record.get("authors")
    if isinstance(parsed, list) and parsed:
        return [_author(parts) for parts in parsed]
    if not isinstance(named, str) or len(named) > LONGEST_ABSTRACT:
        return named
    return _BETWEEN_AUTHORS.split(_AFFILIATION.sub("", unicode(named)))


def _author(parts: Any) -> str:
    """Return the name in [last, first, suffix, affiliation...]; a suffix such as "Jr" only."""
    if not isinstance(parts, list):
        return ""

    texts = [unicode(part) if isinstance(part, str) else "" for part in parts]
    last, first, suffix = [*texts, "", "", ""][:3]
    if _GENERATION.fullmatch(suffix):
        return f"{last}, {suffix}, {first}"
    return f"{first} {last}".strip()


def unicode(text: Any) -> Any:
    r"""Return a text with its LaTeX (Erd\H{o}s, $\alpha$-decay) as Unicode; other types unchanged.

    Only the pieces that are LaTeX are converted, and cached: whole abstracts would take a
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
