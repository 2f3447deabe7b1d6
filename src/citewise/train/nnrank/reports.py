"""What a training of NNRank found, as tables for a terminal, as Markdown and as JSON."""

from collections.abc import Iterator

import msgspec
from rich.console import RenderableType

from citewise.evaluate.tables import Section, drawn, written
from citewise.train.nnrank.training import NNRankTraining


def as_table(training: NNRankTraining) -> RenderableType:
    """Return all tables, for a terminal."""
    return drawn(_sections(training))


def as_markdown(training: NNRankTraining) -> str:
    """Return all tables as Markdown."""
    return written(_sections(training))


def as_json(training: NNRankTraining) -> str:
    """Return everything but the model's weights as one JSON document."""
    document = {name: getattr(training, name) for name in training.__slots__ if name != "model"}
    document["model"] = training.model.digest
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _sections(training: NNRankTraining) -> Iterator[Section]:
    measures = [*training.quality["trained"]]
    yield Section(
        "Quality",
        ["", *measures],
        [
            [name, *(f"{figures[measure]:.3f}" for measure in measures)]
            for name, figures in training.quality.items()
        ],
        f"On {training.queries['dev']:,} dev queries; learned from {training.queries['train']:,} "
        f"queries in {sum(training.seconds.values()):,.0f} s.",
    )
    yield Section(
        "Epochs",
        ["epoch", "loss", *measures],
        [
            [
                str(epoch),
                f"{each['loss']:.4f}",
                *(f"{each[measure]:.3f}" for measure in measures),
            ]
            for epoch, each in enumerate(training.curve, 1)
        ],
    )
