"""Write papers as RIS and CSL-JSON, as Zotero, EndNote and JabRef import them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from citewise.render.citation_keys import citation_keys
from citewise.render.links import registered, web_address
from citewise.render.names import Name, parsed
from citewise.render.parts import DASHES, date_parts, detail, keywords_of, kind_of, one_line
from citewise.types import Paper

_RIS_TYPES = {
    "article": "JOUR",
    "inproceedings": "CONF",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "preprint": "UNPB",
    "dataset": "DATA",
    "software": "COMP",
}
_CSL_TYPES = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "preprint": "article",
    "dataset": "dataset",
    "software": "software",
}
_PUBLISHERS = ("publisher", "institution", "organization", "school")


def ris(papers: Sequence[Paper]) -> str:
    """Return an RIS record for each paper, in order."""
    return "\n".join(
        _reference(key, paper) for key, paper in zip(citation_keys(papers), papers, strict=True)
    )


def csl(papers: Sequence[Paper]) -> str:
    """Return a CSL-JSON array with an item for each paper, in order."""
    items = [_item(key, paper) for key, paper in zip(citation_keys(papers), papers, strict=True)]
    return msgspec.json.format(msgspec.json.encode(items), indent=2).decode() + "\n"


def _reference(key: str, paper: Paper) -> str:
    """Return a paper as an RIS record."""
    pages = DASHES.split(paper.details.get("pages", ""), maxsplit=1)
    tags = [
        ("TY", _RIS_TYPES.get(kind_of(paper), "GEN")),
        ("ID", key),
        ("TI", paper.title),
        *(("AU", _inverted(parsed(author))) for author in paper.authors),
        ("PY", str(paper.year or "")),
        ("DA", _ris_date(paper)),
        ("T2", paper.venue),
        ("VL", paper.details.get("volume", "")),
        ("IS", detail(paper, "number", "issue")),
        ("SP", pages[0]),
        ("EP", pages[1] if len(pages) > 1 else ""),
        ("PB", detail(paper, *_PUBLISHERS)),
        ("DO", registered(paper, "doi")),
        ("UR", web_address(paper)),
        *(("KW", word) for word in keywords_of(paper)),
        ("AB", paper.abstract),
    ]

    lines = (f"{tag}  - {one_line(value)}\n" for tag, value in tags if one_line(value))
    return "".join(lines) + "ER  - \n"


def _ris_date(paper: Paper) -> str:
    """Return a date as YYYY/MM/DD/ or, without a day, YYYY/MM//; "" where only a year is known."""
    numbers = date_parts(paper)
    if len(numbers) < 2:
        return ""
    return "/".join([*(f"{number:02}" for number in numbers), "", "", ""][:4])


def _inverted(name: Name) -> str:
    """Return "Family, Given, Suffix"."""
    return ", ".join(part for part in (name.family, name.given, name.suffix) if part)


def _item(key: str, paper: Paper) -> dict[str, Any]:
    """Return a paper as a CSL-JSON item, without empty fields."""
    details = paper.details
    arxiv = registered(paper, "arxiv")

    item = {
        "id": key,
        "type": _CSL_TYPES.get(kind_of(paper), "document"),
        "title": paper.title,
        "author": [_csl_name(parsed(author)) for author in paper.authors],
        "issued": {"date-parts": [date_parts(paper)]} if date_parts(paper) else {},
        "container-title": paper.venue,
        "volume": details.get("volume", ""),
        "issue": detail(paper, "number", "issue"),
        "page": details.get("pages", ""),
        "publisher": detail(paper, *_PUBLISHERS),
        "DOI": registered(paper, "doi"),
        "PMID": registered(paper, "pmid"),
        "number": f"arXiv:{arxiv}" if arxiv else "",
        "URL": web_address(paper),
        "keyword": ", ".join(keywords_of(paper)),
        "abstract": paper.abstract,
    }

    return {name: value for name, value in item.items() if value or name == "title"}


def _csl_name(name: Name) -> dict[str, str]:
    if name.whole or not name.given:
        return {"literal": one_line(f"{name.family} {name.suffix}")}

    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}
