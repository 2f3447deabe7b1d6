"""Recommendations as text: a table for people, and formats that other programs read."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

import msgspec

from citewise.render.bibliography import bibtex, csl, ris
from citewise.render.markdown import markdown
from citewise.types import Paper, Query, Recommendation

BIBLIOGRAPHIES: dict[str, Callable[[Sequence[Paper]], str]] = {
    "bibtex": bibtex, "ris": ris, "csl": csl, "markdown": markdown}
"""Formats that list papers only."""

FORMATS = ("table", "json", *BIBLIOGRAPHIES)


def as_json(query: Query, system: str, answers: Sequence[Recommendation], library: dict[str, object]) -> str:
    """Return a whole answer as one JSON document."""
    document = {"library": library, "system": system, "query": asdict(query),
                "recommendations": [asdict(each) for each in answers]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
