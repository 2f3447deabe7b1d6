"""What turns a query into a vector that can be compared with those of a named set of papers."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from citewise.embed.encoders import encoder_that_made
from citewise.embed.word_models import NNSELECT, model_of, required_model_of
from citewise.errors import MissingData
from citewise.protocols import EncodedBy, QueryVectors, Stores, form_of
from citewise.types import Query

_QUERIES_KEPT = 4
"""Texts whose vectors are remembered where an encoder makes them."""


def query_vectors(stores: Stores, name: str) -> QueryVectors:
    """Return a set of papers' vectors with its model; where the library does not have the set, the
    error names the command that makes it.
    """
    papers = stores.vectors.papers(name)
    if papers is None:
        known = ", ".join(stores.vectors.names()) or "none"
        raise MissingData(
            f"{stores.info.location}: no vectors of papers are named {name!r} (known: {known}); "
            f"make them with: {_command(name)}"
        )

    by_encoder = name != NNSELECT and name == papers.about.model  # such a set has its model's name
    if by_encoder and model_of(stores, name) is None:
        return QueryVectors(papers, _by_encoder(papers.about))
    model = required_model_of(stores, name)
    return QueryVectors(papers, lambda query: model.of_text(*_fields(query)))


def _command(name: str) -> str:
    by_texts = "" if name == NNSELECT else " --papers"
    return f"citewise encode --library LIBRARY --model {name}{by_texts}"


def _by_encoder(about: EncodedBy) -> Callable[[Query], NDArray[np.float32]]:
    encoder = encoder_that_made(about)

    @functools.lru_cache(maxsize=_QUERIES_KEPT)
    def encoded(text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = encoder.encode([text])[0]
        if about.distance == "cosine":
            vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
        return vector

    return lambda query: encoded(form_of(encoder).query(*_fields(query)))


def _fields(query: Query) -> tuple[str, str]:
    """Return the title and the abstract of a query; a sentence alone is as good as a title."""
    return (query.title, query.abstract) if query.has_draft else (query.sentence, "")
