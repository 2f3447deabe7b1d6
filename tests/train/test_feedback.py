"""Training with the user's feedback: what is used of it, and whether it is said to help."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.errors import BadInput
from citewise.evaluate import Split
from citewise.feedback import Feedback, FeedbackEntry
from citewise.train import Training, train_ranker
from citewise.train.examples import Examples
from citewise.train.feedback import LEAST_DRAFTS, feedback_questions, pairs_in_order
from citewise.train.tables import as_markdown
from citewise.types import Paper, Query
from command_line import Run
from corpora import topical
from train.test_ranker import FEW, QUICK

DRAFTS = 60


@pytest.fixture(scope="module")
def papers() -> list[Paper]:
    return topical(FEW)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, papers: list[Paper]) -> Library:
    folder = tmp_path_factory.mktemp("feedback") / "library"
    citewise.add(papers, folder, keep_versions=True)
    return citewise.open(folder)


def draft(number: int) -> Query:
    """Return a draft on one of the twelve topics, which is no paper of the library."""
    dice, topic = random.Random(1000 + number), number % 12
    words = [f"topic{topic}word{dice.randrange(12)}" for _ in range(8)]
    return Query(f"draft{number} {words[0]} {words[1]}", " ".join(words))


def record(feedback: Feedback, papers: Sequence[Paper], drafts: int) -> None:
    """Accept the two youngest papers of each draft's topic, which nobody cites, and reject the two
    oldest, which are cited most: the opposite of what the library's own papers do.
    """
    for number in range(drafts):
        topic = [paper for paper in papers if int(paper.id[1:]) % 12 == number % 12]
        for paper in topic[-2:]:
            feedback.record(FeedbackEntry(paper.id, "accepted", draft(number)))
        for paper in topic[:2]:
            feedback.record(FeedbackEntry(paper.id, "rejected", draft(number)))


@pytest.fixture(scope="module")
def feedback(tmp_path_factory: pytest.TempPathFactory, papers: list[Paper]) -> Feedback:
    found = Feedback(tmp_path_factory.mktemp("feedback") / "feedback.jsonl")
    record(found, papers, DRAFTS)
    return found


@pytest.fixture(scope="module")
def training(library: Library, feedback: Feedback) -> Training:
    return train_ranker(library.stores, replace(QUICK, trees=20), feedback=feedback)


@pytest.mark.slow
def test_a_taste_that_papers_do_not_have_is_learned(training: Training) -> None:
    found = training.feedback
    assert found is not None
    assert found.counts["drafts used"] == training.queries["feedback"] == DRAFTS
    # one draft in five, two accepted and two rejected papers each
    assert found.pairs == DRAFTS // 5 * 4
    assert found.without is not None and found.trained is not None
    assert found.trained > found.without + 0.2
    assert {"without feedback", "trained", "best", "bm25"} <= training.quality.keys()

    with_it, without = (training.quality[name]["F1@20"] for name in ("trained", "without feedback"))
    assert (
        "Feedback helped on drafts that were not learned from (pairs of an accepted and a rejected "
        f"paper). On dev papers, F1@20 is {with_it:.3f} with it and {without:.3f} without it."
    ) in " ".join(as_markdown(training).split())


@pytest.mark.slow
def test_without_feedback_the_model_is_that_of_a_training_without_it(
    library: Library, training: Training
) -> None:
    plain = train_ranker(library.stores, replace(QUICK, trees=20))
    assert plain.feedback is None and "without feedback" not in plain.quality
    assert plain.quality["trained"] == training.quality["without feedback"]
    assert plain.model.trees != training.model.trees


def test_what_cannot_be_used_is_counted(
    library: Library, papers: list[Paper], tmp_path: Path
) -> None:
    split = Split.make(library.stores, QUICK.split)
    dev, train = library[split.parts["dev"][0].id], library[split.parts["train"][0].id]
    feedback = Feedback(tmp_path / "feedback.jsonl")
    record(feedback, papers, LEAST_DRAFTS)

    own = Query(train.title, train.abstract, cited=("p1", "p2"))
    feedback.record(FeedbackEntry("p1", "accepted", Query(dev.title.upper(), "A dev paper.")))
    for named in (Query("My draft", id=dev.id), Query("My other draft", hidden=(dev.id,))):
        feedback.record(FeedbackEntry("p1", "accepted", named))
    feedback.record(FeedbackEntry("p1", "accepted", Query("", dev.abstract)))
    feedback.record(FeedbackEntry("p1", "rejected", Query("Rejected only")))
    feedback.record(FeedbackEntry("nobody", "accepted", Query("An unknown paper")))
    feedback.record(FeedbackEntry("p1", "accepted", Query(sentence="A sentence.")))
    feedback.record(FeedbackEntry("p1", "accepted"))
    feedback.record(FeedbackEntry("p1", "accepted", own))
    feedback.record(FeedbackEntry(train.id, "accepted", own))
    feedback.path.write_bytes(feedback.path.read_bytes() + b"{\n")

    found = feedback_questions(library.stores, feedback, split)
    assert found.counts == {
        "accepted": 2 * LEAST_DRAFTS + 9,
        "rejected": 2 * LEAST_DRAFTS + 1,
        "drafts used": LEAST_DRAFTS + 1,
        "drafts of dev and test papers": 3,
        "drafts without a title": 1,
        "drafts without an accepted paper of the library": 2,
        "verdicts on sentences": 1,
        "verdicts without a draft": 1,
        "damaged lines": 1,
    }
    mine = found.held_out[-1]
    assert mine.query.title == train.title and train.id in mine.query.hidden
    assert mine.query.cited == ("p2",), "what was judged must not be hidden as cited"
    assert mine.gold == mine.within == tuple(library.stores.papers.find(["p1"]).tolist())


def test_too_little_feedback_says_how_much_there_is(
    library: Library, papers: list[Paper], tmp_path: Path, run: Run
) -> None:
    feedback = Feedback(tmp_path / "feedback.jsonl")
    record(feedback, papers, 3)
    split = Split.make(library.stores, QUICK.split)
    with pytest.raises(
        BadInput, match=r"at least 20 drafts .* there are 3 \(accepted: 6, rejected"
    ):
        feedback_questions(library.stores, feedback, split)

    where = library.stores.info.location
    done = run("train", "ranker", "--library", where, "--feedback-file", feedback.path, "--dry-run")
    assert done.code == 2 and "needs at least 20 drafts" in done.err
    done = run("train", "ranker", "--library", where, "--feedback-file", tmp_path / "none.jsonl")
    assert done.code == 1 and "no such file" in done.err
    assert "feedback" not in run("train", "sentences", "--help").out


@pytest.mark.slow
def test_the_command_reports_on_the_users_own_feedback(
    library: Library, papers: list[Paper], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    record(library.feedback(), papers, LEAST_DRAFTS)
    where = library.stores.info.location
    options = [
        "train", "ranker", "--library", where, "--dev", "2008-2009", "--test", "2010",
        "--least", "2", "--most", "20", "--tuning", "20", "--trees", "3", "--dry-run", "--feedback",
    ]  # fmt: skip
    found = json.loads(run(*options, "--format", "json").out)
    assert found["feedback"]["counts"]["drafts used"] == LEAST_DRAFTS
    shown = run(*options).out
    assert "without feedback" in shown and "in the right order, trained with it" in shown
    assert "Feedback helped" in shown or "Feedback did not help" in shown


def test_pairs_in_order_by_hand() -> None:
    class First:
        def scored(self, matrix: np.ndarray) -> np.ndarray:
            return matrix[:, 0]

    # first draft: accepted 3 and 1, rejected 2 and 1; second: accepted only
    examples = Examples(
        np.array([[3.0], [1], [2], [1], [5]], np.float32),
        np.array([True, True, False, False, True]),
        np.ones(5, np.float32),
        np.array([4, 1]),
        np.array([2, 1]),
    )
    # 3 > 2, 3 > 1, 1 < 2, 1 = 1: two and a half of four
    assert pairs_in_order(First(), examples) == (4, 0.625)
