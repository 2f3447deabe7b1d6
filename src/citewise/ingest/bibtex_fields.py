"""What the fields of a BibTeX or biblatex entry say about a paper: title, people, venue, dates."""

import re
from collections.abc import Mapping

from bibtexparser.middlewares.names import parse_single_name_into_parts

from citewise.ingest.keys import registry_key
from citewise.text.latex import decode

JOURNALS = {
    "aj": "Astronomical Journal",
    "araa": "Annual Review of Astronomy and Astrophysics",
    "apj": "Astrophysical Journal",
    "apjl": "Astrophysical Journal Letters",
    "apjs": "Astrophysical Journal Supplement Series",
    "aap": "Astronomy and Astrophysics",
    "aapr": "Astronomy and Astrophysics Reviews",
    "aaps": "Astronomy and Astrophysics Supplement Series",
    "apss": "Astrophysics and Space Science",
    "baas": "Bulletin of the American Astronomical Society",
    "grl": "Geophysical Research Letters",
    "icarus": "Icarus",
    "jcap": "Journal of Cosmology and Astroparticle Physics",
    "jgr": "Journal of Geophysical Research",
    "mnras": "Monthly Notices of the Royal Astronomical Society",
    "nat": "Nature",
    "pra": "Physical Review A",
    "prb": "Physical Review B",
    "prc": "Physical Review C",
    "prd": "Physical Review D",
    "pre": "Physical Review E",
    "prl": "Physical Review Letters",
    "pasa": "Publications of the Astronomical Society of Australia",
    "pasj": "Publications of the Astronomical Society of Japan",
    "physrep": "Physics Reports",
    "pasp": "Publications of the Astronomical Society of the Pacific",
    "procspie": "Proceedings of SPIE",
    "planss": "Planetary and Space Science",
    "solphys": "Solar Physics",
    "ssr": "Space Science Reviews",
}
"""The journal commands that NASA ADS writes and AASTeX defines."""

VENUES = ("journal", "journaltitle", "booktitle", "school")
"""The fields that name a venue, the most telling first."""

_MACRO = re.compile(r"\s*\{?\\([a-z]+)\}?")
_ARXIV = re.compile(
    r"arxiv\s*:\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})|abs/(\d{4}\.\d{4,5})", re.IGNORECASE
)
_AND = re.compile(r"\\.|[{}]|(?<=\s)and(?=\s)", re.IGNORECASE | re.DOTALL)
_NAME_PART = re.compile(r"(?:^|,)\s*(family|given|prefix|suffix)\s*=\s*", re.IGNORECASE)
_NAME_ORDER = ("given", "prefix", "family", "suffix")
_OTHER_PART = re.compile(r",\s*[a-z][a-z-]*\s*=.*", re.IGNORECASE | re.DOTALL)
_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"(\d{4})(-(?:0[1-9]|1[0-2])(?:-\d{2})?)?")
_URL_WRAPPER = re.compile(r"\\url\s*\{|[{}\s]")
_ESCAPED = re.compile(r"\\([_%&#~$])")


def first(fields: Mapping[str, str], *names: str) -> str:
    """Return the first of the named fields that is not empty, or ""."""
    return next((fields[name] for name in names if fields.get(name, "").strip()), "")


def venue(fields: Mapping[str, str]) -> str:
    r"""Return the venue as text, with journal commands such as \apj resolved."""
    venue = first(fields, *VENUES)
    macro = _MACRO.match(venue)
    if macro and macro[1] in JOURNALS:
        return JOURNALS[macro[1]] + decode(venue[macro.end() :])
    return decode(venue)


def title(fields: Mapping[str, str]) -> str:
    """Return title and subtitle as text; without a title, that of the work, or a short one."""
    title, subtitle = first(fields, "title", "maintitle", "shorttitle"), fields.get("subtitle", "")
    mark = "" if title.rstrip("} ").endswith((":", "?", "!", ".", "–", "—")) else ":"
    return decode(f"{title}{mark} {subtitle}" if title and subtitle.strip() else title)


