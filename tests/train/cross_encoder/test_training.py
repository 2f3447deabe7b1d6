"""Training a cross-encoder on a small library: it learns, repeats itself, goes on after a kill."""

import multiprocessing
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

import citewise  # noqa: E402
from bert_folders import small_bert  # noqa: E402
from citewise.errors import BadInput  # noqa: E402
from citewise.evaluate import Split, SplitSettings  # noqa: E402
from citewise.library.folder import LibraryFolder  # noqa: E402
from citewise.protocols import Stores  # noqa: E402
from citewise.recommend import scope_of  # noqa: E402
from citewise.train.bert.trained import BertTraining, as_json, as_markdown  # noqa: E402
from citewise.train.checkpoints import Checkpoint  # noqa: E402
from citewise.train.cross_encoder import training  # noqa: E402
from citewise.train.cross_encoder.pairs import lists_of, steps_of  # noqa: E402
from citewise.train.cross_encoder.settings import (  # noqa: E402
    PRESETS,
    CrossEncoderSettings,
    preset,
)
from citewise.train.cross_encoder.training import (  # noqa: E402
    also_in,
    dev_questions,
    questions_of,
    train_cross_encoder,
)
from command_line import Run  # noqa: E402
from train.nnselect.topics import library  # noqa: E402

pytestmark = pytest.mark.slow

SETTINGS = CrossEncoderSettings(
    split=SplitSettings(dev=(2008, 2009), test=(2010, 2010), least=2),
    system="bm25",
    depth=20,
    positives=2,
    negatives=3,
    random_negatives=0,
    most=80,
    truncation="20+20",
    rate=2e-3,
    warm_up=5,
    batch=20,
    epochs=2,
    checks=2,
    saved_every=3,
    tuning=20,
    patience=9,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("training") / "library"
    library(folder)
    return folder


@pytest.fixture(scope="module")
def stores(path: Path) -> Stores:
    return LibraryFolder(path)


@pytest.fixture(scope="module")
def start(stores: Stores, tmp_path_factory: pytest.TempPathFactory) -> Path:
    papers = stores.papers.read(stores.papers.rows)
    words = {word for paper in papers for word in f"{paper.title} {paper.abstract}".lower().split()}
    return small_bert(tmp_path_factory.mktemp("models") / "start", words)


@pytest.fixture(scope="module")
def trained(stores: Stores, start: Path, tmp_path_factory: pytest.TempPathFactory) -> BertTraining:
    return train_cross_encoder(stores, start, SETTINGS, folder=tmp_path_factory.mktemp("c"))


def test_its_loss_falls_and_it_is_reported(trained: BertTraining) -> None:
    assert trained.curves[-1]["loss"] < trained.curves[0]["loss"]
    assert {"bm25", "logits alone"} == {*trained.quality}
    assert trained.counts["steps"] == trained.curves[-1]["step"]
    assert "kept" in as_markdown(trained)
    assert '"curves"' in as_json(trained)


def without_times(found: BertTraining) -> list[dict[str, float]]:
    return [{**each, "seconds": 0.0} for each in found.curves]


def test_the_same_seed_gives_the_same_model(
    stores: Stores, start: Path, trained: BertTraining, tmp_path: Path
) -> None:
    again = train_cross_encoder(stores, start, SETTINGS, folder=tmp_path)
    assert without_times(again) == without_times(trained)
    for name, values in again.weights.items():
        assert torch.equal(values, trained.weights[name]), name


class Killed(Checkpoint):
    """Kills its own process after the second checkpoint."""

    written = 0

    def write(self, content: dict[str, Any]) -> None:
        super().write(content)
        Killed.written += 1
        if Killed.written == 2:
            os.kill(os.getpid(), signal.SIGKILL)


def killed_training(path: Path, start: Path, folder: Path) -> None:
    setattr(training, "Checkpoint", Killed)  # noqa: B010
    train_cross_encoder(LibraryFolder(path), start, SETTINGS, folder=folder)


def test_after_a_kill_it_goes_on_to_the_same_model(
    path: Path, stores: Stores, start: Path, trained: BertTraining, tmp_path: Path
) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=killed_training, args=(path, start, tmp_path)
    )
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL

    seen: list[int] = []

    def stage(what: str, done: int, total: int | None) -> None:
        if what == "steps":
            seen.append(done)

    went_on = train_cross_encoder(stores, start, SETTINGS, stage, tmp_path)
    assert min(seen) == 7  # the second checkpoint was written after step 6
    assert without_times(went_on) == without_times(trained)
    for name, values in went_on.weights.items():
        assert torch.equal(values, trained.weights[name]), name
    assert not (tmp_path / "cross-encoder.checkpoint").exists()


def test_it_stops_early(stores: Stores, start: Path, tmp_path: Path) -> None:
    wild = replace(SETTINGS, rate=1.0, epochs=20, patience=1, most=40)
    found = train_cross_encoder(stores, start, wild, folder=tmp_path)
    assert found.counts["steps"] < 20 * len(steps_of(lists(stores, wild), wild, 0))


