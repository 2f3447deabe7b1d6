"""Signals to features: ratios, ranks and logarithms that mean the same in a library of another size or field."""

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Signals = dict[str, Column]

FIRST = ("log hit_rank", "log votes", "log votes_sharp", "log votes_recent", "log votes10", "log nearest_citer_rank", "log citations", "log citations1",
         "growth", "age", "title_in_draft", "log seeds_tied")
"""What the first, linear step weighs."""

_RATIOS = ("bm25", "title_title", "title_abstract", "abstract_title", "abstract_abstract", "feedback", "votes10",
           "votes30", "votes100", "votes", "votes_sharp", "votes_sharpest", "votes_shared", "votes_recent", "lift_sharp", "cocited",
           "cocited_share", "cocited_strong", "cocited_near", "cites_candidates", "cited_by_candidates", "citations", "citations1", "citations3",
           "seeds_cocited", "seeds_cocited_share", "seeds_cocited_strong", "seeds_cocited_near", "seeds_cite",
           "cites_seeds", "seeds_words")
_RANKS = ("bm25", "votes_recent", "cocited_near", "votes_sharp", "votes", "cocited_share", "feedback", "lift_sharp", "title_title",
          "abstract_abstract", "citations", "citations2", "first", "cited_by_candidates", "title_in_draft", "age",
          "seeds_cocited_share", "seeds_cocited_strong", "seeds_words")
_LOGS = ("hit_rank", "seeds_tied", "votes10", "votes", "votes_sharp", "votes_recent", "vote_count", "nearest_citer_rank", "citations", "citations1",
         "citations2", "length", "references", "cites_candidates", "cited_by_candidates", "cocited_share",
         "seeds_cite", "cites_seeds")
_PLAIN = ("title_shared", "title_in_draft", "nearest_citer", "lift", "lift_sharp", "has_abstract", "age", "growth",
          "bm25_share", "first", "query_size", "voted", "best_bm25", "votes_to_mean")

FEATURES = (*(f"{name} / best" for name in _RATIOS), *(f"rank {name}" for name in _RANKS),
            *(f"log {name}" for name in _LOGS), *_PLAIN)
"""What the learned step reads, in the order of the matrix's columns."""


def first_features(signals: Signals, depth: int) -> NDArray[np.float64]:
    """Return the matrix of FIRST; a paper that the search did not find counts as the next after `depth`."""
    hit_rank = np.nan_to_num(signals["hit_rank"], nan=depth + 1)
    columns = {"growth": growth(signals), "age": np.nan_to_num(signals["age"], nan=10.0),
               "title_in_draft": signals["title_in_draft"], "log hit_rank": np.log(hit_rank)}
    return np.stack([columns[name] if name in columns else np.log1p(np.nan_to_num(signals[name.removeprefix("log ")]))
                     for name in FIRST], 1)


def growth(signals: Signals) -> Column:
    """Return how much of a paper's citations are of the last two years, as a difference of logarithms."""
    return np.log1p(signals["citations2"]) - np.log1p(signals["citations"])


def features(signals: Signals) -> NDArray[np.float64]:
    """Return the matrix of FEATURES; NaN says that there is nothing to know."""
    held = signals | derived(signals)
    columns = [_ratio(held[name]) for name in _RATIOS] + [_log_ranks(held[name]) for name in _RANKS]
    columns += [np.log1p(held[name]) for name in _LOGS] + [held[name] for name in _PLAIN]
    return np.stack(columns, 1)


def derived(signals: Signals) -> Signals:
    """Return signals that follow from others."""
    count = signals["bm25"].size
    mean = np.sort(signals["votes_sharp"])[::-1][:100].mean() if count else 0.0
    weight = np.maximum(signals["query_weight"], 1e-9)
    return {"lift": signals["vote_count"] / (signals["citations"] + 3), "growth": growth(signals),
            "lift_sharp": signals["votes_sharp"] / (signals["citations"] + 3), "bm25_share": signals["bm25"] / weight,
            "query_size": np.log1p(weight), "best_bm25": signals["bm25"].max(initial=0.0) / weight,
            "voted": np.full(count, np.log1p(np.count_nonzero(signals["vote_count"]))),
            "votes_to_mean": signals["votes_sharp"] / max(mean, 1e-9)}


def _ratio(column: Column) -> Column:
    return column / max(column.max(initial=0.0), 1e-9) if not np.isnan(column).any() else column


def _log_ranks(column: Column) -> Column:
    """Return the logarithm of each value's rank from the highest; equals share the best of their ranks."""
    if np.isnan(column).all():
        return column
    order = np.argsort(-column, kind="stable")
    ordered = column[order]
    fresh = np.append(True, ordered[1:] != ordered[:-1])
    ranks = np.empty(column.size)
    ranks[order] = np.flatnonzero(fresh)[np.cumsum(fresh) - 1] + 1
    return np.log(ranks)
