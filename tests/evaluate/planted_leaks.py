"""A library in which leaks are planted, and an eager retriever that finds them where it may."""

from pathlib import Path

import numpy as np

import citewise
from citewise.evaluate.splits import SplitSettings
from citewise.ground import EvidenceGrounder
from citewise.protocols import Stores
from citewise.recommend import Recommender, Stages
from citewise.spans.profiles import ClaimSearch
from citewise.types import Paper, Query, Ranking, Scope

GOLD = tuple(
    Paper(f"gold{number}", f"{word} {word}ology of {word}s", year=2000)
    for number, word in enumerate(("zebra", "walnut", "violin", "urn", "tulip"))
)
REFERENCES = tuple(paper.id for paper in GOLD)
CROWD = tuple(
    Paper(
        f"crowd{number}",
        f"honey bees dance theme {number}",
        "bees dance",
        2001,
        references=(f"crowd{(number + 1) % 12}",),
    )
    for number in range(12)
)
ASKED = Paper(
    "asked",
    "Honey bees dance on warm combs at night",
    "How bees dance.",
    2010,
    references=REFERENCES,
)
"""Shares no word with what it cites: only the graph can lead there."""

SETTINGS = SplitSettings(test=(2010, 2010), least=5)


class Neighbours:
    """Ranks first what the papers most similar to the query cite, and what those that cite them
    cite; then these papers themselves. It knows no rule but the scope.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        """Return the most cited references first, then the similar papers."""
        stores = self._stores
        terms, counts = stores.terms.of(f"{query.title} {query.abstract}")
        similar = stores.lexical.search(terms, counts, 3, scope)

        citers = stores.graph.citers(similar, scope).values
        citing = np.unique(np.concatenate((similar, citers)))
        cited = stores.graph.references(citing, scope).values
        rows, votes = np.unique(cited, return_counts=True)
        rows = rows[np.argsort(-votes, kind="stable")]

        rows = rows[stores.papers.in_scope(rows, scope) & ~np.isin(rows, similar)]
        rows = np.concatenate((rows, similar))[:k]
        return Ranking(rows, -np.arange(rows.size, dtype=float))


def recommender_of(stores: Stores, retriever: Neighbours) -> Recommender:
    """Return a system of this retriever alone."""
    return Recommender(stores, Stages((retriever,), EvidenceGrounder(stores, ClaimSearch(stores))))


def library_with(folder: Path, *planted: Paper, asked: Paper = ASKED) -> Stores:
    """Return the stores of a new library with these papers beside the usual ones."""
    citewise.add([*GOLD, *CROWD, asked, *planted], folder, keep_versions=True)
    return citewise.open(folder).stores
