"""What a training of NNSelect found, as tables for a terminal, as Markdown and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict

import msgspec
from rich.console import RenderableType

from citewise.evaluate.tables import Section, drawn, written
from citewise.train.nnselect.training import NNSelectTraining


def as_table(training: NNSelectTraining) -> RenderableType:
    """Return all tables, for a terminal."""
    return drawn(_sections(training))


def as_markdown(training: NNSelectTraining) -> str:
    """Return all tables as Markdown."""
    return written(_sections(training))


def as_json(training: NNSelectTraining) -> str:
    """Return everything but the model's vectors as one JSON document."""
    left_out = {name: getattr(training, name) for name in training.__slots__ if name != "model"}
    document = {**left_out, "model": asdict(training.model.about)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _sections(training: NNSelectTraining) -> Iterator[Section]:
    counts = training.counts
    measures = [*training.quality["trained"]]
    yield Section(
        "Quality",
        ["", *measures],
        [
            [name, *(f"{figures[measure]:.3f}" for measure in measures)]
            for name, figures in training.quality.items()
        ],
        f"On {counts['dev queries']:,} dev queries; learned from {counts['pairs']:,} citations by "
        f"{counts['citing papers']:,} papers, {counts['stems']:,} stems, in "
        f"{training.seconds:,.0f} s.",
    )
    yield Section(
        "Epochs",
        ["epoch", "loss", "seconds", *measures],
        [
            [
                f"{epoch}, kept" if epoch == training.best_epoch else str(epoch),
                f"{each['loss']:.4f}" if epoch else "",
                f"{each['seconds']:,.0f}",
                *(f"{each[measure]:.3f}" for measure in measures),
            ]
            for epoch, each in enumerate(training.curves)
        ],
    )
