"""What the scores of a cascade are made of."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.rank.contributions import of_drafts
from citewise.rank.trees import DRAFT_MODEL, Cascade, shipped_model
from citewise.recommend import Recommender
from citewise.systems import BestSettings
from citewise.types import Query
from corpora import GOLDEN, random_papers


def test_the_cascade_is_explained_as_it_was(tmp_path: Path) -> None:
    citewise.add([*GOLDEN, *random_papers(150, seed=8)], tmp_path / "library")
    stores = citewise.open(tmp_path / "library").stores
    kind = replace(DRAFT_MODEL, cascade=Cascade(trees=60, best=10))
    model = replace(shipped_model(DRAFT_MODEL), kind=kind, shipped=False)
    recommender = Recommender(stores, BestSettings(kept=60).stages(stores, model))
    query = Query("Citation ranking with bees", "neural graph networks", cited=("p3",))
    ranking = recommender.rank(query, 500)
    assert len(ranking) > 100

    found = of_drafts(model, ranking, np.arange(len(ranking)))
    sums = found.base + sum(found.parts.values())
    assert sums == pytest.approx(ranking.scores, abs=1e-6)
    bases = np.round(found.base, 9)
    assert len(set(bases[:10])) == 1 and len(set(bases[10:60])) == 1 and len(set(bases[60:])) == 1
    assert len({*bases.tolist()}) == 3, "all trees, the first trees, the linear step"
