"""Find what a draft cites in a library: through its bibliographies, its own list, and its keys."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from citewise.drafts.draft import Draft
from citewise.drafts.embedded import csl_references
from citewise.drafts.latex import draft_from_latex
from citewise.drafts.metadata import LARGEST, parsed
from citewise.drafts.reading import KINDS, unchecked_draft
from citewise.errors import BadInput, CitewiseError
from citewise.ingest import read
from citewise.ingest.keys import registry_key
from citewise.ingest.report import Report
from citewise.protocols import Papers
from citewise.text import ids
from citewise.text.encoding import text_of
from citewise.text.tex_source import file_at, without_comments
from citewise.types import Paper

SAME_ENTRY = 0.5
"""Similarity of the titles (Jaccard) from which on two entries with one key are the same work."""

MOST_BIBLIOGRAPHIES = 20
"""Files of a folder that are searched for entries, where the draft names none."""

_LOCAL = ("bib:", "csl:")
"""What the keys of bibliographies begin with among a paper's ids."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What a draft cites, looked up in a library."""

    ids: tuple[str, ...] = ()
    """Of the cited papers that the library has."""
    works: int = 0
    """How many distinct works are cited."""
    missing: tuple[Paper, ...] = ()
    """Works that the library does not have, as far as they are known."""
    without_entry: tuple[str, ...] = ()
    """Keys for which neither a bibliography nor the library has an entry."""
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """How many of the works the library has."""
        return self.works - len(self.missing) - len(self.without_entry)


def cited_by_draft(papers: Papers, draft: Draft, folder: Path | None) -> Cited:
    """Return what a draft cites; its bibliographies are looked for in `folder`, if there is one.

    A key without an entry may itself be an id (`doi:10.1/x`), or the key of a paper of the library.
    """
    files, notes, lost = _bibliographies(draft, folder)
    wanted = {*draft.cited_keys}
    entries = {key: Paper(name, "") for key in wanted if (name := _registered(key))}
    entries |= {key: paper for paper in draft.references for key in _keys(paper)}
    for name, file in files:
        found, problem = _entries(file, wanted, name)
        entries |= {key: paper for key, paper in found.items() if not _is_known(entries.get(key))}
        lost += [problem] if problem else []

    rows = {key: _row(papers, key, entries.get(key)) for key in draft.cited_keys}
    missing = [key for key, row in rows.items() if row < 0]
    others = _looked_up(papers, _unkeyed(draft))
    return Cited(
        ids=tuple(dict.fromkeys([*_ids(papers, rows.values()), *others.ids])),
        works=len(rows) + others.works,
        missing=(*(entries[key] for key in missing if key in entries), *others.missing),
        without_entry=tuple(key for key in missing if key not in entries),
        notes=tuple(notes),
        lost=tuple(lost),
    )


def cited_in_file(papers: Papers, file: str | Path) -> Cited:
    """Return what a file lists: a bibliography in any format, or what another draft cites.

    A file in which nothing is found is an error.
    """
    path = Path(file)
    kind = KINDS.get(path.suffix.lower(), "")
    if path.suffix.lower() == ".bbl":
        text = without_comments(text_of(path.read_bytes()))
        found = _looked_up(papers, draft_from_latex(text, None).references)
    elif kind and kind != "txt":
        found = cited_by_draft(papers, unchecked_draft(path), path.resolve().parent)
    else:
        found = _looked_up(papers, _listed(path, kind))

    if not found.works:
        raise BadInput(f"{file}: nothing found that a draft could cite; is it the right file?")
    return found


def _listed(path: Path, kind: str) -> list[Paper]:
    """Return the papers in a bibliography; of a text of no known format, its list of references."""
    try:
        return [*_papers_in(path, Report())]
    except BadInput:
        if kind == "txt":
            return [*unchecked_draft(path).references]
        raise BadInput(
            f"{path}: no bibliography that citewise reads; give a .bib, .bbl, .ris or CSL file, a "
            "draft, or ids"
        ) from None


def _looked_up(papers: Papers, references: Iterable[Paper]) -> Cited:
    """Return references, looked up by their ids, titles and authors."""
    listed = [*references]
    rows = [papers.find_same(each) for each in listed]
    missing = [each for each, row in zip(listed, rows, strict=True) if row < 0]
    return Cited(_ids(papers, rows), len(listed), tuple(missing))


