"""What a graph returns: a vector for each text, or a score for each pair of texts."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from citewise.embed.networks.graph import Graph, Weights
from citewise.embed.networks.layers import hidden_layers
from citewise.embed.networks.shape import Shape
from citewise.errors import BadInput
from citewise.protocols import Precision

if TYPE_CHECKING:
    from onnx import ModelProto

Pooling = Literal["cls", "mean", "sentences"]
"""How the tokens' vectors become one: that of the first token; the mean of all tokens, special ones
included; or the mean of the sentences' means, special tokens left out, each token being the mean of
all layers and the embeddings (ASPIRE).
"""


def _inputs(shape: Shape) -> dict[str, type]:
    segments: dict[str, type] = {"segments": np.int64} if shape.architecture.has_segments else {}
    return {"ids": np.int64} | segments


def encoder_graph(
    weights: Weights, shape: Shape, pooling: Pooling, precision: Precision, where: str
) -> "ModelProto":
    """Return a graph from the token numbers (`ids`) and `segments` of texts that have the same
    number of tokens, a row a text, to vectors; unless the first token is taken, `shares` are those
    of the tokens in each vector. `where` is what errors call the model.
    """
    graph = Graph(weights, precision, where)
    layers = hidden_layers(graph, shape, only_first=pooling == "cls")
    inputs = _inputs(shape)

    if pooling == "cls":
        graph("Squeeze", layers[-1], [1], output="vectors")
    else:
        hidden = _mean(graph, layers) if pooling == "sentences" else layers[-1]
        inputs["shares"] = np.float32
        # (texts, 1, tokens) x (texts, tokens, size)
        pooled = graph("MatMul", graph("Unsqueeze", "shares", [1]), hidden)
        graph("Squeeze", pooled, [1], output="vectors")
    return graph.model(inputs, ("vectors", ["texts", shape.size]))


def scorer_graph(weights: Weights, shape: Shape, precision: Precision, where: str) -> "ModelProto":
    """Return a graph from pairs of texts to scores: the logit of a model with one label, the
    log-odds of the second label of one with two.
    """
    if shape.labels > 2:
        raise BadInput(
            f"{where}: a classification head with {shape.labels} labels; a pair scorer has one or "
            "two"
        )
    graph, head = Graph(weights, precision, where), shape.architecture.head
    first = graph("Squeeze", hidden_layers(graph, shape, only_first=True)[-1], [1])

    dense = _exact(graph, head.dense, first, shape)
    active = graph("Relu" if head.kind == "relu" else "Tanh", dense)

    weight = graph.weight(f"{head.labels}.weight", shape.labels, shape.size)
    bias = graph.weight(f"{head.labels}.bias", shape.labels)
    if shape.labels == 2:  # the log-odds of the second: its logit less that of the first
        weight, bias = weight[1:] - weight[:1], bias[1:] - bias[:1]
    graph("Squeeze", graph("Gemm", active, weight, bias, transB=1), [1], output="scores")
    return graph.model(_inputs(shape), ("scores", ["texts"]))


def _exact(graph: Graph, name: str, first: str, shape: Shape) -> str:
    """Return first x weights + bias, which is not rounded to 8 bits, unlike those of the layers."""
    weight = graph.weight(f"{name}.weight", shape.size, shape.size)
    return graph("Gemm", first, weight, graph.weight(f"{name}.bias", shape.size), transB=1)


def _mean(graph: Graph, layers: list[str]) -> str:
    return graph("Mul", graph("Sum", *layers), np.array(1 / len(layers), np.float32))
