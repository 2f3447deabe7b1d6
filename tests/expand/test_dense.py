"""Candidates and votes by vectors, worked out by hand."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise import arrays
from citewise.api import Library
from citewise.arrays import Ragged, Rows
from citewise.embed.draft_vectors import SetVectors
from citewise.expand.dense import DenseNeighbours, citing_papers
from citewise.types import Query, Ranking, Scope
from dense_library import PAPERS, dense_library

NOTHING = Ranking(np.zeros(0, np.int64), np.zeros(0))
ROOT = math.sqrt(0.5)
CLOSE = 0.005
"""Papers' vectors are stored as 8-bit numbers."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return dense_library(tmp_path_factory.mktemp("dense") / "library")


def expander(library: Library, **settings: int) -> DenseNeighbours:
    stores = library.stores
    return DenseNeighbours(stores, SetVectors(stores, "nnselect"), **settings)


def test_near_papers_and_what_they_cite_become_candidates(library: Library) -> None:
    # Near a draft of bees: bees (1), the young bees (1), mixed (.7), ants (0); they cite the hive,
    # the hill and both.
    found = expander(library).expand(Query("Bees"), NOTHING, Scope())
    assert found.rows.tolist() == [0, 1, 2, 3, 4, 5, 6]

    # with one near paper and one vote: the first of the two that are equally near, and its
    # references
    found = expander(library, neighbours=1, limit=1).expand(Query("Bees"), NOTHING, Scope())
    assert found.rows.tolist() == [0, 3, 5]


def test_votes_by_hand(library: Library) -> None:
    signals = expander(library).expand(Query("Bees"), NOTHING, Scope()).signals(np.arange(7))
    mixed, ants = math.exp(12 * (ROOT - 1)), math.exp(-12)

    assert signals["vector_cosine"] == pytest.approx(
        [1, 0, ROOT, *[np.nan] * 3, 1], abs=CLOSE, nan_ok=True
    )
    # hive: bees and mixed; hill: ants and the young bees; both: bees and ants
    assert signals["dense_votes"][3:6] == pytest.approx([1 + mixed, 1 + ants, 1 + ants], rel=0.05)
    assert signals["dense_votes_sharp"][3:6] == pytest.approx(
        [1 + mixed**2, 1 + ants**2, 1 + ants**2], rel=0.05
    )
    assert signals["dense_citer"][3:6] == pytest.approx([1, 1, 1], abs=CLOSE)
    assert signals["dense_votes"][:3].tolist() == [0, 0, 0], "nobody cites them"
    assert signals.keys() == expander(library).writes


def test_no_vote_and_no_paper_from_out_of_scope(library: Library) -> None:
    # A draft of 2002: the young bees are no candidate, and only what was cited before 2002 is seen.
    scope = Scope(year=2002, hidden=(3,), unseen=())
    found = expander(library).expand(Query("Bees", year=2002), NOTHING, scope)
    assert found.rows.tolist() == [0, 1, 2, 4, 5]
    votes = found.signals(np.arange(7))["dense_votes"]
    assert votes[5] == pytest.approx(1 + math.exp(-12), rel=0.05)
    assert votes[4] == pytest.approx(math.exp(-12), rel=0.1), "the ants', not the young bees'"
    assert votes[3] == 0


def test_candidates_that_are_there_are_not_repeated(library: Library) -> None:
    known = Ranking(np.array([0, 5]), np.array([2.0, 1.0]))
    found = expander(library).expand(Query("Bees"), known, Scope())
    assert found.rows.tolist() == [1, 2, 3, 4, 6]


@pytest.mark.parametrize("query", [Query("Hills"), Query(sentence="Hills grow.")])
def test_a_draft_without_a_known_word_has_no_vector(library: Library, query: Query) -> None:
    found = expander(library).expand(query, NOTHING, Scope())
    assert found.rows.size == 0
    assert all(np.isnan(each).all() for each in found.signals(np.arange(3)).values())


def test_a_sentence_is_read_like_a_title(library: Library) -> None:
    by_title = expander(library).expand(Query("Bees and hills"), NOTHING, Scope())
    by_sentence = expander(library).expand(Query(sentence="Bees and hills"), NOTHING, Scope())
    one, other = (each.signals(np.arange(7))["vector_cosine"] for each in (by_title, by_sentence))
    assert np.array_equal(one, other, equal_nan=True)


def test_a_library_without_vectors_gives_nothing(tmp_path: Path) -> None:
    citewise.add([replace(paper, title=f"{paper.title} zz") for paper in PAPERS], tmp_path)
    writer_less = citewise.open(tmp_path)
    stores = writer_less.stores
    found = DenseNeighbours(stores, SetVectors(stores, "other")).expand(
        Query("Bees"), NOTHING, Scope()
    )
    assert found.rows.size == 0
    assert all(np.isnan(each).all() for each in found.signals(np.arange(3)).values())


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_papers_with_references_are_looked_up_in_parts(
    library: Library, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(arrays, "_PART", size)
    asked, graph = [], library.stores.graph
    references = graph.references

    def counted(rows: Rows) -> Ragged:
        asked.append(rows.size)
        return references(rows)

    monkeypatch.setattr(graph, "references", counted)
    expected = [row for row, paper in enumerate(PAPERS) if paper.references]
    assert citing_papers(library.stores).tolist() == expected
    assert max(asked) <= size and sum(asked) == len(PAPERS)
