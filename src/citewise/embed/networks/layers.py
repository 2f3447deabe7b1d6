"""The layers of a transformer: embeddings, attention, and two linear steps."""

import math

import numpy as np
from numpy.typing import NDArray

from citewise.embed.networks.graph import MICROSOFT, Graph
from citewise.embed.networks.shape import Shape

_BUCKETS, _FAR = 32, 128
"""MPNet's relative positions: in how many buckets they fall, and from where on all are the same."""


def hidden_layers(graph: Graph, shape: Shape, only_first: bool = False) -> list[str]:
    """Return the embeddings and the output of every layer, one vector a token each.

    With `only_first`, the last layer has the vector of the first token alone: what nobody reads is
    not computed.
    """
    hidden = [_embedded(graph, shape)]
    relative = _relative(graph, shape)
    for number in range(shape.layers):
        name, context = f"{shape.architecture.layer}.{number}.", hidden[-1]
        if only_first and number == shape.layers - 1:
            hidden.append(_layer_of_first(graph, name, context, relative, shape))
        else:
            attention = _attention(graph, name, context, relative, shape)
            hidden.append(_layer(graph, name, context, attention, shape))
    return hidden


def _embedded(graph: Graph, shape: Shape) -> str:
    """Return the normalised sum of each token's word, position and segment embeddings."""
    words = graph.weight("embeddings.word_embeddings.weight", shape.words, shape.size)
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


def _relative(graph: Graph, shape: Shape) -> str:
    """Return what MPNet adds to attention, a number for each head, query and key by how far apart
    they are; "" for models that add nothing.
    """
    name = shape.architecture.relative
    if not name:
        return ""

    # distances 0..2L-2 stand for key - query = -(L-1)..L-1; bias[head, distance]
    most = shape.positions
    bias = graph.weight(f"{name}.weight", _BUCKETS, shape.heads)[_buckets(most)].T
    length = graph("Squeeze", graph("Slice", graph("Shape", "ids"), [1], [2]), [0])
    places = graph("Range", np.array(0, np.int64), length, np.array(1, np.int64))
    steps = graph("Sub", graph("Unsqueeze", places, [0]), graph("Unsqueeze", places, [1]))
    distances = graph("Add", steps, np.array(most - 1, np.int64))
    return graph("Unsqueeze", graph("Gather", bias, distances, axis=1), [0])


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


def _layer(graph: Graph, layer: str, hidden: str, attention: str, shape: Shape) -> str:
    """Return the output of one layer for some tokens, given their attention to all: three linear
    steps, two of them with a shortcut.
    """
    names, size, epsilon = shape.architecture.names, shape.size, shape.epsilon

    # SkipLayerNormalization, which adds and normalises at once, takes four times as long
    mixed = graph.linear(f"{layer}{names.mixed}", attention, (size, size))
    total = graph("Add", mixed, hidden)
    hidden = graph.normed(f"{layer}{names.mixed_norm}", total, size, epsilon)

    inner = graph.weight(f"{layer}{names.wide}.bias", -1).size
    gain = graph.weight(f"{layer}{names.mixed_norm}.weight", size)
    wide = graph.linear(f"{layer}{names.wide}", hidden, (size, inner), gain)
    active = graph("Gelu", wide, approximate=shape.approximate)
    narrow = graph.linear(f"{layer}{names.narrow}", active, (inner, size), of_gelu=True)
    total = graph("Add", narrow, hidden)
    return graph.normed(f"{layer}{names.narrow_norm}", total, size, epsilon)


def _attention(graph: Graph, layer: str, hidden: str, relative: str, shape: Shape) -> str:
    """Return the attention of all tokens to all, the heads' results end to end.

    Softmax(Q K^T / sqrt(size of a head) + relative) V for each head (Vaswani et al. 2017, equation
    1), which onnxruntime has as one operation; it adds the biases of Q, K and V as well.
    """
    names, size = shape.architecture.names, shape.size
    parts = names.query, names.key, names.value

    products = [
        graph.product(hidden, graph.weight(f"{layer}{part}.weight", size, size)) for part in parts
    ]
    biases = [graph.weight(f"{layer}{part}.bias", size) for part in parts]
    return graph(
        "MultiHeadAttention",
        *products,
        np.concatenate(biases),
        *(["", relative] if relative else []),
        domain=MICROSOFT,
        num_heads=shape.heads,
    )


def _layer_of_first(graph: Graph, layer: str, context: str, relative: str, shape: Shape) -> str:
    """Return the output of one layer for the first token alone. One token takes so little time that
    nothing is rounded.
    """
    first = graph("Slice", context, [0], [1], [1])
    of_first = graph("Slice", relative, [0], [1], [2]) if relative else ""
    with graph.exact():
        attention = _attention_of_first(graph, layer, (first, context, of_first), shape)
        return _layer(graph, layer, first, attention, shape)


def _attention_of_first(graph: Graph, layer: str, given: tuple[str, str, str], shape: Shape) -> str:
    """Return the attention of the first token to its context X, without K and V of every token.

    For each head, with q the query and p the result of softmax:
    q K^T = q (X W_k)^T = (q W_k^T) X^T        p V = p (X W_v) = (p X) W_v
    The bias of K adds the same to every token, which softmax does not see; that of V is added to
    the sum, since p sums to 1.
    """
    (first, context, relative), names, size = given, shape.architecture.names, shape.size
    by_head = shape.heads, size // shape.heads, size

    query = graph.linear(f"{layer}{names.query}", first, (size, size))
    query = graph("Transpose", graph("Reshape", query, [0, *by_head[:2]]), perm=[1, 0, 2])
    keys = graph.weight(f"{layer}{names.key}.weight", size, size).reshape(by_head)
    query = graph("MatMul", query, keys / np.sqrt(np.float32(by_head[1])))

    # heads x texts x size  ->  texts x heads x size, times X^T: texts x heads x tokens
    query, turned = (
        graph("Transpose", query, perm=[1, 0, 2]),
        graph("Transpose", context, perm=[0, 2, 1]),
    )
    scores = graph("MatMul", query, turned)
    if relative:
        scores = graph("Add", scores, graph("Squeeze", relative, [2]))
    mean = graph("MatMul", graph("Softmax", scores, axis=-1), context)

    values = graph.weight(f"{layer}{names.value}.weight", size, size).reshape(by_head)
    mean = graph("Transpose", mean, perm=[1, 0, 2])
    found = graph("Transpose", graph("MatMul", mean, values.transpose(0, 2, 1)), perm=[1, 0, 2])
    found = graph("Reshape", found, [0, 1, size])
    return graph("Add", found, graph.weight(f"{layer}{names.value}.bias", size))
