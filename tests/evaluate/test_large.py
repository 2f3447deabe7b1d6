"""Candidate sets of growing size and by field: what is in them, and scores in a library of their
own.
"""

from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.errors import BadInput
from citewise.evaluate import (
    Fields,
    PoolSettings,
    Question,
    Settings,
    Split,
    SplitSettings,
    evaluate,
    field_sets,
    parse_measures,
    score_sets,
    sized_sets,
)
from citewise.protocols import Stores
from citewise.types import Paper
from corpora import random_papers

SETTINGS = Settings(parse_measures("MAP@500 R@30"))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    papers = [
        Paper(
            each.id,
            each.title,
            each.abstract,
            each.year,
            references=each.references,
            fields=("odd" if place % 2 else "even",),
        )
        for place, each in enumerate(random_papers(120, seed=3, references=6))
    ]
    folder = tmp_path_factory.mktemp("large") / "library"
    citewise.add(papers, folder, keep_versions=True)
    return citewise.open(folder).stores


@pytest.fixture(scope="module")
def questions(stores: Stores) -> list[Question]:
    return Split.make(stores, SplitSettings(test=(2005, 2006), least=1), parts=("test",)).questions(
        stores
    )


def test_sized_sets_have_all_that_is_asked_for_and_none_younger(
    stores: Stores, questions: list[Question]
) -> None:
    wanted = {row for question in questions for row in question.gold}
    sets = [*sized_sets(stores, questions, [60, 1000], repeats=2)]
    assert [(each.name, each.rows.size) for each in sets[:2]] == [("60", 60), ("60", 60)]
    assert len(sets) == 3, "a set of everything is made once"
    assert sets[0].rows.tolist() != sets[1].rows.tolist()
    for each in sets:
        years = stores.papers.years(each.rows)
        assert wanted <= {*each.rows.tolist()} and years.min() > 0 and years.max() <= 2006
    with pytest.raises(BadInput, match="too few"):
        [*sized_sets(stores, questions, [1])]


def test_field_sets_have_what_the_field_cites(stores: Stores, questions: list[Question]) -> None:
    sets = {each.name: each for each in field_sets(stores, questions, Fields({}), PoolSettings())}
    assert sets.keys() == {"odd", "even"}
    for name, each in sets.items():
        citing = [
            row
            for row in stores.papers.rows.tolist()
            if stores.papers.read([row])[0].fields == (name,)
        ]
        last = max(question.query.year or 0 for question in each.questions)
        years = stores.papers.years(np.array(citing))
        before = np.array(citing)[(years > 0) & (years < last)]
        cited = {*stores.graph.references(before).values.tolist()}
        gold = {row for question in each.questions for row in question.gold}
        assert {*each.rows.tolist()} == cited | gold


@pytest.mark.slow
def test_scores_are_those_of_a_library_of_the_set(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    sets = [*sized_sets(stores, questions, [60, 1000])]
    small, whole = score_sets(stores, ["bm25"], sets, tmp_path, SETTINGS)
    assert (small.name, small.papers, small.repeats, small.queries) == ("60", 60, 1, len(questions))
    assert small.values["bm25"]["R@30"].value > whole.values["bm25"]["R@30"].value, (
        "fewer papers are easier"
    )
    by_hand = tmp_path / "by-hand"
    citewise.add(stores.papers.read(sets[0].rows), by_hand, keep_versions=True)
    part = citewise.open(by_hand).stores
    moved = [
        Question(
            each.id,
            each.query,
            tuple(part.papers.find([paper.id for paper in stores.papers.read(each.gold)]).tolist()),
        )
        for each in questions
    ]
    expected = evaluate(part, ["bm25"], moved, SETTINGS).systems[0].values
    assert small.values["bm25"] == expected
    made = len(list(tmp_path.glob("part-*")))
    assert score_sets(stores, ["bm25"], sets, tmp_path, SETTINGS) == [small, whole]
    assert len(list(tmp_path.glob("part-*"))) == made == 2, "what is there is used again"


@pytest.mark.slow
def test_repetitions_are_averaged(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    sets = [*sized_sets(stores, questions, [60], repeats=3)]
    (together,) = score_sets(stores, ["bm25"], sets, tmp_path, SETTINGS)
    alone = [score_sets(stores, ["bm25"], [each], tmp_path, SETTINGS)[0] for each in sets]
    assert together.repeats == 3
    assert together.values["bm25"]["MAP@500"].value == pytest.approx(
        np.mean([each.values["bm25"]["MAP@500"].value for each in alone])
    )
