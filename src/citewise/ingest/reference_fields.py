"""Names, dates, pages and kinds, as reference managers and databases write them in plain text."""

import re

_SUFFIX = re.compile(r"(?:jr|sr)\.?|[IVX]+", re.IGNORECASE)
_LONGEST_NAME = 500
"""Characters of a name or of pages that are looked at, as patterns of spaces take long."""

_NUMBER_BEHIND = re.compile(r"\s*\(\d+\)\s*$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,4}")

_SURNAME_FIRST = re.compile(r"(\D+?)\s+((?:[^\W\d_]\.[\s-]?)+|[A-Z]{1,2})")
_ISO = re.compile(r"\s*(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_MONTH_AND_YEAR = re.compile(r"\s*(\d{1,2})[-/.](\d{4})(?!\d)")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
_MONTH = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_DASH = re.compile(r"\s*[-–—]+\s*")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s,;\]\"<>]{1,300}")

_KINDS = (
    ("preprint", ("preprint", "posted content", "unpublished", "manuscript", "working paper")),
    ("inproceedings", ("proceedings paper", "conference", "congress", "meeting abstract")),
    ("chapter", ("chapter", "section", "encyclopedia", "book part")),
    ("thesis", ("thesis", "dissertation")),
    ("dataset", ("dataset", "data set", "data paper")),
    ("software", ("software", "computer program", "code")),
    ("report", ("report", "government document", "standard", "technical")),
    ("article", ("article", "journal", "review", "letter", "editorial", "note", "magazine")),
    ("book", ("book", "monograph", "proceedings")),
)
"""Kinds by words in the names that programs give to types, the first that fits."""


def kind_of(label: str) -> str:
    """Return the kind of paper that a program's name for a type means, "" where that is open."""
    words = label.lower().replace("_", " ")
    return next((kind for kind, marks in _KINDS if any(mark in words for mark in marks)), "")


def given_first(name: str) -> str:
    """Return "Last, First, Suffix" as "First Last Suffix", and "Last F." as "F. Last".

    A number in brackets behind the name, as Scopus writes it, is left out.
    """
    parts = [
        part.strip()
        for part in _NUMBER_BEHIND.sub("", name[:_LONGEST_NAME]).split(",")
        if part.strip()
    ]
    if len(parts) == 3 and _SUFFIX.fullmatch(parts[1]):
        parts = [parts[0], parts[2], parts[1]]
    initials = _SURNAME_FIRST.fullmatch(parts[0]) if len(parts) == 1 else None
    if initials and not _SUFFIX.fullmatch(initials[2]):
        return f"{initials[2].strip()} {initials[1]}"
    return " ".join([*parts[1:2], *parts[:1], *parts[2:]])


def people(text: str) -> list[str]:
    """Return the names in a text, given name first.

    They are separated by semicolons, by "and", or by commas: "Smith J., Jones K." and "Smith, J.,
    Jones, K." are two names, "Smith, John" is one.
    """
    if ";" in text:
        names = text.split(";")
    elif re.search(r"\s(?:and|&)\s", text):
        names = re.split(r"\s(?:and|&)\s", text)
        names = [part for name in names for part in _separated(name)]
    else:
        names = _separated(text)
    return [name for name in map(given_first, names) if name]


def _separated(text: str) -> list[str]:
    """Return the names in a text that has commas between them, and perhaps within them."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) < 2:
        return parts
    if len(parts) % 2 == 0 and all(map(_INITIALS.fullmatch, parts[1::2])):
        return [", ".join(parts[start : start + 2]) for start in range(0, len(parts), 2)]
    return parts if len(parts) > 2 or all(" " in part for part in parts) else [text]


def iso_date(text: str) -> str:
    """Return a date with at least a month as ISO 8601, or "".

    Read are 2021-09-01, 2021/9, 09/2021, "2021 Sep 1", "September 1, 2021" and "1 Sept. 2021".
    """
    text = text[:60]
    numbers, short = _ISO.match(text), _MONTH_AND_YEAR.match(text)
    if numbers:
        return _joined(numbers[1], int(numbers[2]), int(numbers[3] or 0))
    if short:
        return _joined(short[2], int(short[1]), 0)

    year, month = _YEAR.search(text), _MONTH.search(text)
    if not year or not month:
        return ""
    day = _DAY.search(text)
    return _joined(year[1], _MONTHS.index(month[1].lower()) + 1, int(day[1]) if day else 0)


def _joined(year: str, month: int, day: int) -> str:
    if not 1 <= month <= 12:
        return ""
    return f"{year}-{month:02}" + (f"-{day:02}" if 1 <= day <= 31 else "")


def page_range(start: str, end: str = "") -> str:
    """Return pages as "first-last", from two fields or from one that has both."""
    start, end = _DASH.sub("-", start.strip()[:_LONGEST_NAME]), end.strip()
    return f"{start}-{end}" if start and end and end != start and "-" not in start else start or end


def dois_in(texts: list[str]) -> list[str]:
    """Return the keys of the DOIs in the entries of a list of references."""
    found = (_DOI.findall(text) for text in texts)
    return [f"doi:{doi.rstrip('.)').lower()}" for entry in found for doi in entry[:2]]


def keywords(values: list[str]) -> list[str]:
    """Return the words in fields of keywords, which may each have several with ; between them."""
    return [word.strip() for value in values for word in value.split(";") if word.strip()]
