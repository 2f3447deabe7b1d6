"""Where a training is, after each epoch: written whole or not at all, so that it can go on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from citewise.train.checkpoints import Checkpoint
from citewise.train.nnselect.corpus import Floats
from citewise.train.nnselect.network import Network

_FILE = "nnselect.checkpoint"


@dataclass(slots=True)
class Progress:
    """What is known after some epochs."""

    start: Floats
    """The vectors of stems before training."""
    steps: int = 0
    pairs: int = 0
    """Learned from so far, in all epochs."""
    curves: list[dict[str, float]] = field(default_factory=list)
    """What was measured after each epoch; first, before training."""
    best: bytes = b""
    """The model of the best epoch, as it is stored."""
    best_epoch: int = 0

    @property
    def epochs(self) -> int:
        """The epochs that are done."""
        return len(self.curves) - 1


class Checkpoints(Checkpoint):
    """The checkpoint of one training in a folder; `digest` tells trainings apart."""

    def __init__(self, folder: Path, digest: str) -> None:
        super().__init__(folder / _FILE, digest)

    def save(
        self,
        progress: Progress,
        network: Network,
        optimisers: Sequence[torch.optim.Optimizer],
    ) -> None:
        """Write where the training is."""
        self.write(
            {
                "start": torch.from_numpy(progress.start),
                "steps": progress.steps,
                "pairs": progress.pairs,
                "curves": progress.curves,
                "best": torch.from_numpy(np.frombuffer(progress.best, np.uint8).copy()),
                "best_epoch": progress.best_epoch,
                "parameters": {name: each.detach() for name, each in network.parameters().items()},
                "optimisers": [each.state_dict() for each in optimisers],
            }
        )


def progress_of(saved: dict[str, Any]) -> Progress:
    """Return where a saved training was."""
    return Progress(
        start=saved["start"].numpy(),
        steps=saved["steps"],
        pairs=saved["pairs"],
        curves=saved["curves"],
        best=saved["best"].numpy().tobytes(),
        best_epoch=saved["best_epoch"],
    )


def restore(
    saved: dict[str, Any], network: Network, optimisers: Sequence[torch.optim.Optimizer]
) -> None:
    """Give a network and its optimisers the state that was saved."""
    with torch.no_grad():
        for name, each in network.parameters().items():
            each.copy_(saved["parameters"][name])
    for optimiser, state in zip(optimisers, saved["optimisers"], strict=True):
        optimiser.load_state_dict(state)
