"""Encoders by name: those of plug-ins, and BERT models by their folder."""

import functools

from citewise import plugins
from citewise.embed.encoder import BertEncoder
from citewise.errors import BadInput
from citewise.protocols import Encoder, Precision, Vectors


def encoder_named(model: str, precision: Precision, threads: int = 1) -> Encoder:
    """Return an encoder: a plug-in's by its name, else the BERT of a folder, or `minilm`."""
    made = plugins.parts("encoders").get(model)
    if made is not None:
        encoder: Encoder = made()
        return encoder
    return BertEncoder(model, precision, threads)


@functools.lru_cache(maxsize=2)
def _for_queries(model: str, precision: Precision) -> Encoder:
    """Return the encoder for queries, made once: one thread, for one short text."""
    return encoder_named(model, precision)


def encoder_of(vectors: Vectors) -> Encoder | None:
    """Return the encoder that made a library's vectors; None where it has none."""
    wanted = vectors.encoded_by()
    if wanted is None:
        return None
    found = _for_queries(wanted.model, wanted.precision)
    if found.about != wanted:
        raise BadInput(
            f"the model {wanted.model} has changed since it made the library's vectors; make them "
            "anew with: citewise encode --library LIBRARY"
        )
    return found
