"""What a cross-encoder is trained on, and how; the papers' recipe and one for a CPU as presets."""

from dataclasses import dataclass, field
from typing import Literal

from citewise.embed.truncation import Truncation
from citewise.errors import BadInput
from citewise.evaluate.splits import SplitSettings
from citewise.train.bert.schedule import Schedule

Loss = Literal["pairs", "lists"]


@dataclass(frozen=True, slots=True)
class CrossEncoderSettings(Schedule):
    """What a cross-encoder is trained on, and how; the defaults are for a CPU."""

    split: SplitSettings = field(default_factory=SplitSettings)
    """The model learns from papers older than the dev part, and is judged on the dev part."""

    system: str = "best"
    """Whose first papers make the pairs."""
    depth: int = 50
    """How many of the system's first papers."""
    positives: int = 1
    """At most this many cited papers a query; 0 for all."""
    negatives: int = 1
    """At most this many other papers a query; 0 for all."""
    extra_positives: int = 0
    """Cited papers a query that the system did not find (the first ablation of the paper)."""
    random_negatives: int = 2
    """Papers a query that are drawn from the library (the second ablation). With hard pairs alone,
    a start from MiniLM learned nothing in its first 80 steps: the loss stayed at that of chance.
    """
    most: int = 2400
    """At most this many training queries, the youngest."""

    truncation: str = "48+48"
    """How a pair is cut: `256+256` for tokens of each side, `longest-first@512` for both."""
    loss: Loss = "lists"
    """`pairs`: the cross-entropy of each pair, as in the paper; `lists`: the cited ones must be
    found among the pairs of a query.
    """
    batch: int = 28
    """Pairs in a step; with lists, as many whole lists as fit."""
    tuning: int = 60
    """Dev queries that decide when to stop."""
    fitting: int = 240
    """Further dev queries, on which the final order is learned."""

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        Schedule.__post_init__(self)
        for name in ("depth", "most", "batch", "tuning", "fitting"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("positives", "negatives", "extra_positives", "random_negatives"):
            if getattr(self, name) < 0:
                raise BadInput(f"{name} must be at least 0, not {getattr(self, name)}")
        if self.loss not in ("pairs", "lists"):
            raise BadInput(f"loss must be pairs or lists, not {self.loss!r}")
        Truncation.parse(self.truncation)


_PAPER: dict[str, object] = {
    "system": "bm25",
    "depth": 10,
    "positives": 0,
    "negatives": 0,
    "random_negatives": 0,
    "most": 1_000_000_000,
    "truncation": "256+256",
    "loss": "pairs",
    "rate": 3e-6,
    "warm_up": 10_000,
    "dropout": 0.1,
    "words": True,
    "batch": 128,
    "epochs": 100,
}

PRESETS: dict[str, dict[str, object]] = {
    "cpu": {},
    "paper": _PAPER,
    "paper-extra-positives": {**_PAPER, "extra_positives": 10},
    "paper-random-negatives": {**_PAPER, "random_negatives": 10},
}
"""What differs from the defaults: nothing, the recipe of Nogueira et al. 2020, and the ablations of
their paper at BIR 2020 (section 5.2).
"""


def preset(name: str, **changes: object) -> CrossEncoderSettings:
    """Return the settings of a preset, with some of them changed."""
    if name not in PRESETS:
        raise BadInput(f"there is no preset {name!r}; known: {', '.join(PRESETS)}")
    return CrossEncoderSettings(**{**PRESETS[name], **changes})  # type: ignore[arg-type]
