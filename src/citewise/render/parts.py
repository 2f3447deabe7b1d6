"""What several formats of bibliographies say about a paper in the same way."""

import re

from citewise.types import Paper

DASHES = re.compile(r"\s*[-–—]+\s*")
_DATE = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(\d{2}))?)?")


def one_line(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def kind_of(paper: Paper) -> str:
    """Return the paper's kind; with a venue but no known kind it counts as an article."""
    return paper.kind or ("article" if paper.venue else "")


def date_parts(paper: Paper) -> list[int]:
    """Return year, month and day as far as they are known."""
    date = _DATE.fullmatch(paper.date)
    if date:
        return [int(part) for part in date.groups() if part]
    return [paper.year] if paper.year else []


def keywords_of(paper: Paper) -> tuple[str, ...]:
    """Return the paper's fields and key phrases, each once."""
    return tuple(dict.fromkeys((*paper.fields, *paper.key_phrases)))


def detail(paper: Paper, *names: str) -> str:
    """Return the first of the named details that is known, or ""."""
    return next((paper.details[name] for name in names if paper.details.get(name)), "")
