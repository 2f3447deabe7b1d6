"""Votes of the papers most similar to a draft: by hand, and against loops."""

import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.arrays import RowIndex
from citewise.expand.neighbours import DEPTHS, Neighbours, neighbourhood, votes
from citewise.expand.votes import Neighbourhood
from citewise.retrieve.engine import Engine
from citewise.types import Paper, Query, Scope
from corpora import GOLDEN, corpora, random_papers
from oracles import PlainLibrary, stems
from properties import examples


def test_votes_by_hand(tmp_path: Path) -> None:
    # Two neighbours: the first (similarity 1, the youngest) cites A and B, the second (0.5, two
    # years older) B and C.
    #   votes: A 1, B 1 + 0.5^2 = 1.25, C 0.25; sharp: A 1, B 1 + 0.5^4, C 0.5^4; sharpest with the
    #     8th power
    #   recent: the second's count half, for it is one half-life old: A 1, B 1.125, C 0.125
    #   shared: the sharp ones over the root of the neighbour's two references; D has no vote
    neighbours = [Paper("first", "A survey", year=2002), Paper("second", "An essay", year=2000)]
    citewise.add([*neighbours, *(Paper(name, f"On {name} alone") for name in "ABCD")], tmp_path)
    near = Neighbourhood(
        rows=np.array([0, 1]),
        similarity=np.array([1.0, 0.5]),
        cited=np.array([2, 3, 3, 4]),
        by=np.array([0, 0, 1, 1]),
    )
    found = votes(citewise.open(tmp_path).stores, near, np.array([2, 3, 4, 5]), limit=500)

    assert found["votes"].tolist() == [1, 1.25, 0.25, 0]
    assert found["votes_sharp"].tolist() == [1, 1.0625, 0.0625, 0]
    assert found["votes_sharpest"].tolist() == [1, 1 + 1 / 256, 1 / 256, 0]
    assert found["votes_recent"].tolist() == [1, 1.125, 0.125, 0]
    assert found["votes_shared"] == pytest.approx(
        [1 / math.sqrt(2), 1.0625 / math.sqrt(2), 0.0625 / math.sqrt(2), 0]
    )
    assert found["vote_count"].tolist() == [1, 2, 1, 0]
    assert found["nearest_citer_rank"].tolist() == [1, 1, 2, 501]
    assert found["nearest_citer"].tolist() == [1, 1, 0.5, 0]
    assert found["votes10"].tolist() == found["votes"].tolist()
    assert found["neighbour_references"].tolist() == [2, 2, 2, 2]
    assert found.keys() == Neighbours.writes


def test_votes_in_the_golden_library(golden_library: Path) -> None:
    # Of the golden papers that cite, "Swarm optimization with artificial bees" is most similar to
    # this title. It cites the ants and the clock; the clock is also cited by the pesticides, and
    # the dance by the clock, the ants and these.
    stores = citewise.open(golden_library).stores
    query = Query("Swarm optimization with artificial bees search")
    hits = Engine(stores).retrieve(query, 5000, Scope())
    expansion = Neighbours(stores).expand(query, hits, Scope())

    rows = hits.followed_by(expansion.rows).rows
    at = RowIndex(rows).of(
        stores.papers.find(["arxiv:1101.00001", "doi:10.1000/clock", "doi:10.1000/dance"])
    )
    signals = expansion.signals(rows)
    assert signals["nearest_citer_rank"][at[:2]].tolist() == [1, 1]
    assert signals["vote_count"][at[1]] == 2
    assert signals["votes"][at[1]] > signals["votes"][at[0]] == 1


@pytest.mark.slow
@given(papers=corpora(12), year=st.none() | st.integers(1990, 1997))
@examples(25)
def test_votes_against_loops(
    tmp_path_factory: pytest.TempPathFactory, papers: list[Paper], year: int | None
) -> None:
    plain, query = PlainLibrary(papers), Query("bees ranking graph neural citation", year=year)
    folder = tmp_path_factory.mktemp("oracle") / "library"
    citewise.add(papers, folder)
    stores, scope = citewise.open(folder).stores, Scope(year=year)
    hits = Engine(stores).retrieve(query, 5000, scope)
    expansion = Neighbours(stores).expand(query, hits, scope)
    rows = hits.followed_by(expansion.rows).rows
    signals = expansion.signals(rows)

    scores = plain.bm25(Counter(stems(query.title)), 1.6, 0.75)
    citing = [row for row in hits.rows.tolist() if plain.references(row, year)]
    best = max((scores[row] for row in citing), default=1)
    expected: dict[int, float] = defaultdict(float)
    for row in citing:
        for cited in plain.references(row, year):
            if year is None or (papers[cited].year or 9999) <= year:
                expected[cited] += (scores[row] / best) ** 2

    assert signals["votes"] == pytest.approx([expected[row] for row in rows.tolist()])
    assert set(expected) <= set(rows.tolist())
    assert not set(expansion.rows.tolist()) & set(hits.rows.tolist()), "only new ones are added"
    assert (signals["votes10"] <= signals["votes100"] + 1e-12).all() and DEPTHS == (10, 30, 100)


def test_a_neighbourhood_is_ordered_by_similarity(tmp_path: Path) -> None:
    citewise.add([*GOLDEN, *random_papers(120, seed=5)], tmp_path)
    stores, query = citewise.open(tmp_path).stores, Query("Citation ranking of bees")
    hits = Engine(stores).retrieve(query, 5000, Scope())
    near = neighbourhood(stores, query, hits.rows, Scope(), 20)

    assert near.rows.size == 20
    assert near.similarity[0] == 1 and (np.diff(near.similarity) <= 0).all()
    assert (stores.graph.references(near.rows).lengths > 0).all()
