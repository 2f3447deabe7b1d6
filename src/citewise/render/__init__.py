"""Answers as text: a table for people, and formats that other programs read."""

from collections.abc import Callable, Mapping, Sequence

from citewise import plugins
from citewise.render.bibliography import csl, ris
from citewise.render.bibtex import bibtex
from citewise.render.json_answers import as_json
from citewise.render.markdown import markdown_answer
from citewise.types import Answer, Paper, Renderer

BIBLIOGRAPHIES: Mapping[str, Callable[[Sequence[Paper]], str]] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl": csl,
}
"""Formats that list papers only."""


def renderers() -> dict[str, Renderer]:
    """Return every output format by name, those of plug-ins included."""
    return {
        "table": _as_table,
        "json": as_json,
        **{name: _listing(write) for name, write in BIBLIOGRAPHIES.items()},
        "markdown": markdown_answer,
        **plugins.parts("renderers"),
    }


def _as_table(answer: Answer) -> str:
    from citewise.render.tables import as_text  # only tables need rich

    return as_text(answer)


def _listing(write: Callable[[Sequence[Paper]], str]) -> Renderer:
    return lambda answer: write([each.paper for each in answer])
