"""Make the ONNX graph of a BERT encoder from its weights, without a deep-learning framework."""

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
"""Weights by their names in transformers."""

_OPSET, _IR = 20, 10

_PREPROCESSED = {"onnx.quant.pre_process": "onnxruntime.quant"}
"""Keeps onnxruntime from advising to simplify the graph before it is quantised."""

_MASKED = -1e9
"""Added to the attention of a padding token, which makes its share 0."""


def bert_graph(weights: Weights, shape: Shape) -> "ModelProto":
    """Return a graph from token numbers (`ids`) and their `mask`, a row a text, to unit vectors."""
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
    helper.set_model_props(model, _PREPROCESSED)
    checker.check_model(model)
    return model


class _Graph:
    """Collects the nodes of a graph; a call adds one and returns the name of its output."""

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
        """Add a constant and return its name; lists become int64, floats float32."""
        name = f"constant{len(self.constants)}"
        types = {list: np.int64, float: np.float32}
        array = np.asarray(value, types.get(type(value)))
        self.constants.append(self._tensor(np.ascontiguousarray(array), name))
        return name

    def weight(self, name: str) -> NDArray[np.float32]:
        """Return the weights of this name."""
        if name not in self._weights:
            raise BadInput(
                f"the model's file has no weights {name}; only BERT's own names are known"
            )
        return self._weights[name]

    def linear(self, name: str, hidden: str) -> str:
        """Return hidden x weights + bias."""
        product = self("MatMul", hidden, self.weight(f"{name}.weight").T)
        return self("Add", product, self.weight(f"{name}.bias"))

    def normed(self, name: str, hidden: str, shape: Shape) -> str:
        """Return the layer normalisation of hidden."""
        return self(
            "LayerNormalization",
            hidden,
            self.weight(f"{name}.LayerNorm.weight"),
            self.weight(f"{name}.LayerNorm.bias"),
            epsilon=shape.epsilon,
        )


def _mask(graph: _Graph, axes: list[int]) -> str:
    """Return the mask as floats, with further axes of length 1."""
    return graph("Unsqueeze", graph("Cast", "mask", to=1), axes)


def _embedded(graph: _Graph, shape: Shape) -> str:
    """Return the normalised sum of each token's word, position and type embeddings.

    All tokens are of type 0, the first of two texts.
    """
    all_positions = (
        graph.weight("embeddings.position_embeddings.weight")
        + graph.weight("embeddings.token_type_embeddings.weight")[0]
    )
    tokens = graph("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")

    # shape(ids)[1:2] is the number of tokens; the first embeddings of positions are theirs
    length = graph("Slice", graph("Shape", "ids"), [1], [2])
    positions = graph("Slice", all_positions, [0], length)
    return graph.normed("embeddings", graph("Add", tokens, positions), shape)


def _layer(graph: _Graph, name: str, hidden: str, masked: str, shape: Shape) -> str:
    """Return the output of one layer: attention, then two linear steps, each with a shortcut."""
    attention = _attention(graph, f"{name}attention.self.", hidden, masked, shape)
    mixed = graph.linear(f"{name}attention.output.dense", attention)
    hidden = graph.normed(f"{name}attention.output", graph("Add", mixed, hidden), shape)

    wide = graph("Gelu", graph.linear(f"{name}intermediate.dense", hidden))
    narrow = graph.linear(f"{name}output.dense", wide)
    return graph.normed(f"{name}output", graph("Add", narrow, hidden), shape)


def _attention(graph: _Graph, name: str, hidden: str, masked: str, shape: Shape) -> str:
    """Return the attention of each token to the others, the heads' results end to end.

    Softmax(Q K^T / sqrt(size of a head)) V for each head (Vaswani et al. 2017, equation 1).
    """
    head_size = shape.size // shape.heads

    def heads(part: str, scale: float, order: list[int]) -> str:
        """Return Q, K or V, scaled: (text, token, head, value) with its axes in another order."""
        weight, bias = (graph.weight(f"{name}{part}.{kind}") for kind in ("weight", "bias"))
        product = graph("MatMul", hidden, weight.T * np.float32(scale))
        total = graph("Add", product, bias * np.float32(scale))

        split = graph("Reshape", total, [0, 0, shape.heads, head_size])
        return graph("Transpose", split, perm=order)

    # text, head, token, value for Q and V; text, head, value, token for K^T
    queries = heads("query", 1 / math.sqrt(head_size), [0, 2, 1, 3])
    products = graph("MatMul", queries, heads("key", 1.0, [0, 2, 3, 1]))
    shares = graph("Softmax", graph("Add", products, masked), axis=-1)
    mixed = graph("MatMul", shares, heads("value", 1.0, [0, 2, 1, 3]))
    return graph("Reshape", graph("Transpose", mixed, perm=[0, 2, 1, 3]), [0, 0, shape.size])


def _pooled(graph: _Graph, hidden: str, shape: Shape) -> str:
    """Return a vector for each text: of its first token, or the mean without padding."""
    if shape.pooling == "cls":
        return graph("Squeeze", graph("Slice", hidden, [0], [1], [1]), [1])

    mask = _mask(graph, [2])
    total = graph("ReduceSum", graph("Mul", hidden, mask), [1], keepdims=0)
    return graph("Div", total, graph("ReduceSum", mask, [1], keepdims=0))
