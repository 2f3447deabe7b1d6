"""Citing sentences for tests: a golden few whose evidence is worked out by hand."""

import re

from citewise.types import CitationGroup, CitingSentence


def citing(paper: str, text: str, *cited: tuple[str, ...], year: int | None = None, start: int = -1) -> CitingSentence:
    """Return a sentence whose [REF] cite `cited`, one tuple of keys for each."""
    marks = re.finditer(r"\[REF\]", text)
    groups = tuple(CitationGroup(*mark.span(), keys) for mark, keys in zip(marks, cited, strict=True))
    return CitingSentence(paper, text, groups, "Introduction", year, str(year or ""), start)
