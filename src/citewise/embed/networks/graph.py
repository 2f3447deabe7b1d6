"""Collects the nodes of an ONNX graph."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadInput
from citewise.protocols import Precision

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Weights = Mapping[str, NDArray[np.float32]]
"""Weights by their names in transformers."""

_OPSET, _IR = 20, 10

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operations."""

_CODES, _WEIGHT_CODES = 255, 64
_ZERO, _ZERO_OF_GELU = 128, 16
"""The codes that stand for 0: of numbers as often negative as positive, and of those of GELU."""
_LEAST_OF_GELU = -0.1701
_TINY = 1e-9
_LEAST_GAIN = 0.1
"""Of the mean gain: columns with less than that are not magnified further."""


class Graph:
    """Collects the nodes of a graph; a call adds one and returns the name of its output."""

    def __init__(self, weights: Weights, precision: Precision, where: str) -> None:
        """`where` is what errors call the model."""
        from onnx import helper, numpy_helper

        self._weights, self._precision, self._where = weights, precision, where
        self._make, self._tensor = helper.make_node, numpy_helper.from_array
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._rounded: dict[str, tuple[str, str, int]] = {}

    def __call__(
        self,
        kind: str,
        *inputs: "str | float | NDArray[np.generic] | list[int]",
        output: str = "",
        **attributes: Any,
    ) -> str:
        name = output or f"{kind}{len(self._nodes)}"
        names = [each if isinstance(each, str) else self._constant(each) for each in inputs]
        self._nodes.append(self._make(kind, names, [name], **attributes))
        return name

    def _constant(self, value: "float | NDArray[np.generic] | list[int]") -> str:
        """Add a constant and return its name; lists become int64, floats float32."""
        name = f"constant{len(self._constants)}"
        types = {list: np.int64, float: np.float32}
        array = np.asarray(value, types.get(type(value)))
        self._constants.append(self._tensor(np.ascontiguousarray(array), name))
        return name

    def weight(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return the weights of this name; -1 in the shape they must have stands for any size."""
        found = self._weights.get(name)
        if found is None:
            raise BadInput(
                f"{self._where}: the model's file has no weights {name}; it is damaged, or "
                "config.json belongs to another model"
            )

        fits = len(shape) == found.ndim and all(
            wanted in (-1, size) for wanted, size in zip(shape, found.shape, strict=True)
        )
        if not fits:
            raise BadInput(
                f"{self._where}: the weights {name} have the shape {found.shape}, and config.json "
                f"asks for {tuple('any' if each < 0 else each for each in shape)}"
            )
        if not np.isfinite(found).all():
            raise BadInput(
                f"{self._where}: the weights {name} are not all numbers; the file is damaged"
            )
        return found

    @contextmanager
    def exact(self) -> Iterator[None]:
        """Round nothing inside this block."""
        before, self._precision = self._precision, "fp32"
        try:
            yield
        finally:
            self._precision = before

    def linear(
        self,
        name: str,
        hidden: str,
        sizes: tuple[int, int],
        gain: NDArray[np.float32] | None = None,
        of_gelu: bool = False,
    ) -> str:
        """Return hidden x weights + bias; `sizes` are those of hidden and of what is returned,
        `gain` and `of_gelu` as of `product`.
        """
        size, outputs = sizes
        product = self.product(hidden, self.weight(f"{name}.weight", outputs, size), gain, of_gelu)
        return self("Add", product, self.weight(f"{name}.bias", outputs))

    def product(
        self,
        hidden: str,
        weight: NDArray[np.float32],
        gain: NDArray[np.float32] | None = None,
        of_gelu: bool = False,
    ) -> str:
        """Return hidden x weights; with int8, of numbers that are rounded to 8 bits.

        Each token is rounded by a step a from its own largest number, each column of the weights by
        its own step b. Only 7 bits of the weights are used, so that no processor's sums of products
        overflow:
        x w = a * b * sum over i of round(x_i / a) * round(w_i / b)

        `gain` is what the columns of hidden were multiplied with last. They are rounded without it,
        and the weights have it instead: a few columns with a large gain would make a token's step
        too long for all others (Xiao et al. 2023, SmoothQuant, equation 3). `of_gelu` says that no
        number is less than GELU's least.
        """
        if self._precision == "fp32":
            return self("MatMul", hidden, weight.T)

        if gain is not None:
            gain = np.maximum(np.abs(gain), _LEAST_GAIN * np.abs(gain).mean() + _TINY)
            hidden, weight = self("Mul", hidden, 1 / gain), weight * gain
        largest, rounded, zero = self._rounded_tokens(hidden, of_gelu)
        steps = np.maximum(np.abs(weight).max(axis=1), _TINY) / _WEIGHT_CODES
        product = self(
            "MatMulIntegerToFloat",
            rounded,
            np.rint(weight / steps[:, None]).astype(np.int8).T,
            1 / (_CODES - zero),
            steps.astype(np.float32),
            np.array(zero, np.uint8),
            domain=MICROSOFT,
        )
        return self("Mul", product, largest)

    def _rounded_tokens(self, hidden: str, of_gelu: bool) -> tuple[str, str, int]:
        """Return each token's largest number, its numbers as bytes, and the byte that stands for 0.

        The bytes above that of 0 reach to the largest number; those below it reach as far down, or
        to the least number of GELU.
        """
        if hidden not in self._rounded:
            zero = _ZERO_OF_GELU if of_gelu else _ZERO
            least = -_LEAST_OF_GELU / zero * (_CODES - zero) if of_gelu else _TINY
            sizes = hidden if of_gelu else self("Abs", hidden)
            largest = self("Max", self("ReduceMax", sizes, [-1], keepdims=1), least)

            scaled, step = self("Div", hidden, largest), 1 / (_CODES - zero)
            rounded = self("QuantizeLinear", scaled, step, np.array(zero, np.uint8))
            self._rounded[hidden] = largest, rounded, zero
        return self._rounded[hidden]

    def normed(self, name: str, hidden: str, size: int, epsilon: float) -> str:
        """Return the layer normalisation of hidden."""
        return self(
            "LayerNormalization",
            hidden,
            self.weight(f"{name}.weight", size),
            self.weight(f"{name}.bias", size),
            epsilon=epsilon,
        )

    def model(
        self, inputs: Mapping[str, type], output: tuple[str, Sequence[str | int]]
    ) -> "ModelProto":
        """Return the whole graph: `inputs` with their types, all of texts x tokens, and the name
        and shape of its output.
        """
        from onnx import checker, helper

        given = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), ["texts", "tokens"]
            )
            for name, kind in inputs.items()
        ]
        name, shape = output
        answer = helper.make_tensor_value_info(name, 1, list(shape))

        made = helper.make_model(
            helper.make_graph(self._nodes, "transformer", given, [answer], self._constants),
            opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(MICROSOFT, 1)],
            ir_version=_IR,
        )
        checker.check_model(made)
        return made
