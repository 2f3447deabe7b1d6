"""What NNRank is trained on, and how."""

from dataclasses import dataclass, field

from citewise.errors import BadInput
from citewise.evaluate.splits import SplitSettings
from citewise.rank.nnrank_features import NAMES

KINDS = 3
"""Kinds of negatives."""


@dataclass(frozen=True, slots=True)
class NNRankSettings:
    """What NNRank is trained on, and how."""

    split: SplitSettings = field(default_factory=lambda: SplitSettings(least=3))
    most: int = 4000
    """At most this many training queries, the youngest."""
    tuning: int = 300
    """At most this many dev queries."""
    epochs: int = 12
    patience: int = 3
    """Training stops after this many epochs in a row that were no better."""
    rate: float = 3e-3
    weights_rate: float = 1e-2
    """The learning rate of the weights of stems."""
    batch: int = 32
    """Queries in a step."""
    negatives: int = 6
    """Triplets of a cited paper: a third each of random papers, of candidates that are not cited,
    and of papers that cited ones cite.
    """
    gamma: float = 1.0
    """Multiplies the margins."""
    l1: float = 1e-6
    l2: float = 1e-5
    """On the weights of stems: on their size, and on what training adds."""
    word_dropout: float = 0.1
    """The share of shared stems that do not count, drawn anew for each batch."""
    features: tuple[str, ...] = NAMES
    """What the network sees: for an ablation, fewer."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        names = ("most", "tuning", "epochs", "patience", "batch")
        low = [name for name in names if getattr(self, name) < 1]
        if low:
            raise BadInput(f"{low[0]} must be at least 1, not {getattr(self, low[0])}")
        if self.negatives < KINDS:
            raise BadInput(f"negatives must be at least {KINDS}, not {self.negatives}")
        if not 0 <= self.word_dropout < 1:
            raise BadInput(f"word_dropout must be from 0 up to 1, not {self.word_dropout}")
        unknown = [name for name in self.features if name not in NAMES]
        if unknown:
            raise BadInput(f"no feature {unknown[0]!r}; known: {', '.join(NAMES)}")
