"""What entries take from other entries: crossref and xdata, as BibTeX and biber resolve them."""

from collections.abc import Mapping

PARENT_TYPES = (
    "proceedings",
    "mvproceedings",
    "book",
    "mvbook",
    "collection",
    "mvcollection",
    "reference",
    "mvreference",
    "periodical",
    "xdata",
)
_NOT_INHERITED = frozenset(
    (
        "abstract",
        "annotation",
        "doi",
        "entryset",
        "entrysubtype",
        "eprint",
        "execute",
        "file",
        "ids",
        "keywords",
        "label",
        "note",
        "options",
        "pages",
        "pagetotal",
        "pmid",
        "related",
        "shorthand",
        "sortkey",
        "title",
        "subtitle",
        "titleaddon",
        "shorttitle",
        "url",
        "urldate",
        "xref",
    )
)
"""What belongs to the parent alone; with its DOI, each chapter would be taken for the book."""

LONGEST_INHERITED = 2_000
"""Characters of a field that is kept for children."""


def inheritable(fields: Mapping[str, str], whole: bool) -> dict[str, str]:
    """Return the fields that an entry keeps for its children; all of them if `whole` (xdata)."""
    short = {name: value for name, value in fields.items() if len(value) <= LONGEST_INHERITED}
    if whole:
        return short

    kept = {name: value for name, value in short.items() if name not in _NOT_INHERITED}
    for name in ("title", "subtitle", "titleaddon"):
        if name in short:
            kept.setdefault(f"book{name}", short[name])
    return kept


def inheriting(type: str, fields: dict[str, str], parent: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an entry with those of its parent that it does not have itself."""
    taken = dict(parent)
    if type in PARENT_TYPES:  # a volume: the parent's title is that of the whole work
        for name in ("title", "subtitle", "titleaddon"):
            if f"book{name}" in taken:
                taken.setdefault(f"main{name}", taken.pop(f"book{name}"))
    elif type == "article" and "booktitle" in taken:
        taken.setdefault("journaltitle", taken.pop("booktitle"))
    if "date" in fields:
        taken.pop("year", None)
        taken.pop("month", None)
    elif "year" in fields:
        taken.pop("date", None)

    left_out = {*fields, "crossref", "xdata"}
    return {**fields, **{name: value for name, value in taken.items() if name not in left_out}}
