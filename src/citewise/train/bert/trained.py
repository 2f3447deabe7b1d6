"""A trained transformer and what is worth knowing about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from rich.console import RenderableType

from citewise.evaluate.tables import Section, drawn, written
from citewise.train.bert.folders import write_cross_encoder, write_encoder
from citewise.train.bert.learning import Curve


@dataclass(frozen=True, slots=True)
class BertTraining:
    """A trained cross-encoder or encoder."""

    kind: Literal["cross-encoder", "encoder"]
    weights: dict[str, torch.Tensor]
    start: Path
    """The folder of the model that training began with."""
    about: dict[str, Any]
    """Where it is from: what it was trained on, with which settings."""
    counts: dict[str, int]
    quality: dict[str, Curve]
    """On the same dev queries, the first papers of a system: in its order, and in the model's."""
    curves: list[Curve]
    best_check: int
    seconds: float
    pooling: str = "mean"
    tokens: int = 0

    def write(self, folder: Path) -> None:
        """Write the model as transformers does, or as sentence-transformers does."""
        if self.kind == "encoder":
            write_encoder(self.weights, self.start, folder, self.about, self.pooling, self.tokens)
        else:
            write_cross_encoder(self.weights, self.start, folder, self.about)


def as_table(training: BertTraining) -> RenderableType:
    """Return all tables, for a terminal."""
    return drawn(_sections(training))


def as_markdown(training: BertTraining) -> str:
    """Return all tables as Markdown."""
    return written(_sections(training))


def as_json(training: BertTraining) -> str:
    """Return everything but the weights as one JSON document."""
    names = ("kind", "about", "counts", "quality", "curves", "best_check", "seconds")
    document = {name: getattr(training, name) for name in names}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _sections(training: BertTraining) -> Iterator[Section]:
    measures = [name for name in training.curves[0] if "@" in name]
    counts = ", ".join(f"{value:,} {name}" for name, value in training.counts.items())
    yield Section(
        "Quality",
        ["", *measures],
        [
            [name, *(f"{figures[measure]:.3f}" for measure in measures)]
            for name, figures in training.quality.items()
        ],
        f"{counts}; {training.seconds:,.0f} s.",
    )
    yield Section(
        "Checks",
        ["step", "loss", "seconds", *measures],
        [
            [
                f"{each['step']:.0f}{', kept' if number == training.best_check else ''}",
                f"{each['loss']:.4f}",
                f"{each['seconds']:,.0f}",
                *(f"{each[measure]:.3f}" for measure in measures),
            ]
            for number, each in enumerate(training.curves)
        ],
    )
