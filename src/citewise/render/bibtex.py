"""Write papers as BibTeX that BibTeX, biber and pdfLaTeX take.

What came from a .bib file is written with its own entry type, fields and LaTeX, as far as they
still say what the library knows.
"""

import re
from collections.abc import Sequence

from citewise.ingest import bibtex_fields
from citewise.ingest.bibtex import ENTRY_TYPE, LATEX, VERBATIM, kind_of_type
from citewise.ingest.bibtex_entries import MONTHS
from citewise.ingest.bibtex_fields import VENUES, names
from citewise.ingest.clean import clean_line
from citewise.render.citation_keys import citation_keys
from citewise.render.links import given_address, registered
from citewise.render.names import parsed
from citewise.render.parts import DASHES, date_parts, keywords_of, kind_of, one_line
from citewise.text.ids import key
from citewise.text.latex import decode, encode
from citewise.text.latex_portable import definitions, portable
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
_KNOWN_TYPES = frozenset(
    """
    article book booklet conference inbook incollection inproceedings manual mastersthesis misc
    phdthesis proceedings techreport unpublished artwork audio bookinbook collection dataset
    electronic image inreference jurisdiction legislation letter movie music mvbook mvcollection
    mvproceedings mvreference online patent performance periodical reference report review software
    standard suppbook suppcollection suppperiodical thesis video www
    """.split()  # noqa: SIM905 (easier to read than a line for each)
)
"""The entry types of BibTeX and biblatex; another one is written as the nearest of them."""

_VENUE_FIELDS = {
    "article": "journal",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "phdthesis": "school",
    "book": "series",
    "techreport": "institution",
    "misc": "howpublished",
}
_MACROS = {name: name[:3].lower() for name in MONTHS}
"""The macros of months, which every style defines."""

_PEOPLE = frozenset(
    """
    author editor editora editorb editorc translator annotator commentator introduction foreword
    afterword bookauthor holder shortauthor shorteditor sortname
    """.split()  # noqa: SIM905 (easier to read than a line for each)
)
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_FIELD_NAME = re.compile(r"[a-z][a-z0-9_+./-]*")
_GROUP = re.compile(r"\{[^{}]*\}")

# A command at the start of a word: in names, bibtexparser 2.1 drops such words unless a brace
# comes first.
_BARE_COMMAND = re.compile(r"(?<!\S)(?=\\)")


def bibtex(papers: Sequence[Paper]) -> str:
    """Return a BibTeX entry for each paper, in order.

    Definitions for what pdfLaTeX cannot print without packages come first.
    """
    keys = citation_keys(papers)
    entries = [_entry(name, paper) for name, paper in zip(keys, papers, strict=True)]
    preamble = [f'@preamble{{"{line} "}}\n' for line in definitions("\n".join(entries))]
    return "".join(preamble) + ("\n" if preamble else "") + "\n".join(entries)


def _entry(name: str, paper: Paper) -> str:
    entry_type = _entry_type(paper)
    fields = {field: value for field, value in _fields(entry_type, paper).items() if value}
    month = fields.pop("month", "")
    written = {field: f"{{{value}}}" for field, value in fields.items()}
    if month:
        macro = month in _MACROS.values() and month != paper.details.get("month")
        written["month"] = month if macro else f"{{{month}}}"

    lines = [name, *(f"  {field} = {value}" for field, value in written.items())]
    return "@" + entry_type + "{" + ",\n".join(lines) + "\n}\n"


def _entry_type(paper: Paper) -> str:
    """Return the paper's own entry type, unless the library has learnt that it is another kind."""
    own = paper.details.get(ENTRY_TYPE, "").lower()
    generic = _ENTRY_TYPES.get(kind_of(paper), "misc")
    if not own or (paper.kind not in ("", "preprint") and kind_of_type(own) != paper.kind):
        return generic
    if own in _KNOWN_TYPES:
        return own
    return _ENTRY_TYPES.get(kind_of_type(own), "misc")


def _fields(entry_type: str, paper: Paper) -> dict[str, str]:
    """Return the fields of an entry as LaTeX, "" where they are unknown."""
    arxiv = registered(paper, "arxiv")
    return {
        **_titles(paper),
        "author": _authors(paper),
        **_venue(entry_type, paper),
        **_dates(paper),
        **{name: _own(paper, name) for name in ("volume", "number")},
        "pages": _pages(paper),
        **_publisher(entry_type, paper),
        "doi": _doi(paper),
        "eprint": _verbatim(arxiv),
        "archiveprefix": "arXiv" if arxiv and "eprinttype" not in paper.details else "",
        "pmid": registered(paper, "pmid"),
        "url": _verbatim(given_address(paper)) or _own(paper, "url"),
        "keywords": encode(one_line(", ".join(keywords_of(paper)))),
        "abstract": encode(one_line(paper.abstract)),
        **_others(paper),
    }


_OTHER_VENUES = ("howpublished", "institution", "series")
_HANDLED = {
    *("title", "subtitle", "author", "abstract", "month", "year", "date"),
    *("volume", "number", "pages", "publisher", "doi", "url", ENTRY_TYPE),
    *VENUES,
    *_OTHER_VENUES,
}
"""Details that are not simply written."""


def _others(paper: Paper) -> dict[str, str]:
    """Return every other field that the paper's source gave."""
    return {
        name: _own(paper, name)
        for name in paper.details
        if name not in _HANDLED and _FIELD_NAME.fullmatch(name)
    }


