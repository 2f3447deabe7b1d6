"""Folders of models as transformers saves them: networks are read from them and written to them."""

import dataclasses
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import nn

from citewise.embed.folder import digest_of
from citewise.errors import BadInput
from citewise.protocols import Stores
from citewise.train.bert.network import Shape, fresh
from citewise.train.bert.schedule import Schedule

_COPIED = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json")

_POOLING = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token"}


def config_of(folder: Path) -> dict[str, Any]:
    """Return a model's configuration."""
    try:
        content = (folder / "config.json").read_bytes()
        found: dict[str, Any] = msgspec.json.decode(content, type=dict)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadInput(f"{folder / 'config.json'}: cannot be read ({error})") from None
    return found


def shape_of(folder: Path) -> Shape:
    """Return the shape of a folder's BERT."""
    try:
        return Shape.of(config_of(folder))
    except BadInput as error:
        raise BadInput(f"{folder}: {error}") from None


def load(network: nn.Module, folder: Path, seed: int) -> list[str]:
    """Give a network the weights of a folder's model; return the names of those that the folder
    does not have, which are drawn at random.
    """
    from safetensors.numpy import load_file

    fresh(network, seed)
    stored = {
        name.removeprefix("bert."): values
        for name, values in load_file(folder / "model.safetensors").items()
    }
    missing = []
    for name, parameter in network.named_parameters():
        values = stored.get(name.removeprefix("bert."))
        if values is None:
            missing.append(name)
            continue
        if values.shape != tuple(parameter.shape):
            raise BadInput(
                f"{folder}: its weights {name} are {values.shape}, not {tuple(parameter.shape)}"
            )
        with torch.no_grad():
            parameter.copy_(torch.from_numpy(values.astype(np.float32)))

    of_encoder = [name for name in missing if not name.startswith(("classifier", "bert.pooler"))]
    if of_encoder:
        raise BadInput(f"{folder}: has no weights {of_encoder[0]}; only BERT's names are known")
    return missing


def provenance(
    stores: Stores,
    what: str,
    start: Path,
    settings: Schedule,
    counts: Mapping[str, int],
    quality: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """Return where a trained model is from, as its folder keeps it."""
    return {
        "trained by": f"citewise train {what}",
        "library": {"papers": len(stores.papers), "fingerprint": stores.info.fingerprint},
        "start": digest_of(start),
        "settings": msgspec.to_builtins(dataclasses.asdict(settings)),
        "counts": counts,
        "dev": quality,
    }


def write_cross_encoder(
    weights: Mapping[str, torch.Tensor], start: Path, folder: Path, about: Mapping[str, Any]
) -> None:
    """Write a trained cross-encoder; `start` is the folder that its training began with."""
    config = config_of(start) | {
        "architectures": ["BertForSequenceClassification"],
        "id2label": {"0": "LABEL_0"},
        "label2id": {"LABEL_0": 0},
        "citewise": dict(about),
    }
    _write(weights, start, folder, {"config.json": config})


def write_encoder(
    weights: Mapping[str, torch.Tensor],
    start: Path,
    folder: Path,
    about: Mapping[str, Any],
    pooling: str,
    tokens: int,
) -> None:
    """Write a trained encoder as sentence-transformers does."""
    config = config_of(start) | {"architectures": ["BertModel"], "citewise": dict(about)}
    plain = {name.removeprefix("bert."): values for name, values in weights.items()}
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.{kind}"}
        for number, (path, kind) in enumerate(
            (
                ("", "models.Transformer"),
                ("1_Pooling", "models.Pooling"),
                ("2_Normalize", "models.Normalize"),
            )
        )
    ]
    pooled = {"word_embedding_dimension": config["hidden_size"]} | {
        name: pooling == kind for kind, name in _POOLING.items()
    }
    files = {
        "config.json": config,
        "modules.json": modules,
        "1_Pooling/config.json": pooled,
        "sentence_bert_config.json": {"max_seq_length": tokens, "do_lower_case": False},
    }
    _write(plain, start, folder, files)


def _write(
    weights: Mapping[str, torch.Tensor], start: Path, folder: Path, files: Mapping[str, Any]
) -> None:
    """Write a folder, whole or not at all; one that is there is replaced."""
    from safetensors.numpy import save_file

    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "model"
        for name, content in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            encoded = msgspec.json.format(msgspec.json.encode(content), indent=2)
            (made / name).write_bytes(encoded + b"\n")
        for name in _COPIED:
            if (start / name).is_file():
                shutil.copyfile(start / name, made / name)
        arrays = {name: values.detach().numpy().copy() for name, values in weights.items()}
        save_file(arrays, made / "model.safetensors", metadata={"format": "pt"})

        if folder.exists():
            folder.replace(Path(scratch) / "old")
        made.replace(folder)
