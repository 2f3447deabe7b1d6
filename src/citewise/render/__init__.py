"""Recommendations as text: a table for people, and formats that other programs read."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

import msgspec

from citewise.render.bibliography import bibtex, csl, ris
from citewise.render.markdown import markdown
from citewise.types import Answer, Paper, Query

BIBLIOGRAPHIES: dict[str, Callable[[Sequence[Paper]], str]] = {
    "bibtex": bibtex, "ris": ris, "csl": csl, "markdown": markdown}
"""Formats that list papers only."""

FORMATS = ("table", "json", *BIBLIOGRAPHIES)


_WISHES = ("authors", "no_self_citations", "prefer_recent", "prefer_cited", "diversify")
_EXPLAINING = ("base", "contributions", "reasons")


def as_json(query: Query, answer: Answer, library: dict[str, object]) -> str:
    """Return a whole answer as one JSON document."""
    asked = {name: value for name, value in asdict(query).items() if value or name not in _WISHES}
    document = {"library": library, "system": answer.served_by.system, "served_by": asdict(answer.served_by),
                "query": asked, "recommendations": recommended(answer)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def recommended(answer: Answer) -> list[dict[str, object]]:
    """Return the recommendations of an answer as JSON has them."""
    return [{name: value for name, value in asdict(each).items() if answer.explained or name not in _EXPLAINING}
            for each in answer.recommendations]
