"""The leak guard: one planted leak for each rule, which gives the answer away with the rule off and
not with it on.
"""

import dataclasses
from pathlib import Path

import pytest

from citewise.evaluate.measures import Hits, Measure
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores
from citewise.types import Paper, Query, Scope
from evaluate.planted_leaks import (
    ASKED,
    REFERENCES,
    SETTINGS,
    Neighbours,
    library_with,
    recommender_of,
)


def question_of(stores: Stores, guard: bool = True) -> Question:
    questions = Split.make(stores, SETTINGS).questions(stores, guard=guard)
    return next(each for each in questions if each.id == "asked")


def found_by(stores: Stores, query: Query) -> list[str]:
    ranking = recommender_of(stores, Neighbours(stores)).rank(query, 50)
    return [paper.id for paper in stores.papers.read(ranking.rows)]


def recall(stores: Stores, question: Question, query: Query) -> float:
    rows = stores.papers.find(found_by(stores, query))
    return Measure.parse("R@50").of(Hits.of([rows], [question.gold], 50))


def test_without_a_plant_nothing_leaks(tmp_path: Path) -> None:
    stores = library_with(tmp_path)
    question = question_of(stores)
    assert question.query == Query(ASKED.title, ASKED.abstract, "asked", 2010)
    assert recall(stores, question, question.query) == 0.0


def test_itself_and_its_own_references(tmp_path: Path) -> None:
    stores = library_with(tmp_path)
    open_eyed, guarded = question_of(stores, guard=False), question_of(stores)
    assert "asked" in found_by(stores, open_eyed.query), "it finds itself"
    assert recall(stores, open_eyed, open_eyed.query) == 1.0, "and with that, all that it cites"
    assert "asked" not in found_by(stores, guarded.query)
    assert recall(stores, guarded, guarded.query) == 0.0


def test_its_own_references_seen_from_another_paper(tmp_path: Path) -> None:
    cited_too = Paper(
        "crowd-old", "Honey bees dance on combs", "How bees dance on warm combs.", 2002
    )
    stores = library_with(
        tmp_path, cited_too, asked=dataclasses.replace(ASKED, references=(*REFERENCES, "crowd-old"))
    )
    question = question_of(stores)
    unnamed = dataclasses.replace(question.query, id="", year=None)
    assert recall(stores, question, unnamed) == 1.0, (
        "crowd-old is cited by the query, which cites the rest"
    )
    assert recall(stores, question, question.query) == pytest.approx(1 / 6), (
        "crowd-old alone, by its words"
    )


def test_a_future_paper(tmp_path: Path) -> None:
    stores = library_with(
        tmp_path,
        Paper(
            "later",
            "Bees dance at night",
            "How honey bees dance on warm combs.",
            2011,
            references=REFERENCES,
        ),
    )
    question = question_of(stores)
    timeless = dataclasses.replace(question.query, year=None)
    assert "later" in found_by(stores, timeless) and recall(stores, question, timeless) == 1.0
    assert (
        "later" not in found_by(stores, question.query)
        and recall(stores, question, question.query) == 0.0
    )


@pytest.mark.parametrize("year", [2010, 2011, None])
def test_a_future_citation(tmp_path: Path, year: int | None) -> None:
    seed = Paper("seed", "Honey bees dance on combs", "How bees dance on warm combs.", 2002)
    stores = library_with(
        tmp_path,
        seed,
        Paper("survey", "A survey of everything", year=year, references=(*REFERENCES, "seed")),
    )
    question = question_of(stores)
    timeless = dataclasses.replace(question.query, year=None)
    assert recall(stores, question, timeless) == 1.0, (
        "the survey cites what was found, and all that is asked for"
    )
    assert recall(stores, question, question.query) == 0.0, (
        "a citation of its year, later, or nobody knows when"
    )
    earlier = dataclasses.replace(question.query, year=2012)
    assert recall(stores, question, earlier) == (1.0 if year else 0.0)


VERSIONS = {
    "same title": "Honey bees dance on warm combs at night",
    "same letters": "Honeybees dance on warm combs at night",
    "near-duplicate": "Honey bees often dance on warm combs at night",
}


@pytest.mark.parametrize("title", VERSIONS.values(), ids=VERSIONS)
def test_another_version(tmp_path: Path, title: str) -> None:
    stores = library_with(
        tmp_path, Paper("preprint", title, "How bees dance.", 2009, references=REFERENCES)
    )
    question = question_of(stores)
    assert question.query.hidden == ("preprint",)
    seeing = dataclasses.replace(question.query, hidden=())
    assert "preprint" in found_by(stores, seeing) and recall(stores, question, seeing) == 1.0
    assert "preprint" not in found_by(stores, question.query)
    assert recall(stores, question, question.query) == 0.0, (
        "nor do its references leak through the graph"
    )


def test_citations_of_another_version(tmp_path: Path) -> None:
    preprint = Paper("preprint", ASKED.title, "Unlike words entirely.", 2008)
    follower = Paper(
        "follower",
        "Honey bees dance on combs too",
        "How bees dance.",
        2009,
        references=("preprint",),
    )
    stores = library_with(tmp_path, preprint, follower)
    question = question_of(stores)
    assert "preprint" in found_by(stores, dataclasses.replace(question.query, hidden=()))
    assert "preprint" not in found_by(stores, question.query)
    scope = Scope(unseen=tuple(stores.papers.find(["preprint"]).tolist()))
    assert stores.graph.references(stores.papers.find(["follower"]), scope).values.size == 0


def test_a_near_duplicate_that_is_cited_is_not_asked_for(tmp_path: Path) -> None:
    first = Paper("first", "Honey bees dance on warm combs at night: I", year=2005)
    stores = library_with(
        tmp_path, first, asked=dataclasses.replace(ASKED, references=(*REFERENCES, "first"))
    )
    row = stores.papers.find(["first"])[0]
    assert row in question_of(stores, guard=False).gold
    assert row not in question_of(stores).gold


@pytest.mark.parametrize("title", VERSIONS.values(), ids=VERSIONS)
def test_a_near_duplicate_in_training_data(tmp_path: Path, title: str) -> None:
    stores = library_with(
        tmp_path,
        Paper("preprint", title, "How bees dance.", 2009, references=REFERENCES),
        Paper("honest", "Termites build mounds", "Of clay.", 2009, references=REFERENCES),
    )
    leaking, guarded = Split.make(stores, SETTINGS, guard=False), Split.make(stores, SETTINGS)
    assert [each.id for each in leaking.parts["train"]] == ["preprint", "honest"]
    assert [each.id for each in guarded.parts["train"]] == ["honest"]
    assert guarded.guarded and not leaking.guarded


def test_switching_it_off_must_be_said_and_is_marked(tmp_path: Path) -> None:
    stores = library_with(tmp_path)
    assert question_of(stores).guarded
    off = question_of(stores, guard=False)
    assert not off.guarded and (off.query.id, off.query.year, off.query.hidden) == ("", None, ())
