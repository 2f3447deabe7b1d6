"""The models that ship, and what happens where LightGBM is not there."""

import dataclasses
import importlib.resources
import json
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.arrays import Column
from citewise.errors import BadLibrary
from citewise.library.models import ModelStore
from citewise.protocols import Signals
from citewise.rank.linear import linear_features
from citewise.rank.trees import (
    DRAFT_MODEL,
    DRAFT_MODEL_WITH_TEXTS,
    SENTENCE_MODEL,
    ModelKind,
    SavedModel,
    TreeModel,
    model_for,
    shipped_model,
)
from citewise.signals import DRAFTS, Catalogue, Signal
from citewise.types import Query
from corpora import GOLDEN

KINDS = [DRAFT_MODEL, DRAFT_MODEL_WITH_TEXTS, SENTENCE_MODEL]
NAMES = ["drafts", "drafts, with texts", "sentences"]


@pytest.mark.parametrize(
    ("kind", "files", "origin"),
    [
        (
            DRAFT_MODEL,
            {"trees.txt", "linear.json", "calibration.json", "provenance.json"},
            {"corpus", "queries", "settings", "commit", "dev"},
        ),
        (
            DRAFT_MODEL_WITH_TEXTS,
            {"trees.txt", "linear.json", "calibration.json", "provenance.json"},
            {"corpus", "queries", "settings", "commit", "dev", "encoder"},
        ),
        (
            SENTENCE_MODEL,
            {"trees.txt", "calibration.json", "provenance.json"},
            {"questions", "trained by", "commit"},
        ),
    ],
    ids=NAMES,
)
def test_the_model_is_small_readable_and_says_where_it_is_from(
    kind: ModelKind, files: set[str], origin: set[str]
) -> None:
    folder = importlib.resources.files("citewise") / "rank" / "models" / kind.folder
    sizes = {each.name: len(each.read_bytes()) for each in folder.iterdir()}
    assert sizes.keys() == files
    assert sum(sizes.values()) < 600_000
    (folder / "trees.txt").read_text("ascii")

    about = json.loads((folder / "provenance.json").read_text("utf-8"))
    assert origin <= about.keys()
    trees = shipped_model(kind).trees
    assert trees and [each.num_trees() for each in trees] == [about["trees"]] * 2


def test_every_feature_of_the_model_is_made(stored: Library) -> None:
    query = Query("Citation ranking of bees", cited=("p1", "p2"))
    found = stored.recommender("best").rank(query, 50)
    model = shipped_model(DRAFT_MODEL)
    features = model.kind.features(found.signals, model.names)
    assert features.shape == (len(found), len(model.names))
    assert len(set(model.names)) == len(model.names)

    linear = model.linear
    assert linear is not None
    assert np.isfinite(linear_features(found.signals, (*linear.weights,), linear.depth)).all()


def test_without_lightgbm_the_linear_step_ranks(
    stored: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = Query(GOLDEN[0].title, GOLDEN[0].abstract)
    with_trees = stored.answer(query, 500)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    shipped_model.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="ranked by its linear step"):
            found = citewise.open(stored.stores.info.location).answer(query, 500)
    finally:
        shipped_model.cache_clear()

    assert {each.paper.id for each in found} == {each.paper.id for each in with_trees}
    scores = [each.signals["linear_score"] for each in found if "linear_score" in each.signals]
    assert scores and scores == [each.score for each in found if "linear_score" in each.signals]


# Models and the definitions of their features


