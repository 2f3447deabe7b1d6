"""Read Semantic Scholar's JSON lines: dumps of papers, abstracts, citations; Graph API papers.

A file of a dump has one kind of record, so abstracts and citations become patches: records without
a title, which the library merges into the paper of that id.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import first_objects, objects
from citewise.ingest.json_values import at, each
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "s2"

WINDOW = 200_000
"""Citations kept in memory (at most some 70 MB) to group them by citing paper: a dump has no
useful order.
"""

_SCHEMES = {
    "DOI": "doi",
    "ArXiv": "arxiv",
    "PubMed": "pmid",
    "ACL": "acl",
    "DBLP": "dblp",
    "MAG": "mag",
}
_KINDS = {
    "Conference": "inproceedings",
    "BookSection": "chapter",
    "Book": "book",
    "Dataset": "dataset",
    "JournalArticle": "article",
    "Review": "article",
    "CaseReport": "article",
    "ClinicalTrial": "article",
    "Editorial": "article",
    "LettersAndComments": "article",
    "MetaAnalysis": "article",
    "Study": "article",
}
"""The most specific first: a paper of a conference is a JournalArticle as well."""

_PAGE = "data"
_OWN = re.compile(r"\d{1,18}|[0-9a-f]{40}")
_SHA = re.compile(r"https?://www\.semanticscholar\.org/paper/(?:[^/]{1,300}/)?([0-9a-f]{40})")
_VOLUME_AND_NUMBER = re.compile(r"(\d+) (\d+)")


def detects(head: bytes) -> bool:
    """Return whether the source starts with papers, abstracts or citations of Semantic Scholar."""
    return any(map(_recognised, first_objects(head, page=_PAGE)))


def _recognised(record: dict[str, Any]) -> bool:
    if "citingcorpusid" in record:
        return "citedcorpusid" in record
    if "corpusid" in record:
        # S2ORC's full texts have a content.
        return ("title" in record or "abstract" in record) and "content" not in record
    return "paperId" in record and ("title" in record or "references" in record)


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); the line of a patch of references is that of its first citation."""
    window = _Window()
    for line, record in objects(source, report, _PAGE):
        location = SourceLocation(source.name, line)
        if "citingcorpusid" in record:
            citing, cited = _key(record["citingcorpusid"]), _key(record.get("citedcorpusid"))
            if citing and cited:
                yield from window.add(line, citing, cited)
            else:
                report.note("skipped", "citation_without_paper", location, citing)
        elif "title" in record or "references" in record:
            yield line, _paper({name.lower(): value for name, value in record.items()})
        elif "abstract" in record:
            yield line, {"id": _key(record.get("corpusid")), "abstract": record["abstract"]}
        else:
            report.note("skipped", "not_a_paper", location)

    yield from window.flush()


@dataclass(slots=True)
class _Window:
    """Groups citations by citing paper, within a limited number of them."""

    pending: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    """Citing key to the line of the first citation, and the cited keys."""
    size: int = 0
    """The number of pending citations."""

    def add(self, line: int, citing: str, cited: str) -> Iterator[tuple[int, Raw]]:
        """Add a citation; where the window is full, yield the patches of all other citing papers.

        The paper of this citation stays, unless it fills more than half of the window.
        """
        self.pending.setdefault(citing, (line, []))[1].append(cited)
        self.size += 1

        if self.size >= WINDOW:
            last = self.pending.pop(citing)
            yield from self.flush()
            self.pending[citing], self.size = last, len(last[1])
            if self.size > WINDOW // 2:
                yield from self.flush()

    def flush(self) -> Iterator[tuple[int, Raw]]:
        """Yield a patch for each citing paper and empty the window."""
        for citing, (line, references) in self.pending.items():
            yield line, {"id": citing, "references": references}
        self.pending, self.size = {}, 0


def _key(value: Any) -> str:
    """Return the key of a corpus id (a number, or a string in older dumps) or a sha, else ""."""
    if not isinstance(value, str | int):
        return ""
    text = str(value).lower()
    return f"s2:{text}" if _OWN.fullmatch(text) else ""


def _paper(paper: dict[str, Any]) -> Raw:
    """Return the record of a paper, given with member names in lower case.

    In lower case, the dumps and the Graph API have the same names.
    """
    journal = paper.get("journal")

    return {
        "id": _key(paper.get("corpusid")) or _key(paper.get("paperid")),
        "title": paper.get("title"),
        "abstract": paper.get("abstract"),
        "year": paper.get("year"),
        "date": paper.get("publicationdate"),
        "authors": each(paper.get("authors"), "name"),
        "venue": paper.get("venue") or at(journal, "name"),
        "ids": _ids(paper),
        "references": _references(paper.get("references")),
        "fields": each(paper.get("s2fieldsofstudy"), "category") or paper.get("fieldsofstudy"),
        "kind": _kind(paper),
        "details": _details(journal),
    }


def _ids(paper: dict[str, Any]) -> dict[str, Any]:
    external, address = paper.get("externalids"), paper.get("url")
    sha = _SHA.match(address) if isinstance(address, str) else None

    ids = {scheme: at(external, name) for name, scheme in _SCHEMES.items()}
    central = at(external, "PubMedCentral")
    ids["pmcid"] = f"PMC{central}" if str(central).isdigit() else central
    ids["s2"] = _key(paper.get("paperid")) or (sha[1] if sha else "")
    return ids


def _references(value: Any) -> Any:
    """Return the keys of the cited papers, without those that Semantic Scholar did not resolve."""
    if not isinstance(value, list):
        return value
    keys = (_key(at(item, "paperId")) or _key(at(item, "corpusId")) or _key(item) for item in value)
    return [name for name in keys if name]


def _kind(paper: dict[str, Any]) -> str:
    if paper.get("venue") == "arXiv.org":
        return "preprint"

    types = paper.get("publicationtypes")
    if not isinstance(types, list):
        return ""
    return next((kind for name, kind in _KINDS.items() if name in types), "")


def _details(journal: Any) -> dict[str, Any]:
    """Return volume, number and pages; PubMed gives volume and number as "12 3"."""
    volume = at(journal, "volume")
    both = _VOLUME_AND_NUMBER.fullmatch(volume) if isinstance(volume, str) else None
    return {
        "volume": both[1] if both else volume,
        "number": both[2] if both else None,
        "pages": at(journal, "pages"),
    }