def lists(stores: Stores, settings: CrossEncoderSettings) -> Any:
    questions, _ = questions_of(stores, settings)
    rankings = [
        citewise.open(stores.info.location).recommender("bm25").rank(each.query, 20).rows
        for each in questions
    ]
    return lists_of(stores, questions, rankings, settings)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"loss": "pairs", "positives": 0, "negatives": 0},
        {"extra_positives": 3},
        {"random_negatives": 4},
    ],
)
def test_pairs_are_what_their_labels_say(stores: Stores, changes: dict[str, Any]) -> None:
    settings = replace(SETTINGS, **changes)
    questions, _ = questions_of(stores, settings)
    found = lists(stores, settings)
    assert found
    for each in found:
        question = questions[each.question]
        assert np.array_equal(each.cited, np.isin(each.rows, question.gold))
        assert np.unique(each.rows).size == each.rows.size
        assert stores.papers.in_scope(each.rows, scope_of(stores.papers, question.query)).all()
        if settings.negatives and not settings.random_negatives:
            assert (~each.cited).sum() <= settings.negatives
    if "loss" in changes:  # unbalanced, as in the paper: all of the first papers
        assert {each.rows.size for each in found} == {20}


def test_ablations_add_what_was_not_retrieved(stores: Stores) -> None:
    ablations: list[dict[str, Any]] = [{}, {"extra_positives": 5}, {"random_negatives": 5}]
    plain, extra, drawn = (
        sum(each.rows.size for each in lists(stores, replace(SETTINGS, positives=0, **changes)))
        for changes in ablations
    )
    assert extra > plain
    assert drawn > plain


def test_every_epoch_has_every_pair_once(stores: Stores) -> None:
    for loss in ("pairs", "lists"):
        settings = replace(SETTINGS, loss=loss)
        found = lists(stores, settings)
        first, second = (steps_of(found, settings, epoch) for epoch in (0, 1))
        pairs = sorted((each.question, row) for each in found for row in each.rows.tolist())
        for steps in (first, second):
            in_steps = [
                (each.question, row)
                for step in steps
                for each in step
                for row in each.rows.tolist()
            ]
            assert sorted(in_steps) == pairs
        assert len(first) == len(second)


def test_dev_questions_for_stopping_and_for_the_order_are_apart(stores: Stores) -> None:
    split = Split.make(stores, SETTINGS.split)
    stopping, fitting = dev_questions(stores, split, SETTINGS)
    assert stopping and fitting
    assert not {each.id for each in stopping} & {each.id for each in fitting}
    train, _ = questions_of(stores, SETTINGS)
    assert max(each.query.year or 0 for each in train) < 2008


def test_what_another_library_holds_too_is_not_learned_from(
    stores: Stores, start: Path, tmp_path: Path
) -> None:
    train, _ = questions_of(stores, SETTINGS)
    titles = [each.query.title for each in train[:30]]
    papers = [citewise.Paper(f"o{n}", title, year=2000) for n, title in enumerate(titles)]
    citewise.add(papers, tmp_path / "other", vectors=False)
    other = citewise.open(tmp_path / "other").stores

    shared = also_in(stores, other)
    assert {*stores.papers.find([each.id for each in train[:30]]).tolist()} <= {*shared.tolist()}
    found = train_cross_encoder(
        stores, start, replace(SETTINGS, epochs=1), folder=tmp_path / "c", apart_from=other
    )
    assert found.counts["training queries"] <= len(train) - 30


def test_settings_without_a_meaning_are_refused() -> None:
    meaningless: list[dict[str, Any]] = [
        {"loss": "other"},
        {"truncation": "much"},
        {"rate": 0.0},
        {"depth": 0},
        {"negatives": -1},
        {"epochs": 0},
    ]
    for changes in meaningless:
        with pytest.raises(BadInput):
            replace(SETTINGS, **changes)
    with pytest.raises(BadInput, match="paper"):
        preset("other")


def test_the_papers_recipe() -> None:
    found = preset("paper")
    assert (found.system, found.depth, found.rate, found.batch) == ("bm25", 10, 3e-6, 128)
    assert (found.weight_decay, found.dropout, found.warm_up) == (0.01, 0.1, 10_000)
    assert found.truncation == "256+256"
    assert {*PRESETS} == {"cpu", "paper", "paper-extra-positives", "paper-random-negatives"}


def test_too_few_papers_are_refused(tmp_path: Path, start: Path) -> None:
    citewise.add([citewise.Paper("a", "A", year=2000)], tmp_path / "l", vectors=False)
    with pytest.raises(BadInput, match="at least"):
        train_cross_encoder(citewise.open(tmp_path / "l").stores, start)


def test_the_command_trains_and_learns_the_final_order(
    path: Path, start: Path, tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "library"
    shutil.copytree(path, folder)
    done = run(
        *("train", "cross-encoder", "--library", folder, "--start", start, "--to", tmp_path / "m"),
        *("--dev", "2008-2009", "--test", "2010", "--least", "2", "--system", "bm25"),
        *("--most", "40", "--truncation", "16+16", "--checkpoints", tmp_path / "c"),
    )
    assert done.code == 0, done.err
    assert "MAP@50" in done.out
    assert "the final order" in done.err
    library = citewise.open(folder)
    answer = library.recommend("Words of a topic", system=f"bm25+rerank(model={tmp_path / 'm'})")
    assert "re-ranked" in answer.served_by.note


def test_the_command_trains_an_encoder(path: Path, start: Path, tmp_path: Path, run: Run) -> None:
    done = run(
        *("train", "encoder", "--library", path, "--start", start, "--to", tmp_path / "m"),
        *("--dev", "2008-2009", "--test", "2010", "--least", "2", "--most", "20"),
        *("--tokens", "16", "--checkpoints", tmp_path / "c", "--format", "json"),
    )
    assert done.code == 0, done.err
    assert '"kind": "encoder"' in done.out
    assert (tmp_path / "m" / "model.safetensors").is_file()
