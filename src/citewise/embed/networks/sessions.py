"""Run graphs by onnxruntime, batches in threads; graphs are made once and kept in the user's cache
folder.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.embed.networks.batches import batches
from citewise.errors import BadInput, MissingExtra
from citewise.protocols import Precision

if TYPE_CHECKING:
    from onnx import ModelProto

_PARTS = ("onnx", "onnxruntime", "safetensors", "tokenizers")

_RECIPE = 3
"""The version of the graphs, part of a kept graph's name."""


def require_runtime(precision: str) -> None:
    """Raise an error where graphs cannot be run: with the pip line of a package that is missing."""
    if precision not in ("int8", "fp32"):
        raise BadInput(f"precision must be int8 or fp32, not {precision!r}")
    missing = [name for name in _PARTS if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"an encoder (here: {', '.join(missing)})", "neural")


class Network:
    """A graph that is ready to run."""

    def __init__(
        self, name: str, precision: Precision, threads: int, make: Callable[[], "ModelProto"]
    ) -> None:
        """`name` stands for all that the graph depends on, `make` is called where it is not kept
        yet. `threads` is how many batches run at once; 0 for one a core.
        """
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        # Each batch has one core: threads of one batch would wait for each other many times.
        options.intra_op_num_threads = 1
        self._threads = threads or os.cpu_count() or 1
        self._session = InferenceSession(
            str(_kept(name, precision, make)), options, providers=["CPUExecutionProvider"]
        )

    def run(
        self, lengths: Rows, inputs: Callable[[list[int]], Mapping[str, NDArray[Any]]]
    ) -> NDArray[np.float32]:
        """Return a row of output for each text, of which there is at least one: `lengths` are their
        numbers of tokens, `inputs` returns the graph's inputs for the texts at some positions.
        """
        groups = list(batches(lengths))

        def output(positions: Rows) -> NDArray[np.float32]:
            return np.asarray(self._session.run(None, inputs(positions.tolist()))[0], np.float32)

        threads = min(self._threads, len(groups))
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                outputs = list(pool.map(output, groups))
        else:
            outputs = [output(positions) for positions in groups]

        rows = np.concatenate(outputs)
        in_order = np.empty_like(rows)
        in_order[np.concatenate(groups)] = rows
        return in_order


def _kept(name: str, precision: Precision, make: Callable[[], "ModelProto"]) -> Path:
    """Return the file with a graph, written first if need be: complete or not at all."""
    file = _cache() / f"{name}-{precision}-{_RECIPE}.onnx"
    if not file.exists():
        import onnx

        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
            onnx.save(make(), Path(scratch) / file.name)
            (Path(scratch) / file.name).replace(file)
    return file


def _cache() -> Path:
    """Return the folder for graphs in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewise"
