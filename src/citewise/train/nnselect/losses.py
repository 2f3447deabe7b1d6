"""The two losses of NNSelect."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from citewise.arrays import Mask

RANDOM, NEAREST, CITATION, NONE = 0, 1, 2, 3
"""Kinds of negatives: any paper, a near one, one that a cited paper cites; and a missing one."""

MARGINS = (0.3, 0.2, 0.1, -np.inf)
"""The margin of each kind of negative; a missing one adds nothing to the loss."""


def boost(in_citations: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return sigma(in-citations / 100) / 50 (Bhagavatula et al. 2018, section 3.1)."""
    found: NDArray[np.float32] = (1 / (1 + np.exp(-in_citations / 100)) / 50).astype(np.float32)
    return found


def triplet_loss(
    positive: torch.Tensor,
    negative: torch.Tensor,
    kinds: NDArray[np.int64],
    boosts: tuple[NDArray[np.float32], NDArray[np.float32]],
    gamma: float,
) -> torch.Tensor:
    """Return the mean of the triplets' losses.

    max(gamma * margin(d-) + s(q, d-) - s(q, d+) + B(d+) - B(d-), 0)

    `positive` has the cosine of each pair, `negative` those of its negatives, as rows; `boosts` are
    those of the cited papers and of the negatives. The paper's formula has B with the other signs;
    its text and its code have it as here: a much-cited paper must be further above the margin.
    """
    of_cited, of_negatives = map(torch.from_numpy, boosts)
    margins = torch.from_numpy(np.array(MARGINS, np.float32)[kinds])
    short = gamma * margins + negative - positive[:, None] + of_cited[:, None] - of_negatives
    return short.clamp(min=0).mean()


def softmax_loss(
    citing: torch.Tensor,
    cited: torch.Tensor,
    scale: torch.Tensor,
    also_cited: Mask,
    others: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the mean cross-entropy of finding each pair's cited paper among those of the batch,
    and its citing paper among those of the batch.

    Pairs are rows of unit vectors; `also_cited` marks who cites whom: beside a pair's own, these
    are no mistakes and are left out. `others` are further papers, among which the cited ones must
    be found too.
    """
    no_mistakes = also_cited & ~np.eye(len(also_cited), dtype=np.bool_)
    scores = (citing @ cited.T * scale).masked_fill(torch.from_numpy(no_mistakes), -1e4)
    among = scores if others is None else torch.cat([scores, citing @ others.T * scale], 1)
    own = torch.arange(len(scores))
    both = functional.cross_entropy(among, own) + functional.cross_entropy(scores.T, own)
    return both / 2
