"""From a draft's file, title or pasted text, and what it cites, to a query."""

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewise.drafts.reading import Draft, read_draft
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
    """What an author says beside the draft itself."""

    title: str = ""
    abstract: str = ""
    cited: tuple[str, ...] = ()
    """What the draft cites already: ids, several with commas between, or files of references."""
    authors: tuple[str, ...] = ()
    year: int | None = None
    since: int | None = None
    preferences: Preferences = Preferences()


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query, and what was given for it but is not in the library."""

    query: Query
    unknown: tuple[str, ...] = ()
    """Ids that the draft is said to cite and the library does not have."""


def draft_query(papers: Papers, draft: str | Path | None, options: DraftOptions) -> ReadQuery:
    """Return the query of a draft's file ("-": standard input), or of a title and an abstract.

    What the options say goes before what the file says.
    """
    found = read_draft(draft) if draft else Draft()
    keys = [key for each in options.cited for key in _keys(papers, each)]
    if draft and str(draft) != "-":
        keys += cited_by_draft(papers, found, Path(draft).parent)
    keys = [key for key in keys if key.strip()]

    rows = papers.find(keys)
    unknown = tuple(key for key, row in zip(keys, rows.tolist(), strict=True) if row < 0)
    query = Query(
        title=options.title or found.title,
        abstract=options.abstract or found.abstract,
        year=options.year,
        since=options.since,
        cited=tuple(key for key in keys if key not in unknown),
        authors=options.authors,
        preferences=options.preferences,
    )
    return ReadQuery(query, unknown)


def _keys(papers: Papers, cited: str) -> list[str]:
    """Return the ids that a text lists, or those of the papers that a file lists."""
    return cited_by_file(papers, cited) if _is_file(cited) else cited.split(",")


def _is_file(text: str) -> bool:
    if Path(text).suffix.lower() in _BIBLIOGRAPHIES and not Path(text).is_file():
        raise MissingData(f"{text}: no such file")
    with contextlib.suppress(OSError):  # a list of ids may be longer than a file's name can be
        return Path(text).is_file()
    return False


def cited_by_draft(papers: Papers, draft: Draft, folder: Path) -> list[str]:
    """Return the ids of the papers that a draft cites through the bibliographies beside it."""
    if not draft.cited_keys:
        return []
    named = (file_at(folder, name) for name in draft.bibliographies)
    files = [file for file in named if file and file.stat().st_size]
    wanted = {f"bib:{key}" for key in draft.cited_keys}
    return _known(papers, (each for each in _references(files) if wanted & {*keys_of(each)}))


def cited_by_file(papers: Papers, bibliography: str | Path) -> list[str]:
    """Return the ids of the papers of a library that a bibliography file lists."""
    return _known(papers, _references([bibliography]))


def _references(files: Sequence[str | Path]) -> Iterable[Paper]:
    if not files:
        return ()
    return (record for record, _ in read(files, Report()) if isinstance(record, Paper))


def _known(papers: Papers, references: Iterable[Paper]) -> list[str]:
    rows = [row for row in map(papers.find_same, references) if row >= 0]
    return [paper.id for paper in papers.read(rows)]
