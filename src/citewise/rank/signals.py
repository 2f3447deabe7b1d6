"""The signals of candidates for a query, in two steps: cheap ones for all, all of them for the best."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewise.protocols import Graph, Papers, Terms
from citewise.rank.graph_signals import co_citation, coupling, popularity
from citewise.rank.text_signals import Bag, feedback_bag, text_signals, title_in_draft
from citewise.types import Query, Ranking, Rows, Scope

Column = NDArray[np.float64]

_SEEDS = 50
"""So many best candidates stand for the references that the draft will have."""


class Stores(Papers, Graph, Terms, Protocol):
    """What signals are made from."""


def first_signals(stores: Stores, query: Query, ranking: Ranking, scope: Scope) -> dict[str, Column]:
    """Return what can be had for thousands of candidates in a few milliseconds."""
    rows = ranking.rows
    bag = Bag.of(stores, f"{query.title}\n{query.abstract}")
    now = query.year if query.year is not None else int(stores.years(rows).max(initial=0))
    return popularity(stores, rows, scope, now) | {"title_in_draft": title_in_draft(stores, rows, bag)}


def further_signals(stores: Stores, query: Query, ranking: Ranking, scope: Scope,
                    near: tuple[Rows, Column]) -> dict[str, Column]:
    """Return what is worth its cost for the best candidates, which are best first; `near` are papers like the draft."""
    rows = ranking.rows
    weights = 1 / (1 + np.arange(rows.size) / 20)
    seeds, pull = rows[:_SEEDS], weights[:_SEEDS]
    found = co_citation(stores, rows, seeds, pull, scope, near) | coupling(stores, rows, weights, scope)
    found |= text_signals(stores, query, rows, feedback_bag(stores, seeds, pull))
    found["length"] = stores.lengths(rows, "title").astype(np.float64) + stores.lengths(rows, "abstract")
    found["has_abstract"] = (stores.lengths(rows, "abstract") > 0).astype(np.float64)
    return found | seed_signals(stores, rows, stores.rows_of(query.cited), scope, near)


def seed_signals(stores: Stores, rows: Rows, cited: Rows, scope: Scope, near: tuple[Rows, Column]) -> dict[str, Column]:
    """Return the ties to the papers that the draft cites already; NaN where it names none."""
    seeds = np.unique(cited[cited >= 0])
    if not seeds.size:
        return {name: np.full(rows.size, np.nan) for name in ("seeds_cocited", "seeds_cocited_share", "seeds_cite",
                                                              "cites_seeds", "seeds_words", "seeds_cocited_strong",
                                                              "seeds_cocited_near")}
    together = co_citation(stores, rows, seeds, np.ones(seeds.size), scope, near)
    ties = coupling(stores, np.append(rows, seeds), np.append(np.zeros(rows.size), np.ones(seeds.size)), scope)
    words = text_signals(stores, Query(), rows, feedback_bag(stores, seeds, np.ones(seeds.size)))["feedback"]
    return {"seeds_cocited": together["cocited"], "seeds_cocited_share": together["cocited_share"],
            "seeds_cite": ties["cited_by_candidates"][: rows.size], "seeds_words": words,
            "cites_seeds": ties["cites_candidates"][: rows.size], "seeds_cocited_near": together["cocited_near"],
            "seeds_cocited_strong": together["cocited_strong"]}
