"""Write papers as BibTeX, RIS and CSL-JSON, as JabRef, Zotero and BibTeX import them."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from citewise.render.citation_keys import citation_keys
from citewise.render.links import given_address, registered, web_address
from citewise.render.names import Name, parsed
from citewise.text.latex import encode
from citewise.types import Paper

_ENTRY_TYPES = {
    "article": "article",
    "inproceedings": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "preprint": "misc",
    "dataset": "misc",
    "software": "misc",
}
_VENUE_FIELDS = {
    "article": "journal",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "phdthesis": "school",
    "book": "series",
    "techreport": "institution",
    "misc": "howpublished",
}
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
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORD = re.compile(r"[^\W_]+")

# A command at the start of a word: in names, bibtexparser 2.1 drops such words unless a brace
# comes first.
_BARE_COMMAND = re.compile(r"(?<!\S)(?=\\)")

_DASHES = re.compile(r"\s*[-–—]+\s*")
_DATE = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(\d{2}))?)?")


def bibtex(papers: Sequence[Paper]) -> str:
    """Return a BibTeX entry for each paper, in order."""
    return "\n".join(
        _entry(key, paper) for key, paper in zip(citation_keys(papers), papers, strict=True)
    )


def ris(papers: Sequence[Paper]) -> str:
    """Return an RIS record for each paper, in order."""
    return "\n".join(
        _reference(key, paper) for key, paper in zip(citation_keys(papers), papers, strict=True)
    )


def csl(papers: Sequence[Paper]) -> str:
    """Return a CSL-JSON array with an item for each paper, in order."""
    items = [_item(key, paper) for key, paper in zip(citation_keys(papers), papers, strict=True)]
    return msgspec.json.format(msgspec.json.encode(items), indent=2).decode() + "\n"


def _kind(paper: Paper) -> str:
    """Return the paper's kind; with a venue but no known kind it counts as an article."""
    return paper.kind or ("article" if paper.venue else "")


def _entry(key: str, paper: Paper) -> str:
    kind = _ENTRY_TYPES.get(_kind(paper), "misc")
    fields = {name: f"{{{value}}}" for name, value in _fields(kind, paper).items() if value}
    date = _date(paper)
    if len(date) > 1:
        fields["month"] = _MONTHS[date[1] - 1]

    lines = [key, *(f"  {name} = {value}" for name, value in fields.items())]
    return "@" + kind + "{" + ",\n".join(lines) + "\n}\n"


def _fields(kind: str, paper: Paper) -> dict[str, str]:
    """Return the fields of a BibTeX entry as LaTeX, "" where they are unknown."""
    details = {name: encode(_line(value)) for name, value in paper.details.items()}
    arxiv = registered(paper, "arxiv")
    venue = "" if kind == "misc" and "arxiv" in paper.venue.lower() else paper.venue
    publisher = "institution" if kind == "techreport" and not venue else "publisher"
    pages = _DASHES.split(_line(paper.details.get("pages", "")))

    return {
        "title": _title(paper.title),
        "author": " and ".join(map(_bibtex_name, paper.authors)),
        _VENUE_FIELDS[kind]: encode(_line(venue)),
        "year": str(paper.year or ""),
        "volume": details.get("volume", ""),
        "number": details.get("number", ""),
        "pages": "--".join(encode(page) for page in pages),
        publisher: details.get("publisher", ""),
        "doi": _verbatim(registered(paper, "doi")),
        "eprint": _verbatim(arxiv),
        "archivePrefix": "arXiv" if arxiv else "",
        "pmid": registered(paper, "pmid"),
        "url": _verbatim(given_address(paper)),
        "keywords": encode(_line(", ".join(paper.fields))),
        "abstract": encode(_line(paper.abstract)),
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _title(title: str) -> str:
    """Return a title as LaTeX, with braces around the words whose capitals BibTeX would lower."""
    title = _line(title)

    # In a title that is all capitals, no word needs them.
    if title.isupper() and len(title.split()) > 3:
        return encode(title)

    parts: list[str] = []
    position = 0
    for match in _WORD.finditer(title):
        if _has_own_capitals(match[0]):
            parts += [encode(title[position : match.start()]), "{" + encode(match[0]) + "}"]
            position = match.end()
    return "".join([*parts, encode(title[position:])])


def _has_own_capitals(word: str) -> bool:
    """Return whether a word has capitals inside, or a capital and a digit: BERT, mRNA, T5."""
    return any(letter.isupper() for letter in word[1:]) or (
        word[:1].isupper() and any(letter.isdigit() for letter in word)
    )


def _bibtex_name(author: str) -> str:
    """Return "Family, Suffix, Given" as LaTeX; an organisation's name is in braces."""
    name = parsed(author)
    if name.whole:
        return "{" + encode(name.family) + "}"

    text = ", ".join(encode(part) for part in (name.family, name.suffix, name.given) if part)
    return _BARE_COMMAND.sub("{}", text)


def _verbatim(address: str) -> str:
    """Return an address or DOI that styles print verbatim, with backslashes and braces encoded."""
    return address.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")


def _date(paper: Paper) -> list[int]:
    """Return year, month and day as far as they are known."""
    date = _DATE.fullmatch(paper.date)
    if date:
        return [int(part) for part in date.groups() if part]
    return [paper.year] if paper.year else []


def _reference(key: str, paper: Paper) -> str:
    """Return a paper as an RIS record."""
    pages = _DASHES.split(paper.details.get("pages", ""), maxsplit=1)
    tags = [
        ("TY", _RIS_TYPES.get(_kind(paper), "GEN")),
        ("ID", key),
        ("TI", paper.title),
        *(("AU", _inverted(parsed(author))) for author in paper.authors),
        ("PY", str(paper.year or "")),
        ("DA", _ris_date(paper)),
        ("T2", paper.venue),
        ("VL", paper.details.get("volume", "")),
        ("IS", paper.details.get("number", "")),
        ("SP", pages[0]),
        ("EP", pages[1] if len(pages) > 1 else ""),
        ("PB", paper.details.get("publisher", "")),
        ("DO", registered(paper, "doi")),
        ("UR", web_address(paper)),
        *(("KW", word) for word in paper.fields),
        ("AB", paper.abstract),
    ]

    lines = (f"{tag}  - {_line(value)}\n" for tag, value in tags if _line(value))
    return "".join(lines) + "ER  - \n"


def _ris_date(paper: Paper) -> str:
    """Return a date as YYYY/MM/DD/ or, without a day, YYYY/MM//; "" where only a year is known."""
    numbers = _date(paper)
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
        "type": _CSL_TYPES.get(_kind(paper), "document"),
        "title": paper.title,
        "author": [_csl_name(parsed(author)) for author in paper.authors],
        "issued": {"date-parts": [_date(paper)]} if _date(paper) else {},
        "container-title": paper.venue,
        "volume": details.get("volume", ""),
        "issue": details.get("number", ""),
        "page": details.get("pages", ""),
        "publisher": details.get("publisher", ""),
        "DOI": registered(paper, "doi"),
        "PMID": registered(paper, "pmid"),
        "number": f"arXiv:{arxiv}" if arxiv else "",
        "URL": web_address(paper),
        "keyword": ", ".join(paper.fields),
        "abstract": paper.abstract,
    }

    return {name: value for name, value in item.items() if value or name == "title"}


def _csl_name(name: Name) -> dict[str, str]:
    if name.whole or not name.given:
        return {"literal": _line(f"{name.family} {name.suffix}")}

    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}
