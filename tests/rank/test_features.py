"""The forms of features, and signals that follow from others, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from citewise.errors import BadLibrary
from citewise.rank.derived import of_sentences
from citewise.rank.features import feature_matrix, feature_rows
from citewise.rank.trees import DRAFT_MODEL


def test_features_by_hand() -> None:
    signals = {"votes": np.array([2.0, 4.0, 4.0, 0.0]), "nothing": np.full(4, np.nan)}
    found = feature_matrix(
        signals,
        ["votes / best", "rank votes", "log votes", "votes", "nothing / best", "rank nothing"],
    )
    assert found[:, 0].tolist() == [0.5, 1, 1, 0]
    assert found[:, 1] == pytest.approx(np.log([3, 1, 1, 4])), "equals share the best rank"
    assert found[:, 2] == pytest.approx(np.log([3, 5, 5, 1]))
    assert found[:, 3].tolist() == [2, 4, 4, 0]
    assert np.isnan(found[:, 4:]).all()

    signals["partly"] = np.array([np.nan, 3.0, 0.0, np.nan])
    assert feature_matrix(signals, ["rank partly"])[:, 0] == pytest.approx(np.log([3, 1, 2, 3])), (
        "the unknown are last"
    )


@pytest.mark.slow
@given(
    rows=arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=9),
        elements=st.sampled_from([0.0, 0.25, 1.0, 3.0, -2.0, np.nan]),
    )
)
def test_ranks_are_those_of_scipy(rows: NDArray[np.float64]) -> None:
    from scipy.stats import rankdata  # type: ignore[import-untyped]  # takes a second

    signals = {f"signal{number}": row for number, row in enumerate(rows)}
    found = feature_rows(signals, [f"rank {name}" for name in signals])
    for row, logs in zip(rows, found, strict=True):
        known = np.where(np.isnan(row), -np.inf, row)
        if np.isnan(row).all():
            assert np.isnan(logs).all()
        else:
            assert logs == pytest.approx(np.log(rankdata(-known, method="min")))


def test_no_candidates_have_no_features() -> None:
    names = ["votes / best", "rank votes", "log votes", "votes"]
    assert feature_matrix({"votes": np.zeros(0)}, names).shape == (0, 4)


def test_derived_signals_by_hand() -> None:
    # The best cosine is 0.4; by votes, the others' shares of it are 0.5 * 2 + 1 * 4 + 0 * 4 of 10
    # votes: 0.5, and in the plain mean of all four 0.5 as well.
    names = ("citations", "citations2", "vote_count", "votes_sharp", "bm25", "query_weight")
    signals = {name: np.zeros(4) for name in names}
    signals["votes"] = np.array([2.0, 4.0, 4.0, 0.0])
    signals["cosine"] = np.array([0.2, 0.4, 0.0, 0.2])
    found = DRAFT_MODEL.features(signals, ["voted_similarity", "voted_similarity_lift"])
    assert found[0] == pytest.approx([0.5, 1.0])

    # of 3 citations, 1 is of the last year
    trend = of_sentences({"recent": np.array([1.0]), "support": np.array([3.0])})["trend"]
    assert trend == pytest.approx([np.log(2) - np.log(4)])


def test_a_signal_that_nobody_computes_is_refused() -> None:
    with pytest.raises(BadLibrary, match=r"the signal 'votes', .* citewise train ranker"):
        feature_matrix({}, ["log votes"])
