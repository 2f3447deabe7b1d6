"""How a network learns: rates, checks, when to stop."""

import dataclasses
import hashlib
from dataclasses import dataclass

import msgspec

from citewise.errors import BadInput


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network learns: Adam, a warm-up, and a rate that falls in a line to 0."""

    rate: float = 6e-5
    warm_up: int = 100
    """Steps over which the learning rate grows, but no more than a fifth of all."""
    weight_decay: float = 0.01
    dropout: float = 0.0
    words: bool = False
    """Whether the embeddings of words are learned too: in a small model half of all weights, of
    which a short training sees few, and all of which every step would have to move.
    """
    epochs: int = 1
    checks: int = 4
    """How often in an epoch the model is judged on dev queries."""
    saved_every: int = 100
    """Steps between two checkpoints."""
    patience: int = 3
    """Training stops after this many checks in a row that were no better."""
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        for name in ("warm_up", "epochs", "checks", "saved_every", "patience", "threads"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        if not self.rate > 0 or self.weight_decay < 0 or not 0 <= self.dropout < 1:
            raise BadInput(
                "training needs a rate above 0, a weight decay of 0 or more and a dropout below 1; "
                f"got {self.rate}, {self.weight_decay} and {self.dropout}"
            )

    @property
    def digest(self) -> str:
        """A fingerprint of the settings: a training goes on only where they are the same."""
        content = msgspec.json.encode(dataclasses.asdict(self))
        return hashlib.blake2b(content, digest_size=8).hexdigest()
