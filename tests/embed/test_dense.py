"""`ilciter` with a library's own vectors, through the same door as every system."""

from pathlib import Path

import numpy as np
import pytest
from citing import citing

import citewise
from citewise.claims.dense import Nearness
from citewise.embed.encoder import BertEncoder
from citewise.errors import BadInput, MissingData
from citewise.library import writer
from citewise.protocols import EncodedBy
from citewise.systems import encoder_of
from citewise.types import Paper

SENTENCES = ("Our cat chased a dog across the big yard [REF].", "The cat sleeps on the sofa all day long [REF].",
             "Felines hunted the canine in the big garden [REF].", "A yard is a unit, and a big one [REF].")
CLAIM = "a cat pursues a dog in the big yard"
ALWAYS = "ilciter(dense=always,joined=none)"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    citewise.add([*(Paper(f"p{number}", f"Paper number {number}", year=2001) for number in range(len(SENTENCES))),
                  *(citing(f"c{number}", text, (f"p{number}",), year=2002) for number, text in enumerate(SENTENCES))],
                 folder)
    return folder


def test_papers_come_in_the_order_of_cosines(library: Path) -> None:
    citewise.encode(library, precision="fp32")
    found = [each.paper.id for each in citewise.open(library).cite(CLAIM, system=ALWAYS)]
    encode = BertEncoder("minilm", "fp32").encode
    texts = [text.replace(" [REF]", "") for text in SENTENCES]
    cosines = encode(texts) @ encode([CLAIM])[0]
    assert found == [f"p{place}" for place in np.argsort(-cosines)]
    by_words = [each.paper.id for each in citewise.open(library).cite(CLAIM, system="ilciter(dense=never)")]
    assert by_words != found
    assert by_words == [each.paper.id for each in citewise.open(library).cite(CLAIM, system="ilciter")], (
        "the sentence is short")


def test_what_has_no_vector_yet_is_encoded_if_it_is_little(library: Path) -> None:
    encoder = BertEncoder("minilm", "fp32")
    citewise.encode(library, precision="fp32")
    citewise.add([citing("c9", "A wolf followed the cat [REF].", ("p3",), year=2002)], library)
    held = citewise.open(library).library
    spans, nearness = held.evidence.spans(), Nearness(held, encoder)
    cosines = encoder.encode(held.span_texts(spans)) @ encoder.encode([CLAIM])[0]
    assert nearness.spans(CLAIM, spans, 1) == pytest.approx(cosines, abs=1e-3)
    unknown = np.isnan(nearness.spans(CLAIM, spans, 0))
    assert [text for text, gone in zip(held.span_texts(spans), unknown, strict=True) if gone] == [
        "A wolf followed the cat."]
    assert np.isnan(nearness.papers(CLAIM, held.rows)).all()
    citewise.encode(library, precision="fp32", papers=True)
    held = citewise.open(library).library
    titles = encoder.encode([paper.title for paper in held.papers(held.rows)])
    assert Nearness(held, encoder).papers(CLAIM, held.rows) == pytest.approx(titles @ encoder.encode([CLAIM])[0],
                                                                             abs=1e-3)


def test_always_needs_vectors_and_conditional_does_not(library: Path) -> None:
    held = citewise.open(library)
    with pytest.raises(MissingData, match="citewise encode"):
        held.cite(CLAIM, system="ilciter(dense=always)")
    assert held.cite(CLAIM, system="ilciter")


def test_the_identity_names_the_encoder(library: Path) -> None:
    plain = citewise.open(library).identity("ilciter")
    citewise.encode(library, precision="fp32")
    exact = citewise.open(library).identity("ilciter")
    citewise.encode(library, precision="int8")
    assert len({plain, exact, citewise.open(library).identity("ilciter")}) == 3
    assert citewise.open(library).identity("ilciter(dense=never)") == "ilciter(dense=never)"


def test_a_model_that_changed_is_named(library: Path) -> None:
    encoder = BertEncoder("minilm", "fp32")
    writer.encode(library, encoder, EncodedBy("minilm", "fp32", "0" * 16, 384))
    with pytest.raises(BadInput, match="has changed"):
        encoder_of(citewise.open(library).library)
