"""The encoder of a library's vectors, found again by what the library knows of it."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import citewise
from citewise.embed.encoder import TransformerEncoder
from citewise.embed.encoders import encoder_of
from citewise.errors import BadInput
from citewise.library import writer
from citewise.types import Paper
from citing import citing

pytestmark = pytest.mark.usefixtures("encoder_cache")


class OldModel:
    """An encoder whose model had other files than those of today."""

    def __init__(self, encoder: TransformerEncoder) -> None:
        self._encoder = encoder
        self.about = dataclasses.replace(encoder.about, digest="0" * 16)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode the texts."""
        return self._encoder.encode(texts)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The folder of a library of one span, without vectors."""
    sentence = citing("c0", "Our cat chased a dog across the big yard [REF].", ("p0",), year=2002)
    citewise.add([Paper("p0", "Paper number 0", year=2001), sentence], tmp_path)
    return tmp_path


def test_a_library_without_vectors_needs_no_encoder(library: Path) -> None:
    assert encoder_of(citewise.open(library).stores.vectors) is None


@pytest.mark.slow
def test_the_encoder_is_the_one_that_made_the_vectors(library: Path) -> None:
    citewise.encode(library, precision="fp32")
    found = encoder_of(citewise.open(library).stores.vectors)
    assert found is not None and found.about == TransformerEncoder("minilm", "fp32").about


@pytest.mark.slow
def test_a_model_that_changed_is_named(library: Path) -> None:
    writer.encode(library, OldModel(TransformerEncoder("minilm", "fp32")))
    with pytest.raises(BadInput, match="has changed"):
        encoder_of(citewise.open(library).stores.vectors)
