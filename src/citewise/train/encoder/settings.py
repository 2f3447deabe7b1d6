"""What an article encoder is trained on, and how."""

from dataclasses import dataclass, field
from typing import Literal

from citewise.errors import BadInput
from citewise.evaluate.splits import SplitSettings
from citewise.train.bert.schedule import Schedule

Sampling = Literal["specter", "scincl"]
Loss = Literal["softmax", "triplet"]


@dataclass(frozen=True, slots=True)
class EncoderSettings(Schedule):
    """What an article encoder is trained on, and how; the defaults are for a CPU."""

    split: SplitSettings = field(default_factory=SplitSettings)
    """The model learns from papers older than the dev part, and is judged on the dev part."""

    sampling: Sampling = "specter"
    """`specter`: a paper that is cited, against one that the cited ones cite and against any
    (Cohan et al. 2020); `scincl`: papers near in an embedding of the citation graph, against those
    at a margin from them and against far ones (Ostendorff et al. 2022).
    """
    triplets: int = 5
    """Of each citing paper."""
    hard: int = 2
    """How many of them have a hard negative, where there is one."""
    most: int = 4000
    """At most this many citing papers, the youngest."""

    near: int = 25
    """With `scincl`: neighbours up to this rank are positives."""
    margin_from: int = 200
    """With `scincl`: hard negatives are the neighbours of this rank, and of some behind it."""
    band: int = 20
    """How many neighbours from there on."""
    dimension: int = 64
    """Of the embedding of the citation graph."""

    loss: Loss = "softmax"
    """`softmax`: the positive must be found among all papers of a step; `triplet`: it must be
    nearer than the negative by a margin.
    """
    margin: float = 0.2
    """Of the triplet loss, in the distance of vectors of length 1."""
    temperature: float = 0.05
    """Of the softmax."""
    tokens: int = 128
    """Of a title and abstract."""
    pooling: Literal["mean", "cls"] = "mean"
    batch: int = 16
    """Triplets in a step."""
    tuning: int = 60
    """Dev queries that decide when to stop."""
    depth: int = 30
    """How many of the first papers by BM25 they rank."""

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        Schedule.__post_init__(self)
        positive = ("triplets", "most", "near", "margin_from", "band", "dimension", "tokens")
        for name in (*positive, "batch", "tuning", "depth"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        for name, known in (("sampling", ("specter", "scincl")), ("loss", ("softmax", "triplet"))):
            if getattr(self, name) not in known:
                raise BadInput(f"{name} must be {' or '.join(known)}, not {getattr(self, name)!r}")
        if self.near >= self.margin_from:
            raise BadInput(
                f"hard negatives (from rank {self.margin_from}) must be behind the positives (up "
                f"to rank {self.near})"
            )
        if not self.temperature > 0 or self.margin < 0:
            raise BadInput("the temperature must be above 0, and the margin 0 or more")
