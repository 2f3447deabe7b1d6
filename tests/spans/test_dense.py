"""Similarity by a library's own vectors, alone and in `ilciter`."""

from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.embed.encoder import TransformerEncoder
from citewise.errors import MissingData
from citewise.library.folder import LibraryFolder
from citewise.spans.dense import DenseSimilarity
from citewise.systems import System
from citewise.types import Paper
from citing import citing

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("encoder_cache")]

SENTENCES = (
    "Our cat chased a dog across the big yard [REF].",
    "The cat sleeps on the sofa all day long [REF].",
    "Felines hunted the canine in the big garden [REF].",
    "A yard is a unit, and a big one [REF].",
)
CLAIM = "a cat pursues a dog in the big yard"
ALWAYS = "ilciter(dense=always,joined=none)"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The folder of a library in which each sentence cites a paper of its own."""
    numbered = list(enumerate(SENTENCES))
    papers = [Paper(f"p{number}", f"Paper number {number}", year=2001) for number, _ in numbered]
    sentences = [
        citing(f"c{number}", text, (f"p{number}",), year=2002) for number, text in numbered
    ]
    citewise.add([*papers, *sentences], tmp_path / "library")
    return tmp_path / "library"


def _cited(library: Path, system: str) -> list[str]:
    """Return the ids of the papers to cite for the claim, best first."""
    return [each.paper.id for each in citewise.open(library).cite(CLAIM, system=system)]


def test_papers_come_in_the_order_of_cosines(library: Path) -> None:
    citewise.encode(library, precision="fp32")
    found = _cited(library, ALWAYS)
    encode = TransformerEncoder("minilm", "fp32").encode
    texts = [text.replace(" [REF]", "") for text in SENTENCES]
    cosines = encode(texts) @ encode([CLAIM])[0]
    assert found == [f"p{number}" for number in np.argsort(-cosines)]

    by_words = _cited(library, "ilciter(dense=never)")
    assert by_words != found
    assert by_words == _cited(library, "ilciter"), "the sentence is short"


def test_spans_without_a_vector_are_encoded_if_they_are_few(library: Path) -> None:
    encoder = TransformerEncoder("minilm", "fp32")
    citewise.encode(library, precision="fp32")
    citewise.add([citing("c9", "A wolf followed the cat [REF].", ("p3",), year=2002)], library)
    stores = LibraryFolder(library)
    spans, similarity = stores.evidence.cited_spans(), DenseSimilarity(stores, encoder)
    texts = stores.evidence.texts(spans)

    cosines = encoder.encode(texts) @ encoder.encode([CLAIM])[0]
    assert similarity.spans(CLAIM, spans, 1) == pytest.approx(cosines, abs=1e-3)
    unknown = np.isnan(similarity.spans(CLAIM, spans, 0))
    assert [texts[number] for number in np.flatnonzero(unknown)] == ["A wolf followed the cat."]


def test_always_needs_vectors_and_conditional_does_not(library: Path) -> None:
    with pytest.raises(MissingData, match="citewise encode"):
        _cited(library, "ilciter(dense=always)")
    assert _cited(library, "ilciter")


def _identity(library: Path, system: str) -> str:
    """Return a system's identity over a library."""
    return System.parse(system).identity(LibraryFolder(library))


def test_the_identity_names_the_encoder(library: Path) -> None:
    plain = _identity(library, "ilciter")
    citewise.encode(library, precision="fp32")
    exact = _identity(library, "ilciter")
    citewise.encode(library, precision="int8")
    assert len({plain, exact, _identity(library, "ilciter")}) == 3
    assert _identity(library, "ilciter(dense=never)") == "ilciter(dense=never)"
