"""Votes: papers similar to a draft vote for what they cite, weighted by their similarity."""

from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, Rows
from citewise.protocols import Stores
from citewise.scoring.similarity import Bag, similarity
from citewise.types import Query


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Papers similar to a draft, and the papers that they cite."""

    rows: Rows
    """Most similar first."""
    similarity: Column
    """Their BM25 score relative to the first's."""
    cited: Rows
    """The papers in scope that they cite, end to end."""
    by: Rows
    """For each of `cited`, the position of its citer in `rows`."""


def relative_similarity(stores: Stores, query: Query, rows: Rows) -> Column:
    """Return the papers' similarity to a draft's title and abstract, 1 for the most similar."""
    scores = similarity(stores, rows, Bag.of_draft(stores, query))
    return np.asarray(scores / max(scores.max(initial=0.0), 1e-9), np.float64)
