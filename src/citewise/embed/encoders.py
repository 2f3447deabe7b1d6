"""Find encoders: those of plug-ins by name, transformers by name or folder."""

import functools

from citewise import plugins
from citewise.embed.encoder import TransformerEncoder
from citewise.errors import BadInput
from citewise.protocols import EncodedBy, Encoder, Precision, Vectors


def encoder_named(model: str, precision: Precision, threads: int = 1) -> Encoder:
    """Return a plug-in's encoder of this name, else the transformer of a name or a folder."""
    make = plugins.parts("encoders").get(model)
    if make is not None:
        encoder: Encoder = make()
        return encoder
    return TransformerEncoder(model, precision, threads)


@functools.lru_cache(maxsize=4)
def _for_queries(model: str, precision: Precision) -> Encoder:
    """Return a cached encoder with one thread, which is enough for one short text."""
    return encoder_named(model, precision)


def encoder_of(vectors: Vectors) -> Encoder | None:
    """Return the encoder that made a library's vectors; None where it has no vectors."""
    stored = vectors.encoded_by()
    return encoder_that_made(stored) if stored is not None else None


def encoder_that_made(stored: EncodedBy) -> Encoder:
    """Return the encoder that made some vectors; an error where it has changed since."""
    encoder = _for_queries(stored.model, stored.precision)
    if encoder.about != stored:
        raise BadInput(
            f"the model {stored.model} has changed since it made the library's vectors; make them "
            "anew with: citewise encode --library LIBRARY"
        )
    return encoder
