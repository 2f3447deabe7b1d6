"""The families of transformers that can be run, each as a value: how it names its settings and its
weights, and what it computes differently from BERT.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Head = Literal["pooler", "dense", "relu"]
"""What leads from the first token to the labels: BERT's pooler, a dense layer with tanh, or one
with ReLU, and then a linear layer.
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """The names of a family's settings in `config.json`."""

    layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    size: str = "hidden_size"
    activation: str = "hidden_act"
    epsilon: str = "layer_norm_eps"
    """"" where it is no setting: then it is 1e-12."""


@dataclass(frozen=True, slots=True)
class LayerNames:
    """The names of a layer's weights, behind the layer's own name."""

    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    mixed: str = "attention.output.dense"
    mixed_norm: str = "attention.output.LayerNorm"
    wide: str = "intermediate.dense"
    narrow: str = "output.dense"
    narrow_norm: str = "output.LayerNorm"


@dataclass(frozen=True, slots=True)
class HeadNames:
    """The names of a classification head's weights: of the dense layer and of the last one."""

    kind: Head
    dense: str
    labels: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """A family of transformers."""

    name: str
    """As `model_type` of `config.json` says it."""
    head: HeadNames
    prefix: str
    """Of the encoder's weights in a model that was trained for more than encoding."""
    layer: str = "encoder.layer"
    names: LayerNames = field(default=LayerNames())
    settings: Settings = field(default=Settings())
    has_segments: bool = False
    """Whether tokens of the first and of the second text have embeddings that differ."""
    counts_from_padding: bool = False
    """Whether the first position has the number behind the padding token's (RoBERTa), not 0."""
    relative: str = ""
    """The weights added to attention by relative position; "" where there are none."""


_DENSE_HEAD = HeadNames("dense", "classifier.dense", "classifier.out_proj")

BERT = Architecture(
    name="bert",
    prefix="bert.",
    head=HeadNames("pooler", "pooler.dense", "classifier"),
    has_segments=True,
)
ROBERTA = Architecture(
    name="roberta",
    prefix="roberta.",
    head=_DENSE_HEAD,
    has_segments=True,
    counts_from_padding=True,
)
XLM_ROBERTA = Architecture(
    name="xlm-roberta",
    prefix="roberta.",
    head=_DENSE_HEAD,
    has_segments=True,
    counts_from_padding=True,
)
MPNET = Architecture(
    name="mpnet",
    prefix="mpnet.",
    head=_DENSE_HEAD,
    names=LayerNames(
        query="attention.attn.q",
        key="attention.attn.k",
        value="attention.attn.v",
        mixed="attention.attn.o",
        mixed_norm="attention.LayerNorm",
    ),
    counts_from_padding=True,
    relative="encoder.relative_attention_bias",
)
DISTILBERT = Architecture(
    name="distilbert",
    prefix="distilbert.",
    head=HeadNames("relu", "pre_classifier", "classifier"),
    layer="transformer.layer",
    names=LayerNames(
        query="attention.q_lin",
        key="attention.k_lin",
        value="attention.v_lin",
        mixed="attention.out_lin",
        mixed_norm="sa_layer_norm",
        wide="ffn.lin1",
        narrow="ffn.lin2",
        narrow_norm="output_layer_norm",
    ),
    settings=Settings(
        layers="n_layers",
        heads="n_heads",
        size="dim",
        activation="activation",
        epsilon="",
    ),
)

ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {each.name: each for each in (BERT, ROBERTA, XLM_ROBERTA, MPNET, DISTILBERT)}
)
"""By `model_type`."""
