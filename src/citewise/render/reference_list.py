"""Write papers as a list of references for people, by author and year in the manner of APA."""

from collections.abc import Sequence

from citewise.render.links import web_address
from citewise.render.names import initials, parsed
from citewise.render.parts import DASHES, detail, one_line
from citewise.types import Paper

_MOST_AUTHORS = 20
"""Authors that are named; of more, the first and the last."""


def reference_list(papers: Sequence[Paper]) -> str:
    """Return a line for each paper, sorted by authors, year and title."""
    ordered = sorted(papers, key=lambda each: (_authors(each).casefold(), each.year or 0))
    return "".join(f"{formatted_reference(paper)}\n" for paper in ordered)


def formatted_reference(paper: Paper) -> str:
    """Return a paper as “Small, H. (1973). Title. Venue, 24(4), 265–269. https://doi.org/…”."""
    parts = [
        _authors(paper),
        f"({paper.year or 'n.d.'}).",
        _sentence(paper.title or paper.id),
        _sentence(_source(paper)),
        web_address(paper),
    ]
    return " ".join(one_line(part) for part in parts if one_line(part))


def _source(paper: Paper) -> str:
    """Return where a paper was published: venue, volume, number and pages, or the publisher."""
    number = detail(paper, "number", "issue")
    volume = paper.details.get("volume", "") + (f"({number})" if number else "")
    pages = DASHES.sub("–", paper.details.get("pages", "").strip())
    publisher = detail(paper, "publisher", "institution", "organization", "school")
    return ", ".join(filter(None, (paper.venue, volume, pages))) or publisher


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def _authors(paper: Paper) -> str:
    """Return names as "Small, H., & Griffith, B. C."."""
    names = [_inverted(name) for name in paper.authors]
    if len(names) > _MOST_AUTHORS:
        names = [*names[: _MOST_AUTHORS - 1], f"… {names[-1]}"]
        return ", ".join(names)
    return ", & ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _inverted(author: str) -> str:
    """Return a name as family name and initials; that of a group as it is."""
    name = parsed(author)
    if name.whole or not name.given:
        return one_line(f"{name.family} {name.suffix}")
    return ", ".join(filter(None, (name.family, initials(name.given), name.suffix)))
