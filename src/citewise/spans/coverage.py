"""How much of a library citing sentences cover: how far their evidence can be trusted alone."""

import numpy as np

from citewise.arrays import distinct, spread
from citewise.protocols import Stores
from citewise.types import Scope

_ENOUGH = 1 / 3
"""Where sentences cite this share of the papers, the model for sentences is better alone than with
words; below it, it ranks every cited paper before the many that are not (three collections with 1
to 100% of their sentences, dev).
"""
_RICHER = 2.0
"""Citations that cover this many times as many papers as sentences do say more than those."""
_SAMPLE = 1_000


def coverage(stores: Stores) -> float:
    """Return the share of the papers that sentences cite, not counting those that only cite."""
    table = stores.evidence.sentence_table()
    citing = distinct(table.citing[table.citing >= 0])
    profiled = stores.evidence.profile_statistics(Scope()).papers
    only_citing = int((stores.evidence.profiles(citing, Scope()).citations == 0).sum())
    return float(profiled / max(len(stores.papers) - only_citing, 1))


def trust(covered: float) -> float:
    """Return how much evidence weighs beside words, from 0 to 1, in a library of this coverage."""
    return min(1.0, covered / _ENOUGH)


def cites_more(stores: Stores, covered: float) -> bool:
    """Whether evidence is thin, and the citation graph knows far more than the sentences do."""
    if covered >= _ENOUGH:
        return False
    cited = stores.graph.citers(spread(stores.papers.rows, _SAMPLE)).lengths > 0
    return bool(np.count_nonzero(cited) > _RICHER * covered * cited.size)
