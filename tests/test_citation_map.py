"""The map: years by rank, similar papers side by side, always the same."""

import itertools
import math
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.arrays import Ragged
from citewise.citation_map import _cosines, citation_map, roles_of
from citewise.types import Paper


def test_two_groups_stay_apart(tmp_path: Path) -> None:
    """Papers that cite the same, and are cited by the same, are neighbours."""
    groups = ("bee", "star")
    bases = [Paper(f"{g}-base{n}", f"{g} base {n}", year=1990) for g in groups for n in range(3)]
    papers = [
        Paper(
            f"{g}{n}",
            f"{g} paper {n}",
            year=2000 + n,
            references=tuple(f"{g}-base{m}" for m in range(3)),
        )
        for n in range(4)
        for g in groups
    ]
    citewise.add([*bases, *papers], tmp_path / "library")
    stores = citewise.open(tmp_path / "library").stores
    found = citation_map(stores, roles_of([paper.id for paper in papers], [], []))

    down = sorted((paper["y"], paper["id"]) for paper in found.papers)
    kinds = [name.rstrip("0123456789") for _, name in down]
    assert kinds in (["bee"] * 4 + ["star"] * 4, ["star"] * 4 + ["bee"] * 4)
    across = {paper["year"]: paper["x"] for paper in found.papers}
    assert across == {2000: 0.125, 2001: 0.375, 2002: 0.625, 2003: 0.875}
    assert found.years == [{"year": year, "x": x} for year, x in across.items()]
    assert found.edges == [], "what they cite is not on the map"


def test_years_are_spaced_by_rank(tmp_path: Path) -> None:
    years = (1900, 1999, 2000, None)
    papers = [
        Paper(f"p{number}", f"Paper {number}", year=year) for number, year in enumerate(years)
    ]
    citewise.add(papers, tmp_path / "library")
    stores = citewise.open(tmp_path / "library").stores
    found = citation_map(stores, roles_of([], [], [paper.id for paper in papers]))
    across = {paper["id"]: paper["x"] for paper in found.papers}
    assert across == {"p0": 0.1667, "p1": 0.5, "p2": 0.8333, "p3": 0.1667}


def test_the_order_of_ids_does_not_matter(sample: Library) -> None:
    ids = [paper.id for paper in sample[:60]]
    first = citation_map(sample.stores, roles_of(ids, ids[:3], ids[3:5]))
    random.Random(3).shuffle(ids)
    names = {paper["id"]: paper["role"] for paper in first.papers}
    again = citation_map(sample.stores, {name: names[name] for name in ids})
    assert again == first

    cited = {paper.id: {*paper.references} for paper in sample[:60]}
    inside = {(one, other) for one in cited for other in cited[one] & {*cited}}
    assert {*first.edges} == inside and len(first.edges) == len(inside)
    assert len({paper["y"] for paper in first.papers}) == 60, "none hides another"


def test_one_paper_and_none(sample: Library) -> None:
    alone = citation_map(sample.stores, {"devlin2019bert": "basket"}).papers
    assert [(paper["x"], paper["y"]) for paper in alone] == [(0.5, 0.5)]
    assert citation_map(sample.stores, {"none": "cited"}).papers == []


def test_cosines_are_those_of_sets() -> None:
    dice = np.random.default_rng(2)
    lists = [np.unique(dice.integers(0, 40, length)) for length in (30, 9, 0, 25, 1, 30)]
    found = _cosines(Ragged.of(lists))
    for one, other in itertools.permutations(range(len(lists)), 2):
        shared = {*lists[one].tolist()} & {*lists[other].tolist()}
        expected = len(shared) / math.sqrt(max(lists[one].size * lists[other].size, 1))
        assert found[one, other] == pytest.approx(expected)
    assert not found.diagonal().any()


def test_papers_with_many_citers_do_not_fill_the_memory() -> None:
    lists = [np.arange(5_000) + 2_500 * number for number in range(200)]
    tracemalloc.start()
    found = _cosines(Ragged.of(lists))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found[3, 4] == pytest.approx(0.5) and found[3, 5] == 0
    assert peak < 150e6
