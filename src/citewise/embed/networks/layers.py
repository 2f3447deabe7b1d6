"""The layers of a transformer: embeddings, attention, and two linear steps."""

import math

import numpy as np
from numpy.typing import NDArray

from citewise.embed.networks.graph import Graph
from citewise.embed.networks.shape import Shape

_MASKED = -1e9
"""Added to the attention of a padding token, which makes its share 0."""

_BUCKETS, _FAR = 32, 128
"""MPNet's relative positions: in how many buckets they fall, and from where on all are the same."""


def hidden_layers(graph: Graph, shape: Shape) -> list[str]:
    """Return the embeddings and the output of every layer, one vector a token each."""
    hidden = [_embedded(graph, shape)]
    added = _added_to_attention(graph, shape)
    for number in range(shape.layers):
        name = f"{shape.architecture.layer}.{number}."
        hidden.append(_layer(graph, name, hidden[-1], added, shape))
    return hidden


def _embedded(graph: Graph, shape: Shape) -> str:
    """Return the normalised sum of each token's word, position and segment embeddings."""
    words = graph.weight("embeddings.word_embeddings.weight", -1, shape.size)
    places = graph.weight("embeddings.position_embeddings.weight", shape.positions, shape.size)

    total = graph("Add", graph("Gather", words, "ids"), _positions(graph, places, shape))
    if shape.architecture.has_segments:
        segments = graph.weight("embeddings.token_type_embeddings.weight", -1, shape.size)
        # RoBERTa has one segment only: whatever its number, it is the first
        number = "segments" if len(segments) > 1 else graph("Mul", "segments", [0])
        total = graph("Add", total, graph("Gather", segments, number))
    return graph.normed("embeddings.LayerNorm", total, shape.size, shape.epsilon)


def _positions(graph: Graph, places: NDArray[np.float32], shape: Shape) -> str:
    """Return the embeddings of the tokens' positions."""
    if not shape.architecture.counts_from_padding:
        # shape(ids)[1:2] is the number of tokens; the first embeddings of positions are theirs
        length = graph("Slice", graph("Shape", "ids"), [1], [2])
        return graph("Slice", places, [0], length)

    # tokens that are no padding are counted: a b PAD c  ->  1 2 0 3, plus the padding's number
    padding = graph("Equal", "ids", np.array(shape.padding, np.int64))
    counted = graph("Cast", graph("Not", padding), to=7)
    numbers = graph("Mul", graph("CumSum", counted, np.array(1, np.int64)), counted)
    return graph("Gather", places, graph("Add", numbers, np.array(shape.padding, np.int64)))


def _added_to_attention(graph: Graph, shape: Shape) -> str:
    """Return what is added to attention before its softmax: padding gets no share, and MPNet adds
    a number for each head and relative position.
    """
    mask = graph("Unsqueeze", graph("Cast", "mask", to=1), [1, 2])
    masked = graph("Mul", graph("Sub", 1.0, mask), _MASKED)
    name = shape.architecture.relative
    if not name:
        return masked

    # distances 0..2L-2 stand for key - query = -(L-1)..L-1; bias[head, distance]
    most = shape.positions
    bias = graph.weight(f"{name}.weight", _BUCKETS, shape.heads)[_buckets(most)].T
    length = graph("Squeeze", graph("Slice", graph("Shape", "ids"), [1], [2]), [0])
    places = graph("Range", np.array(0, np.int64), length, np.array(1, np.int64))
    steps = graph("Sub", graph("Unsqueeze", places, [0]), graph("Unsqueeze", places, [1]))
    distances = graph("Add", steps, np.array(most - 1, np.int64))
    relative = graph("Unsqueeze", graph("Gather", bias, distances, axis=1), [0])
    return graph("Add", relative, masked)


def _buckets(most: int) -> NDArray[np.int64]:
    """Return the bucket of each relative position from -(most - 1) to most - 1.

    Half of the buckets are for keys behind the query. Of each half, the first half is for the
    exact distances 0 to 7, the others for ranges that grow by a factor up to `_FAR` (Raffel et al.
    2020, section 2.1; as in MPNet, a key at the query's place counts as before it).
    """
    steps = np.arange(-(most - 1), most)
    half = _BUCKETS // 2
    exact = half // 2

    distance = np.abs(steps)
    growth = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact))
    ranges = growth / np.float32(math.log(_FAR / exact)) * np.float32(half - exact)
    large = np.minimum(exact + ranges.astype(np.int64), half - 1)
    return np.asarray(np.where(distance < exact, distance, large) + half * (steps > 0))


def _layer(graph: Graph, layer: str, hidden: str, added: str, shape: Shape) -> str:
    """Return the output of one layer: attention, then two linear steps, each with a shortcut."""
    names, size, epsilon = shape.architecture.names, shape.size, shape.epsilon

    attention = _attention(graph, layer, hidden, added, shape)
    mixed = graph.linear(f"{layer}{names.mixed}", attention, size, size)
    total = graph("Add", mixed, hidden)
    hidden = graph.normed(f"{layer}{names.mixed_norm}", total, size, epsilon)

    inner = graph.weight(f"{layer}{names.wide}.bias", -1).size
    wide = graph.linear(f"{layer}{names.wide}", hidden, size, inner)
    active = graph("Gelu", wide, approximate=shape.approximate)
    narrow = graph.linear(f"{layer}{names.narrow}", active, inner, size)
    total = graph("Add", narrow, hidden)
    return graph.normed(f"{layer}{names.narrow_norm}", total, size, epsilon)


def _attention(graph: Graph, layer: str, hidden: str, added: str, shape: Shape) -> str:
    """Return the attention of each token to the others, the heads' results end to end.

    Softmax(Q K^T / sqrt(size of a head)) V for each head (Vaswani et al. 2017, equation 1).
    """
    head_size, names = shape.size // shape.heads, shape.architecture.names

    def heads(part: str, scale: float, order: list[int]) -> str:
        """Return Q, K or V, scaled: (text, token, head, value) with its axes in another order."""
        weight = graph.weight(f"{layer}{part}.weight", shape.size, shape.size)
        bias = graph.weight(f"{layer}{part}.bias", shape.size)
        product = graph("MatMul", hidden, weight.T * np.float32(scale))
        total = graph("Add", product, bias * np.float32(scale))

        split = graph("Reshape", total, [0, 0, shape.heads, head_size])
        return graph("Transpose", split, perm=order)

    # text, head, token, value for Q and V; text, head, value, token for K^T
    queries = heads(names.query, 1 / math.sqrt(head_size), [0, 2, 1, 3])
    products = graph("MatMul", queries, heads(names.key, 1.0, [0, 2, 3, 1]))
    shares = graph("Softmax", graph("Add", products, added), axis=-1)
    mixed = graph("MatMul", shares, heads(names.value, 1.0, [0, 2, 1, 3]))
    return graph("Reshape", graph("Transpose", mixed, perm=[0, 2, 1, 3]), [0, 0, shape.size])
