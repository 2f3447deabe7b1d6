"""The learned final order: it finds what helps, and leaves the order where nothing does."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="pairs are scored with the extra `neural`")

import citewise
from bert_folders import small_bert
from citewise.errors import BadInput
from citewise.evaluate import Split, SplitSettings
from citewise.evaluate.splits import Question
from citewise.rank.final_order import COSINE, LOGIT, FinalOrder, saved_orders
from citewise.reranking import Reranking
from citewise.train.reranking import (
    Read,
    fitted,
    is_better,
    learn_order,
    learned,
    save_order,
)
from citewise.types import Query
from command_line import Run
from corpora import topical
from train.own_models import forget

pytestmark = pytest.mark.slow

QUESTIONS, FIRST = 120, 30


def read(helpful: float, seed: int = 0) -> list[Read]:
    """Return questions whose first papers are cited by chance 0.2; the system's scores know a
    little about it, and so does the cross-encoder, as much as `helpful`.
    """
    random = np.random.default_rng(seed)
    found = []
    for number in range(QUESTIONS):
        cited = random.random(FIRST) < 0.2
        scores = cited + random.normal(0, 1.0, FIRST)
        order = np.argsort(-scores)
        logits = helpful * cited + random.normal(0, 1.0, FIRST)
        rows = np.arange(FIRST)
        gold = tuple(np.flatnonzero(cited[order]).tolist()) or (99,)
        question = Question(f"q{number}", Query("t"), gold)
        opinions = {LOGIT: logits[order], COSINE: random.normal(0, 1.0, FIRST)}
        found.append(Read(question, rows, scores[order], opinions))
    return found


def test_an_opinion_that_helps_is_found_and_noise_is_not() -> None:
    order, quality = learned(read(helpful=2.0))
    assert order.learned
    assert order.weights[LOGIT] > 1.0
    assert order.weights[COSINE] < 0.2
    assert quality["learned"]["F1@20"] > quality["first"]["F1@20"]
    assert quality["learned"]["MRR@1000"] > quality["first"]["MRR@1000"]
    assert order.figures == quality


def test_an_opinion_that_does_not_help_does_not_count() -> None:
    seen = set()
    for seed in range(4):
        order, quality = learned(read(helpful=0.0, seed=seed))
        assert order.helps == is_better(quality["learned"], quality["first"])
        assert max(order.weights.values()) < 0.3
        seen.add(order.helps)
    assert False in seen


def test_an_opinion_never_counts_against_a_paper() -> None:
    assert fitted(read(helpful=-2.0)).weights[LOGIT] == 0.0


def test_the_first_order_is_that_of_weights_of_0() -> None:
    for each in read(helpful=1.0)[:5]:
        assert np.array_equal(each.ranked(FinalOrder({LOGIT: 0.0})), each.rows)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    words = ("topic", "word", "of")
    return str(small_bert(tmp_path_factory.mktemp("models") / "pairs", words, head=True))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    citewise.add(topical(400), tmp_path / "library", keep_versions=True, vectors=False)
    return tmp_path / "library"


def dev(path: Path) -> Sequence[Question]:
    stores = citewise.open(path).stores
    split = SplitSettings(dev=(2008, 2009), test=(2010, 2010), least=2)
    return Split.make(stores, split, parts=("dev",)).questions(stores, "dev")[:25]


def test_a_learned_order_is_kept_and_serves(path: Path, model: str) -> None:
    reranking = Reranking(model=model, depth=10, truncation="16+16", threads=1)
    stores = citewise.open(path).stores
    training = learn_order(stores, "bm25", reranking, dev(path))
    assert {*training.quality} == {"first", "fixed", "learned"}
    save_order(stores, training)

    again = citewise.open(path)
    assert saved_orders(again.stores.models).orders == {reranking.key("bm25"): training.order}
    system = f"bm25+rerank(model={model},depth=10,truncation=16+16,threads=1)"
    note = again.recommend("Topic of words", system=system).served_by.note
    assert note.endswith("learned on this library") or note.startswith("not re-ranked")
    forget(again.stores, "reranking")


def test_too_few_questions_are_refused(path: Path, model: str) -> None:
    with pytest.raises(BadInput, match="at least 20"):
        learn_order(citewise.open(path).stores, "bm25", Reranking(model=model), dev(path)[:5])


def test_the_command_learns_and_says_so(path: Path, model: str, run: Run) -> None:
    done = run(
        *("train", "reranking", "--library", path, "--model", model, "--system", "bm25"),
        *("--dev", "2008-2009", "--test", "2010", "--least", "2", "--questions", "25"),
        *("--depth", "5", "--truncation", "16+16"),
    )
    assert done.code == 0, done.err
    assert "the final order" in done.err
    assert saved_orders(citewise.open(path).stores.models).orders
