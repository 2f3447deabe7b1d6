"""Signals of sentences that come from the spans' vectors, worked out from the encoder's cosines."""

from pathlib import Path

import numpy as np
import pytest

import citewise
from bert_folders import small_bert
from citewise.embed.encoder import TransformerEncoder
from citewise.library.folder import LibraryFolder
from citewise.protocols import Encoder
from citewise.rank.sentence_ranker import sentence_signals
from citewise.rank.sentence_signals import MEANING
from citewise.spans.dense import DenseSimilarity
from citewise.spans.profiles import ClaimSearch
from citewise.types import Paper, Query, Ranking, Scope
from citing import citing

pytestmark = pytest.mark.usefixtures("encoder_cache")

CITED = {
    "Our cat chased a dog across the big yard [REF].": "p0",
    "The cat sleeps on the sofa all day long [REF].": "p1",
    "A dog that chased its own tail got tired [REF].": "p0",
    "A yard is a unit, and a big one [REF].": "p2",
}
CLAIM = "a cat pursues a dog in the big yard"
WORDS = f"{' '.join(CITED)} {CLAIM}".lower().replace(".", "").replace(",", "").split()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a small encoder that knows every word of the sentences."""
    return small_bert(tmp_path / "model", WORDS)


@pytest.fixture
def library(tmp_path: Path, model: Path) -> Path:
    """The folder of a library with citing sentences and their vectors; p3 is not cited."""
    papers = [Paper(f"p{number}", f"Cat number {number}", year=2001) for number in range(4)]
    sentences = [
        citing(f"c{number}", text, (cited,), year=2002)
        for number, (text, cited) in enumerate(CITED.items())
    ]
    citewise.add([*papers, *sentences], tmp_path / "library")
    citewise.encode(tmp_path / "library", model=str(model), precision="fp32")
    return tmp_path / "library"


def signals_of(library: Path, encoder: Encoder | None) -> dict[str, dict[str, float]]:
    """Return the signals of meaning of p0 to p3 by name and paper."""
    stores = LibraryFolder(library)
    rows = stores.papers.find(["p0", "p1", "p2", "p3"])
    ranking = Ranking(rows, np.zeros(4), {"context_votes": np.full(4, np.nan)})
    dense = DenseSimilarity(stores, encoder) if encoder is not None else None
    found = sentence_signals(
        stores, ClaimSearch(stores), Query(sentence=CLAIM), ranking, Scope(), dense
    )
    return {
        name: dict(zip(("p0", "p1", "p2", "p3"), found[name].tolist(), strict=True))
        for name in MEANING
    }


def test_signals_of_meaning_are_sums_of_powers_of_cosines(library: Path, model: Path) -> None:
    encoder = TransformerEncoder(str(model), "fp32")
    texts = [text.replace(" [REF]", "") for text in CITED]
    cosines = encoder.encode(texts) @ encoder.encode([CLAIM])[0]
    assert (cosines > 0).all()
    chase, sleep, tail, unit = cosines.tolist()
    ranks = dict(zip(texts, np.argsort(np.argsort(-cosines)).tolist(), strict=True))

    found = signals_of(library, encoder)

    near = pytest.approx
    best = {"p0": max(chase, tail), "p1": sleep, "p2": unit, "p3": 0.0}
    mass = {"p0": chase**4 + tail**4, "p1": sleep**4, "p2": unit**4, "p3": 0.0}
    mass_near = {"p0": chase**12 + tail**12, "p1": sleep**12, "p2": unit**12, "p3": 0.0}
    assert found["meaning_best"] == near(best, abs=2e-3)
    assert found["meaning_mass"] == near(mass, abs=5e-3)
    assert found["meaning_mass_near"] == near(mass_near, abs=1e-2)
    assert found["meaning_nearness"] == {
        "p0": 1 / (1 + min(ranks[texts[0]], ranks[texts[2]])),
        "p1": 1 / (1 + ranks[texts[1]]),
        "p2": 1 / (1 + ranks[texts[3]]),
        "p3": 0.0,
    }
    assert found["meaning_and_words"]["p0"] > found["meaning_and_words"]["p1"] > 0


def test_without_vectors_nothing_is_known_of_meaning(library: Path) -> None:
    found = signals_of(library, None)

    assert all(np.isnan(value) for each in found.values() for value in each.values())


def test_meaning_is_unknown_where_most_spans_came_after_the_vectors(
    library: Path, model: Path
) -> None:
    later = [
        citing(
            f"d{number}", f"A cat chased dog {number} across the yard [REF].", ("p3",), year=2002
        )
        for number in range(30)
    ]
    citewise.add(later, library)

    found = signals_of(library, TransformerEncoder(str(model), "fp32"))

    assert all(np.isnan(value) for each in found.values() for value in each.values())
