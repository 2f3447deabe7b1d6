"""Folders that cannot be used: each error says what is wrong and what to do."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from citewise.embed.encoder import TransformerEncoder
from citewise.embed.pair_scorers import CrossEncoder
from citewise.embed.truncation import Truncation
from citewise.errors import BadInput, CitewiseError, MissingData

pytest.importorskip("torch")
pytest.importorskip("transformers")

from transformer_models import random_model, with_pooling

pytestmark = [pytest.mark.usefixtures("encoder_cache"), pytest.mark.slow]

Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random BERT with mean pooling, made once."""
    folder = tmp_path_factory.mktemp("sound") / "model"
    random_model("bert", folder)
    with_pooling(folder, "mean_tokens")
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return shutil.copytree(sound, tmp_path / "model")


def run(folder: Path) -> None:
    TransformerEncoder(str(folder), "fp32").encode(["one"])


def config(**changes: Any) -> Change:
    """Return a change of settings in a folder."""

    def change(folder: Path) -> None:
        settings = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(settings | changes))

    return change


def weights(name: str, change: Callable[[Any], Any]) -> Change:
    """Return a change of some weights in a folder; None removes them."""

    def changed(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        value = change(stored.pop(name))
        if value is not None:
            stored[name] = np.ascontiguousarray(value)
        save_file(stored, folder / "model.safetensors")

    return changed


def cut(name: str, size: int) -> Change:
    """Return a change that leaves only the first bytes of a file."""

    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:size])

    return change


def written(name: str, content: bytes) -> Change:
    """Return a change of a whole file."""

    def change(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return change


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def adapter(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "adapter_config.json").write_text("{}")


def hostile_index(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"embeddings.word_embeddings.weight": "../../secret.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def missing_shard(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


HUGE = struct.pack("<Q", 2**62) + b"{}"
WORD = "embeddings.word_embeddings.weight"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (config(model_type="gpt2"), "type 'gpt2'; those that can be run are bert"),
        (config(model_type=["bert"]), "a model of type"),
        (config(hidden_act="relu"), "activation 'relu'"),
        (config(is_decoder=True), "generates text"),
        (config(position_embedding_type="relative_key"), "'relative_key' positions"),
        (config(num_hidden_layers=10**12), "num_hidden_layers in config.json is 1000000000000"),
        (config(num_hidden_layers=-1), "num_hidden_layers in config.json is -1"),
        (config(num_hidden_layers=4), r"no weights encoder\.layer\.3\."),
        (config(hidden_size=10**9), "hidden_size in config.json"),
        (config(hidden_size=64), "have the shape"),
        (config(num_attention_heads=5), "cannot be shared by 5"),
        (config(num_attention_heads=None), "num_attention_heads in config.json is None"),
        (config(layer_norm_eps="tiny"), "layer_norm_eps in config.json is 'tiny'"),
        (config(layer_norm_eps=-1.0), "layer_norm_eps in config.json is -1.0"),
        (config(max_position_embeddings=10**9), "max_position_embeddings"),
        (config(max_position_embeddings=1024), "position_embeddings.weight have the shape"),
        (written("config.json", b'{"layer_norm_eps": NaN}'), "no JSON"),
        (written("config.json", b"[1, 2]"), "no JSON object"),
        (written("config.json", b"[" * 100_000), "no JSON"),
        (cut("config.json", 30), "no JSON"),
        (cut("model.safetensors", 100), "a part of one"),
        (cut("model.safetensors", 50_000), "a part of one"),
        (written("model.safetensors", HUGE), "no safetensors file"),
        (written("model.safetensors", b""), "no safetensors file"),
        (weights(WORD, lambda values: values * np.nan), f"weights {WORD} are not all numbers"),
        (weights(WORD, lambda values: None), f"no weights {WORD}"),
        (weights(WORD, lambda values: values.T), "have the shape"),
        (written("tokenizer.json", b"{}"), "tokenizer cannot be read"),
        (written("tokenizer.json", b"\x00\xff"), "tokenizer cannot be read"),
        (pickled, r"a pickle \(pytorch_model.bin\).*save_pretrained"),
        (adapter, "an adapter, not a whole model"),
        (hostile_index, "no file of weights in this folder"),
        (missing_shard, "no model-00001-of-00002.safetensors"),
        (written("1_Pooling/config.json", b"{}"), "--preset PRESET.*--pooling POOLING"),
        (written("sentence_bert_config.json", b'{"max_seq_length": -5}'), "max_seq_length is -5"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, change: Change, message: str) -> None:
    change(folder)
    with pytest.raises(CitewiseError, match=message):
        run(folder)


def test_the_folder_is_sound_before(folder: Path) -> None:
    run(folder)


def test_a_vocabulary_without_special_tokens(folder: Path) -> None:
    (folder / "vocab.txt").write_text("one\ntwo\n")
    with pytest.raises(BadInput, match=r"2 tokens without \[CLS\]"):
        run(folder)


def test_no_tokenizer_at_all(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    with pytest.raises(MissingData, match=r"no tokenizer\.json"):
        run(folder)


def test_tokens_beyond_the_vocabulary_do_no_harm(folder: Path) -> None:
    words = (folder / "vocab.txt").read_text("utf-8")
    (folder / "vocab.txt").write_text(words + "zebra\n", "utf-8")
    with pytest.raises(BadInput, match="weights know 250 tokens"):
        TransformerEncoder(str(folder), "fp32").encode(["zebra"])


def test_a_head_with_many_labels_is_refused(tmp_path: Path) -> None:
    random_model("bert", tmp_path, 3)
    with pytest.raises(BadInput, match="3 labels"):
        CrossEncoder(str(tmp_path), "fp32").score([("a", "b")])


def test_an_encoder_scores_no_pairs(folder: Path) -> None:
    with pytest.raises(BadInput, match=r"no weights classifier\.weight"):
        CrossEncoder(str(folder), "fp32").score([("a", "b")])


def test_more_tokens_than_a_model_reads(folder: Path) -> None:
    with pytest.raises(BadInput, match="asks for 600 tokens, and this model reads 512"):
        CrossEncoder(str(folder), "fp32", truncation=Truncation.parse("300+300"))


@pytest.mark.parametrize("text", ["longest-first", "longest-first@64", "64+448"])
def test_truncation_rules_print_as_they_parse(text: str) -> None:
    assert str(Truncation.parse(text)) == text


@pytest.mark.parametrize("text", ["", "longest", "4+400", "0+12", "12+0", "longest-first@3", "1e3"])
def test_what_is_no_truncation_rule_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Truncation.parse(text)
