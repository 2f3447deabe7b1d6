"""The final order: what the opinions of models that read texts add to a system's scores.

    score + spread * (a * z(logit) + b * z(cosine))

z(x) are the values of a query's candidates, less their mean, divided by their standard deviation;
`spread` is the standard deviation of the scores of the system that found them. Scores stay on that
system's scale, and weights of 0 leave its order as it is.
"""

import functools
import hashlib
from collections.abc import Mapping

import msgspec
import numpy as np

from citewise.arrays import Column
from citewise.errors import BadLibrary
from citewise.protocols import Models

RERANKING = "reranking"
"""The name of a library's own final orders."""

LOGIT, COSINE = "cross_encoder", "text_cosine"
"""The signals whose opinions are added."""

_TINY = 1e-9


class FinalOrder(msgspec.Struct, frozen=True):
    """How much each opinion weighs beside a system's own scores, which weigh 1."""

    weights: dict[str, float]
    learned: bool = False
    """Whether the weights were learned on the library, for the system and the models in use."""
    queries: int = 0
    """From how many queries."""
    figures: dict[str, dict[str, float]] = {}
    """Measures of the first and of the final order, on queries that were not learned from."""

    @property
    def helps(self) -> bool:
        """Whether any opinion counts."""
        return any(self.weights.values())

    def parts(self, scores: Column, signals: Mapping[str, Column]) -> dict[str, Column]:
        """Return what each opinion adds to the scores of a query's candidates."""
        spread = float(scores.std()) if scores.size else 0.0
        return {
            name: weight * (spread or 1.0) * standardised(signals[name])
            for name, weight in self.weights.items()
            if weight and name in signals
        }


FIXED = FinalOrder({LOGIT: 0.25, COSINE: 0.25})
"""Where nothing was learned on the library."""


def standardised(values: Column) -> Column:
    """Return values less their mean, divided by their standard deviation; 0 for unknown ones, and
    for all where they are equal.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(values.size)
    mean, spread = values[known].mean(), values[known].std()
    return np.where(known, (values - mean) / max(spread, _TINY), 0.0)


class SavedOrders(msgspec.Struct, frozen=True):
    """The final orders of a library, each by the system and the models that it was learned for."""

    orders: dict[str, FinalOrder] = {}

    def encoded(self) -> bytes:
        """Return the bytes that a library keeps."""
        return msgspec.json.encode(self)


def order_key(system: str, logits: str, cosines: str) -> str:
    """Return what a learned order is for: a system, and the digests of the models, "" for none."""
    return f"{system} {logits or '-'} {cosines or '-'}"


def saved_orders(models: Models) -> SavedOrders:
    """Return the final orders that were learned on a library."""
    content = models.load(RERANKING)
    return _decoded(content) if content is not None else SavedOrders()


@functools.lru_cache(maxsize=4)
def _decoded(content: bytes) -> SavedOrders:
    try:
        return msgspec.json.decode(content, type=SavedOrders)
    except msgspec.MsgspecError as error:
        raise BadLibrary(
            f"the library's final orders cannot be read ({error}); learn them again with: "
            "citewise train reranking --library LIBRARY"
        ) from None


def order_digest(order: FinalOrder) -> str:
    """Return a fingerprint of an order's weights."""
    return hashlib.blake2b(msgspec.json.encode(order.weights), digest_size=8).hexdigest()
