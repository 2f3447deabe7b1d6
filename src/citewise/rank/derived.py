"""Signals that follow from other signals (`by="derived"` in the catalogue)."""

import numpy as np

from citewise.arrays import Column
from citewise.protocols import Signals

_DIGITS = 9
"""Digits kept of sums over candidates, so that they do not depend on the order of summing."""


def growth(signals: Signals) -> Column:
    """Return ln(1 + citations of the last two years) - ln(1 + all citations)."""
    return np.log1p(signals["citations2"]) - np.log1p(signals["citations"])


def of_drafts(signals: Signals) -> dict[str, Column]:
    """Return the derived signals that the trees of `best` read."""
    count = signals["bm25"].size
    highest_votes = np.sort(signals["votes_sharp"])[::-1][:100]
    mean = highest_votes.mean() if count else 0.0
    weight = np.maximum(signals["query_weight"], 1e-9)

    # how similar to the draft the voted-for are, and how much more so than all candidates
    cosine = signals["cosine"] / max(signals["cosine"].max(initial=0.0), 1e-9)
    voted = np.einsum("i,i", signals["votes"], cosine) / max(signals["votes"].sum(), 1e-9)
    mean_cosine = max(cosine.sum() / max(count, 1), 1e-9)

    return {
        "lift": signals["vote_count"] / (signals["citations"] + 3),
        "lift_sharp": signals["votes_sharp"] / (signals["citations"] + 3),
        "growth": growth(signals),
        "bm25_share": signals["bm25"] / weight,
        "best_bm25": signals["bm25"].max(initial=0.0) / weight,
        "query_size": np.log1p(weight),
        "voted_similarity": np.full(count, round(voted, _DIGITS)),
        "voted_similarity_lift": np.full(count, round(voted / mean_cosine, _DIGITS)),
        "cited_share": np.full(count, np.count_nonzero(signals["citations"]) / max(count, 1)),
        "voted": np.full(count, np.log1p(np.count_nonzero(signals["vote_count"]))),
        "votes_to_mean": signals["votes_sharp"] / max(mean, 1e-9),
    }


def of_sentences(signals: Signals) -> dict[str, Column]:
    """Return the derived signals that the trees of `evidence` read.

    `trend` is ln(1 + citations of the last year) - ln(1 + all citations).
    """
    return {"trend": np.log1p(signals["recent"]) - np.log1p(signals["support"])}