def saved(kind: ModelKind) -> SavedModel:
    """Return the model that ships as a library would keep it."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / kind.folder
    shipped = shipped_model(kind)
    return SavedModel(
        trees=(folder / "trees.txt").read_text("utf-8"),
        provenance={},
        features=shipped.names,
        definition=kind.definition(shipped.names, shipped.linear),
        linear=shipped.linear,
    )


def kept(folder: Path, kind: ModelKind, content: bytes) -> ModelStore:
    """Return the models of a library that keeps this one."""
    ModelStore(folder).save(kind.name, content)
    return ModelStore(folder)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_the_models_that_ship_are_of_these_definitions(kind: ModelKind) -> None:
    model = shipped_model(kind)
    assert model.provenance["definition"] == kind.definition(model.names, model.linear)
    assert model.provenance["features"] == [*model.names]
    unread = "" if model.encoder else "text vectors"
    assert set(model.names) == set(kind.catalogue.tree_features(without=unread))
    linear = model.linear.weights if model.linear else {}
    assert set(linear) == set(kind.catalogue.linear_features(without=unread))


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_a_model_of_other_features_is_refused(kind: ModelKind, tmp_path: Path) -> None:
    same = model_for(kept(tmp_path, kind, saved(kind).encoded()), kind, "own")
    assert same.names == shipped_model(kind).names and not same.shipped

    for change in (
        {"definition": "0123456789abcdef"},
        {"features": ("gone", *saved(kind).features[1:])},
        {"features": ()},
        {"features": saved(kind).features[::-1]},
    ):
        other = kept(tmp_path, kind, msgspec.structs.replace(saved(kind), **change).encoded())
        message = f"library's own model for {kind.name!r} was trained with other features .*"
        with pytest.raises(BadLibrary, match=f"{message}citewise train ranker.*train it again"):
            model_for(other, kind, "own")
        assert model_for(other, kind, "shipped").shipped


def test_a_linear_step_of_other_features_is_refused(tmp_path: Path) -> None:
    model = saved(DRAFT_MODEL)
    assert model.linear is not None
    fewer = msgspec.structs.replace(model.linear, weights={"log votes": 1.0}, products={})
    other = msgspec.structs.replace(model, linear=fewer)
    with pytest.raises(BadLibrary, match="trained with other features"):
        model_for(kept(tmp_path, DRAFT_MODEL, other.encoded()), DRAFT_MODEL, "own")


@pytest.mark.parametrize("content", [b"", b"{}", b'{"trees": 1, "provenance": {}}'])
def test_a_model_that_cannot_be_read_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(BadLibrary, match=r"cannot be read .*citewise train ranker"):
        model_for(kept(tmp_path, DRAFT_MODEL, content), DRAFT_MODEL, "own")


def test_trees_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    garbled = msgspec.structs.replace(saved(DRAFT_MODEL), trees="no trees at all")
    with pytest.raises(BadLibrary, match=r"trees cannot be read .*citewise train ranker"):
        model_for(kept(tmp_path, DRAFT_MODEL, garbled.encoded()), DRAFT_MODEL, "own")


def test_another_version_of_a_signal_makes_another_definition() -> None:
    changed = Catalogue(
        [
            dataclasses.replace(signal, version=2) if signal.name == "votes" else signal
            for signal in DRAFTS
        ]
    )
    kind = dataclasses.replace(DRAFT_MODEL, catalogue=changed)
    model = saved(DRAFT_MODEL)
    with pytest.raises(BadLibrary, match=r"trained with other features.*train it again"):
        TreeModel.of(model, kind)
    with pytest.raises(BadLibrary, match="the model that ships for 'ranker'"):
        TreeModel.of(model, kind, shipped=True)
    assert kind.definition(["age"]) == DRAFT_MODEL.definition(["age"]), "others stay as they are"
    assert kind.definition(["log votes"]) != DRAFT_MODEL.definition(["log votes"])


def test_another_way_of_deriving_a_signal_makes_another_definition() -> None:
    def derive(signals: Signals) -> dict[str, Column]:
        return {**DRAFT_MODEL.derive(signals), "lift": signals["vote_count"]}

    kind = dataclasses.replace(DRAFT_MODEL, derive=derive)
    assert kind.definition(["lift"]) != DRAFT_MODEL.definition(["lift"])
    assert kind.definition(["growth"]) == DRAFT_MODEL.definition(["growth"])


def test_a_new_signal_changes_the_definition_of_no_other_feature() -> None:
    new = Signal("venues", "linear", "words", "its venue", why_none="made for this test")
    kind = dataclasses.replace(DRAFT_MODEL, catalogue=Catalogue([new, *DRAFTS]))
    model = saved(DRAFT_MODEL)
    assert kind.definition(model.features, model.linear) == model.definition


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@pytest.mark.parametrize("rows", [1, 799, 800, 1_001])
def test_many_rows_scored_by_two_threads_have_the_scores_of_one(kind: ModelKind, rows: int) -> None:
    model = dataclasses.replace(shipped_model(kind), kind=dataclasses.replace(kind, cascade=None))
    assert model.trees is not None
    matrix = np.random.default_rng(rows).normal(size=(rows, len(model.names)))
    matrix[::5, ::3] = np.nan

    expected = model.trees[0].predict(matrix, num_threads=1)
    assert model.scored(matrix).tolist() == np.asarray(expected).tolist()
    assert model.scored(np.asfortranarray(matrix)).tolist() == np.asarray(expected).tolist()
