"""The two fits: logistic regression for the linear step, LambdaMART for the trees."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from citewise.rank.linear import LinearModel
from citewise.rank.trees import spelled
from citewise.signals import TIMES
from citewise.train.examples import Examples

Matrix = NDArray[np.float64]

_MOST_STEPS = 100
_CLOSE = 1e-10
"""The fit ends where a step lowers the loss by less than this share of it."""
_TINY = 1e-9


def logistic(
    matrix: Matrix, labels: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights of each column and, last, the constant, by Newton's method with a ridge of
    1.

    Columns are standardised first, so that the ridge means the same to each; the weights are for
    them as they came. A full step may overshoot, above all where few are cited: it is halved until
    it lowers the loss.
    """
    mean, spread = matrix.mean(0), matrix.std(0) + _TINY
    scaled = np.hstack([(matrix - mean) / spread, np.ones((len(matrix), 1))])
    found, ridge = np.zeros(scaled.shape[1]), np.append(np.ones(matrix.shape[1]), 0.0)

    def loss(at: NDArray[np.float64]) -> float:
        margins = scaled @ at
        return float(weights @ (np.logaddexp(0, margins) - labels * margins) + ridge @ at**2 / 2)

    before = loss(found)
    for _ in range(_MOST_STEPS):
        expected = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (weights * (expected - labels)) + ridge * found
        curve = (scaled * (weights * expected * (1 - expected))[:, None]).T @ scaled + np.diag(
            ridge + _TINY
        )
        step = np.linalg.solve(curve, slope)
        while (after := loss(found - step)) > before and np.abs(step).max() > _TINY:
            step /= 2
        if before - after <= _CLOSE * before:
            break
        found, before = found - step, after
    raw = found[:-1] / spread
    return np.append(raw, found[-1] - raw @ mean)


def fit_linear(examples: Examples, names: Sequence[str], depth: int) -> LinearModel:
    """Fit the linear step with the products of all pairs of its features."""
    pairs = [*itertools.combinations_with_replacement(range(len(names)), 2)]
    matrix = examples.matrix.astype(np.float64)
    products = np.stack([matrix[:, one] * matrix[:, other] for one, other in pairs], 1)
    found = logistic(
        np.hstack([matrix, products]),
        examples.cited.astype(np.float64),
        examples.weights.astype(np.float64),
    )
    return LinearModel(
        weights=dict(zip(names, found[: len(names)].tolist(), strict=True)),
        constant=float(found[-1]),
        depth=depth,
        products={
            f"{names[one]}{TIMES}{names[other]}": weight
            for (one, other), weight in zip(pairs, found[len(names) : -1].tolist(), strict=True)
        },
    )


def fit_trees(
    examples: Examples,
    names: Sequence[str],
    trees: int,
    seed: int,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
    rate: float = 0.12,
) -> str:
    """Fit LambdaMART (Burges 2010) with a learning rate and return it as LightGBM writes it."""
    import lightgbm

    settings = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": 40,
        "metric": "None",
        "learning_rate": rate,
        "num_leaves": 31,
        "min_data_in_leaf": max(min(300, examples.cited.size // 500), 5),
        "lambda_l2": 5.0,
        "max_bin": 63,
        "feature_fraction": 0.5,
        "bagging_fraction": 0.6,
        "bagging_freq": 1,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbose": -1,
    }
    data = lightgbm.Dataset(
        examples.matrix,
        examples.cited.astype(np.int32),
        group=examples.sizes,
        weight=examples.weights,
        feature_name=[*map(spelled, names)],
        params={"max_bin": 63},
    )
    booster = lightgbm.train(
        settings,
        data,
        trees,
        callbacks=[lambda state: progress(state.iteration + 1, state.end_iteration)],
    )
    return str(booster.model_to_string())
