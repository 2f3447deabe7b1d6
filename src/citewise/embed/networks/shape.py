"""A transformer's shape: what `config.json` says of its sizes, checked before it is believed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from citewise.embed.networks.architectures import ARCHITECTURES, Architecture
from citewise.errors import BadInput

_ACTIVATIONS: Mapping[str, Literal["none", "tanh"]] = {
    "gelu": "none",
    "gelu_new": "tanh",
    "gelu_pytorch_tanh": "tanh",
}
"""GELU and its approximation, by their names in configurations."""

_MOST = {"layers": 96, "heads": 128, "size": 8_192, "positions": 65_536, "words": 10_000_000}
"""What is more than this is damaged or hostile, not a model that runs on a CPU."""

MOST_TOKENS = 512
"""Tokens of a text, or of a pair of texts, that are read, also by models that could take more."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a transformer in addition to its weights."""

    architecture: Architecture
    layers: int
    heads: int
    size: int
    words: int
    """Tokens that have an embedding."""
    epsilon: float
    approximate: Literal["none", "tanh"]
    """How GELU is computed."""
    padding: int
    """The number of the padding token."""
    first_position: int
    positions: int
    """Embeddings of positions, those before the first one included."""
    labels: int
    """Outputs of the classification head, where there is one."""

    @property
    def tokens(self) -> int:
        """Tokens that the model can read at once."""
        return min(self.positions - self.first_position, MOST_TOKENS)


def shape_of(config: Mapping[str, Any], where: str) -> Shape:
    """Return the shape that a configuration describes; `where` is what errors call the model."""
    architecture = _architecture(config, where)
    names = architecture.settings
    approximate = _approximation(config.get(names.activation), where)

    def whole(name: str, limit: str, least: int = 1, default: int | None = None) -> int:
        value = config.get(name, default)
        if type(value) is not int or not least <= value <= _MOST[limit]:
            raise BadInput(
                f"{where}: {name} in config.json is {value!r}; a whole number from {least} to "
                f"{_MOST[limit]:,} is needed"
            )
        return value

    padding = whole("pad_token_id", "words", 0, 0)
    found = Shape(
        architecture=architecture,
        layers=whole(names.layers, "layers"),
        heads=whole(names.heads, "heads"),
        size=whole(names.size, "size"),
        words=whole("vocab_size", "words"),
        epsilon=_epsilon(config, names.epsilon, where),
        approximate=approximate,
        padding=padding,
        first_position=padding + 1 if architecture.counts_from_padding else 0,
        positions=whole("max_position_embeddings", "positions"),
        labels=_labels(config, where),
    )
    _check_sizes(found, where)
    return found


def _architecture(config: Mapping[str, Any], where: str) -> Architecture:
    kind = config.get("model_type")
    found = ARCHITECTURES.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise BadInput(
            f"{where}: a model of type {kind!r}; those that can be run are "
            f"{', '.join(ARCHITECTURES)}"
        )

    positions = config.get("position_embedding_type", "absolute")
    if positions != "absolute" or config.get("is_decoder") or config.get("add_cross_attention"):
        raise BadInput(
            f"{where}: a {kind} model with {positions!r} positions"
            f"{' that generates text' if config.get('is_decoder') else ''}; only encoders with "
            "absolute positions can be run"
        )
    return found


def _approximation(activation: Any, where: str) -> Literal["none", "tanh"]:
    found = _ACTIVATIONS.get(activation) if isinstance(activation, str) else None
    if found is None:
        raise BadInput(
            f"{where}: a model with the activation {activation!r}; those that can be run have "
            f"{', '.join(_ACTIVATIONS)}"
        )
    return found


def _epsilon(config: Mapping[str, Any], name: str, where: str) -> float:
    value = config.get(name, 1e-12) if name else 1e-12
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 < value < 0.1:
        raise BadInput(f"{where}: {name} in config.json is {value!r}; a small number is needed")
    return float(value)


def _labels(config: Mapping[str, Any], where: str) -> int:
    """Return the number of labels; transformers' default is two."""
    named = config.get("id2label")
    value = len(named) if isinstance(named, dict) and named else config.get("num_labels", 2)
    if type(value) is not int or value < 1:
        raise BadInput(f"{where}: num_labels in config.json is {value!r}")
    return value


def _check_sizes(shape: Shape, where: str) -> None:
    if shape.size % shape.heads:
        raise BadInput(
            f"{where}: {shape.size} numbers a token cannot be shared by {shape.heads} attention "
            "heads; config.json does not belong to this model"
        )
    if shape.positions <= shape.first_position:
        raise BadInput(
            f"{where}: max_position_embeddings in config.json is {shape.positions}, and the first "
            f"position is {shape.first_position}"
        )
