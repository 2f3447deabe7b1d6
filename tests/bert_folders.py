"""Small BERT models with random weights, in folders as transformers saves them."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

CONFIG = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "hidden_act": "gelu",
    "hidden_size": 16,
    "intermediate_size": 32,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 64,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "type_vocab_size": 2,
    "pad_token_id": 0,
}


def small_bert(folder: Path, words: Iterable[str], seed: int = 0, head: bool = False) -> Path:
    """Write a model that knows some words; with `head`, a cross-encoder. Return its folder."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *sorted({*words})])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))

    config = CONFIG | {"vocab_size": len(vocabulary)}
    if head:
        config |= {
            "architectures": ["BertForSequenceClassification"],
            "id2label": {"0": "LABEL_0"},
            "label2id": {"LABEL_0": 0},
        }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    save_file(_weights(len(vocabulary), seed, head), folder / "model.safetensors")
    return folder


def _weights(words: int, seed: int, head: bool) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    size, inner = 16, 32
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, size),
        "embeddings.position_embeddings.weight": (64, size),
        "embeddings.token_type_embeddings.weight": (2, size),
        "pooler.dense.weight": (size, size),
        "pooler.dense.bias": (size,),
    }
    for layer in range(2):
        name = f"encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            shapes[f"{name}attention.self.{part}.weight"] = (size, size)
            shapes[f"{name}attention.self.{part}.bias"] = (size,)
        for part, (wide, narrow) in {
            "attention.output.dense": (size, size),
            "intermediate.dense": (inner, size),
            "output.dense": (size, inner),
        }.items():
            shapes[f"{name}{part}.weight"] = (wide, narrow)
            shapes[f"{name}{part}.bias"] = (wide,)

    found = {name: random.normal(0, 0.3, shape) for name, shape in shapes.items()}
    norms = ["embeddings"]
    for layer in range(2):
        norms += [f"encoder.layer.{layer}.attention.output", f"encoder.layer.{layer}.output"]
    for name in norms:
        found[f"{name}.LayerNorm.weight"] = random.normal(1, 0.1, size)
        found[f"{name}.LayerNorm.bias"] = random.normal(0, 0.1, size)
    if head:
        found = {f"bert.{name}": values for name, values in found.items()}
        found["classifier.weight"] = random.normal(0, 0.5, (1, size))
        found["classifier.bias"] = random.normal(0, 0.5, 1)
    return {name: values.astype(np.float32) for name, values in found.items()}
