"""A BERT encoder with pooling as an ONNX graph, made from its weights: no deep-learning framework
is needed for it.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewise.embed.folder import Shape
from citewise.errors import BadInput

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Weights = Mapping[str, NDArray[np.float32]]
"""By the names that transformers gives them."""

_OPSET, _IR = 20, 10
_AS_SMALL_AS_CAN_BE = {"onnx.quant.pre_process": "onnxruntime.quant"}
"""So that onnxruntime does not advise to simplify the graph before it is made int8."""
_MASKED = -1e9
"""Added to the attention that a token of padding would get."""


def bert_graph(weights: Weights, shape: Shape) -> "ModelProto":
    """Return the graph: token numbers and their mask, as rows, to vectors of length 1."""
    from onnx import TensorProto, checker, helper

    graph = _Graph(weights)
    hidden = _embedded(graph, shape)
    masked = graph("Mul", graph("Sub", 1.0, _mask(graph, [1, 2])), _MASKED)
    for number in range(shape.layers):
        hidden = _layer(graph, f"encoder.layer.{number}.", hidden, masked, shape)
    graph("LpNormalization", _pooled(graph, hidden, shape), axis=-1, p=2, output="vectors")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("ids", "mask")
    ]
    output = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", shape.size])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "bert", inputs, [output], graph.constants),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
    )
    helper.set_model_props(model, _AS_SMALL_AS_CAN_BE)
    checker.check_model(model)
    return model


class _Graph:
    """Collects nodes; calling it adds one and returns the name of its output."""

    def __init__(self, weights: Weights) -> None:
        from onnx import helper, numpy_helper

        self._weights, self._make, self._tensor = weights, helper.make_node, numpy_helper.from_array
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def __call__(
        self,
        kind: str,
        *inputs: "str | float | NDArray[np.generic] | list[int]",
        output: str = "",
        **attributes: Any,
    ) -> str:
        name = output or f"{kind}{len(self.nodes)}"
        names = [each if isinstance(each, str) else self._constant(each) for each in inputs]
        self.nodes.append(self._make(kind, names, [name], **attributes))
        return name

    def _constant(self, value: "float | NDArray[np.generic] | list[int]") -> str:
        name = f"constant{len(self.constants)}"
        wanted = (
            np.int64
            if isinstance(value, list)
            else np.float32
            if isinstance(value, float)
            else None
        )
        self.constants.append(self._tensor(np.ascontiguousarray(np.asarray(value, wanted)), name))
        return name

    def weight(self, name: str) -> NDArray[np.float32]:
        if name not in self._weights:
            raise BadInput(
                f"the model's file has no weights {name}; only BERT's own names are known"
            )
        return self._weights[name]

    def linear(self, name: str, hidden: str) -> str:
        product = self("MatMul", hidden, self.weight(f"{name}.weight").T)
        return self("Add", product, self.weight(f"{name}.bias"))

    def normed(self, name: str, hidden: str, shape: Shape) -> str:
        return self(
            "LayerNormalization",
            hidden,
            self.weight(f"{name}.LayerNorm.weight"),
            self.weight(f"{name}.LayerNorm.bias"),
            epsilon=shape.epsilon,
        )


def _mask(graph: _Graph, axes: list[int]) -> str:
    """Return the mask as numbers, with further axes."""
    return graph("Unsqueeze", graph("Cast", "mask", to=1), axes)


def _embedded(graph: _Graph, shape: Shape) -> str:
    """Return the sum of each token's vector, its place's, and that of the first of two texts, which
    all belong to.
    """
    places = (
        graph.weight("embeddings.position_embeddings.weight")
        + graph.weight("embeddings.token_type_embeddings.weight")[0]
    )
    tokens = graph("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    length = graph("Slice", graph("Shape", "ids"), [1], [2])
    return graph.normed(
        "embeddings", graph("Add", tokens, graph("Slice", places, [0], length)), shape
    )


def _layer(graph: _Graph, name: str, hidden: str, masked: str, shape: Shape) -> str:
    mixed = graph.linear(
        f"{name}attention.output.dense",
        _attention(graph, f"{name}attention.self.", hidden, masked, shape),
    )
    hidden = graph.normed(f"{name}attention.output", graph("Add", mixed, hidden), shape)
    wide = graph("Gelu", graph.linear(f"{name}intermediate.dense", hidden))
    return graph.normed(
        f"{name}output", graph("Add", graph.linear(f"{name}output.dense", wide), hidden), shape
    )


def _attention(graph: _Graph, name: str, hidden: str, masked: str, shape: Shape) -> str:
    """Return what each token takes from the others (Vaswani et al. 2017, equation 1), all heads
    side by side.
    """

    def heads(part: str, scale: float, order: list[int]) -> str:
        product = graph(
            "MatMul", hidden, graph.weight(f"{name}{part}.weight").T * np.float32(scale)
        )
        found = graph("Add", product, graph.weight(f"{name}{part}.bias") * np.float32(scale))
        return graph(
            "Transpose",
            graph("Reshape", found, [0, 0, shape.heads, shape.size // shape.heads]),
            perm=order,
        )

    queries = heads("query", 1 / math.sqrt(shape.size // shape.heads), [0, 2, 1, 3])
    alike = graph("MatMul", queries, heads("key", 1.0, [0, 2, 3, 1]))
    shares = graph("Softmax", graph("Add", alike, masked), axis=-1)
    taken = graph("MatMul", shares, heads("value", 1.0, [0, 2, 1, 3]))
    return graph("Reshape", graph("Transpose", taken, perm=[0, 2, 1, 3]), [0, 0, shape.size])


def _pooled(graph: _Graph, hidden: str, shape: Shape) -> str:
    """Return one vector a text: the first token's, or the mean of those that are no padding."""
    if shape.pooling == "cls":
        return graph("Squeeze", graph("Slice", hidden, [0], [1], [1]), [1])
    mask = _mask(graph, [2])
    total = graph("ReduceSum", graph("Mul", hidden, mask), [1], keepdims=0)
    return graph("Div", total, graph("ReduceSum", mask, [1], keepdims=0))
