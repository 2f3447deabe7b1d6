"""Analyses: numbers worked out by hand on the golden papers."""

from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.errors import BadInput
from citewise.evaluate import Question, Run, analyse
from citewise.evaluate.analyses import ANALYSES, CITED, self_citation_curve
from citewise.types import Query
from oracles import stems

DANCE, CLOCK, ANTS, SWARM, ROBOTS, PARSING, PESTICIDE = range(7)


@pytest.fixture
def library(golden_library: Path) -> Library:
    return citewise.open(golden_library)


@pytest.fixture
def questions(library: Library) -> list[Question]:
    swarm, pesticide = library["arxiv:1203.00002"], library["own-7"]
    return [
        Question(swarm.id, Query(swarm.title, swarm.abstract, swarm.id, 2012), (ANTS, CLOCK)),
        Question(pesticide.id, Query(pesticide.title, "", pesticide.id, 2019), (DANCE, CLOCK)),
    ]


RUN = Run("made up", (np.array([DANCE, ANTS, -1]), np.array([ROBOTS, DANCE])))
"""For the swarm: the dance, the ants and a stranger; for the pesticides: robots and the dance."""


def rows(
    library: Library, questions: list[Question], name: str, depth: int = 20
) -> dict[str, dict[str, float]]:
    return analyse(library.stores, [RUN], questions, [name], depth)[0].rows


def test_overlap(library: Library, questions: list[Question]) -> None:
    def share(asked: str, found: int) -> float:
        query, paper = library[asked], library.stores.papers.read([found])[0]
        known = set(stems(f"{query.title} {query.abstract}"))
        terms = stems(f"{paper.title} {paper.abstract}")
        return sum(term in known for term in terms) / len(terms)

    swarm, pesticide = "arxiv:1203.00002", "own-7"
    found = rows(library, questions, "overlap")
    shares = [
        share(swarm, DANCE),
        share(swarm, ANTS),
        share(pesticide, ROBOTS),
        share(pesticide, DANCE),
    ]
    assert found["made up"]["mean share"] == pytest.approx(np.mean(shares)), (
        "each query has two papers"
    )
    shares = [
        share(swarm, ANTS),
        share(swarm, CLOCK),
        share(pesticide, DANCE),
        share(pesticide, CLOCK),
    ]
    assert found[CITED]["mean share"] == pytest.approx(np.mean(shares))


def test_self_citation(library: Library, questions: list[Question]) -> None:
    found = rows(library, questions, "self-citation")
    assert found["made up"] == {  # the dance and the pesticides are both Frischmann's
        "share of papers": pytest.approx((0 + 1 / 2) / 2),
        "mean place": pytest.approx((21 + 2) / 2),  # the swarm has none among 20
        "best place": pytest.approx((21 + 2) / 2),
        "mean place of the cited": pytest.approx((2 + 2) / 2),
    }
    assert found[CITED] == {"share of papers": pytest.approx((0 + 1 / 2) / 2)}


def test_self_citation_counts_every_place(library: Library, questions: list[Question]) -> None:
    run = Run("own papers first", (np.array([DANCE]), np.array([DANCE, ROBOTS, PESTICIDE])))
    found = analyse(library.stores, [run], questions, ["self-citation"], 4)[0].rows[run.system]
    assert found["mean place"] == pytest.approx((5 + (1 + 3) / 2) / 2)
    assert found["best place"] == pytest.approx((5 + 1) / 2)


def test_the_curve_of_self_citation(library: Library, questions: list[Question]) -> None:
    found = self_citation_curve(library.stores, RUN, questions)
    assert [*found] == [1, *range(5, 101, 5)]
    assert found[1] == {"mean place": 2.0, "best place": 2.0}
    assert found[5] == {"mean place": (6 + 2) / 2, "best place": (6 + 2) / 2}
    assert found[100]["best place"] == (101 + 2) / 2


def test_popularity(library: Library, questions: list[Question]) -> None:
    found = rows(library, questions, "popularity")
    # Before 2012 the dance was cited by the clock and the ants, the ants by nobody; before 2019 the
    # robots by nobody,
    # and the dance by the same two: the pesticides' own citation is not seen.
    assert found["made up"] == {"mean citations": 1.0, "median citations": 1.0, "never cited": 0.5}
    assert found[CITED] == {
        "mean citations": (0 + 0 + 2 + 1) / 4,
        "median citations": 0.5,
        "never cited": 0.5,
    }


def test_recency(library: Library, questions: list[Question]) -> None:
    found = rows(library, questions, "recency")
    assert found["made up"] == {
        "mean age": (45 + 1 + 4 + 52) / 4,
        "median age": 24.5,
        "under 3 years": 0.25,
    }
    assert rows(library, questions, "recency", depth=1)["made up"]["mean age"] == (45 + 4) / 2


def test_venues(library: Library, questions: list[Question]) -> None:
    found = rows(library, questions, "venues")["made up"]
    assert found["the query's own"] == pytest.approx((0 + 1 / 2) / 2), (
        "the dance is in the pesticides' annals"
    )
    assert found["Herfindahl index"] == pytest.approx(0.5**2 + 0.25**2 + 0.25**2)
    assert (found["venues"], found["ten largest"]) == (3, 1.0)


def test_nothing_found_is_no_failure(library: Library, questions: list[Question]) -> None:
    nothing = Run("silent", (np.zeros(0, np.int64), np.zeros(0, np.int64)))
    for analysis in analyse(library.stores, [nothing], questions, list(ANALYSES)):
        places = {name for name in analysis.rows["silent"] if "place" in name}
        for name, value in analysis.rows["silent"].items():
            assert value == (21 if name in places else 0), "behind the last of 20"


def test_an_unknown_analysis_is_refused(library: Library, questions: list[Question]) -> None:
    with pytest.raises(BadInput, match="no analysis 'luck'; known: overlap"):
        analyse(library.stores, [RUN], questions, ["luck"])
