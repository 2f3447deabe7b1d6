"""Training NNRank on a small library whose papers cite by topic."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from citewise.errors import BadInput, BadLibrary, MissingData  # noqa: E402
from citewise.evaluate import Hits, Split, parse_measures  # noqa: E402
from citewise.library.folder import LibraryFolder  # noqa: E402
from citewise.protocols import Stores  # noqa: E402
from citewise.rank.nnrank import NNRANK, nnrank_of  # noqa: E402
from citewise.recommend import scope_of  # noqa: E402
from citewise.systems import System  # noqa: E402
from citewise.train.nnrank import reports  # noqa: E402
from citewise.train.nnrank.examples import POSITIVE, Example, examples  # noqa: E402
from citewise.train.nnrank.network import Network, Packed, Vocabulary  # noqa: E402
from citewise.train.nnrank.settings import NNRankSettings  # noqa: E402
from citewise.train.nnrank.training import (  # noqa: E402
    NNRankTraining,
    _questions,
    parts,
    save_nnrank,
    train_nnrank,
)
from train.nnselect.topics import SETTINGS as TOPICS  # noqa: E402
from train.nnselect.topics import library  # noqa: E402
from word_models import with_vectors  # noqa: E402

pytestmark = pytest.mark.slow

SETTINGS = NNRankSettings(split=TOPICS.split, most=150, tuning=40, epochs=4, rate=1e-2)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder = tmp_path_factory.mktemp("nnrank") / "library"
    library(folder)
    return with_vectors(folder)


@pytest.fixture(scope="module")
def split(stores: Stores) -> Split:
    return Split.make(stores, SETTINGS.split, parts=("train", "dev"))


@pytest.fixture(scope="module")
def trained(stores: Stores, split: Split) -> NNRankTraining:
    return train_nnrank(stores, SETTINGS, split=split)


@pytest.fixture(scope="module")
def found(stores: Stores, split: Split) -> list[Example]:
    reader, select = parts(stores, True)
    train, _ = _questions(stores, split, SETTINGS)
    return examples(select, reader, train[:20], 0, lambda done, total: None)


def test_it_is_better_than_nnselect_alone(trained: NNRankTraining) -> None:
    assert trained.quality["trained"]["F1@20"] > trained.quality["nnselect"]["F1@20"]
    assert trained.curve[-1]["loss"] < trained.curve[0]["loss"]
    assert trained.better


def test_it_repeats_itself(stores: Stores, split: Split, trained: NNRankTraining) -> None:
    again = train_nnrank(stores, SETTINGS, split=split)
    assert again.model.digest == trained.model.digest
    assert again.curve == trained.curve


def test_numpy_ranks_as_torch_learned(stores: Stores, found: list[Example]) -> None:
    vocabulary = Vocabulary.of(stores, found)
    data = Packed.of(found, vocabulary)
    torch.manual_seed(3)
    network = Network(data, vocabulary)
    with torch.no_grad():
        network.weights += 0.3 * torch.randn(network.weights.shape)
    expected = network(np.arange(len(data.kinds))).detach().numpy()

    model = network.model(stores, "digest", {})
    scores = [model.scores(model.inputs(each.features)) for each in found]
    assert np.concatenate(scores) == pytest.approx(expected, abs=1e-5)


def test_what_is_learned_from_is_in_scope_and_rightly_labelled(
    stores: Stores, split: Split, found: list[Example]
) -> None:
    train, _ = _questions(stores, split, SETTINGS)
    assert len(found) == 20
    for question, example in zip(train, found, strict=False):
        scope = scope_of(stores.papers, question.query)
        cited = np.array(question.gold)
        citations = stores.graph.citers(cited, scope).lengths
        positive = example.kinds == POSITIVE
        assert sorted(example.citations[positive]) == sorted(citations)
        assert set(example.kinds[~positive]) <= {0, 1, 2}


def test_what_is_judged_is_what_is_served(
    stores: Stores, split: Split, trained: NNRankTraining
) -> None:
    assert isinstance(stores, LibraryFolder)
    save_nnrank(stores, trained)
    fresh = LibraryFolder(stores.path)
    kept = nnrank_of(fresh.models)
    assert kept is not None and kept.digest == trained.model.digest

    citeomatic = System.parse("citeomatic").over(fresh)
    _, dev = _questions(fresh, split, SETTINGS)
    rankings = [citeomatic.rank(each.query, 1000).rows for each in dev]
    hits = Hits.of(rankings, [each.gold for each in dev], 1000)
    (measure,) = parse_measures("F1@20")
    assert round(measure.of(hits), 4) == trained.quality["trained"]["F1@20"]


@pytest.mark.parametrize("damaged", [True, False])
def test_a_model_that_cannot_serve_is_replaced(
    tmp_path: Path, split: Split, trained: NNRankTraining, damaged: bool
) -> None:
    """What says "train it again" must not stand in the way of that."""
    library(tmp_path / "library")
    stores = with_vectors(tmp_path / "library")
    other = dataclasses.replace(trained.model, vectors="of other vectors").encoded()
    stores.models.save(NNRANK, other[:-9] if damaged else other)
    fresh = LibraryFolder(tmp_path / "library")
    with pytest.raises(BadLibrary if damaged else MissingData, match="train it again"):
        System.parse("citeomatic").over(fresh)

    again = train_nnrank(fresh, dataclasses.replace(SETTINGS, epochs=1), split=split)
    assert [*again.quality] == ["nnselect", "trained"]


def test_features_that_are_left_out_do_not_count(stores: Stores, split: Split) -> None:
    settings = NNRankSettings(
        split=SETTINGS.split, most=30, tuning=20, epochs=1, features=("nnrank_citations",)
    )
    model = train_nnrank(stores, settings, split=split).model
    inputs = np.random.default_rng(0).normal(size=(5, 9))
    inputs[:, 5] = 1.0  # citations
    assert np.ptp(model.scores(inputs)) < 1e-9


def test_reports(trained: NNRankTraining) -> None:
    assert "F1@20" in reports.as_markdown(trained)
    assert '"curve"' in reports.as_json(trained)


def test_bad_settings_are_refused(tmp_path: Path) -> None:
    for changes, message in (
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"negatives": 2}, "negatives must be at least 3"),
        ({"word_dropout": 1.0}, "word_dropout"),
        ({"features": ("luck",)}, "no feature 'luck'"),
    ):
        with pytest.raises(BadInput, match=message):
            NNRankSettings(**changes)
