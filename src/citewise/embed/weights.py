"""Read a model's weights from safetensors files, as 32-bit numbers."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.embed.folder import weight_files
from citewise.errors import BadInput

_OLD_NAMES = {".gamma": ".weight", ".beta": ".bias"}
"""The ends of names in models that were converted from TensorFlow."""

_FLOATS = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
_BRAIN = "BF16"


def weights_of(folder: Path, prefix: str) -> dict[str, NDArray[np.float32]]:
    """Return a model's weights by their names in a plain encoder, which have no prefix."""
    found: dict[str, NDArray[np.float32]] = {}
    for file in weight_files(folder):
        found |= {_name(name, prefix): values for name, values in _read(file).items()}
    return found


def weight_names(folder: Path) -> set[str]:
    """Return the names of a model's weights as they are stored; only the files' heads are read."""
    from safetensors import SafetensorError, safe_open

    found: set[str] = set()
    for file in weight_files(folder):
        try:
            with safe_open(file, "np") as stored:
                found |= {*stored.keys()}
        except SafetensorError as error:
            raise _damaged(file, error) from None
    return found


def _damaged(file: Path, error: Exception) -> BadInput:
    return BadInput(
        f"{file}: no safetensors file, or a part of one ({error}); copy or download it again"
    )


def _name(name: str, prefix: str) -> str:
    plain = name.removeprefix(prefix)
    for old, new in _OLD_NAMES.items():
        if plain.endswith(old):
            return plain.removesuffix(old) + new
    return plain


def _read(file: Path) -> dict[str, NDArray[np.float32]]:
    from safetensors import SafetensorError, deserialize

    try:
        stored = deserialize(file.read_bytes())  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise _damaged(file, error) from None
    return {name: _floats(values) for name, values in stored if _is_float(values)}


def _is_float(values: dict[str, Any]) -> bool:
    """Return whether stored values are weights; numbers of positions, for example, are not."""
    return values["dtype"] in _FLOATS or values["dtype"] == _BRAIN


def _floats(values: dict[str, Any]) -> NDArray[np.float32]:
    if values["dtype"] == _BRAIN:  # the upper half of a 32-bit number
        upper = np.frombuffer(values["data"], "<u2").astype(np.uint32) << 16
        return upper.view(np.float32).reshape(values["shape"])
    numbers = np.frombuffer(values["data"], _FLOATS[values["dtype"]]).astype(np.float32, copy=False)
    return numbers.reshape(values["shape"])
