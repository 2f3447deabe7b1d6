"""Training NNSelect on a small library: it learns, repeats itself, stops, goes on after a kill."""

import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

import citewise  # noqa: E402
from citewise.embed import word_models  # noqa: E402
from citewise.errors import BadInput  # noqa: E402
from citewise.evaluate import Split  # noqa: E402
from citewise.library.folder import LibraryFolder  # noqa: E402
from citewise.memory.vectors import MemoryModels  # noqa: E402
from citewise.protocols import StoreParts, Stores  # noqa: E402
from citewise.recommend import scope_of  # noqa: E402
from citewise.train.nnselect import reports, training  # noqa: E402
from citewise.train.nnselect.checkpoints import Checkpoints  # noqa: E402
from citewise.train.nnselect.judging import judged, vectors_of  # noqa: E402
from citewise.train.nnselect.settings import NNSelectSettings, preset  # noqa: E402
from citewise.train.nnselect.training import NNSelectTraining, train_nnselect  # noqa: E402
from citewise.train.ranker import spread  # noqa: E402
from command_line import Run  # noqa: E402
from corpora import topical  # noqa: E402
from train.nnselect.topics import SETTINGS, library  # noqa: E402

pytestmark = pytest.mark.slow

RANDOM = replace(SETTINGS, start="random", table_rate=1e-2, rate=1e-2)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("training") / "library"
    library(folder)
    return folder


@pytest.fixture(scope="module")
def stores(path: Path) -> Stores:
    return LibraryFolder(path)


@pytest.fixture(scope="module")
def trained(stores: Stores, tmp_path_factory: pytest.TempPathFactory) -> NNSelectTraining:
    return train_nnselect(stores, RANDOM, folder=tmp_path_factory.mktemp("checkpoints"))


def test_it_learns(trained: NNSelectTraining) -> None:
    start, found = trained.quality["start"], trained.quality["trained"]
    assert found["R@20"] > 1.5 * start["R@20"]
    assert trained.curves[-1]["loss"] < trained.curves[1]["loss"]
    assert trained.better


@pytest.mark.parametrize(
    "changes",
    [
        {"neighbours": True, "percentile": 50.0},
        {"neighbours": False, "unit_directions": True, "l1": 1e-6, "l2": 1e-5},
    ],
)
def test_triplets_learn_too(stores: Stores, tmp_path: Path, changes: dict[str, Any]) -> None:
    settings = replace(RANDOM, loss="triplet", matrix=False, batch=120, epochs=2, **changes)
    found = train_nnselect(stores, settings, folder=tmp_path).quality
    assert found["trained"]["R@20"] > 1.5 * found["start"]["R@20"]


