"""Turn a draft's file, or its title and abstract, and what it cites into a query."""

import contextlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewise.drafts.draft import Draft
from citewise.drafts.reading import draft_of, read_draft
from citewise.errors import MissingData
from citewise.ingest import read
from citewise.ingest.report import Report
from citewise.preferences import Preferences
from citewise.protocols import Papers
from citewise.text.ids import keys_of
from citewise.text.tex_source import file_at
from citewise.types import Paper, Query

_BIBLIOGRAPHIES = (".bib", ".ris", ".json", ".jsonl")


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
    """Paths of files that list such papers. They are read: a server must not pass on a client's."""
    authors: tuple[str, ...] = ()
    year: int | None = None
    since: int | None = None
    preferences: Preferences = Preferences()


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query, and the ids given for it that are not in the library."""

    query: Query
    unknown: tuple[str, ...] = ()
    """Ids of cited papers that the library does not have."""


def draft_query(papers: Papers, draft: str | Path | None, options: DraftOptions) -> ReadQuery:
    """Return the query of a draft's file ("-": standard input), of a pasted text, or of a title and
    an abstract.

    Title and abstract of the options replace those of the file or text.
    """
    written = _written(draft, options)
    keys = list(options.cited)
    keys += _known(papers, _references(options.bibliographies))
    if draft and str(draft) != "-":
        keys += cited_by_draft(papers, written, Path(draft).parent)
    keys = [key for key in keys if key.strip()]

    rows = papers.find(keys)
    unknown = tuple(key for key, row in zip(keys, rows.tolist(), strict=True) if row < 0)

    query = Query(
        title=options.title or written.title,
        abstract=options.abstract or written.abstract,
        year=options.year,
        since=options.since,
        cited=tuple(key for key in keys if key not in unknown),
        authors=options.authors,
        preferences=options.preferences,
    )
    return ReadQuery(query, unknown)


def _written(draft: str | Path | None, options: DraftOptions) -> Draft:
    """Return the draft in the file, else in the pasted text."""
    if draft:
        return read_draft(draft)
    return draft_of(options.text) if options.text.strip() else Draft()


def ids_and_files(cited: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids and the bibliography files in an author's list of what a draft cites.

    Each of `cited` is the path of a file, or ids separated by commas.
    """
    files = tuple(each for each in cited if _is_file(each))
    lists = [each.split(",") for each in cited if each not in files]
    return tuple(itertools.chain.from_iterable(lists)), files


def _is_file(text: str) -> bool:
    if Path(text).suffix.lower() in _BIBLIOGRAPHIES and not Path(text).is_file():
        raise MissingData(f"{text}: no such file")
    with contextlib.suppress(OSError):  # a list of ids may be longer than a file's name can be
        return Path(text).is_file()
    return False


def cited_by_draft(papers: Papers, draft: Draft, folder: Path) -> list[str]:
    """Return the ids of the papers that a draft cites, found through its bibliography files."""
    if not draft.cited_keys:
        return []

    named = (file_at(folder, name) for name in draft.bibliographies)
    files = [file for file in named if file and file.stat().st_size]
    wanted = {f"bib:{key}" for key in draft.cited_keys}
    return _known(papers, (each for each in _references(files) if wanted & {*keys_of(each)}))


def _references(files: Sequence[str | Path]) -> Iterable[Paper]:
    """Return the papers in bibliography files."""
    if not files:
        return ()
    return (record for record, _ in read(files, Report()) if isinstance(record, Paper))


def _known(papers: Papers, references: Iterable[Paper]) -> list[str]:
    """Return the ids of the library's papers that are the same as some references."""
    rows = [row for row in map(papers.find_same, references) if row >= 0]
    return [paper.id for paper in papers.read(rows)]
