"""Texts as batches of token numbers, those of the same length together."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.embed.networks.shape import Shape
from citewise.errors import BadInput

if TYPE_CHECKING:
    from tokenizers import Encoding

_BATCH_TOKENS = 512
"""Tokens in a batch: with 2,048 it is slower by a tenth to a fifth."""


def batches(lengths: Rows) -> Iterator[Rows]:
    """Yield the positions of texts that have the same number of tokens, batch by batch.

    So no text is padded, and none knows its company. A batch has at most `_BATCH_TOKENS` tokens,
    unless it is a single text.
    """
    order = np.argsort(lengths, kind="stable")
    _, starts = np.unique(lengths[order], return_index=True)
    for equal in np.split(order, starts[1:]):
        step = max(1, _BATCH_TOKENS // max(int(lengths[equal[0]]), 1)) if equal.size else 1
        yield from (equal[at : at + step] for at in range(0, equal.size, step))


def inputs(texts: Sequence["Encoding"], shape: Shape) -> dict[str, NDArray[Any]]:
    """Return the inputs of a graph for a batch of texts with the same number of tokens."""
    found = {"ids": np.array([each.ids for each in texts], np.int64)}
    if found["ids"].max() >= shape.words:
        raise BadInput(
            f"the model's tokenizer has a token with the number {found['ids'].max()}, and its "
            f"weights know {shape.words} tokens; its files do not belong together"
        )
    if shape.architecture.has_segments:
        found["segments"] = np.array([each.type_ids for each in texts], np.int64)
    return found
