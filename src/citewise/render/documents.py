"""Answers as JSON documents."""

from dataclasses import asdict
from typing import Any

import msgspec

from citewise.types import Answer, Query

_EXPLAINING = ("base", "contributions", "reasons")
_OPTIONAL = ("authors", "sentence")


def as_json(answer: Answer) -> str:
    """Return a whole answer as one JSON document."""
    return formatted(document(answer))


def formatted(value: Any) -> str:
    """Return a value as indented JSON that ends with a line feed."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def document(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON has it."""
    library = answer.library
    return {
        "library": {
            "path": library.location,
            "generation": library.generation,
            "fingerprint": library.fingerprint,
        },
        "system": answer.served_by.system,
        "served_by": asdict(answer.served_by),
        "query": query_document(answer.query),
        "recommendations": recommendations(answer),
    }


def query_document(query: Query) -> dict[str, Any]:
    """Return a query as a query file has it: preferences that were given, side by side with the
    other fields.
    """
    fields = asdict(query)
    del fields["preferences"]
    asked = {name: value for name, value in fields.items() if value or name not in _OPTIONAL}
    return {**asked, **query.preferences.given()}


def recommendations(answer: Answer) -> list[dict[str, Any]]:
    """Return the recommendations of an answer as JSON has them."""
    left_out = () if answer.explained else _EXPLAINING
    return [
        {name: value for name, value in asdict(each).items() if name not in left_out}
        for each in answer
    ]
