"""Find word models: the one that ships, a library's own, and the one that made a set of vectors."""

import functools
import importlib.resources

import zstandard

from citewise.embed.word_vectors import WordVectors
from citewise.errors import BadLibrary, MissingData
from citewise.protocols import EncodedBy, Models, Stores

NNSELECT = "nnselect"
"""The name of the model that ships, of a library's own in its place, and of the set of vectors that
either makes.
"""

_FILE = "nnselect.bin"
_INSTALL = "install citewise again"
_MADE_ANEW = "make them anew with: citewise encode --library LIBRARY --model"


@functools.cache
def shipped() -> WordVectors | None:
    """Return the model that ships with the package; None where the package has none."""
    file = importlib.resources.files("citewise.embed") / "models" / _FILE
    if not file.is_file():
        return None
    return unpacked(file.read_bytes())


def packed(model: WordVectors) -> bytes:
    """Return a model as the package's file has it."""
    return zstandard.ZstdCompressor(level=19).compress(model.encoded())


def unpacked(content: bytes) -> WordVectors:
    """Return the model that `packed` wrote."""
    try:
        plain = zstandard.ZstdDecompressor().decompress(content)
    except zstandard.ZstdError as error:
        raise BadLibrary(f"the model that ships is damaged ({error}); {_INSTALL}") from None
    return WordVectors.decode(plain, advice=_INSTALL)


def own(models: Models, name: str = NNSELECT) -> WordVectors | None:
    """Return the model that was trained on a library; None where there is none.

    `name` is that of its set of vectors.
    """
    content = models.load(name)
    return _decoded(content) if content is not None else None


@functools.lru_cache(maxsize=4)
def _decoded(content: bytes) -> WordVectors:
    return WordVectors.decode(content)


def word_models(models: Models | None = None) -> dict[str, WordVectors]:
    """Return the models that embed papers, by the names of their sets: a library's own where it has
    one, else the one that ships.
    """
    found = (own(models) if models is not None else None) or shipped()
    return {NNSELECT: found} if found is not None else {}


def required_model(models: Models) -> WordVectors:
    """Return a library's own model, else the one that ships; an error where there is neither."""
    found = word_models(models).get(NNSELECT)
    if found is None:
        raise MissingData(
            "this citewise ships no word vectors; train some with: citewise train nnselect "
            "--library LIBRARY"
        )
    return found


def made_sets(stores: Stores) -> dict[str, WordVectors]:
    """Return the models that made a library's sets of papers' vectors, by the names of the sets;
    those that are gone are left out.
    """
    found = ((name, model_of(stores, name)) for name in stores.vectors.names())
    return {name: model for name, model in found if model is not None}


def model_of(stores: Stores, name: str) -> WordVectors | None:
    """Return the model that made a set of papers' vectors; None where there is no such set, or
    where the model that made it is gone.
    """
    vectors = stores.vectors.papers(name)
    return _made_by(stores.models, name, vectors.about) if vectors is not None else None


def required_model_of(stores: Stores, name: str) -> WordVectors:
    """Return the model that made a set of papers' vectors; where there is none, the error says how
    to make one.
    """
    vectors = stores.vectors.papers(name)
    if vectors is None:
        known = ", ".join(stores.vectors.names()) or "none"
        raise MissingData(
            f"{stores.info.location}: no vectors of papers are named {name!r} (known: {known}); "
            f"{_MADE_ANEW.replace('make them anew', 'make them')} {NNSELECT}"
        )
    model = _made_by(stores.models, name, vectors.about)
    if model is None:
        raise MissingData(
            f"{stores.info.location}: the model that made the vectors {name!r} is neither the "
            f"library's own nor the one that ships; {_MADE_ANEW} {NNSELECT}"
        )
    return model


def _made_by(models: Models, name: str, about: EncodedBy) -> WordVectors | None:
    """Return the model of this digest: the library's own for the set of that name, or the one that
    ships.
    """
    known = (own(models, name), shipped())
    return next((each for each in known if each is not None and each.about == about), None)
