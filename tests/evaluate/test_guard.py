"""The leak guard: one planted leak for each rule, which gives the answer away with the rule off and not with it on."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.evaluate.measures import Hits, Measure
from citewise.evaluate.splits import Question, Split, SplitSettings
from citewise.library.library import Library
from citewise.opened import OpenLibrary
from citewise.recommend import Recommender
from citewise.types import Paper, Query, Ranking, Scope

GOLD = tuple(Paper(f"gold{number}", f"{word} {word}ology of {word}s", year=2000)
             for number, word in enumerate(("zebra", "walnut", "violin", "urn", "tulip")))
REFERENCES = tuple(paper.id for paper in GOLD)
CROWD = tuple(Paper(f"crowd{number}", f"honey bees dance theme {number}", "bees dance", 2001,
                    references=(f"crowd{(number + 1) % 12}",)) for number in range(12))
ASKED = Paper("asked", "Honey bees dance on warm combs at night", "How bees dance.", 2010, references=REFERENCES)
"""Shares no word with what it cites: only the graph can lead there."""

SETTINGS = SplitSettings(test=(2010, 2010), least=5)


class Neighbours:
    """Ranks the papers most like the query, then what they and those that cite the same cite; it knows no rule."""

    def __init__(self, stores: Library) -> None:
        self._stores = stores

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        terms, counts = self._stores.terms_of(f"{query.title} {query.abstract}")
        found = self._stores.search(terms, counts, 3, scope)
        also = self._stores.citers(found, scope).values
        cited = self._stores.references(np.unique(np.concatenate((found, also))), scope).values
        rows, votes = np.unique(cited, return_counts=True)
        rows = rows[np.argsort(-votes, kind="stable")]
        rows = np.concatenate((rows[self._stores.in_scope(rows, scope) & ~np.isin(rows, found)], found))[:k]
        return Ranking(rows, -np.arange(rows.size, dtype=float))


def library_with(folder: Path, *planted: Paper, asked: Paper = ASKED) -> OpenLibrary:
    citewise.add([*GOLD, *CROWD, asked, *planted], folder, keep_versions=True)
    return citewise.open(folder)


def question_of(held: OpenLibrary, guard: bool = True) -> Question:
    questions = Split.make(held, SETTINGS).questions(held, guard=guard)
    return next(each for each in questions if each.id == "asked")


def found_by(held: OpenLibrary, query: Query) -> list[str]:
    ranking = Recommender(held.library, Neighbours(held.library)).rank(query, 50)
    return [paper.id for paper in held.library.papers(ranking.rows)]


def recall(held: OpenLibrary, question: Question, query: Query) -> float:
    rows = held.library.rows_of(found_by(held, query))
    return Measure.parse("R@50").of(Hits.of([rows], [question.gold], 50))


def test_without_a_plant_nothing_leaks(tmp_path: Path) -> None:
    held = library_with(tmp_path)
    question = question_of(held)
    assert question.query == Query(ASKED.title, ASKED.abstract, "asked", 2010)
    assert recall(held, question, question.query) == 0.0


def test_itself_and_its_own_references(tmp_path: Path) -> None:
    held = library_with(tmp_path)
    open_eyed, guarded = question_of(held, guard=False), question_of(held)
    assert "asked" in found_by(held, open_eyed.query), "it finds itself"
    assert recall(held, open_eyed, open_eyed.query) == 1.0, "and with that, all that it cites"
    assert "asked" not in found_by(held, guarded.query)
    assert recall(held, guarded, guarded.query) == 0.0


def test_its_own_references_seen_from_another_paper(tmp_path: Path) -> None:
    cited_too = Paper("crowd-old", "Honey bees dance on combs", "How bees dance on warm combs.", 2002)
    held = library_with(tmp_path, cited_too, asked=dataclasses.replace(ASKED, references=(*REFERENCES, "crowd-old")))
    question = question_of(held)
    unnamed = dataclasses.replace(question.query, id="", year=None)
    assert recall(held, question, unnamed) == 1.0, "crowd-old is cited by the query, which cites the rest"
    assert recall(held, question, question.query) == pytest.approx(1 / 6), "crowd-old alone, by its words"


def test_a_future_paper(tmp_path: Path) -> None:
    held = library_with(tmp_path, Paper("later", "Bees dance at night", "How honey bees dance on warm combs.", 2011,
                                        references=REFERENCES))
    question = question_of(held)
    timeless = dataclasses.replace(question.query, year=None)
    assert "later" in found_by(held, timeless) and recall(held, question, timeless) == 1.0
    assert "later" not in found_by(held, question.query) and recall(held, question, question.query) == 0.0


@pytest.mark.parametrize("year", [2010, 2011, None])
def test_a_future_citation(tmp_path: Path, year: int | None) -> None:
    seed = Paper("seed", "Honey bees dance on combs", "How bees dance on warm combs.", 2002)
    held = library_with(tmp_path, seed, Paper("survey", "A survey of everything", year=year,
                                              references=(*REFERENCES, "seed")))
    question = question_of(held)
    timeless = dataclasses.replace(question.query, year=None)
    assert recall(held, question, timeless) == 1.0, "the survey cites what was found, and all that is asked for"
    assert recall(held, question, question.query) == 0.0, "a citation of its year, later, or nobody knows when"
    earlier = dataclasses.replace(question.query, year=2012)
    assert recall(held, question, earlier) == (1.0 if year else 0.0)


VERSIONS = {
    "same title": "Honey bees dance on warm combs at night",
    "same letters": "Honeybees dance on warm combs at night",
    "near-duplicate": "Honey bees often dance on warm combs at night",
}


@pytest.mark.parametrize("title", VERSIONS.values(), ids=VERSIONS)
def test_another_version(tmp_path: Path, title: str) -> None:
    held = library_with(tmp_path, Paper("preprint", title, "How bees dance.", 2009, references=REFERENCES))
    question = question_of(held)
    assert question.query.hidden == ("preprint",)
    seeing = dataclasses.replace(question.query, hidden=())
    assert "preprint" in found_by(held, seeing) and recall(held, question, seeing) == 1.0
    assert "preprint" not in found_by(held, question.query)
    assert recall(held, question, question.query) == 0.0, "nor do its references leak through the graph"


def test_citations_of_another_version(tmp_path: Path) -> None:
    preprint = Paper("preprint", ASKED.title, "Unlike words entirely.", 2008)
    follower = Paper("follower", "Honey bees dance on combs too", "How bees dance.", 2009, references=("preprint",))
    held = library_with(tmp_path, preprint, follower)
    question = question_of(held)
    assert "preprint" in found_by(held, dataclasses.replace(question.query, hidden=()))
    assert "preprint" not in found_by(held, question.query)
    scope = Scope(unseen=tuple(held.library.rows_of(["preprint"]).tolist()))
    assert held.library.references(held.library.rows_of(["follower"]), scope).values.size == 0


def test_a_near_duplicate_that_is_cited_is_not_asked_for(tmp_path: Path) -> None:
    first = Paper("first", "Honey bees dance on warm combs at night: I", year=2005)
    held = library_with(tmp_path, first, asked=dataclasses.replace(ASKED, references=(*REFERENCES, "first")))
    row = held.library.rows_of(["first"])[0]
    assert row in question_of(held, guard=False).gold
    assert row not in question_of(held).gold


@pytest.mark.parametrize("title", VERSIONS.values(), ids=VERSIONS)
def test_a_near_duplicate_in_training_data(tmp_path: Path, title: str) -> None:
    held = library_with(tmp_path, Paper("preprint", title, "How bees dance.", 2009, references=REFERENCES),
                        Paper("honest", "Termites build mounds", "Of clay.", 2009, references=REFERENCES))
    leaking, guarded = Split.make(held, SETTINGS, guard=False), Split.make(held, SETTINGS)
    assert [each.id for each in leaking.parts["train"]] == ["preprint", "honest"]
    assert [each.id for each in guarded.parts["train"]] == ["honest"]
    assert guarded.guarded and not leaking.guarded


def test_switching_it_off_must_be_said_and_is_marked(tmp_path: Path) -> None:
    held = library_with(tmp_path)
    assert question_of(held).guarded
    off = question_of(held, guard=False)
    assert not off.guarded and (off.query.id, off.query.year, off.query.hidden) == ("", None, ())