def test_a_limit_of_triplets_ends_it(stores: Stores, tmp_path: Path) -> None:
    small = preset("citeomatic-opencorpus", split=SETTINGS.split, tuning=20, triplets=6_000)
    found = train_nnselect(stores, replace(small, patience=100), folder=tmp_path)
    pairs = found.counts["pairs"]
    assert 1 <= len(found.curves) - 1 <= -(-1_000 // (pairs // 2))


def test_measures_are_those_of_exact_neighbours(stores: Stores, trained: NNSelectTraining) -> None:
    questions = Split.make(stores, SETTINGS.split, parts=("dev",)).questions(stores, "dev")[:10]
    rows = stores.papers.rows
    vectors = vectors_of(stores, trained.model, rows)
    recalls = []
    for each in questions:
        seen = stores.papers.in_scope(rows, scope_of(stores.papers, each.query))
        vector = trained.model.of_text(each.query.title, each.query.abstract)
        best = [row for row in np.argsort(-(vectors @ vector), kind="stable") if seen[row]][:20]
        recalls.append(len({*rows[best].tolist()} & {*each.gold}) / len(each.gold))
    found = judged(stores, trained.model, questions)
    assert found["R@20"] == pytest.approx(np.mean(recalls), abs=1e-4)


def without_times(found: NNSelectTraining) -> list[dict[str, float]]:
    return [
        {**each, "seconds": 0.0, "loss": each["loss"] if number else 0.0}
        for number, each in enumerate(found.curves)
    ]


def test_the_same_seed_gives_the_same_model(
    stores: Stores, trained: NNSelectTraining, tmp_path: Path
) -> None:
    again = train_nnselect(stores, RANDOM, folder=tmp_path)
    assert again.model.about == trained.model.about
    assert without_times(again) == without_times(trained)
    other = train_nnselect(stores, replace(RANDOM, seed=1, epochs=1), folder=tmp_path)
    assert other.model.about != trained.model.about


class Killed(Checkpoints):
    """Kills its own process after the second checkpoint."""

    saved = 0

    def save(self, *given: Any) -> None:
        super().save(*given)
        Killed.saved += 1
        if Killed.saved == 2:
            os.kill(os.getpid(), signal.SIGKILL)


def killed_training(path: Path, settings: NNSelectSettings, folder: Path) -> None:
    setattr(training, "Checkpoints", Killed)  # noqa: B010
    train_nnselect(LibraryFolder(path), settings, folder=folder)


def test_after_a_kill_it_goes_on_to_the_same_model(
    path: Path, stores: Stores, tmp_path: Path
) -> None:
    settings = replace(RANDOM, loss="triplet", batch=240, percentile=50.0, patience=9)
    process = multiprocessing.get_context("spawn").Process(
        target=killed_training, args=(path, settings, tmp_path / "killed")
    )
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL

    seen: list[str] = []
    went_on = train_nnselect(
        stores, settings, lambda what, done, total: seen.append(what), tmp_path / "killed"
    )
    assert {each for each in seen if each.startswith("epoch")} == {"epoch 3"}
    whole = train_nnselect(stores, settings, folder=tmp_path / "whole")
    assert went_on.model.about == whole.model.about
    assert without_times(went_on) == without_times(whole)
    assert not (tmp_path / "killed").exists()


def test_a_checkpoint_of_other_settings_is_not_used(stores: Stores, tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, "one")
    torch.save({"digest": "another"}, tmp_path / "nnselect.checkpoint")
    assert checkpoints.load() is None
    (tmp_path / "nnselect.checkpoint").write_bytes(b"damaged")
    with pytest.raises(BadInput, match="delete it"):
        checkpoints.load()


def test_it_stops_early_and_keeps_the_best_epoch(stores: Stores, tmp_path: Path) -> None:
    wild = replace(SETTINGS, rate=0.5, table_rate=0.5, epochs=30, patience=2)
    found = train_nnselect(stores, wild, folder=tmp_path)
    values = [each["R@20"] for each in found.curves]
    assert len(values) - 1 == found.best_epoch + 2 < 30
    assert values[found.best_epoch] == max(values)
    assert found.quality["trained"]["R@20"] == max(values)

    questions = Split.make(stores, wild.split, parts=("dev",)).questions(stores, "dev")
    asked = spread(questions, wild.tuning)
    assert judged(stores, found.model, asked)["R@20"] == max(values)


def test_nothing_of_the_first_dev_year_is_used(tmp_path: Path) -> None:
    """In a library with the youngest papers first, few dev queries are all of the last years."""
    citewise.add(topical(600)[::-1], tmp_path, keep_versions=True, vectors=False)
    years = msgspec.structs.replace(SETTINGS.split, dev=(2007, 2009))
    settings = replace(RANDOM, split=years, tuning=50, epochs=1)
    stores = LibraryFolder(tmp_path)
    questions, _, year = training.judging_questions(stores, years, settings.tuning)
    assert min(each.query.year or 0 for each in questions) == 2008 and year == 2006
    trained = train_nnselect(stores, settings, folder=tmp_path / "checkpoints")
    assert trained.model.provenance["papers up to"] == 2006


def test_too_few_dev_papers(stores: Stores) -> None:
    with pytest.raises(BadInput, match="at least 20 dev papers"):
        train_nnselect(stores, replace(SETTINGS, tuning=5))


def test_it_is_compared_with_what_serves(
    stores: Stores, trained: NNSelectTraining, tmp_path: Path
) -> None:
    models = MemoryModels({"nnselect": trained.model.encoded()})
    with_own = replace(StoreParts.of(stores), models=models)
    kept = word_models.own(with_own.models)
    assert kept is not None
    assert kept.about == trained.model.about
    assert kept.provenance["papers up to"] == 2007

    again = train_nnselect(with_own, replace(RANDOM, epochs=1), folder=tmp_path)
    assert again.quality["serving"] == trained.quality["trained"]
    assert again.better == (again.quality["trained"]["R@20"] > trained.quality["trained"]["R@20"])


def test_the_report(trained: NNSelectTraining) -> None:
    text = reports.as_markdown(trained)
    assert f"{trained.best_epoch}, kept" in text
    assert "dev queries" in text
    assert '"curves"' in reports.as_json(trained)


def test_the_command_embeds_where_it_is_better_and_goes_back(tmp_path: Path, run: Run) -> None:
    library(tmp_path / "library")
    arguments = ("train", "nnselect", "--library", str(tmp_path / "library"), "--dev", "2008-2009")
    options = ("--test", "2010", "--tuning", "40", "--epochs", "1", "--checkpoints")
    asked = (*arguments, *options, str(tmp_path / "checkpoints"))

    assert "not kept" in run(*asked, "--dry-run").err
    assert LibraryFolder(tmp_path / "library").vectors.names() == ()
    assert "embedded by the new word vectors" in run(*asked, "--anyway", "--format", "json").err
    stores = LibraryFolder(tmp_path / "library")
    assert word_models.required_model_of(stores, "nnselect").provenance["epoch"] in (0, 1)
    assert "no better" in run(*asked).err

    run(*arguments[:4], "--shipped")
    stores = LibraryFolder(tmp_path / "library")
    assert stores.models.load("nnselect") is None
    found = stores.vectors.papers("nnselect")
    shipped = word_models.shipped()
    assert found is not None and shipped is not None and found.about == shipped.about
