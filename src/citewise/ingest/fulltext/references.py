"""Turn a document's list of references into light papers, with the same id in every document."""

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
"""Characters of the printed reference that replace a missing title."""


@dataclass(slots=True)
class ReferenceList:
    """The papers in a document's list of references, and the document's own names for them."""

    papers: dict[str, Paper] = field(default_factory=dict)
    """Light papers by id."""
    keys: dict[str, str] = field(default_factory=dict)
    """The document's name of an entry to the paper's id."""
    names: list[str] = field(default_factory=list)
    """The names of all entries in the order of the list, also of those without a paper."""

    @classmethod
    def of(
        cls, entries: Iterable[tuple[str, Raw]], cleaner: Cleaner, location: SourceLocation
    ) -> "ReferenceList":
        """Return the list of entries given as (the document's name, raw record).

        An entry that cannot be identified is only in `names`, to keep the positions of the others.
        """
        references = cls()
        for name, raw in entries:
            if len(references.names) >= MOST_REFERENCES:
                break

            references.names.append(name)
            paper = _paper(raw, cleaner, location)
            if paper is not None:
                references.papers.setdefault(paper.id, paper)
                references.keys.setdefault(name, paper.id)
        return references

    def by_name_and_year(self) -> dict[tuple[str, int], str]:
        """Return the document's names of entries by (first author's family name, year).

        Entries that share both are left out.
        """
        names: dict[tuple[str, int], set[str]] = {}
        for name, key in self.keys.items():
            paper = self.papers[key]
            if paper.authors and paper.year:
                names.setdefault((ids.surname(paper.authors[0]), paper.year), set()).add(name)

        return {
            author_and_year: next(iter(entries))
            for author_and_year, entries in names.items()
            if len(entries) == 1 and author_and_year[0]
        }

    def without(self, own: Iterable[str]) -> None:
        """Remove the papers with these ids, which are the document itself."""
        for key in own:
            self.papers.pop(key, None)
            self.keys = {name: id for name, id in self.keys.items() if id != key}


def _paper(raw: Raw, cleaner: Cleaner, location: SourceLocation) -> Paper | None:
    """Return the light paper of an entry, or None where it cannot be identified."""
    title, keys = _title(raw), _registry_keys(raw.get("ids"))
    if not title and not keys:
        return None

    paper = cleaner.paper(
        {**raw, "id": None, "ids": keys, "title": title, "references": ()}, location
    )
    key = reference_key(paper) if paper is not None else ""
    return replace(paper, id=key) if paper is not None and key else None


def _registry_keys(value: Any) -> list[str]:
    """Return the keys in a mapping of scheme to id, or in a list of keys, that are well formed."""
    if isinstance(value, dict):
        pairs = [(str(scheme).lower(), item) for scheme, item in value.items()]
    else:
        pairs = [("", item) for item in value] if isinstance(value, list | tuple) else []

    keys = (
        registry_key(str(item)[: ids.LONGEST_KEY], scheme if scheme in ids.SCHEMES else "")
        for scheme, item in pairs
        if isinstance(item, str | int) and not isinstance(item, bool) and item
    )
    return [key for key in dict.fromkeys(keys) if key]


def _title(raw: Raw) -> str:
    """Return the title; without one, the printed reference, or its author, year and venue."""
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
    """Return an author's family name where it is given in parts, else the name as it is."""
    if isinstance(author, dict):
        return str(author.get("family") or author.get("last") or author.get("name") or "")
    return author if isinstance(author, str) else ""
