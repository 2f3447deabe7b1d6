"""What turns a query into a vector that can be compared with those of a named set of papers."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from citewise.embed.encoders import encoder_of
from citewise.embed.word_models import NNSELECT, required_model_of
from citewise.errors import MissingData
from citewise.protocols import QueryVectors, Stores
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

    encoded_by = stores.vectors.encoded_by()
    if encoded_by is not None and papers.about == encoded_by:
        return QueryVectors(papers, _by_encoder(stores))

    model = required_model_of(stores, name)
    return QueryVectors(papers, lambda query: model.of_text(*_fields(query)))


def _command(name: str) -> str:
    by_texts = "" if name == NNSELECT else " --papers"
    return f"citewise encode --library LIBRARY --model {name}{by_texts}"


def _by_encoder(stores: Stores) -> Callable[[Query], NDArray[np.float32]]:
    encoder = encoder_of(stores.vectors)
    if encoder is None:  # pragma: no cover (there are vectors, so something made them)
        raise MissingData("the library has no encoder")

    @functools.lru_cache(maxsize=_QUERIES_KEPT)
    def encoded(text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = encoder.encode([text])[0]
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    return lambda query: encoded(" ".join(_fields(query)).strip())


def _fields(query: Query) -> tuple[str, str]:
    """Return the title and the abstract of a query; a sentence alone is as good as a title."""
    return (query.title, query.abstract) if query.has_draft else (query.sentence, "")