def _unkeyed(draft: Draft) -> list[Paper]:
    """Return the references that no key of the text points to but that count all the same: those
    without a key, or all of them where the text has no keys.
    """
    if not draft.cited_keys:
        return [*draft.references]
    return [each for each in draft.references if not any(_keys(each))]


def _bibliographies(
    draft: Draft, folder: Path | None
) -> tuple[list[tuple[str, Path]], list[str], list[str]]:
    """Return the (name, path) of a draft's bibliography files; then notes, and what is missing.

    Where it names none and lists no references, those in its folder are taken.
    """
    if folder is None or not draft.cited_keys:
        return [], [], []

    if not draft.bibliographies and not draft.references:
        beside = sorted(file for file in folder.glob("*.bib") if file.is_file())
        taken = [(file.name, file) for file in beside[:MOST_BIBLIOGRAPHIES]]
        names = ", ".join(name for name, _ in taken[:3])
        notes = [f"it names no bibliography, so {names} beside it was used"] if taken else []
        return taken, notes, []

    found, lost = [], []
    for name in draft.bibliographies:
        file = file_at(folder, name)
        if file is not None:
            found.append((name, file))
        else:
            lost.append(f"{name}: {'not fetched' if '://' in name else 'no such file'}")
    return found, [], lost


def _entries(file: Path, wanted: set[str], name: str) -> tuple[dict[str, Paper], str]:
    """Return the wanted entries of a bibliography by key, and what could not be read, or ""."""
    if not file.stat().st_size:
        return {}, f"{name}: empty"

    report = Report()
    try:
        listed = [*_papers_in(file, report)]
    except CitewiseError:
        return {}, f"{name}: no bibliography that citewise reads"

    skipped = report.total("skipped")
    problem = f"{name}: {skipped} entries could not be read" if skipped else ""
    return {key: each for each in listed for key in _keys(each) if key in wanted}, problem


def _papers_in(file: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of a bibliography; pandoc's YAML is CSL in another notation."""
    if file.suffix.lower() in (".yaml", ".yml"):
        content = text_of(file.read_bytes()[: LARGEST + 1])
        listed = parsed(content, file.name).fields.get("references")
        yield from csl_references(listed if isinstance(listed, list) else [])
    else:
        yield from (each for each, _ in read([file], report) if isinstance(each, Paper))


def _keys(paper: Paper) -> list[str]:
    """Return the keys under which a bibliography lists a paper."""
    return [each.partition(":")[2] for each in ids.keys_of(paper) if each.startswith(_LOCAL)]


def _row(papers: Papers, key: str, entry: Paper | None) -> int:
    """Return the row of what a key cites, -1 where the library does not have it.

    The entry decides; a paper of the library with the same key counts if it is the same work.
    """
    if entry is not None:
        row = papers.find_same(_without_keys(entry))
        if row >= 0:
            return row

    names = [_registered(key) or f"bib:{key}", f"csl:{key}"]
    found = [int(row) for row in papers.find(names) if row >= 0]
    if not found or (entry is not None and not _same_entry(papers, found[0], entry)):
        return -1
    return found[0]


def _registered(key: str) -> str:
    """Return the id that a key is itself ("doi:10.1/x", "url:https://arxiv.org/abs/..."), or ""."""
    return registry_key(key.removeprefix("url:")) if ":" in key else ""


def _is_known(entry: Paper | None) -> bool:
    return entry is not None and bool(entry.title)


def _same_entry(papers: Papers, row: int, entry: Paper) -> bool:
    title = papers.read([row])[0].title
    return not entry.title or not title or ids.jaccard(title, entry.title) >= SAME_ENTRY


def _without_keys(paper: Paper) -> Paper:
    """Return a paper with its ids in registries only: a key means nothing outside its file."""
    known = tuple(each for each in ids.keys_of(paper) if ids.scheme_of(each))
    return replace(paper, id=known[0] if known else "", ids=known)


def _ids(papers: Papers, rows: Iterable[int]) -> tuple[str, ...]:
    found = [row for row in dict.fromkeys(rows) if row >= 0]
    return tuple(paper.id for paper in papers.read(found))
