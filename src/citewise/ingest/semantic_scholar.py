"""Semantic Scholar as JSON lines: the dumps of papers, abstracts and citations, and papers saved
from the Graph API.

The dumps hold one kind of record a file, so abstracts and citations come out as patches: records
without a title, which the library merges into the paper of that id.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from citewise.ingest.clean import Raw
from citewise.ingest.json_lines import at, each, first_objects, objects
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "s2"

WINDOW = 200_000
"""How many citations are held (at most some 70 MB) to be grouped by citing paper; a dump has no
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
"""Most telling first: a paper of a conference is a JournalArticle as well."""

_PAGE = "data"
_OWN = re.compile(r"\d{1,18}|[0-9a-f]{40}")
_SHA = re.compile(r"https?://www\.semanticscholar\.org/paper/(?:[^/]{1,300}/)?([0-9a-f]{40})")
_VOLUME_AND_NUMBER = re.compile(r"(\d+) (\d+)")


def detects(head: bytes) -> bool:
    """Whether the source starts with papers, abstracts or citations of Semantic Scholar."""
    return any(map(_recognised, first_objects(head, page=_PAGE)))


def _recognised(record: dict[str, Any]) -> bool:
    if "citingcorpusid" in record:
        return "citedcorpusid" in record
    if "corpusid" in record:
        return (
            "title" in record or "abstract" in record
        ) and "content" not in record  # S2ORC's full texts
    return "paperId" in record and ("title" in record or "references" in record)


def records(source: Source, report: Report) -> Iterator[tuple[int, Raw]]:
    """Yield (line, record); a patch of references stands at the line of its first citation."""
    window = _Window()
    for line, record in objects(source, report, _PAGE):
        if "citingcorpusid" in record:
            citing, cited = _key(record["citingcorpusid"]), _key(record.get("citedcorpusid"))
            if citing and cited:
                yield from window.add(line, citing, cited)
            else:
                report.note(
                    "skipped", "citation_without_paper", SourceLocation(source.name, line), citing
                )
        elif "title" in record or "references" in record:
            yield line, _paper({name.lower(): value for name, value in record.items()})
        elif "abstract" in record:
            yield line, {"id": _key(record.get("corpusid")), "abstract": record["abstract"]}
        else:
            report.note("skipped", "not_a_paper", SourceLocation(source.name, line))
    yield from window.flush()


@dataclass(slots=True)
class _Window:
    """Citations that wait for more of the same citing paper."""

    held: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    size: int = 0

    def add(self, line: int, citing: str, cited: str) -> Iterator[tuple[int, Raw]]:
        """Hold a citation; yield the patches of all other papers, or of all, where the window is
        full.
        """
        self.held.setdefault(citing, (line, []))[1].append(cited)
        self.size += 1
        if self.size >= WINDOW:
            last = self.held.pop(citing)
            yield from self.flush()
            self.held[citing], self.size = last, len(last[1])
            if self.size > WINDOW // 2:
                yield from self.flush()

    def flush(self) -> Iterator[tuple[int, Raw]]:
        """Yield a patch for each citing paper and hold nothing."""
        for citing, (line, references) in self.held.items():
            yield line, {"id": citing, "references": references}
        self.held, self.size = {}, 0


def _key(value: Any) -> str:
    """Return the key of a corpus id (a number, in older dumps as a string) or a 40-digit sha; ""
    for anything else.
    """
    if not isinstance(value, str | int):
        return ""
    text = str(value).lower()
    return f"s2:{text}" if _OWN.fullmatch(text) else ""


def _paper(paper: dict[str, Any]) -> Raw:
    """Return the record of a paper, its names in lower case: so the dumps and the Graph API spell
    them alike.
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
    found = {scheme: at(external, name) for name, scheme in _SCHEMES.items()}
    central = at(external, "PubMedCentral")
    found["pmcid"] = f"PMC{central}" if str(central).isdigit() else central
    found["s2"] = _key(paper.get("paperid")) or (sha[1] if sha else "")
    return found


def _references(value: Any) -> Any:
    """Return the keys of the papers cited; those that Semantic Scholar could not resolve have none."""
    if not isinstance(value, list):
        return value
    keys = (_key(at(item, "paperId")) or _key(at(item, "corpusId")) or _key(item) for item in value)
    return [name for name in keys if name]


def _kind(paper: dict[str, Any]) -> str:
    if paper.get("venue") == "arXiv.org":
        return "preprint"
    types = paper.get("publicationtypes")
    return (
        next((kind for name, kind in _KINDS.items() if name in types), "")
        if isinstance(types, list)
        else ""
    )


def _details(journal: Any) -> dict[str, Any]:
    """Return volume, number and pages; PubMed's volumes come with the number after a space."""
    volume = at(journal, "volume")
    both = _VOLUME_AND_NUMBER.fullmatch(volume) if isinstance(volume, str) else None
    return {
        "volume": both[1] if both else volume,
        "number": both[2] if both else None,
        "pages": at(journal, "pages"),
    }
