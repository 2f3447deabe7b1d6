"""Turn a draft's file, or its title and abstract, and what it cites into a query."""

import contextlib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from citewise.drafts.cited import Cited, cited_by_draft, cited_in_file
from citewise.drafts.draft import Draft
from citewise.drafts.own_versions import own_versions
from citewise.drafts.prose import count_words
from citewise.drafts.reading import KINDS, checked, unchecked_draft, unchecked_draft_of
from citewise.errors import MissingData
from citewise.preferences import Preferences
from citewise.protocols import Papers
from citewise.text.ids import MAX_INITIALS
from citewise.types import NamedPaper, Paper, Query, Understanding

LONGEST_LABEL = 60
"""Characters of a title in the label of a work."""

_BIBLIOGRAPHIES = frozenset(
    (".bib", ".bbl", ".ris", ".json", ".jsonl", ".nbib", ".enw", ".ciw", ".xml", ".rdf", ".csv")
)
"""Suffixes of files that list papers; such a name is never taken for an id."""


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """What an author gives in addition to the draft's file, or instead of one."""

    title: str = ""
    abstract: str = ""
    text: str = ""
    """The draft itself, pasted: plain text, Markdown or LaTeX."""
    cited: tuple[str, ...] = ()
    """Ids of papers that the draft cites already."""
    bibliographies: tuple[str, ...] = ()
    """Paths of files that list such papers, or drafts that cite them. They are read: a server must
    not pass on a client's.
    """
    hidden: tuple[str, ...] = ()
    """Ids of other versions of the draft, beside those that are found by its title."""
    authors: tuple[str, ...] = ()
    """Instead of those that the draft names."""
    year: int | None = None
    since: int | None = None
    preferences: Preferences = Preferences()


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query, what was read for it, and the ids given for it that are not in the library."""

    query: Query
    unknown: tuple[str, ...] = ()
    """Ids of cited papers that the library does not have."""
    read: Understanding = Understanding()


def draft_query(papers: Papers, draft: str | Path | None, options: DraftOptions) -> ReadQuery:
    """Return the query of a draft's file ("-": standard input), of a pasted text, or of a title and
    an abstract.

    Title, abstract and authors of the options replace those of the file or text. A paper of the
    library that has the draft's title is hidden from the query.
    """
    written = _written(draft, options)
    folder = Path(draft).resolve().parent if draft and str(draft) != "-" else None
    cited = cited_by_draft(papers, written, folder)
    listed = {file: cited_in_file(papers, file) for file in options.bibliographies}
    given = [key for key in options.cited if key.strip()]
    rows = papers.find(given).tolist()
    known = [key for key, row in zip(given, rows, strict=True) if row >= 0]
    also_cited = itertools.chain.from_iterable(each.ids for each in listed.values())
    versions = own_versions(papers, written.title, written.authors)

    query = Query(
        title=written.title,
        abstract=written.abstract,
        year=options.year,
        since=options.since,
        cited=tuple(dict.fromkeys([*known, *cited.ids, *also_cited])),
        hidden=tuple(dict.fromkeys([*(paper.id for paper in versions), *options.hidden])),
        authors=written.authors,
        preferences=options.preferences,
    )
    unknown = tuple(key for key, row in zip(given, rows, strict=True) if row < 0)
    notes = (
        f"{file}: {each.found} of {each.works} are in your library" for file, each in listed.items()
    )
    return ReadQuery(query, unknown, _understanding(written, cited, versions, notes))


def _written(draft: str | Path | None, options: DraftOptions) -> Draft:
    """Return the draft in the file, else in the pasted text, with what the options replace."""
    if draft:
        written = unchecked_draft(draft)
    else:
        written = unchecked_draft_of(options.text) if options.text.strip() else Draft()

    complete = replace(
        written,
        title=options.title or written.title,
        abstract=options.abstract or written.abstract,
        abstract_from="" if options.abstract else written.abstract_from,
        authors=options.authors or written.authors,
    )
    name = "standard input" if str(draft) == "-" else str(draft or "the draft")
    return checked(complete, name) if draft or options.text.strip() else complete


def _understanding(
    draft: Draft, cited: Cited, versions: list[Paper], notes: Iterable[str]
) -> Understanding:
    """Return what was read from a draft and for it."""
    return Understanding(
        title=draft.title,
        abstract_words=count_words(draft.abstract),
        abstract_from=draft.abstract_from,
        authors=draft.authors,
        citations=cited.works,
        in_library=cited.found,
        not_in_library=tuple(map(label, cited.missing)),
        without_entry=cited.without_entry,
        left_out=tuple(NamedPaper(paper.id, paper.title, paper.year) for paper in versions),
        notes=(*cited.notes, *notes),
        lost=tuple(dict.fromkeys([*draft.lost, *cited.lost])),
    )


def label(paper: Paper) -> str:
    """Return a work in few words: "Smith 2010 “Title…”"."""
    family = _family(paper.authors[0]) if paper.authors else ""
    title = paper.title[:LONGEST_LABEL] + ("…" if len(paper.title) > LONGEST_LABEL else "")
    about = " ".join(filter(None, (family, str(paper.year or ""), f"“{title}”" if title else "")))
    return about or paper.id


def _family(author: str) -> str:
    """Return the family name of "Jane Doe", "Doe, Jane" or "Doe J"."""
    first, _, last = author.rpartition(" ")
    initials = last.isupper() and len(last) <= MAX_INITIALS
    return author.partition(",")[0] if "," in author else (first if first and initials else last)


def ids_and_files(cited: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids and the files in an author's list of what a draft cites.

    Each of `cited` is the path of a file, or ids separated by commas.
    """
    files = tuple(each for each in cited if _is_file(each))
    lists = [each.split(",") for each in cited if each not in files]
    return tuple(itertools.chain.from_iterable(lists)), files


def _is_file(text: str) -> bool:
    suffix = Path(text).suffix.lower()
    with contextlib.suppress(
        OSError, ValueError
    ):  # a list of ids may be too long for a file's name
        if Path(text).is_file():
            return True
    if suffix in _BIBLIOGRAPHIES or suffix in KINDS:
        raise MissingData(f"{text}: no such file")
    return False
