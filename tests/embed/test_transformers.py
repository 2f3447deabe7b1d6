"""Every architecture and tokenizer against transformers and torch, which we did not write."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citewise.embed.encoder import TransformerEncoder
from citewise.embed.located import Located, located
from citewise.embed.networks.architectures import ARCHITECTURES
from citewise.embed.pair_scorers import CrossEncoder, pair_scorer_named
from citewise.embed.presets import Preset
from citewise.embed.tokenizer import tokenizer_of
from citewise.embed.truncation import Truncation
from citewise.text.sentences import sentence_spans

pytest.importorskip("torch")
pytest.importorskip("transformers")

from transformer_models import (
    KINDS,
    TEXTS,
    hidden,
    logits,
    random_model,
    tokenizer_for,
    with_pooling,
)

pytestmark = [pytest.mark.usefixtures("encoder_cache"), pytest.mark.slow]

PAIRS = [(TEXTS[0], TEXTS[1]), ("", TEXTS[2]), (TEXTS[-1], TEXTS[3]), (TEXTS[-1], TEXTS[-1])]


def test_every_architecture_is_tested() -> None:
    assert {*ARCHITECTURES} == {*KINDS} - {"bert-cased"}


@pytest.mark.parametrize("whole", [True, False], ids=["tokenizer.json", "plain files"])
@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_those_of_transformers(kind: str, whole: bool, tmp_path: Path) -> None:
    theirs = tokenizer_for(kind, tmp_path / "plain")
    folder = tmp_path / "plain"
    if whole:
        theirs.save_pretrained(tmp_path / "whole")
        folder = tmp_path / "whole"
        assert (folder / "tokenizer.json").is_file()
    assert whole or not (folder / "tokenizer.json").exists()

    ours = tokenizer_of(folder, ARCHITECTURES[kind.removesuffix("-cased")])
    for text in TEXTS:
        assert ours.encode(text).ids == theirs(text)["input_ids"], text
    for pair in PAIRS:
        found, expected = ours.encode(*pair), theirs(*pair)
        assert found.ids == expected["input_ids"]
        if "token_type_ids" in expected:
            assert found.type_ids == expected["token_type_ids"]


@pytest.mark.parametrize("mode", ["mean_tokens", "cls_token"])
@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_those_of_torch(kind: str, mode: str, tmp_path: Path) -> None:
    model, tokenizer = random_model(kind, tmp_path)
    with_pooling(tmp_path, mode)

    found = TransformerEncoder(str(tmp_path), "fp32").encode(TEXTS)
    for text, vector in zip(TEXTS, found, strict=True):
        last = hidden(model, tokenizer, text)[-1]
        pooled = last[0] if mode == "cls_token" else last.mean(axis=0)
        assert vector == pytest.approx(pooled / np.linalg.norm(pooled), abs=1e-4)


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_torch(kind: str, labels: int, tmp_path: Path) -> None:
    model, tokenizer = random_model(kind, tmp_path, labels)

    found = pair_scorer_named(str(tmp_path), "fp32").score(PAIRS)
    for pair, score in zip(PAIRS, found, strict=True):
        given = tokenizer(*pair, truncation="longest_first", max_length=512, return_tensors="pt")
        expected = logits(model, given)
        assert score == pytest.approx(expected[-1] - (expected[0] if labels == 2 else 0), abs=1e-4)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_budgets_cut_each_side_by_itself(kind: str, tmp_path: Path) -> None:
    model, tokenizer = random_model(kind, tmp_path, 1)
    first, second = "ants " * 40 + "end", "bees " * 40 + "end"

    (found,) = CrossEncoder(str(tmp_path), "fp32", truncation=Truncation.parse("16+24")).score(
        [(first, second)]
    )
    special = {"bert": 1, "roberta": 2}[kind]
    halves = [
        tokenizer(text, add_special_tokens=False)["input_ids"][:budget]
        for text, budget in ((first, 16 - 2), (second, 24 - special))
    ]
    cls, sep = tokenizer.cls_token_id, tokenizer.sep_token_id
    ids = [cls, *halves[0], sep, *([sep] * (special - 1)), *halves[1], sep]
    assert len(ids) == 16 + 24

    import torch

    segments = [0] * (len(halves[0]) + 2) + [1] * (len(halves[1]) + 1)
    given: dict[str, Any] = {"input_ids": torch.tensor([ids])}
    if kind == "bert":
        given["token_type_ids"] = torch.tensor([segments])
    assert found == pytest.approx(logits(model, given)[0], abs=1e-4)


def test_longest_first_to_fewer_tokens(tmp_path: Path) -> None:
    model, tokenizer = random_model("bert", tmp_path, 1)
    rule = Truncation.parse("longest-first@32")
    scorer = pair_scorer_named(str(tmp_path), "fp32", truncation=rule)
    assert scorer.about.truncation == "longest-first@32"
    for pair, score in zip(PAIRS, scorer.score(PAIRS), strict=True):
        given = tokenizer(*pair, truncation="longest_first", max_length=32, return_tensors="pt")
        assert score == pytest.approx(logits(model, given)[0], abs=1e-4)


def test_sentences_are_means_over_all_layers(tmp_path: Path) -> None:
    model, tokenizer = random_model("bert", tmp_path)
    preset = Preset("sentences", "sep", distance="l2")
    encoder = TransformerEncoder(Located("aspire", tmp_path, preset), "fp32")
    title, abstract = "Bees dance", "Ants lay trails. Robots swarm like insects do."
    text = encoder.form.paper(title, abstract)
    assert text == f"{title}[SEP]{abstract}"

    (found,) = encoder.encode([text])
    layers = np.mean(hidden(model, tokenizer, text), axis=0)
    given = tokenizer(text, return_offsets_mapping=True)
    starts = [0, len(title) + len("[SEP]"), text.index("Robots")]
    assert [start for start, _ in sentence_spans(abstract, ())] == [0, abstract.index("Robots")]
    groups: list[list[int]] = [[], [], []]
    for token, (number, (_, end)) in enumerate(
        zip(given["input_ids"], given["offset_mapping"], strict=True)
    ):
        if number not in (tokenizer.cls_token_id, tokenizer.sep_token_id):
            groups[sum(start < end for start in starts) - 1].append(token)
    expected = np.mean([layers[group].mean(axis=0) for group in groups], axis=0)
    assert found == pytest.approx(expected, abs=1e-4)
    assert np.isfinite(encoder.encode([""])).all(), "no words, so the first token stands for all"


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "gelu_pytorch_tanh"])
def test_activations(activation: str, tmp_path: Path) -> None:
    model, tokenizer = random_model("bert", tmp_path, hidden_act=activation)
    with_pooling(tmp_path, "cls_token")
    (found,) = TransformerEncoder(str(tmp_path), "fp32").encode(TEXTS[:1])
    first = hidden(model, tokenizer, TEXTS[0])[-1][0]
    assert found == pytest.approx(first / np.linalg.norm(first), abs=1e-4)


def test_a_trained_model_with_a_head_encodes_without_it(tmp_path: Path) -> None:
    model, tokenizer = random_model("roberta", tmp_path, 2)
    with_pooling(tmp_path, "mean_tokens")
    (found,) = TransformerEncoder(str(tmp_path), "fp32").encode(TEXTS[:1])
    pooled = hidden(model, tokenizer, TEXTS[0])[-1].mean(axis=0)
    assert found == pytest.approx(pooled / np.linalg.norm(pooled), abs=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_weights_of_16_bits(dtype: str, tmp_path: Path) -> None:
    import torch

    model, tokenizer = random_model("bert", tmp_path)
    model.to(getattr(torch, dtype)).save_pretrained(tmp_path)
    with_pooling(tmp_path, "mean_tokens")
    (found,) = TransformerEncoder(str(tmp_path), "fp32").encode(TEXTS[:1])
    pooled = hidden(model.float(), tokenizer, TEXTS[0])[-1].mean(axis=0)
    assert found == pytest.approx(pooled / np.linalg.norm(pooled), abs=1e-4)


def test_weights_in_several_files(tmp_path: Path) -> None:
    model, _ = random_model("bert", tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "many")
    (tmp_path / "many" / "model.safetensors").unlink()
    model.save_pretrained(tmp_path / "many", max_shard_size="50KB")
    assert (tmp_path / "many" / "model.safetensors.index.json").is_file()
    for folder in ("one", "many"):
        with_pooling(tmp_path / folder, "mean_tokens")
    one, many = (
        TransformerEncoder(str(tmp_path / name), "fp32").encode(TEXTS) for name in ("one", "many")
    )
    assert np.array_equal(one, many)


def test_int8_does_not_depend_on_company(tmp_path: Path) -> None:
    random_model("mpnet", tmp_path, 1)
    scorer = CrossEncoder(str(tmp_path), "int8")
    alone = np.concatenate([scorer.score([pair]) for pair in PAIRS])
    assert scorer.score(PAIRS) == pytest.approx(alone, abs=1e-5)
    assert scorer.score([]).shape == (0,)
    exact = CrossEncoder(str(tmp_path), "fp32").score(PAIRS)
    assert not np.array_equal(alone, exact)


def test_int8_of_minilm_is_near_fp32() -> None:
    texts = [f"{text} {number}" for number in range(3) for text in TEXTS[:4]]
    exact, near = (TransformerEncoder("minilm", each).encode(texts) for each in ("fp32", "int8"))
    assert ((exact * near).sum(axis=1) > 0.99).all()
    upper = np.triu_indices(len(texts), 1)
    assert np.corrcoef((exact @ exact.T)[upper], (near @ near.T)[upper])[0, 1] > 0.99


def test_a_model_that_reads_fewer_tokens_cuts_at_them(tmp_path: Path) -> None:
    model, tokenizer = random_model("bert", tmp_path, max_position_embeddings=20)
    with_pooling(tmp_path, "mean_tokens")
    assert located(str(tmp_path)).shape().tokens == 20
    (found,) = TransformerEncoder(str(tmp_path), "fp32").encode(TEXTS[-1:])
    pooled = hidden(model, tokenizer, TEXTS[-1], 20)[-1].mean(axis=0)
    assert found == pytest.approx(pooled / np.linalg.norm(pooled), abs=1e-4)