def names(field: str) -> list[str]:
    """Return the people in an author field, each as "First von Last Jr"; names in braces stay
    whole.
    """
    people = [name for name in _people(field) if name and name.lower() != "others"]
    if len(people) == 1:
        people = _comma_separated(people[0])
    return [name for name in map(_name, people) if name]


def _people(field: str) -> list[str]:
    """Return the names in an author field, split at each "and" outside braces.

    bibtexparser 2.1 can split them too, but drops words that start with a command.
    """
    parts: list[str] = []
    position = depth = 0
    for match in _AND.finditer(field):
        if match[0] in "{}":
            depth = max(depth + (1 if match[0] == "{" else -1), 0)
        elif depth == 0 and match[0][0] != "\\":
            parts.append(field[position : match.start()].strip())
            position = match.end()

    return [*parts, field[position:].strip()]


def _comma_separated(names: str) -> list[str]:
    """Return the names in a list that wrongly has commas for "and", else a list of the text.

    A single name has at most two commas: "von Last, Jr, First".
    """
    parts = [part.strip() for part in names.split(",") if part.strip()]
    if "{" in names or len(parts) < 4:
        return [names]
    if all(" " in part for part in parts):
        return parts
    return [", ".join(parts[start : start + 2]) for start in range(0, len(parts), 2)]


def _name(name: str) -> str:
    if "=" in name and (parts := _named_parts(name)):
        return decode(" ".join(parts[part] for part in _NAME_ORDER if parts.get(part)))
    return decode(parse_single_name_into_parts(name, strict=False).merge_first_name_first)


def _named_parts(name: str) -> dict[str, str]:
    """Return the parts of a biblatex name, "family=Gogh, prefix=van"; {} of another name."""
    marks = list(_NAME_PART.finditer(name))
    if not marks:  # the "=" is part of a formula or of damage
        return {}

    ends = [*(mark.start() for mark in marks[1:]), len(name)]
    values = (name[mark.end() : end] for mark, end in zip(marks, ends, strict=True))
    return {
        mark[1].lower(): _OTHER_PART.sub("", value).strip(' ,"')
        for mark, value in zip(marks, values, strict=True)
    }


def year(fields: Mapping[str, str]) -> str | None:
    """Return the text that names the year, or None."""
    return decode(first(fields, "year", "date"))[:60] or None


def keys(fields: Mapping[str, str]) -> list[str]:
    """Return the paper's keys in registries, "" where there is none."""
    prefix = first(fields, "archiveprefix", "eprinttype").strip().lower()
    eprint = link(fields.get("eprint", ""))
    notes = (fields.get(name, "") for name in ("journal", "note", "howpublished", "volume"))
    mentioned = _ARXIV.search(" ".join(notes))

    return [
        registry_key(_identifier(fields.get("doi", "")), "doi"),
        registry_key(eprint, "arxiv") if prefix in ("arxiv", "") else "",
        registry_key(mentioned[1] or mentioned[2], "arxiv") if mentioned else "",
        registry_key(fields.get("pmid") or (eprint if prefix == "pubmed" else ""), "pmid"),
        registry_key(link(fields.get("url", ""))),
    ]


def _identifier(value: str) -> str:
    return decode(value) if any(mark in value for mark in "\\{$") else value


def link(value: str) -> str:
    r"""Return an address without \url, braces and escapes."""
    return _ESCAPED.sub(r"\1", _URL_WRAPPER.sub("", value.replace(r"{\textasciitilde}", "~")))


def date(fields: Mapping[str, str]) -> str:
    """Return the date, or year and month, as ISO 8601; "" where they are not known."""
    date = _DATE.match(fields.get("date", "").strip())
    if date:
        return date[0]

    year, month = fields.get("year", "").strip("{} "), fields.get("month", "").strip("{} ")
    named = _MONTH.search(month)
    number = int(month) if month.isdecimal() and len(month) < 3 else 0
    if named:
        number = _MONTHS.index(named[0].lower()) + 1

    known = 1 <= number <= 12 and year.isdecimal() and len(year) == 4
    return f"{year}-{number:02}" if known else ""
