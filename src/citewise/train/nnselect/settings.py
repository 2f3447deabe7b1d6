"""What NNSelect is trained on, and how; the settings of its paper as presets."""

import dataclasses
import hashlib
import importlib.util
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from citewise.embed.word_vectors import Damping
from citewise.errors import BadInput, MissingExtra
from citewise.evaluate.splits import SplitSettings

Loss = Literal["softmax", "triplet"]
Start = Literal["lsa", "random", "words", "both"]

MEASURES = "F1@20 MRR@1000 R@20 R@1000"
"""What a model is judged by."""


@dataclass(frozen=True, slots=True)
class NNSelectSettings:
    """What NNSelect is trained on, and how; the defaults are those of the model that ships."""

    split: SplitSettings = field(default_factory=SplitSettings)
    """The model learns from papers older than the dev part, and is judged on the dev part."""

    loss: Loss = "softmax"
    """`softmax`: among the papers that the pairs of a batch cite, each citing paper must find its
    own; `triplet`: a cited paper must be nearer than a negative, by a margin.
    """
    start: Start = "lsa"
    """Vectors of stems before training: latent semantic analysis, random numbers, what an encoder
    makes of each stem's commonest word, or the first and the last side by side, which the matrix
    then turns into vectors of the dimension wanted.
    """
    unit_directions: bool = False
    """Whether a stem's vector is its magnitude times a direction of length 1, as in the paper;
    else the length of the direction counts as well.
    """
    matrix: bool = True
    """Whether one matrix that turns the vectors of the start is learned too."""
    dimension: int = 256

    vocabulary: int = 60_000
    """At most this many stems, the commonest."""
    least_papers: int = 4
    """A stem is learned if at least this many papers have it."""
    damping: Damping = "log"
    word_dropout: float = 0.3
    """The share of a text's stems that are left out each time."""
    positives: tuple[int, int] = (1, 10_000)
    """Citing papers with fewer cited papers are left out; of more, some are chosen at random."""

    random_negatives: int = 512
    """With the softmax: this many papers of the library, drawn for each batch, are among those from
    which a citing paper must tell its own. Without them it learns only to tell cited papers apart.
    """

    rate: float = 3e-3
    """The learning rate of magnitudes, of the matrix and of the weights of the fields."""
    table_rate: float = 1e-3
    """The learning rate of the vectors of stems."""
    decaying: bool = True
    """Whether rates grow over the first 100 steps and then fall, down to a twentieth."""
    l1: float = 0.0
    """On magnitudes."""
    l2: float = 0.0
    """On what training adds to the vectors of the start; with unit directions, on these before
    they are made so.
    """
    batch: int = 512
    """Pairs, or triplets, in a step."""
    epochs: int = 2
    triplets: int = 0
    """With the triplet loss: at most this many in all epochs; 0 for no limit."""

    gamma: float = 1.0
    """Multiplies the margins of the triplet loss."""
    negatives: int = 6
    """A pair's triplets."""
    neighbours: bool = True
    """Whether a third of the negatives are nearest neighbours, searched anew for each epoch."""
    percentile: float = 5.0
    """A neighbour is a negative if its text is less similar to the citing paper's than this
    percentile of the papers that it cites.
    """

    measure: str = "R@1000"
    """The one that decides which epoch is best, and whether the model is better than another."""
    patience: int = 2
    """Training stops after this many epochs in a row that were no better."""
    tuning: int = 500
    """At most this many dev queries are asked."""
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        whole = ("dimension", "vocabulary", "batch", "epochs", "negatives", "patience", "tuning")
        for name in whole:
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.word_dropout < 1:
            raise BadInput(f"word_dropout must be from 0 up to 1, not {self.word_dropout}")
        if not self.gamma > 0:
            raise BadInput(f"gamma must be above 0, not {self.gamma}")
        if self.measure not in MEASURES.split():
            raise BadInput(f"measure must be one of {MEASURES}, not {self.measure!r}")
        if self.start == "both" and not self.matrix:
            raise BadInput("a start from both needs matrix=True, which makes one vector of the two")
        if self.random_negatives < 0:
            raise BadInput(f"random_negatives must be at least 0, not {self.random_negatives}")
        if self.loss == "triplet" and self.batch < self.negatives:
            raise BadInput(f"a batch of {self.batch} has no room for {self.negatives} triplets")

    @property
    def digest(self) -> str:
        """A fingerprint of the settings: a training goes on only where they are the same."""
        content = msgspec.json.encode(dataclasses.asdict(self))
        return hashlib.blake2b(content, digest_size=8).hexdigest()


_CITEOMATIC = {
    "loss": "triplet",
    "start": "random",
    "unit_directions": True,
    "matrix": False,
    "vocabulary": 200_000,
    "least_papers": 1,
    "damping": "none",
    "positives": (2, 100),
    "decaying": False,
    "batch": 256,
    "epochs": 100,
    "triplets": 2_500_000,
    "measure": "R@20",
}

PRESETS: dict[str, dict[str, object]] = {
    "citewise": {},
    "shipped": {"start": "both"},
    "citeomatic-dblp": {
        **_CITEOMATIC,
        "positives": (1, 100),
        "start": "words",
        "dimension": 300,
        "rate": 1e-2,
        "table_rate": 1e-2,
        "l1": 1e-7,
        "word_dropout": 0.6,
    },
    "citeomatic-pubmed": {
        **_CITEOMATIC,
        "dimension": 325,
        "rate": 1e-3,
        "table_rate": 1e-3,
        "l1": 1e-6,
        "word_dropout": 0.55,
        "gamma": 0.5,
    },
    "citeomatic-opencorpus": {
        **_CITEOMATIC,
        "dimension": 75,
        "rate": 1e-3,
        "table_rate": 1e-3,
        "l1": 1e-7,
        "l2": 1e-5,
        "word_dropout": 0.1,
        "triplets": 25_000_000,
    },
}
"""What differs from the defaults: nothing, what the model that ships was trained with, and tables 6
to 9 of Bhagavatula et al. 2018.
"""


def require_torch() -> None:
    """Raise an error with the pip line where torch is missing."""
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("training of word vectors (torch)", "train")


def preset(name: str, **changes: object) -> NNSelectSettings:
    """Return the settings of a preset, with some of them changed."""
    if name not in PRESETS:
        raise BadInput(f"there is no preset {name!r}; known: {', '.join(PRESETS)}")
    return NNSelectSettings(**{**PRESETS[name], **changes})  # type: ignore[arg-type]
