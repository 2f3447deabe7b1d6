"""A document's list of references as light papers, each with an id that the same reference gets
everywhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from citewise.ingest.clean import MOST_REFERENCES, Cleaner, Raw
from citewise.ingest.documents import reference_key
from citewise.ingest.keys import registry_key
from citewise.ingest.report import SourceLocation
from citewise.text import ids
from citewise.types import Paper

LONGEST_STAND_IN = 300
"""Characters of the printed reference that stand for a title where there is none."""


@dataclass(slots=True)
class ReferenceList:
    """The entries by the names that the document has for them, in its order."""

    papers: dict[str, Paper] = field(default_factory=dict)
    """By id."""
    keys: dict[str, str] = field(default_factory=dict)
    """The document's name of an entry to the paper's id."""
    names: list[str] = field(default_factory=list)
    """The document's names in the order of the list, those of entries that say nothing included."""

    @classmethod
    def of(
        cls, entries: Iterable[tuple[str, Raw]], cleaner: Cleaner, place: SourceLocation
    ) -> "ReferenceList":
        """Make it of (name, raw record); of an entry that says nothing only the place in the list
        is kept.
        """
        made = cls()
        for name, raw in entries:
            if len(made.names) >= MOST_REFERENCES:
                break
            made.names.append(name)
            paper = _paper(raw, cleaner, place)
            if paper is not None:
                made.papers.setdefault(paper.id, paper)
                made.keys.setdefault(name, paper.id)
        return made

    def by_name_and_year(self) -> dict[tuple[str, int], str]:
        """Return the document's names of the entries that their first author's family name and year
        tell apart.
        """
        found: dict[tuple[str, int], set[str]] = {}
        for name, key in self.keys.items():
            paper = self.papers[key]
            if paper.authors and paper.year:
                found.setdefault((ids.surname(paper.authors[0]), paper.year), set()).add(name)
        return {
            place: next(iter(entries))
            for place, entries in found.items()
            if len(entries) == 1 and place[0]
        }

    def without(self, own: Iterable[str]) -> None:
        """Forget a paper that is the document itself."""
        for key in own:
            self.papers.pop(key, None)
            self.keys = {name: id for name, id in self.keys.items() if id != key}


def _paper(raw: Raw, cleaner: Cleaner, place: SourceLocation) -> Paper | None:
    """Return the light paper of an entry, or None where nothing tells it from others."""
    title, keys = _title(raw), _registry_keys(raw.get("ids"))
    if not title and not keys:
        return None
    paper = cleaner.paper({**raw, "id": None, "ids": keys, "title": title, "references": ()}, place)
    key = reference_key(paper) if paper is not None else ""
    return replace(paper, id=key) if paper is not None and key else None


def _registry_keys(value: Any) -> list[str]:
    """Return the keys in a mapping of scheme to id, or in a list of keys, that are well formed."""
    if isinstance(value, dict):
        pairs = [(str(scheme).lower(), item) for scheme, item in value.items()]
    else:
        pairs = [("", item) for item in value] if isinstance(value, list | tuple) else []
    found = (
        registry_key(str(item)[: ids.LONGEST_KEY], scheme if scheme in ids.SCHEMES else "")
        for scheme, item in pairs
        if isinstance(item, str | int) and not isinstance(item, bool) and item
    )
    return [key for key in dict.fromkeys(found) if key]


def _title(raw: Raw) -> str:
    """Return the title, or what the reference prints: a paper of a library needs something to be
    called by.
    """
    title = raw.get("title")
    if isinstance(title, str) and ids.title_key(title):
        return " ".join(title.split()).rstrip(".,; ")
    printed = raw.get("printed")
    if not isinstance(printed, str) or not ids.title_key(printed):
        details = raw.get("details") or {}
        where = [raw.get("venue"), details.get("volume"), details.get("pages")]
        parts = [*map(_name, _authors(raw)[:1]), raw.get("year"), *where]
        printed = ", ".join(str(part) for part in parts if part) if any(where) else ""
    return " ".join(printed[: 4 * LONGEST_STAND_IN].split())[:LONGEST_STAND_IN]


def _authors(raw: Raw) -> list[Any]:
    authors = raw.get("authors")
    return list(authors) if isinstance(authors, list | tuple) else []


def _name(author: Any) -> str:
    """Return a name with the family name last, whatever the record gives."""
    if isinstance(author, dict):
        return str(author.get("family") or author.get("last") or author.get("name") or "")
    return author if isinstance(author, str) else ""
