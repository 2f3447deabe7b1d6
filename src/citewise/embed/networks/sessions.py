"""Run graphs by onnxruntime; they are made once and kept in the user's cache folder."""

import importlib.util
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from citewise.errors import BadInput, MissingExtra
from citewise.protocols import Precision

if TYPE_CHECKING:
    from onnx import ModelProto
    from onnxruntime import InferenceSession

_PARTS = ("onnx", "onnxruntime", "safetensors", "tokenizers")

_RECIPE = 2
"""The version of the graphs, part of a kept graph's name."""


def require_runtime(precision: str) -> None:
    """Raise an error where graphs cannot be run: with the pip line of a package that is missing."""
    if precision not in ("int8", "fp32"):
        raise BadInput(f"precision must be int8 or fp32, not {precision!r}")
    missing = [name for name in _PARTS if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"an encoder (here: {', '.join(missing)})", "neural")


def session(
    name: str, precision: Precision, threads: int, make: Callable[[], "ModelProto"]
) -> "InferenceSession":
    """Return a graph ready to run; `name` stands for all that it depends on, `make` is called
    where it is not kept yet.
    """
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = threads
    # A thread that has to wait leaves its core to other threads.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    file = _kept(name, precision, make)
    return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


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