def _own(paper: Paper, name: str) -> str:
    """Return a detail as LaTeX: as its source wrote it where that says the same, and compiles."""
    text = paper.details.get(name, "")
    if name in VERBATIM:
        return text if _is_balanced(text) else _verbatim(text)
    if name in _PEOPLE:
        return _people(paper.details.get(f"{LATEX}{name}", encode(text)))

    latex = paper.details.get(f"{LATEX}{name}", "")
    if latex and clean_line(decode(latex)) == text and (written := portable(latex)) is not None:
        return written
    return encode(one_line(text))


def _is_balanced(text: str) -> bool:
    while "{" in text and (shorter := _GROUP.sub("", text)) != text:
        text = shorter
    return not {"{", "}"} & set(text) and not text.endswith("\\")


def _titles(paper: Paper) -> dict[str, str]:
    """Return title and subtitle, as their source wrote them if the paper still has that title."""
    details = paper.details
    latex, subtitle = details.get(f"{LATEX}title", ""), _own(paper, "subtitle")
    fields = {"title": latex, "subtitle": details.get(f"{LATEX}subtitle", subtitle)}
    if latex and clean_line(bibtex_fields.title(fields)) == paper.title:
        return {"title": portable(latex) or _title(decode(latex)), "subtitle": subtitle}
    return {"title": _title(paper.title)}


def _title(title: str) -> str:
    """Return a title as LaTeX, with braces around the words whose capitals BibTeX would lower."""
    title = one_line(title)

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


def _authors(paper: Paper) -> str:
    """Return the authors; "" where they are the editors of a paper without authors."""
    latex = paper.details.get(f"{LATEX}author", "")
    if latex and [clean_line(name) for name in names(latex)] == list(paper.authors):
        return _people(latex)

    editors = paper.details.get(f"{LATEX}editor", paper.details.get("editor", ""))
    if (
        not latex
        and editors
        and [clean_line(name) for name in names(editors)] == list(paper.authors)
    ):
        return ""
    return " and ".join(map(_bibtex_name, paper.authors))


def _people(latex: str) -> str:
    """Return a field of names as BibTeX and biber take it: a name has no more than two commas, and
    none that is empty or lacks its family, at which biber crashes.
    """
    written = portable(latex)
    people = re.split(r"(?<!\S)and(?!\S)", _without_groups(latex), flags=re.IGNORECASE)
    if written is None or not all(map(_is_sound, people)) or "=" in latex:
        others = ["others"] if people[-1].strip().lower() == "others" else []
        return " and ".join([*map(_bibtex_name, names(latex)), *others])
    return written


def _is_sound(name: str) -> bool:
    return (
        bool(name.strip()) and name.count(",") < 3 and name.strip(" \t\n") == name.strip(" \t\n,")
    )


def _without_groups(latex: str) -> str:
    """Return LaTeX without what is in braces, which BibTeX does not look into."""
    while (shorter := _GROUP.sub("x", latex)) != latex:
        latex = shorter
    return latex


def _bibtex_name(author: str) -> str:
    """Return "Family, Suffix, Given" as LaTeX; an organisation's name is in braces."""
    name = parsed(author)
    if name.whole:
        return "{" + encode(name.family) + "}"

    text = ", ".join(encode(part) for part in (name.family, name.suffix, name.given) if part)
    return _BARE_COMMAND.sub("{}", text)


def _venue(entry_type: str, paper: Paper) -> dict[str, str]:
    """Return the venue under the name that its source gave it, else under that of the type."""
    own = {name: _own(paper, name) for name in (*VENUES, *_OTHER_VENUES)}
    texts = (paper.details[name] for name in VENUES if paper.details.get(name))
    if next(texts, "")[:300] == paper.venue:
        return own

    known = {name: value for name, value in own.items() if name not in VENUES}
    preprint = entry_type == "misc" and "arxiv" in paper.venue.lower()
    name = _VENUE_FIELDS.get(entry_type, "journal" if paper.kind == "article" else "howpublished")
    return {**known, name: "" if preprint else encode(one_line(paper.venue)) or own.get(name, "")}


def _dates(paper: Paper) -> dict[str, str]:
    """Return the date as its source wrote it if it names the same year, else year and month."""
    details, parts = paper.details, date_parts(paper)
    written = details.get("year") or details.get("date") or ""
    year = _YEAR.search(written)
    if written and (not paper.year or (year is not None and int(year[0]) == paper.year)):
        month = details.get("month", "")
        own = {name: _own(paper, name) for name in ("year", "date")}
        return {**own, "month": _MACROS.get(month) or _own(paper, "month")}
    return {
        "year": str(paper.year or ""),
        "month": _MACROS[MONTHS[parts[1] - 1]] if len(parts) > 1 else "",
    }


def _pages(paper: Paper) -> str:
    """Return pages with the dashes of LaTeX."""
    text, latex = paper.details.get("pages", ""), paper.details.get(f"{LATEX}pages", "")
    same = DASHES.sub("-", decode(latex)).strip("-") == DASHES.sub("-", text).strip("-")
    if latex and same and (written := portable(latex)) is not None:
        return written
    return "--".join(encode(page) for page in DASHES.split(one_line(text)))


def _publisher(entry_type: str, paper: Paper) -> dict[str, str]:
    """Return the publisher, which is the institution of a report."""
    publisher = _own(paper, "publisher")
    report = entry_type == "techreport" and not paper.venue and not paper.details.get("institution")
    if report and ENTRY_TYPE not in paper.details:
        return {"institution": publisher}
    return {"publisher": publisher}


def _doi(paper: Paper) -> str:
    """Return the DOI, in the case and form that its source gave it."""
    known, own = registered(paper, "doi"), paper.details.get("doi", "")
    same = own and (not known or key(own, "doi") == f"doi:{known}")
    return _own(paper, "doi") if same else _verbatim(known)


def _verbatim(address: str) -> str:
    """Return an address or DOI that styles print verbatim, with backslashes and braces encoded."""
    return address.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")
