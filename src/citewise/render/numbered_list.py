"""Write papers as numbered lists of references: as engineers (IEEE) and as doctors (Vancouver) do.

The order is that of the papers given, as both number references by their first citation.
"""

from collections.abc import Sequence

from citewise.render.links import registered
from citewise.render.names import Name, initials, parsed
from citewise.render.parts import DASHES, detail, kind_of, one_line
from citewise.types import Paper

MOST_AUTHORS = 6
"""Authors that are named; of more, the first (IEEE), or the first six (Vancouver)."""

_IN_BOOKS = ("inproceedings", "incollection", "conference", "proceedings")


def ieee_list(papers: Sequence[Paper]) -> str:
    """Return a line for each paper: “[1] H. Small, “Title,” Venue, vol. 24, 1973.”."""
    return "".join(f"[{number}] {ieee(paper)}\n" for number, paper in enumerate(papers, 1))


def vancouver_list(papers: Sequence[Paper]) -> str:
    """Return a line for each paper: “1. Small H. Title. Venue. 1973;24(4):265–269.”."""
    return "".join(f"{number}. {vancouver(paper)}\n" for number, paper in enumerate(papers, 1))


def ieee(paper: Paper) -> str:
    """Return a reference without its number, as engineers write it."""
    title, venue, year = _title(paper), one_line(paper.venue), str(paper.year or "")
    doi = f"doi: {found}" if (found := registered(paper, "doi")) else ""
    pages = f"pp. {_pages(paper)}" if _pages(paper) else ""
    names = _joined([_initials_first(parsed(name)) for name in paper.authors])

    if not venue:
        rest = ", ".join(filter(None, (_publisher(paper), year, doi)))
        return _ended(", ".join(filter(None, (names, title))), f". {rest}" if rest else "")
    if kind_of(paper) in _IN_BOOKS:
        parts = [names, f"“{title},” in {venue}", year, pages, doi]
    else:
        parts = [names, f"“{title},” {venue}", _volume(paper), _number(paper), pages, year, doi]
    return _ended(", ".join(filter(None, parts)))


def vancouver(paper: Paper) -> str:
    """Return a reference without its number, as doctors write it."""
    names = [_initials_last(parsed(name)) for name in paper.authors[:MOST_AUTHORS]]
    names += ["et al"] * (len(paper.authors) > MOST_AUTHORS)
    venue, year = one_line(paper.venue), str(paper.year or "")
    number = detail(paper, "number", "issue")
    volume = paper.details.get("volume", "") + (f"({number})" if number else "")
    pages = _pages(paper)

    if not venue:
        source = "; ".join(filter(None, (_publisher(paper), year)))
    elif kind_of(paper) in _IN_BOOKS:
        source = ". ".join(filter(None, (f"In: {venue}", year, f"p. {pages}" if pages else "")))
    else:
        place = (f";{volume}" if volume else "") + (f":{pages}" if pages else "")
        source = f"{venue}. {year}{place}" if year or place else venue
    return " ".join(_ended(part) for part in (", ".join(names), _title(paper), source) if part)


def _title(paper: Paper) -> str:
    return one_line(paper.title or paper.id).rstrip(".")


def _pages(paper: Paper) -> str:
    return DASHES.sub("–", paper.details.get("pages", "").strip())


def _volume(paper: Paper) -> str:
    return f"vol. {paper.details['volume']}" if paper.details.get("volume") else ""


def _number(paper: Paper) -> str:
    number = detail(paper, "number", "issue")
    return f"no. {number}" if number else ""


def _publisher(paper: Paper) -> str:
    return one_line(detail(paper, "publisher", "institution", "organization", "school"))


def _ended(*parts: str) -> str:
    text = "".join(parts).strip()
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _joined(names: Sequence[str]) -> str:
    """Return names as "A. One, B. Two, and C. Three"."""
    if len(names) > MOST_AUTHORS:
        return f"{names[0]} et al."
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _initials_first(name: Name) -> str:
    """Return "J.-P. van der Berg Jr."; the name of a group as it is."""
    return one_line(f"{initials(name.given)} {name.family} {name.suffix}")


def _initials_last(name: Name) -> str:
    """Return "van der Berg JP Jr."; the name of a group as it is."""
    letters = initials(name.given).replace(".", "").replace("-", "").replace(" ", "")
    return one_line(f"{name.family} {letters} {name.suffix}")
