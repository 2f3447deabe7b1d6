"""Texts as batches of token numbers, those of similar lengths together."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows

if TYPE_CHECKING:
    from tokenizers import Encoding

_BATCH_TOKENS = 512
"""Tokens in a batch, padding included: with 2,048 it is slower by a tenth to a fifth."""


def batches(lengths: Rows) -> Iterator[Rows]:
    """Yield the positions of texts of similar lengths, batch by batch.

    A batch of n texts takes n times the length of its longest one; at most `_BATCH_TOKENS`, unless
    it is a single text.
    """
    order = np.argsort(lengths, kind="stable")
    begin = 0
    for end in range(1, order.size + 1):
        # order[end] would be the batch's longest text, and its number end + 1 - begin
        if end == order.size or (end + 1 - begin) * lengths[order[end]] > _BATCH_TOKENS:
            yield order[begin:end]
            begin = end


def inputs(
    texts: Sequence["Encoding"], padding: int, with_segments: bool
) -> dict[str, NDArray[Any]]:
    """Return the inputs of a graph for a batch of texts.

    Lengths 3 1 give the mask  1 1 1   and the ids  a b c   of texts (a b c) and (d).
                               1 0 0                d P P
    """
    lengths = np.array([len(each) for each in texts])
    mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)

    ids = np.full_like(mask, padding)
    ids[mask > 0] = np.concatenate([each.ids for each in texts])
    found = {"ids": ids, "mask": mask}
    if with_segments:
        found["segments"] = np.zeros_like(mask)
        found["segments"][mask > 0] = np.concatenate([each.type_ids for each in texts])
    return found
