"""Write answers as JSON documents."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from citewise.render.citation_keys import citation_keys
from citewise.render.links import registered, web_address
from citewise.types import Answer, Paper, Query

_EXPLAINING = ("base", "contributions", "reasons")
"""Fields of a recommendation that only explained answers have."""

_OPTIONAL = ("authors", "venue", "key_phrases")
"""Fields of a query that are left out where they are empty."""


def as_json(answer: Answer) -> str:
    """Return a whole answer as one JSON document."""
    return formatted(document(answer))


def formatted(value: Any) -> str:
    """Return a value as indented JSON that ends with a line feed."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def document(answer: Answer) -> dict[str, Any]:
    """Return the JSON document of an answer."""
    library = answer.library

    return {
        "library": {
            "path": library.location,
            "generation": library.generation,
            "fingerprint": library.fingerprint,
        },
        "system": answer.served_by.system,
        "served_by": asdict(answer.served_by),
        "match": answer.match,
        "confidence": answer.confidence,
        "calibrated_by": answer.calibrated_by,
        "query": query_document(answer.query),
        **({"read": asdict(answer.read)} if answer.read else {}),
        "recommendations": recommendations(answer),
    }


def query_document(query: Query) -> dict[str, Any]:
    """Return a query as an object of a query file: its fields and the preferences that were given,
    all on one level.
    """
    fields = asdict(query)
    del fields["preferences"]
    given = {name: value for name, value in fields.items() if value or name not in _OPTIONAL}
    return {**given, **query.preferences.given()}


def recommendations(answer: Answer) -> list[dict[str, Any]]:
    """Return the JSON objects of an answer's recommendations."""
    left_out = () if answer.explained else _EXPLAINING
    keys = citation_keys([each.paper for each in answer])
    return [
        {
            **{name: value for name, value in asdict(each).items() if name not in left_out},
            "citation_key": key,
        }
        for each, key in zip(answer, keys, strict=True)
    ]


def paper_documents(papers: Sequence[Paper]) -> list[dict[str, Any]]:
    """Return papers as the JSON objects of an answer's papers, each with the citation `key` that an
    export of them writes, and with its `doi` and `url` where they are known.
    """
    return [
        {**asdict(paper), "key": key, **_addresses(paper)}
        for key, paper in zip(citation_keys(papers), papers, strict=True)
    ]


def _addresses(paper: Paper) -> dict[str, str]:
    known = {"doi": registered(paper, "doi"), "url": web_address(paper)}
    return {name: value for name, value in known.items() if value}
