"""Links to what a draft cites already: by hand, and what they bring."""

import math
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.expand.seeds import Seeds, links, values_at
from citewise.recommend import scope_of
from citewise.retrieve.engine import Engine
from citewise.types import Paper, Query, Scope

# X cites A, B and C; Y cites A and B; Z cites C alone. Seed: A, with two citers, of which each
# gets a pull of 1/sqrt(3).
PAPERS = [
    *(Paper(name, f"On {name} alone") for name in "ABC"),
    Paper("X", "On X alone", references=("A", "B", "C")),
    Paper("Y", "On Y alone", references=("A", "B")),
    Paper("Z", "On Z alone", references=("C",)),
]


def test_links_by_hand(tmp_path: Path) -> None:
    # B is cited by X and Y, each with the square of its pull: 1/3 + 1/3; C by X: 1/3
    citewise.add(PAPERS, tmp_path)
    stores = citewise.open(tmp_path).stores
    tied, weights = links(stores, np.array([0]), Scope(hidden=(0,)))
    root = math.sqrt(3)
    assert dict(zip(tied.tolist(), weights, strict=True)) == pytest.approx(
        {1: 2 / 3, 2: 1 / 3, 3: 1 / root, 4: 1 / root}
    )


def test_what_is_linked_becomes_a_candidate(tmp_path: Path) -> None:
    citewise.add(PAPERS, tmp_path)
    stores = citewise.open(tmp_path).stores
    query = Query("On X", cited=("A", "unknown"))
    scope = scope_of(stores.papers, query)
    hits = Engine(stores).retrieve(query, 1, scope)
    assert hits.rows.tolist() == [3]

    found = Seeds(stores, limit=2).expand(query, hits, scope)
    assert found.rows.tolist() == [1, 4], "the most linked that are no candidates yet"
    linked = found.signals(np.array([3, 1, 4, 5]))["seeds_linked"]
    assert linked == pytest.approx([1 / math.sqrt(3), 2 / 3, 1 / math.sqrt(3), 0])
    nothing = Seeds(stores).expand(Query("On X"), hits, scope)
    assert not nothing.rows.size and nothing.signals(hits.rows)["seeds_linked"].tolist() == [0]


def test_values_at_rows() -> None:
    found = values_at(np.array([5, 9, 2]), np.array([2, 5]), np.array([0.2, 0.5]), absent=-1)
    assert found.tolist() == [0.5, -1, 0.2]
