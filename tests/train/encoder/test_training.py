"""Training an encoder on triplets: what they are made of, and that it learns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bert_folders import small_bert  # noqa: E402
from citewise.arrays import Ragged  # noqa: E402
from citewise.embed.encoders import encoder_named  # noqa: E402
from citewise.errors import BadInput  # noqa: E402
from citewise.evaluate import SplitSettings  # noqa: E402
from citewise.evaluate.splits import cited  # noqa: E402
from citewise.protocols import Stores  # noqa: E402
from citewise.train.encoder.settings import EncoderSettings  # noqa: E402
from citewise.train.encoder.training import train_encoder  # noqa: E402
from citewise.train.encoder.triplets import graph_embedding, triplets_of  # noqa: E402
from train.nnselect.topics import library  # noqa: E402

pytestmark = pytest.mark.slow

SETTINGS = EncoderSettings(
    split=SplitSettings(dev=(2008, 2009), test=(2010, 2010), least=2),
    most=60,
    near=10,
    margin_from=40,
    band=10,
    dimension=8,
    tokens=20,
    rate=1e-3,
    warm_up=5,
    checks=2,
    epochs=2,
    tuning=20,
    depth=20,
    patience=9,
)
NONE = np.zeros(0, np.int64)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    return library(tmp_path_factory.mktemp("training") / "library")


@pytest.fixture(scope="module")
def start(stores: Stores, tmp_path_factory: pytest.TempPathFactory) -> Path:
    papers = stores.papers.read(stores.papers.rows)
    words = {word for paper in papers for word in f"{paper.title} {paper.abstract}".lower().split()}
    return small_bert(tmp_path_factory.mktemp("models") / "start", words)


def test_specters_triplets_follow_citations(stores: Stores) -> None:
    found = triplets_of(stores, 2007, NONE, SETTINGS)
    assert len(found)
    hard = 0
    for query, positive, negative in zip(
        found.queries.tolist(), found.positives.tolist(), found.negatives.tolist(), strict=True
    ):
        own = cited(stores, np.array([query])).values
        assert positive in own
        assert negative not in own and negative != query
        hard += negative in cited(stores, np.unique(own)).values
    assert hard > len(found) / 5  # two of five are hard, where there are such papers
    assert stores.papers.years(found.queries).max() <= 2007


def test_nothing_is_learned_from_what_is_left_out(stores: Stores) -> None:
    whole = triplets_of(stores, 2007, NONE, SETTINGS)
    without = triplets_of(stores, 2007, np.unique(whole.queries)[:10], SETTINGS)
    assert not np.isin(without.queries, np.unique(whole.queries)[:10]).any()


def test_scincls_triplets_are_near_at_a_margin_and_far(stores: Stores) -> None:
    settings = replace(SETTINGS, sampling="scincl")
    found = triplets_of(stores, 2007, NONE, settings)
    again = triplets_of(stores, 2007, NONE, settings)
    assert np.array_equal(found.negatives, again.negatives)
    assert not (found.queries == found.positives).any()
    assert not (found.positives == found.negatives).any()
    assert len(found) == 60 * settings.triplets


def test_two_groups_that_cite_within_themselves_are_apart_in_the_embedding() -> None:
    random = np.random.default_rng(0)
    lists = [random.choice(10, 4, replace=False) + 10 * (paper // 10) for paper in range(20)]
    references = Ragged(np.concatenate(lists), np.arange(0, 84, 4))
    linked, vectors = graph_embedding(references, 2, 0)
    cosines = vectors @ vectors.T
    same = (linked[:, None] // 10) == (linked[None] // 10)
    assert cosines[same].mean() > cosines[~same].mean() + 0.5
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("changes", [{}, {"sampling": "scincl", "loss": "triplet"}])
def test_it_learns_and_is_read_by_the_encoder_that_serves(
    stores: Stores, start: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    found = train_encoder(stores, start, replace(SETTINGS, **changes), folder=tmp_path / "c")
    assert found.curves[-1]["loss"] < found.curves[0]["loss"]
    assert {*found.quality} == {"bm25", "start", "trained"}
    found.write(tmp_path / "made")
    vectors = encoder_named(str(tmp_path / "made"), "fp32").encode(["one", "two"])
    assert vectors.shape == (2, 16)


def test_settings_without_a_meaning_are_refused() -> None:
    meaningless: list[dict[str, Any]] = [
        {"near": 50},
        {"sampling": "other"},
        {"temperature": 0.0},
        {"tokens": 0},
    ]
    for changes in meaningless:
        with pytest.raises(BadInput):
            replace(SETTINGS, **changes)


def test_a_margin_beyond_the_graph_is_refused(stores: Stores) -> None:
    with pytest.raises(BadInput, match="margin"):
        triplets_of(stores, 2007, NONE, replace(SETTINGS, sampling="scincl", margin_from=5_000))
